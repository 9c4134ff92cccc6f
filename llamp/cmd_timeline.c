/* Command llamp timeline: the modelled run, for a trace viewer or as a picture. */
#include "common/progress.h"
#include "common/units.h"
#include "goal/calls.h"
#include "llamp/commands.h"
#include "llamp/timeline/timeline_write.h"

#include <string.h>

static struct {
	struct run_part part;
} given = {.part = {.to_ns = UINT64_MAX}};

static int option_ranks(const char *text, void *target, struct error *err)
{
	return run_part_parse_ranks(target, text, err);
}

static const struct option_spec timeline_own_options[] = {
	{"from", 0, "TIME", "leave out what ends before this time of the run (default 0)",
	 option_ns, &given.part.from_ns},
	{"to", 0, "TIME", "leave out what starts after this time (default: the end)", option_ns,
	 &given.part.to_ns},
	{"only-ranks", 0, "LIST", "only these ranks, such as 0-7,12 (default: all)", option_ranks,
	 &given.part},
	{"ranks", 0, "LIST", NULL, option_ranks, &given.part}, /* old name */
	{0},
};

static const struct option_spec *const timeline_options[] = {model_options, timeline_own_options,
							     NULL};

static const struct output_format timeline_formats[] = {
	[TIMELINE_PERFETTO] = {"perfetto", ".pftrace", NULL},
	[TIMELINE_CHROME] = {"chrome", ".json", NULL},
	[TIMELINE_SVG] = {"svg", ".svg", NULL},
	{0},
};
static struct command_output timeline_output = {
	.formats = timeline_formats,
	.required =
		"FILE.pftrace for Perfetto, FILE.json for other viewers, FILE.svg for a picture",
	.needs_suffix = true,
};

static const char *shown_output(void)
{
	return strcmp(timeline_output.path, "-") ? timeline_output.path : "stdout";
}

/* Say what the file holds, and what it leaves out. */
static void say_counts(const struct timeline_counts *counts)
{
	fprintf(stderr, "llamp: %s: %llu operation%s, %llu call%s, %llu message%s\n",
		shown_output(), (unsigned long long)counts->operations, plural(counts->operations),
		(unsigned long long)counts->calls, plural(counts->calls),
		(unsigned long long)counts->arrows, plural(counts->arrows));
	if (counts->messages_outside)
		fprintf(stderr,
			"llamp: %llu message%s without an arrow: the other end is outside\n",
			(unsigned long long)counts->messages_outside,
			plural(counts->messages_outside));
}

static int write_file(enum timeline_format format, const struct model *model,
		      const struct goal_calls *calls, struct error *err)
{
	struct timeline_counts counts;
	struct output output;
	int result;

	TRY(output_open(&output, timeline_output.path, err));
	progress_begin("llamp", "finding the critical path");
	result = timeline_write(output.stream, format, model, calls, &given.part, &counts, err);
	progress_end();
	if (result == 0 && counts.operations == 0 && given.part.from_ns > 0)
		result = error_set(err, STATUS_USAGE,
				   "--from: nothing happens then; llamp analyze"
				   " prints how long the run is");
	if (result < 0) {
		output_discard(&output);
		return -1;
	}
	TRY(output_commit(&output, err));
	say_counts(&counts);
	return 0;
}

/* A side file that does not fit the graph only causes a warning. */
static int write_with_calls(enum timeline_format format, const struct model *model,
			    struct error *err)
{
	struct goal_calls calls;
	struct error why;
	const int found = goal_calls_open(&calls, &model->goal, model->path, &why);
	int result;

	if (found < 0)
		tool_warning("llamp", "%s: calls are not shown", why.text);
	result = write_file(format, model, found == 0 ? &calls : NULL, err);
	if (found == 0)
		goal_calls_release(&calls);
	return result;
}

static int cmd_timeline(char **operands, int count, struct error *err)
{
	const enum timeline_format format = (enum timeline_format)timeline_output.format;
	struct loggps loggps;
	struct model model;
	int result;

	(void)count;
	TRY(model_options_loggps(&loggps, err));
	TRY(open_graph(&model, operands[0], &loggps, MODEL_EVENTS, err));
	result = run_part_check(&given.part, model.goal.rank_count, err);
	if (result == 0)
		result = write_with_calls(format, &model, err);
	model_release(&model);
	run_part_release(&given.part);
	return result;
}

static const char timeline_notes[] =
	"FILE.pftrace is for Perfetto, which opens it fastest, FILE.json for chrome://tracing and "
	"others, FILE.svg is a picture of a small run. Perfetto is at "
	"ui.perfetto.dev; the file stays in the browser.\n\n"
	"Each rank is a track with its MPI calls, the operations in them and the computation between "
	"them; arrows are messages; the critical path is a track of its own. Times are rounded down "
	"to whole ns. FILE and the parameters are as for llamp analyze.";

static const struct help_entry timeline_examples[] = {
	{"llamp timeline app.bin -o app.pftrace", "the modelled run, for Perfetto"},
	{"llamp timeline app.bin --from 10ms --to 12ms --only-ranks 0-7 -o app.pftrace",
	 "2 ms of 8 ranks"},
	{"llamp timeline app.bin --to 100us --only-ranks 0-3 -o app.svg",
	 "a picture of the first 100 us"},
	{0},
};

const struct command timeline_command = {
	.name = "timeline",
	.operands = "FILE",
	.least_operands = 1,
	.most_operands = 1,
	.summary = "the modelled run for a trace viewer, or as a picture",
	.notes = timeline_notes,
	.options = timeline_options,
	.output = &timeline_output,
	.run = cmd_timeline,
	.examples = timeline_examples,
	.files = graph_files,
};
