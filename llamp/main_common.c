/* Helpers of the commands of llamp: notes, models, warnings, outputs. */
#include "llamp/commands.h"

#include "common/progress.h"
#include "common/units.h"
#include "goal/calls.h"
#include "llamp/lp/lp_solver.h"
#include "llamp/report/report.h"

const char input_notes[] =
	"FILE is a GOAL graph, text or binary; - is stdin.\n\n"
	"Times accept ns us ms s (bare: ns), sizes B KB KiB MB MiB (bare: bytes). A parameter "
	"file has lines such as \"L: 3us\", \"G: 56Gbit/s\", \"S: 256KB\"; command-line options "
	"override it.";

const struct help_entry graph_files[] = {
	{"FILE", "the graph, as schedgen writes it"},
	{"FILE.calls", "the MPI calls that made the operations, if schedgen wrote it, from which "
		       "llamp path and timeline name calls"},
	{0},
};

int open_graph(struct model *model, const char *path, const struct loggps *loggps,
	       enum model_parts parts, struct error *err)
{
	int result;

	progress_begin("llamp", "reading the graph");
	result = model_open(model, path, loggps, parts, err);
	progress_end();
	if (result == 0 && model->calls_error.status != STATUS_OK)
		tool_warning("llamp", "%s: not used (MPI calls, traced run time, nodes)",
			     model->calls_error.text);
	return result;
}

void warn_about_pivots(int64_t pivots)
{
	if (pivots > 0)
		tool_warning("llamp",
			     "%s took %lld pivot%s from the basis of the longest path, so the basis"
			     " range is that of another basis",
			     lp_solvers[0]->name, (long long)pivots, plural((uint64_t)pivots));
}

void warn_if_far_from_traced(const struct model *model, double least_ns, double most_ns)
{
	static bool warned;
	char text[REPORT_WARNING_BYTES];

	if (warned || !report_far_from_traced(model, least_ns, most_ns, text))
		return;
	tool_warning("llamp", "%s: %s", model->path, text);
	warned = true;
}

void warn_if_never_deferred(const struct model *model, const struct overlap *overlap)
{
	if (overlap->messages && model->loggps.S == LOGGPS_NO_RENDEZVOUS)
		tool_warning("llamp",
			     "%s: messages are deferred to later calls (schedgen --progress), but"
			     " without -S no message waits for its receiver",
			     model->path);
}

/* --------------------------------------------------------------------- output */

/* Refuse a time as file: -o is the overhead in most tools of this kind. */
static int refuse_time(const char *text, struct error *err)
{
	struct error none;
	int64_t as;

	if (parse_time_as(text, &as, &none) < 0)
		return 0;
	return error_set(err, STATUS_USAGE,
			 "'%s' is a time, not a file: the overhead is --overhead %s"
			 " or -p o=%s",
			 text, text, text);
}

static const struct output_format table_formats[] = {REPORT_FORMATS, {0}};
static const struct output_format picture_formats[] = {
	REPORT_FORMATS,
	[OUTPUT_SVG] = {"svg", ".svg", "a picture"},
	{0},
};

struct command_output table_output = {.formats = table_formats, .check = refuse_time};
struct command_output picture_output = {.formats = picture_formats, .check = refuse_time};

struct report given_report(const struct command_output *command, const struct output *output)
{
	return (struct report){output->stream, .format = (enum report_format)command->format};
}
