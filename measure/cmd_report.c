/* llamp-measure report */
#include "common/output.h"
#include "measure/commands.h"
#include "measure/planes/gnuplot.h"
#include "measure/params/params_file.h"
#include "measure/planes/page.h"
#include "measure/report/overlap_params.h"
#include "measure/report/overlap_report.h"

#include <string.h>

/* --------------------------------------------------------------------- formats */

/* What files say, and what follows from several of them. */
struct findings_of_files {
	struct overlap_files files;
	struct progress_gains gains;
};

enum { FORMAT_YAML = REPORT_SCHEMA + 1, FORMAT_HTML, FORMAT_SVG, FORMAT_GNUPLOT };

static const struct output_format report_formats[] = {
	REPORT_FORMATS,
	[FORMAT_YAML] = {"yaml", ".yaml .yml", NULL},
	[FORMAT_HTML] = {"html", ".html .htm", "a page"},
	[FORMAT_SVG] = {"svg", ".svg", "a picture"},
	[FORMAT_GNUPLOT] = {"gnuplot", ".gp .gnuplot", "a script"},
	{0},
};
static struct command_output report_output = {.formats = report_formats};

static int write_report(FILE *stream, const struct findings_of_files *of, struct error *err)
{
	struct report report = {stream, .format = (enum report_format)report_output.format};

	return overlap_report(&report, &of->files, &of->gains, err);
}

static int write_params(FILE *stream, const struct findings_of_files *of, struct error *err)
{
	if (of->files.count != 1)
		return error_set(err, STATUS_USAGE, "parameters are those of one FILE");
	return overlap_params_write(stream, &of->files.items[0], err);
}

/* Colours of planes, an enum heatmap_palette. */
static const char *const palette_names[] = {[HEATMAP_FIRE] = "fire", [HEATMAP_SAFE] = "safe", NULL};

static struct choice palette = {"palette", palette_names, HEATMAP_FIRE};

static int write_page(FILE *stream, const struct findings_of_files *of, const struct planes *planes,
		      struct error *err)
{
	return planes_page(stream, &of->files, &of->gains, planes,
			   (enum heatmap_palette)palette.value, err);
}

static int write_picture(FILE *stream, const struct findings_of_files *of,
			 const struct planes *planes, struct error *err)
{
	const struct svg svg = {.stream = stream, .place = SVG_FILE, .width = SVG_WIDE_PX};
	const struct heatmap heatmap = planes_heatmap(planes, PLANES_ACROSS,
						      (enum heatmap_palette)palette.value);

	(void)of;
	return heatmap_draw(&heatmap, &svg, err);
}

static int write_script(FILE *stream, const struct findings_of_files *of,
			const struct planes *planes, struct error *err)
{
	(void)of;
	(void)err;
	planes_gnuplot(stream, planes, (enum heatmap_palette)palette.value);
	return 0;
}

/* Writers of formats that show planes. */
static int (*const plane_writers[])(FILE *stream, const struct findings_of_files *of,
				    const struct planes *planes, struct error *err) = {
	[FORMAT_HTML] = write_page,
	[FORMAT_SVG] = write_picture,
	[FORMAT_GNUPLOT] = write_script,
};

static int write_planes(FILE *stream, const struct findings_of_files *of, struct error *err)
{
	const struct cells_file **files;
	struct planes planes;
	int result;

	TRY(allocate(&files, of->files.count, sizeof *files, err));
	for (uint32_t i = 0; i < of->files.count; i++)
		files[i] = &of->files.items[i].file;
	result = planes_build(&planes, files, of->files.count, err);
	free(files);
	TRY(result);
	result = plane_writers[report_output.format](stream, of, &planes, err);
	planes_release(&planes);
	return result;
}

/* Writers of formats that are not reports; all others are. */
static int (*const writers[])(FILE *stream, const struct findings_of_files *of,
			      struct error *err) = {
	[REPORT_TEXT] = write_report, [REPORT_JSON] = write_report,
	[REPORT_CSV] = write_report,  [REPORT_SCHEMA] = write_report,
	[FORMAT_YAML] = write_params, [FORMAT_HTML] = write_planes,
	[FORMAT_SVG] = write_planes,  [FORMAT_GNUPLOT] = write_planes,
};

/* --------------------------------------------------------------------- command */

static const char *params_path;

