/* Command llamp report: a page, or pictures for a paper. */
#include "common/progress.h"
#include "llamp/analysis_options.h"
#include "llamp/commands.h"
#include "llamp/programs.h"
#include "llamp/pictures/picture_files.h"
#include "llamp/page/report_html.h"

#include <unistd.h>

static struct {
	const char *min, *max, *svg;
	ARRAY(const char *) measured;
} given;

static int option_measured(const char *text, void *target, struct error *err)
{
	(void)target;
	return array_push(&given.measured, text, err);
}

static const struct option_spec report_own_options[] = {
	{"min", 0, "VALUE", "smallest value of the curves, as for -p (default 0)", option_text,
	 &given.min},
	{"max", 0, "VALUE", "largest value (default: a quarter beyond the largest tolerance)",
	 option_text, &given.max},
	{"measured", 0, "FILE",
	 "CSV file of measured runtimes, with the columns L_ns and seconds;"
	 " the n-th of several belongs to the n-th graph, or network of --params",
	 option_measured, NULL},
	{"svg", 0, "DIR",
	 "write each picture into DIR as SVG files, fit for a paper; then there is a"
	 " page only if -o names a file",
	 option_text, &given.svg},
	/* Old names. */
	{"from", 0, "VALUE", NULL, option_text, &given.min},
	{"to", 0, "VALUE", NULL, option_text, &given.max},
	{0},
};

static const struct option_spec *const report_options[] = {model_options,
							   analysis_options,
							   tolerance_options,
							   baseline_options,
							   order_options,
							   report_own_options,
							   NULL};

static struct command_output page_output;

static bool writes_no_page(void)
{
	return given.svg && !page_output.given_path;
}

static const struct output_format report_formats[] = {{"html", ".html .htm", "a page"}, {0}};
static struct command_output page_output = {.formats = report_formats, .unused = writes_no_page};

/* One program. */
struct run {
	bool opened;
	struct model model;
	struct observations measured;
};

struct runs {
	const struct programs *programs;
	size_t count; /* of programs */
	struct run *of;
	struct findings *findings; /* [run]; the first `found` are set */
	size_t found;
	int64_t from_as, to_as; /* to_as < 0: the default */
};

static int read_value(const struct variable *variable, const char *option, const char *text,
		      int64_t *as, struct error *err)
{
	if (text && variable_parse_value(variable, text, as, err) < 0)
		return error_prefix(err, "%s", option);
	return 0;
}

static int read_range(struct runs *runs, const struct variable *varied, struct error *err)
{
	runs->to_as = -1;
	TRY(read_value(varied, "--min", given.min, &runs->from_as, err));
	TRY(read_value(varied, "--max", given.max, &runs->to_as, err));
	if (given.max && runs->from_as >= runs->to_as)
		return error_set(err, STATUS_USAGE, "--min must be less than --max");
	return 0;
}

static int read_measured(struct runs *runs, const struct variable *varied, struct error *err)
{
	if (given.measured.count > runs->count)
		return error_set(err, STATUS_USAGE, "--measured is given %zu times for %zu graph%s",
				 given.measured.count, runs->count, plural(runs->count));
	for (size_t i = 0; i < given.measured.count; i++)
		TRY(observations_read(&runs->of[i].measured, given.measured.items[i], varied, err));
	return 0;
}

/* --------------------------------------------------------------------- work */

static int find_run(struct runs *runs, size_t number, struct error *err)
{
	const struct program *program = &runs->programs->of[number];
	struct findings *findings = &runs->findings[number];
	struct run *run = &runs->of[number];
	struct findings_request request = {
		.network = program->network,
		.analysis = analysis_options_question()->request,
	};
	int result;

	TRY(open_graph(&run->model, program->path, program->loggps, MODEL_EVENTS, err));
	run->opened = true;
	request.analysis.varied = program->varied;
	TRY(baseline_of(&run->model, &request.analysis.baseline_ns, err));
	progress_begin("llamp", "analyzing the graph");
	result = findings_find(findings, &run->model, program->label, &request, err);
	progress_end();
	if (result < 0)
		return -1;
	runs->found++;
	warn_if_far_from_traced(&run->model, findings->analysis.runtime_ns,
				findings->analysis.runtime_ns);
	warn_about_pivots(findings->analysis.pivots);
	if (!findings->has_calls && findings->calls_error.status != STATUS_OK)
		tool_warning("llamp", "%s: calls are not named", findings->calls_error.text);
	return 0;
}

