/* What the commands of critpath and critpath-mpi have in common: options, processes, the study. */
#include "common/progress.h"
#include "common/source/source_lines.h"
#include "critpath/commands.h"
#include "critpath/path/trace_quality.h"

const char input_notes[] =
	"ARCHIVE is an OTF2 archive, by its folder or its file traces.otf2, a trace of liballprof, or an event "
	"flow file. "
	"Times of the ranks are on one clock, by the offsets that the archive has.";

static const struct output_format commands_formats[] = {REPORT_FORMATS, {0}};
struct command_output table_output = {.formats = commands_formats};

static struct study_options given;

const struct option_spec strict_options[] = {
	{"strict", 0, NULL,
	 "fail if the trace lacks calls, messages, members of collectives or times,"
	 " or if clocks contradict a message",
	 option_flag, &given.strict},
	{0},
};

static int option_edge(const char *text, void *target, struct error *err)
{
	return slice_edge_parse(target, text, err);
}

const struct option_spec slice_options[] = {
	{"from", 0, "EDGE",
	 "begin at a time since the run began (1.5s), or when the first rank begins"
	 " a region (region:NAME:NUMBER, by default number 1) or an iteration of the main loop"
	 " (iteration:NUMBER)",
	 option_edge, &given.from},
	{"to", 0, "EDGE", "end at a time, or when the last rank ends a region or iteration",
	 option_edge, &given.to},
	{0},
};

bool given_slice(void)
{
	return given.from.kind || given.to.kind;
}

enum report_format given_format(void)
{
	return (enum report_format)table_output.format;
}

/* ------------------------------------------------------------------- processes */

static struct dist *dist;

void commands_share(struct dist *with)
{
	dist = with;
}

struct dist *commands_dist(void)
{
	return dist;
}

int commands_open(struct output *output, struct report *report, struct error *err)
{
	const int opened = dist->rank == 0 ? output_open(output, table_output.path, err) : 0;
	const int result = dist_agree(dist, opened, err);

	if (result < 0 && opened == 0 && dist->rank == 0)
		output_discard(output);
	*report = (struct report){.format = given_format()};
	if (dist->rank == 0)
		report->stream = output->stream;
	return result;
}

int commands_commit(struct output *output, int result, struct error *err)
{
	if (result == 0 && dist->rank == 0)
		result = output_commit(output, err);
	else if (dist->rank == 0)
		output_discard(output);
	return dist_agree(dist, result, err);
}

/* ----------------------------------------------------------------------- study */

/* Of the run that is open. */
static struct source_lines *lines;

static int find_lines(void *data, const struct string_table *texts, const char **names,
		      struct error *err)
{
	const char *doubt;

	(void)data;
	progress_end();
	TRY(source_lines_open(&lines, err));
	for (size_t i = 0; i < texts->starts.count; i++)
		TRY(source_lines_name(lines, texts->starts.items[i], &names[i], err));
	for (size_t i = 0; (doubt = source_lines_doubt(lines, i)); i++)
		tool_warning("critpath", "%s", doubt);
	return 0;
}

int with_study(const char *path, bool observed, use_study *use, struct error *err)
{
	struct study study;
	int result;

	given.observed = observed;
	given.name = find_lines;
	if (dist->rank == 0)
		progress_begin("critpath", "reading the trace");
	result = study_open(&study, path, &given, dist, err);
	progress_end();
	if (result == 0)
		result = use(&study, err);
	study_close(&study);
	source_lines_close(lines);
	lines = NULL;
	return result;
}

int no_sites(const char *path, struct error *err)
{
	return error_set(err, STATUS_DATA,
			 "%s: no call sites are recorded; llamp-trace --call-sites does", path);
}

int check_clocks(const struct findings *findings, struct error *err)
{
	if (trace_quality_check_clocks(findings->run, err) == 0)
		return 0;
	return error_prefix(err, "%s", findings->path);
}
