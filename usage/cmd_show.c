/* Command llamp-usage show: the log of a job, or what jobs do at this moment. */
#include "common/output.h"
#include "usage/commands.h"
#include "usage/show/live.h"
#include "usage/show/show.h"

enum { FORMAT_AUTOPERF = REPORT_FORMATS_END };

static const struct output_format show_formats[] = {
	REPORT_FORMATS, [FORMAT_AUTOPERF] = {"autoperf", "", NULL}, {0}};
static struct command_output show_output = {.formats = show_formats};

static struct choice ranks = {"rank", show_rank_names, SHOW_AVERAGE};

static bool show_live;

static const struct option_spec show_own_options[] = {
	{"live", 0, NULL,
	 "show what the jobs on this node, or the one whose id is given, do at this moment: in which function each "
	 "rank is, and for how long",
	 option_flag, &show_live},
	{"rank", 0, "ROLE",
	 "list the calls of this rank: average, nearest to the mean time in MPI (default); most or "
	 "least time in MPI; first, rank 0; or sums of all ranks",
	 option_choice, &ranks},
	{0},
};

static const char *rank_unused(const char *option)
{
	(void)option;
	if (show_live)
		return "--live lists all ranks of the node";
	return show_output.format == FORMAT_AUTOPERF
		       ? "the format autoperf has all ranks of the log"
	       : show_output.format == REPORT_SCHEMA ? "a schema has no values"
						     : NULL;
}

static const struct option_condition show_conditions[] = {{"rank", rank_unused}, {0}};

static int write_log(FILE *stream, const char *path, const struct job_log *log, struct error *err)
{
	struct report report = {stream, .format = (enum report_format)show_output.format,
				.file = path, .rows = "functions", .label_width = 14};
	struct show show;

	if (show_output.format == FORMAT_AUTOPERF) {
		show_autoperf(stream, log);
		return 0;
	}
	TRY(show_init(&show, log, (enum show_ranks)ranks.value, err));
	show_write(&report, &show);
	show_release(&show);
	return 0;
}

/* Show the jobs on this node, all or the one whose id is given. */
static int show_jobs(const char *job, struct error *err)
{
	struct report report = {.format = (enum report_format)show_output.format,
				.file = job ? job : "",
				.rows = "ranks"};
	struct live live = {0};
	struct output output;
	int result;

	if (show_output.format == FORMAT_AUTOPERF)
		return error_set(err, STATUS_USAGE, "--live has no format autoperf");
	/* A schema is the same whatever runs. */
	result = show_output.format == REPORT_SCHEMA ? 0 : live_find(&live, job, err);
	if (result == 0)
		result = output_open(&output, show_output.path, err);
	if (result == 0) {
		report.stream = output.stream;
		live_write(&report, &live);
		result = output_commit(&output, err);
	}
	live_release(&live);
	return result;
}

static int cmd_show(char **operands, int operand_count, struct error *err)
{
	struct output output;
	struct job_log log;
	int result;

	if (show_live)
		return show_jobs(operands[0], err);
	if (operand_count == 0)
		return error_set(err, STATUS_USAGE, "LOG is missing");
	TRY(output_note_input(operands[0], err));
	TRY(job_log_read(&log, operands[0], err));
	result = output_open(&output, show_output.path, err);
	if (result == 0) {
		result = write_log(output.stream, operands[0], &log, err);
		if (result == 0)
			result = output_commit(&output, err);
		else
			output_discard(&output);
	}
	job_log_release(&log);
	return result;
}

static const struct help_entry show_examples[] = {
	{"llamp-usage show job.usage", "print functions, sizes and ranks of a job"},
	{"llamp-usage show job.usage --rank all --format csv",
	 "print sums of all ranks by function, as a table"},
	{"llamp-usage show --live 4711", "print what the ranks of job 4711 on this node do now"},
	{"llamp-usage show job.usage --format autoperf",
	 "print calls, cycles, bytes and time of four ranks as plain text"},
	{0},
};

static const struct option_spec *const show_options[] = {show_own_options, NULL};

const struct command show_command = {
	.name = "show",
	.operands = "LOG|[JOBID]",
	.most_operands = 1,
	.summary = "print the log of a job: functions, sizes of messages, balance of the ranks",
	.notes =
		"With --live nothing is read but the files of this node (see `llamp-usage collect`), root's view is of the jobs "
		"of all users. It tells of a job that hangs in which function each rank is, and since when.\n\n"
		"CSV has the table of functions, JSON all tables. Time in MPI leaves out functions that concern "
		"no other rank (class local). The format autoperf has a line for each function of each rank: "
		"calls, cycles of the time-stamp counter (- if its frequency is not known), bytes, seconds.",
	.options = show_options,
	.output = &show_output,
	.conditions = show_conditions,
	.run = cmd_show,
	.examples = show_examples,
};
