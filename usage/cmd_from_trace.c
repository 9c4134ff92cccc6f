/* Command llamp-usage from-trace: the log of a run from its trace. */
#include "common/output.h"
#include "usage/archive/archive_log.h"
#include "usage/commands.h"

enum { FORMAT_LOG, FORMAT_JSON };

static const struct output_format from_trace_formats[] = {
	[FORMAT_LOG] = {"log", ".usage", "a log"}, [FORMAT_JSON] = {"json", ".json", NULL}, {0}};
static struct command_output from_trace_output = {.formats = from_trace_formats,
						  .required = "a log"};

static bool all_ranks;

static const struct option_spec from_trace_own_options[] = {
	{"all-ranks", 0, NULL,
	 "keep the calls of all ranks, not just of the four with roles; the log may be large",
	 option_flag, &all_ranks},
	{0},
};

static int write_to(const struct job_log *log, struct error *err)
{
	struct output output;

	TRY(output_open(&output, from_trace_output.path, err));
	if (job_log_write(log, output.stream, from_trace_output.format == FORMAT_LOG, err) < 0) {
		output_discard(&output);
		return -1;
	}
	return output_commit(&output, err);
}

static int cmd_from_trace(char **operands, int operand_count, struct error *err)
{
	struct job_log log;
	int result;

	(void)operand_count;
	TRY(archive_log(&log, operands[0], all_ranks, err));
	result = write_to(&log, err);
	job_log_release(&log);
	return result;
}

static const struct help_entry from_trace_examples[] = {
	{"llamp-usage from-trace app.trace -o app.usage", "make the log of a traced run"},
	{"llamp-usage from-trace app.trace -o app.json", "the same as plain JSON"},
	{0},
};

static const struct option_spec *const from_trace_options[] = {from_trace_own_options, NULL};

const struct command from_trace_command = {
	.name = "from-trace",
	.operands = "TRACE",
	.least_operands = 1,
	.most_operands = 1,
	.summary = "make the log of a run from its trace",
	.notes =
		"TRACE is an OTF2 archive by its folder or its file traces.otf2, a trace of liballprof, or an event "
		"flow file, told apart by content. The log has the calls and bytes that a profile of the run "
		"would have had. MPI_Irecv has the bytes that came, not the room that was posted; a trace does not "
		"know the time of each of many polls, nor which calls failed.",
	.options = from_trace_options,
	.output = &from_trace_output,
	.run = cmd_from_trace,
	.examples = from_trace_examples,
};