static const struct option_spec report_own_options[] = {
	{"params", 0, "FILE",
	 "compare the cells with the LogGPS model: L, o, g, G, O and S of a file as llamp-measure params "
	 "writes it",
	 option_text, &params_path},
	{"palette", 0, "NAME",
	 "colours of planes: fire (default: black, purple, red, yellow) or safe, for people with any "
	 "kind of colour vision",
	 option_choice, &palette},
	{0},
};

static const struct option_spec *const report_options[] = {report_own_options, NULL};

static int write_output(const struct findings_of_files *of, struct error *err)
{
	struct output output;

	TRY(output_open(&output, report_output.path, err));
	if (writers[report_output.format](output.stream, of, err) < 0) {
		output_discard(&output);
		return -1;
	}
	return output_commit(&output, err);
}

static const char *params_unused(const char *option)
{
	const int format = report_output.format;

	(void)option;
	return format == FORMAT_YAML || format == FORMAT_SVG || format == FORMAT_GNUPLOT
		       ? "only reports and pages compare cells with a model"
		       : NULL;
}

static const struct option_condition report_conditions[] = {{"params", params_unused}, {0}};

static int compare_with_model(struct overlap_files *files, struct error *err)
{
	static struct parameters model;

	if (!params_path)
		return 0;
	TRY(params_file_read(params_path, &model, err));
	return overlap_files_compare(files, &model, err);
}

static int cmd_report(char **operands, int count, struct error *err)
{
	struct findings_of_files of;
	int result;

	TRY(overlap_files_read(&of.files, operands, (uint32_t)count, err));
	result = compare_with_model(&of.files, err);
	if (result == 0)
		result = progress_gains_find(&of.gains, &of.files, err);
	if (result == 0) {
		result = write_output(&of, err);
		progress_gains_release(&of.gains);
	}
	overlap_files_release(&of.files);
	return result;
}

static const char report_notes[] =
	"FILE is what llamp-measure overlap writes. For each benchmark and class of message sizes the report tells "
	"whether messages move while a rank computes, by the overhead ratio of Denis and Trahay (2016): "
	"(T_measured - max(T_comm, T_comp)) / min(T_comm, T_comp). It is 0 if the shorter one of communication and "
	"computation is hidden behind the longer one, and 1 if one follows the other.\n\n"
	"Verdicts are those of the median over cells that compute at least as long as the messages take: overlapped up "
	"to 0.15, serialised from 0.85 to 1.15, partly between them, harmful above. Cells whose ratio is uncertain by "
	"more than 0.25 are left out. JSON and CSV have all cells, with the overlap in per cent as IMB-NBC and the OSU "
	"benchmarks define it.\n\n"
	"Files of one library on the same hosts, with and without a progress thread, are compared: the last "
	"sentence tells for which messages and computations the thread pays.\n\n"
	"A page, a picture and a script for gnuplot show the ratio of all cells as planes of message size and "
	"computation time, a row of planes for each file.\n\n"
	"With --params the cells of sender, receiver, both and cpu are compared with the LogGPS model, in which messages "
	"move while ranks compute: where the library does not let them, it takes longer than the model says.\n\n"
	"As YAML the result is the parameters of the network for llamp's option --params: L, o if the benchmark cpu was "
	"measured, G and S, and as a comment the share of messages that overlaps, by size.";

static const struct help_entry report_examples[] = {
	{"mpiexec -n 2 llamp-measure overlap --quick -o mpi.overlap && llamp-measure report mpi.overlap",
	 "what overlaps with this MPI"},
	{"llamp-measure report plain.overlap thread.overlap", "whether a progress thread pays"},
	{"llamp-measure report mpich.overlap openmpi.overlap -o report.html",
	 "a page with the planes of both"},
	{"llamp-measure report mpi.overlap -o planes.svg --palette safe", "the planes for a paper"},
	{"llamp-measure report mpi.overlap -o cells.csv", "all cells as CSV"},
	{"llamp-measure report mpi.overlap --params network.yaml",
	 "where the model is wrong for this MPI"},
	{"llamp-measure report mpi.overlap -o network.yaml",
	 "parameters for llamp analyze --params"},
	{0},
};

static const struct help_entry report_files[] = {
	{"FILE",
	 "of llamp-measure overlap; a run that was killed leaves the cells that it has measured"},
	{0},
};

const struct command report_command = {
	.name = "report",
	.operands = "FILE...",
	.least_operands = 1,
	.most_operands = -1,
	.summary = "Tell what overlaps, from files of llamp-measure overlap.",
	.notes = report_notes,
	.options = report_options,
	.output = &report_output,
	.conditions = report_conditions,
	.run = cmd_report,
	.examples = report_examples,
	.files = report_files,
};
