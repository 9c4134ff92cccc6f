/* Command critpath view: the measured run as a page, or for a trace viewer. */
#include "common/progress.h"
#include "common/units.h"
#include "critpath/commands.h"
#include "critpath/view/view.h"
#include "critpath/view/view_page.h"
#include "trace/measured/measured_below.h"

static struct run_part view_part = {.to_ns = UINT64_MAX};

static int option_ranks(const char *text, void *target, struct error *err)
{
	return run_part_parse_ranks(target, text, err);
}

static const struct option_spec view_own_options[] = {
	{"only-ranks", 0, "LIST", "only these ranks, such as 0-7,12 (default: all)", option_ranks,
	 &view_part},
	{"ranks", 0, "LIST", NULL, option_ranks, &view_part}, /* old name */
	{0},
};

static const struct option_spec *const view_options[] = {view_own_options, slice_options, NULL};

enum view_kind { VIEW_PERFETTO, VIEW_CHROME, VIEW_PAGE };

static const struct output_format view_formats[] = {
	[VIEW_PERFETTO] = {"perfetto", ".pftrace", NULL},
	[VIEW_CHROME] = {"chrome", ".json", NULL},
	[VIEW_PAGE] = {"html", ".html .htm", NULL},
	{0},
};
static struct command_output view_output = {
	.formats = view_formats,
	.required =
		"FILE.html for browsers, FILE.pftrace for Perfetto, FILE.json for other viewers",
	.needs_suffix = true,
};

static void warn(uint64_t count, const char *what)
{
	if (count)
		tool_warning("critpath", "%llu %s", (unsigned long long)count, what);
}

static void say_counts(const struct view_counts *counts, const struct measured_run *run)
{
	fprintf(stderr, "critpath: %s: %llu call%s, %llu message%s\n", view_output.path,
		(unsigned long long)counts->calls, plural(counts->calls),
		(unsigned long long)counts->messages, plural(counts->messages));
	if (counts->below)
		fprintf(stderr, "critpath: below MPI: %llu call%s\n",
			(unsigned long long)counts->below, plural(counts->below));
	if (counts->messages_outside)
		fprintf(stderr,
			"critpath: %llu message%s without an arrow: the other end is outside\n",
			(unsigned long long)counts->messages_outside,
			plural(counts->messages_outside));
	warn(run->unmatched_sends + run->unmatched_recvs,
	     "sends or receives have no partner in the trace: they have no arrow");
	warn(run->lacking, "collectives lack participants in the trace");
	warn(run->violations.count,
	     "messages arrive before they are sent: the clocks of the ranks differ");
	warn(run->left_out.unfinished_calls, "calls were never left: they are not shown");
}

static int write_page(FILE *stream, struct study *study, struct view_counts *counts,
		      struct error *err)
{
	TRY(study_totals(study, err));
	measured_below_threads(&study->run);
	TRY(view_page_write(stream, &study->found, &view_part, err));
	*counts = (struct view_counts){
		.calls = view_part_calls(&view_part, study->found.run),
		.messages = view_part_messages(&view_part, study->found.run),
	};
	return 0;
}

static int write_kind(FILE *stream, struct study *study, enum view_kind kind,
		      struct view_counts *counts, struct error *err)
{
	if (kind == VIEW_PAGE)
		return write_page(stream, study, counts, err);
	return view_write(stream, kind == VIEW_CHROME ? VIEWER_CHROME : VIEWER_PERFETTO,
			  &study->found, &view_part, counts, err);
}

static int write_view(struct study *study, enum view_kind kind, struct error *err)
{
	struct view_counts counts;
	struct output output;
	int result;

	TRY(output_open(&output, view_output.path, err));
	progress_begin("critpath", "writing the critical path");
	result = write_kind(output.stream, study, kind, &counts, err);
	progress_end();
	if (result < 0) {
		output_discard(&output);
		return -1;
	}
	TRY(output_commit(&output, err));
	say_counts(&counts, study->found.run);
	return 0;
}

static int view_run(struct study *study, struct error *err)
{
	struct measured_run *run = &study->run;

	if (run->sliced) {
		view_part.from_ns = run->slice_begin_ns - run->begin_ns;
		view_part.to_ns = run->slice_end_ns - run->begin_ns;
		run->sliced = false; /* tables are of the whole run */
	}
	TRY(run_part_check(&view_part, run->rank_count, err));
	TRY(study_walk(study, err));
	return write_view(study, (enum view_kind)view_output.format, err);
}

static int cmd_view(char **operands, int count, struct error *err)
{
	(void)count;
	return with_study(operands[0], false, view_run, err);
}

static const char view_notes[] =
	"FILE.html is a page that any browser opens by itself, without a network; FILE.pftrace is for "
	"Perfetto, which opens it fastest, FILE.json for chrome://tracing and others. Perfetto is at ui.perfetto.dev; the file stays in the browser. ARCHIVE is as for "
	"critpath path.\n\n"
	"On the page each rank is a row with its MPI calls: waits and execution in colours, the critical "
	"path in blue. It goes from segment to segment of the path, and finds calls by function. Of runs "
	"with more than 1.5 million calls it shows shares of time.\n\n"
	"In a viewer each rank is a track with its MPI calls and their waits, and each further thread one below "
	"it. Arrows are messages, from the begin of the call that sends to the end of the call in "
	"which the receive completes. The critical path is a track of its own.";

static const struct help_entry view_examples[] = {
	{"critpath view app.trace -o app.html", "the measured run, for a browser"},
	{"critpath view app.trace -o app.pftrace", "the same, for Perfetto"},
	{0},
};

const struct command view_command = {
	.name = "view",
	.operands = "ARCHIVE",
	.least_operands = 1,
	.most_operands = 1,
	.summary = "the run for a browser or a trace viewer",
	.notes = view_notes,
	.options = view_options,
	.output = &view_output,
	.run = cmd_view,
	.examples = view_examples,
};