/* Find the curves of all programs, in the same range. */
static int find_curves(struct runs *runs, struct error *err)
{
	int64_t to_as = runs->to_as;
	int result = 0;

	for (size_t i = 0; i < runs->count && !given.max; i++) {
		const int64_t end_as = curve_default_end(&runs->findings[i].analysis,
							 &runs->of[i].model, &runs->of[i].measured);

		to_as = end_as > to_as ? end_as : to_as;
	}
	if (runs->from_as >= to_as)
		return error_set(
			err, STATUS_USAGE,
			"--min is beyond the largest value that is shown; --max is needed");
	progress_begin("llamp", "finding critical latencies");
	for (size_t i = 0; i < runs->count && result == 0; i++)
		result = findings_find_curve(&runs->findings[i], runs->from_as, to_as,
					     &runs->of[i].measured, err);
	progress_end();
	return result;
}

/* Draw the pictures, then write the page. */
static int fill_outputs(const struct runs *runs, struct picture_files *files, struct error *err)
{
	struct output *page;

	if (given.svg)
		TRY(picture_files_draw(files, given.svg, runs->findings, runs->count, err));
	if (writes_no_page())
		return 0;
	TRY(array_push(&files->outputs, (struct output){0}, err));
	page = &files->outputs.items[files->outputs.count - 1];
	TRY(output_open(page, page_output.path, err));
	return report_html(page->stream, runs->findings, runs->count, err);
}

/* Write all files, or none. */
static int write_report(const struct runs *runs, struct error *err)
{
	struct picture_files files = {0};
	int result = fill_outputs(runs, &files, err);

	if (result == 0)
		result = output_commit_all(files.outputs.items, files.outputs.count, err);
	for (size_t i = 0; i < files.outputs.count; i++)
		output_discard(&files.outputs.items[i]);
	if (result < 0 && files.made_folder)
		rmdir(given.svg);
	array_release(&files.outputs);
	return result;
}

static int make_report(struct runs *runs, struct error *err)
{
	const struct program *first = &runs->programs->of[0];
	const struct variable *varied = &first->loggps->variables.of[first->varied];

	TRY(allocate(&runs->of, runs->count, sizeof *runs->of, err));
	TRY(allocate(&runs->findings, runs->count, sizeof *runs->findings, err));
	TRY(read_range(runs, varied, err));
	TRY(read_measured(runs, varied, err));
	for (size_t i = 0; i < runs->count; i++)
		TRY(find_run(runs, i, err));
	TRY(find_curves(runs, err));
	return write_report(runs, err);
}

static void runs_release(struct runs *runs)
{
	for (size_t i = 0; i < runs->found; i++)
		findings_release(&runs->findings[i]);
	for (size_t i = 0; runs->of && i < runs->count; i++) {
		observations_release(&runs->of[i].measured);
		if (runs->of[i].opened)
			model_release(&runs->of[i].model);
	}
	free(runs->findings);
	free(runs->of);
}

static int report(const struct programs *programs, struct error *err)
{
	struct runs runs = {.programs = programs, .count = programs->count};
	const int result = make_report(&runs, err);

	runs_release(&runs);
	return result;
}

/* The variable of the question; without one, measured runtimes are over L. */
static const char *varied_name(void)
{
	return given.measured.count ? analysis_options_vary() : analysis_options_question()->vary;
}

static int cmd_report(char **operands, int count, struct error *err)
{
	struct programs programs;
	int result;

	result = programs_find(&programs, operands, (size_t)count, varied_name(), err);
	if (result == 0)
		result = report(&programs, err);
	programs_release(&programs);
	array_release(&given.measured);
	return result;
}

static const char report_notes[] =
	"Each FILE is a GOAL graph. With several --params each graph is analyzed on each of these "
	"networks; other options apply to all. The page needs no other file and no network. Several "
	"programs are compared: their curves share the range, and differences are to the first.";

static const struct help_entry report_examples[] = {
	{"llamp report app.bin -o report.html", "one page about one program"},
	{"llamp report ring.bin doubling.bin -o report.html", "two algorithms side by side"},
	{"llamp report app.bin --params old.yaml --params new.yaml -o report.html",
	 "two networks side by side"},
	{"llamp report app.bin --measured runs.csv -o report.html",
	 "with measured runtimes, whose first line is L_ns,seconds"},
	{"llamp report app.bin --svg pictures", "all pictures as SVG, for a paper"},
	{0},
};

const struct command report_command = {
	.name = "report",
	.operands = "FILE...",
	.least_operands = 1,
	.most_operands = -1,
	.summary = "a page about one graph or several: the answer, curves, tables",
	.notes = report_notes,
	.options = report_options,
	.output = &page_output,
	.run = cmd_report,
	.examples = report_examples,
	.files = graph_files,
};
