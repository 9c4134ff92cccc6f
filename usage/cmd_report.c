/* llamp-usage report */
#include "common/output.h"
#include "usage/commands.h"
#include "usage/figures/figure_page.h"
#include "usage/figures/figure_picture.h"
#include "usage/figures/figure_report.h"

#include <string.h>

static const char *index_path, *compare_path, *figure_name;
static struct figure_scope scope;

/* --------------------------------------------------------------------- options */

enum { FORMAT_HTML = REPORT_FORMATS_END, FORMAT_SVG };

static const struct output_format report_formats[] = {
	REPORT_FORMATS,
	[FORMAT_HTML] = {"html", ".html .htm", "a page"},
	[FORMAT_SVG] = {"svg", ".svg", "a picture"},
	{0},
};
static struct command_output report_output = {.formats = report_formats};

/* Weights of a job; the order is that of figure_scope.core_hours. */
static const char *const weight_names[] = {"jobs", "core-hours", NULL};
static struct choice weight = {"weight", weight_names, 0};

static const char *const scale_names[] = {"average", "ranks", NULL};
static struct choice scale = {"scale", scale_names, 0};

static const struct option_spec report_own_options[] = {
	{"database", 'd', "FILE",
	 "ask this index, which llamp-usage index makes (default usage.db)", option_text,
	 &index_path},
	{"figure", 0, "NAME",
	 "only this figure or table, by number (6, A.1, \"table I\") or name (mpi-fraction)",
	 option_text, &figure_name},
	{"where", 0, "SQL", "only jobs for which this condition holds, such as \"nodes >= 512\"",
	 option_text, &scope.where},
	{"compare", 0, "FILE", "show the figures of this index beside the others", option_text,
	 &compare_path},
	{"weight", 0, "NAME",
	 "in distributions a job counts as 1 (jobs, the default) or by its core-hours",
	 option_choice, &weight},
	{"scale", 0, "NAME",
	 "calls and bytes are sums of the average rank of each job (average, the default), or of that times the "
	 "job's ranks (ranks)",
	 option_choice, &scale},
	{"include-local", 0, NULL,
	 "count the time of functions that concern no other rank, such as MPI_Comm_rank, as time in MPI",
	 option_flag, &scope.local},
	{0},
};

static const struct option_spec *const report_options[] = {report_own_options, NULL};

static bool is_schema(void)
{
	return report_output.format == REPORT_SCHEMA;
}

/* A schema does not depend on an index. */
static const char *asks_nothing(const char *option)
{
	(void)option;
	return is_schema() ? "a schema describes all reports" : NULL;
}

static const char *compares_nothing(const char *option)
{
	return report_output.format == FORMAT_SVG ? "a picture is of one index"
						  : asks_nothing(option);
}

static const struct option_condition report_conditions[] = {
	{"database", asks_nothing},	 {"figure", asks_nothing},
	{"where", asks_nothing},	 {"compare", compares_nothing},
	{"weight", asks_nothing},	 {"scale", asks_nothing},
	{"include-local", asks_nothing}, {0},
};

/* --------------------------------------------------------------------- writing */

static int write_figures(FILE *stream, const struct figure_request *request, struct error *err)
{
	struct report report = {stream, .format = (enum report_format)report_output.format};

	return figure_report(&report, request, err);
}

static int write_format(FILE *stream, const struct figure_request *request, struct error *err)
{
	if (report_output.format == FORMAT_HTML)
		return figure_page(stream, request, err);
	if (report_output.format == FORMAT_SVG)
		return figure_file(stream, request, err);
	return write_figures(stream, request, err);
}

static int write_to_output(const struct figure_request *request, struct error *err)
{
	struct output output;

	TRY(output_open(&output, report_output.path, err));
	if (write_format(output.stream, request, err) < 0) {
		output_discard(&output);
		return -1;
	}
	return output_commit(&output, err);
}

static int write_of_sources(struct figure_request *request, struct error *err)
{
	struct figure_source sources[2];
	const char *const paths[] = {index_path ? index_path : "usage.db", compare_path};
	int status = 0;

	for (int i = 0; i < 2 && paths[i] && status == 0; i++) {
		status = figure_source_open(&sources[i], paths[i], &scope, err);
		if (status == 0)
			request->sources[request->source_count++] = &sources[i];
	}
	if (status == 0)
		status = write_to_output(request, err);
	for (int i = 0; i < request->source_count; i++)
		figure_source_close(&sources[i]);
	return status;
}

/* CSV and SVG have one figure. */
static int check_format(const struct figure_request *request, struct error *err)
{
	const int format = report_output.format;

	if (request->only || (format != REPORT_CSV && format != FORMAT_SVG))
		return 0;
	return error_set(err, STATUS_USAGE,
			 "%s has one figure: choose it by --figure (the report lists their names)",
			 report_formats[format].name);
}

static int cmd_report(char **operands, int count, struct error *err)
{
	struct figure_request request = {.only = NULL};

	(void)operands;
	(void)count;
	scope.core_hours = weight.value;
	scope.ranks = scale.value;
	if (is_schema())
		return write_to_output(&request, err);
	if (figure_name) {
		request.only = figure_find(figure_name, err);
		if (!request.only)
			return -1;
	}
	TRY(check_format(&request, err));
	return write_of_sources(&request, err);
}

static const char report_notes[] =
	"The figures and tables of Chunduri et al., \"Characterization of MPI Usage on a Production Supercomputer\" "
	"(SC 2018), of the jobs of an index, by the numbers of that paper, and some more. The first table tells which "
	"jobs have a log. doc/usage.md defines all figures.\n\n"
	"If the index has the scheduler's records (llamp-usage index --accounting), the figures of MPI usage are about the "
	"jobs of the filter that have a log; otherwise about all jobs that have one. With --compare each figure is shown for "
	"both indexes; of a number such as 7, that the paper has for its second system, it is the same figure as 6.\n\n"
	"A condition of --where may name the columns " FIGURE_WHERE_COLUMNS
	". Those from ranks on are of the log, and unknown for records without one.\n\n"
	"JSON has the rows of all figures, CSV those of one. Text shows quartiles in the place of curves.";

static const struct help_entry report_examples[] = {
	{"llamp-usage report -d usage.db -o report.html", "a page with all figures"},
	{"llamp-usage report --figure 6 -o mpi-fraction.csv",
	 "the distribution of the MPI fraction, as in figure 6"},
	{"llamp-usage report --figure 9 --where \"nodes >= 512\" -o collectives.svg",
	 "core-hours in collectives of large jobs, for a paper"},
	{"llamp-usage report -d mira.db --compare cetus.db -o both.html",
	 "two systems side by side"},
	{0},
};

const struct command report_command = {
	.name = "report",
	.operands = "",
	.summary = "show how the jobs of an index use MPI, in figures and tables",
	.notes = report_notes,
	.options = report_options,
	.output = &report_output,
	.conditions = report_conditions,
	.run = cmd_report,
	.examples = report_examples,
};
