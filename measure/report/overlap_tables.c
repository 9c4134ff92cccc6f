#include "measure/report/overlap_tables.h"

#include "common/text.h"
#include "common/units.h"
#include "measure/cells/ratio.h"
#include "measure/report/cell_model.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *like_text(const struct cell_spec *spec, char text[static LIKE_TEXT_BYTES])
{
	char time[UNIT_TEXT_BYTES], tests[UNIT_TEXT_BYTES + 32] = "", messages[32] = "",
							    threads[32] = "";

	if (spec->pending > 1)
		snprintf(messages, sizeof messages, ", %u messages", spec->pending);
	if (spec->bench == BENCH_NLOAD)
		snprintf(threads, sizeof threads, ", %u thread%s", spec->threads,
			 plural(spec->threads));
	if (spec->tests_ns > 0)
		snprintf(tests, sizeof tests, ", MPI_Test every %s",
			 format_time(spec->tests_ns, 4, time));
	snprintf(text, LIKE_TEXT_BYTES, "%s%s%s%s%s%s%s%s", bench_descriptions[spec->bench].name,
		 spec->side == bench_default_side(spec->bench) ? "" : " of ",
		 spec->side == bench_default_side(spec->bench) ? "" : side_names[spec->side],
		 spec->kernel == KERNEL_WORK ? "" : ", ",
		 spec->kernel == KERNEL_WORK ? "" : kernel_names[spec->kernel], messages, threads,
		 tests);
	return text;
}

/* Round to two decimals, for a text. */
static double two_decimals(double value)
{
	return round(100 * round_digits(value)) / 100 + 0.0; /* 0, not -0 */
}

static void put_ratio(struct report_row *row, double ratio)
{
	put_number(row, row_in_text(row) && !isnan(ratio) ? two_decimals(ratio) : ratio);
}

/* ---------------------------------------------------------- what classes are like */

#define LIKE_FIELDS                                                                                \
	{"benchmark", "benchmark", .kind = VALUE_NAME, .values = bench_names},                     \
		{"kernel", NULL, .kind = VALUE_NAME, .values = kernel_names,                       \
		 .meaning =                                                                        \
			 "How the computation is ordered: amount of work, time, bytes of memory"}, \
		{"side", NULL, .kind = VALUE_NAME, .values = side_names,                           \
		 .meaning = "That computes in noncontig and cpu, that sends in nload"},            \
		{"pending", NULL, VALUE_COUNT, .flags = FIELD_POSITIVE,                            \
		 .meaning = "Messages at once"},                                                   \
		{"tests_ns", NULL, VALUE_NS,                                                       \
		 .meaning = "Time between calls of MPI_Test; 0: none"},                            \
	{                                                                                          \
		"threads", NULL, VALUE_COUNT, .meaning = "That compute beside the ranks, in nload" \
	}

static const char *const bench_names[] = {
#define BENCHMARK(id, name, group, picture, what) name,
#include "measure/cells/benchmarks.def"
#undef BENCHMARK
	NULL,
};

/* Put the values of LIKE_FIELDS; `text` has to live as long as the row. */
static void put_like(struct report_row *row, const struct cell_spec *spec,
		     char text[static LIKE_TEXT_BYTES])
{
	put_name(row,
		 row_in_text(row) ? like_text(spec, text) : bench_descriptions[spec->bench].name);
	put_name(row, kernel_names[spec->kernel]);
	put_name(row, side_names[spec->side]);
	put_count(row, spec->pending);
	put_number(row, spec->tests_ns);
	put_count(row, spec->threads);
}

/* -------------------------------------------------------------------- classes */

/* What verdicts mean, of most benchmarks and of two. */
static const char *const meanings[VERDICT_COUNT] = {
	[VERDICT_OVERLAPPED] = "while computing",   [VERDICT_PARTLY] = "partly while computing",
	[VERDICT_SERIALISED] = "only in MPI calls", [VERDICT_HARMFUL] = "slower than in turn",
	[VERDICT_NONE] = "no computation as long",
};
static const char *const cpu_meanings[VERDICT_COUNT] = {
	[VERDICT_OVERLAPPED] = "no processor time",
	[VERDICT_PARTLY] = "less than MPI_Send",
	[VERDICT_SERIALISED] = "as much as MPI_Send",
	[VERDICT_HARMFUL] = "more than MPI_Send",
};
static const char *const nload_meanings[VERDICT_COUNT] = {
	[VERDICT_OVERLAPPED] = "as without threads",
	[VERDICT_HARMFUL] = "slower beside threads",
};

static const char *meaning_of(const struct size_class *class)
{
	const char *meaning = NULL;

	if (class->verdict == VERDICT_NONE && class->cells)
		return "uncertain";
	if (class->like.bench == BENCH_CPU)
		meaning = cpu_meanings[class->verdict];
	if (class->like.bench == BENCH_NLOAD)
		meaning = nload_meanings[class->verdict];
	return meaning ? meaning : meanings[class->verdict];
}

static const struct report_field size_class_fields[] = {
	LIKE_FIELDS,
	{"from_bytes", NULL, .kind = VALUE_BYTES},
	{"to_bytes", NULL, .kind = VALUE_BYTES},
	{NULL, "sizes", .kind = VALUE_NAME},
	{"ratio", "ratio", VALUE_NUMBER, .flags = FIELD_NULL | FIELD_SIGNED,
	 .meaning = "Median of ratio_seq over the cells that decide; in nload of the slowdown"},
	{"low", "q1", VALUE_NUMBER, .flags = FIELD_NULL | FIELD_SIGNED,
	 .meaning = "Lower quartile"},
	{"high", "q3", VALUE_NUMBER, .flags = FIELD_NULL | FIELD_SIGNED,
	 .meaning = "Upper quartile"},
	{"cells", NULL, VALUE_COUNT,
	 .meaning = "Of these sizes, whose computation takes at least T_comm"},
	{"uncertain", NULL, VALUE_COUNT, .meaning = "Of these cells, left out"},
	{"verdict", "verdict", .kind = VALUE_NAME, .values = verdict_names},
	{"meaning", "", VALUE_NAME,
	 .meaning = "When messages progress; in cpu processor time; in nload speed"},
	{0},
};

static void sizes_text(const struct size_class *class, char text[static 3 * UNIT_TEXT_BYTES])
{
	char from[UNIT_TEXT_BYTES], to[UNIT_TEXT_BYTES];

	format_bytes((double)class->from, from);
	format_bytes((double)class->to, to);
	snprintf(text, 3 * UNIT_TEXT_BYTES, "%s%s%s", from, class->to > class->from ? " - " : "",
		 class->to > class->from ? to : "");
}

static void size_class_row(struct report_row *row, const void *data, size_t number)
{
	const struct size_class *class = &((const struct size_classes *)data)->items[number];
	char like[LIKE_TEXT_BYTES], sizes[3 * UNIT_TEXT_BYTES];

	put_like(row, &class->like, like);
	put_count(row, class->from);
	put_count(row, class->to);
	sizes_text(class, sizes);
	put_name(row, sizes);
	put_ratio(row, class->ratio);
	put_ratio(row, class->low);
	put_ratio(row, class->high);
	put_count(row, class->cells);
	put_count(row, class->uncertain);
	put_name(row, verdict_names[class->verdict]);
	put_name(row, meaning_of(class));
}

void overlap_table_classes(struct report *report, const struct overlap_findings *of)
{
	report_table(report,
		     &(struct report_table){.key = "classes",
					    .meaning = "Neighbouring sizes with one verdict",
					    .title = "what overlaps",
					    .fields = size_class_fields,
					    .row = size_class_row,
					    .data = &of->classes,
					    .count = of->classes.count});
}

/* ------------------------------------------------------------ negative and stolen */

static const struct report_field negative_fields[] = {
	LIKE_FIELDS,
	{"bytes", "size", .kind = VALUE_BYTES},
	{"compute_ns", "computation", .kind = VALUE_NS},
	{"ratio_seq", "ratio_seq", VALUE_NUMBER, .flags = FIELD_SIGNED},
	{"ratio_error", "ratio_error", .kind = VALUE_NUMBER},
	{0},
};

static void negative_row(struct report_row *row, const void *data, size_t number)
{
	const struct cell *cell = ((const struct overlap_findings *)data)->negative.items[number];
	char like[LIKE_TEXT_BYTES];

	put_like(row, &cell->spec, like);
	put_count(row, cell->spec.bytes);
	put_number(row, cell->spec.compute_ns);
	put_ratio(row, cell_ratio_seq(cell));
	put_ratio(row, cell_ratio_error(cell));
}

void overlap_table_negative(struct report *report, const struct overlap_findings *of)
{
	report_table(
		report,
		&(struct report_table){
			.key = "negative",
			.meaning = "Certain cells with ratio_seq below -ratio_error, lowest first",
			.title =
				"below 0 by more than the error: T_comm or T_comp has changed meanwhile",
			.fields = negative_fields,
			.row = negative_row,
			.data = of,
			.count = of->negative.count,
			.most = 10});
}

static const struct report_field stolen_fields[] = {
	{"benchmark", "benchmark", .kind = VALUE_NAME, .values = bench_names},
	{"bytes", "size", .kind = VALUE_BYTES},
	{"cells", "cells", VALUE_COUNT, .flags = FIELD_POSITIVE},
	{"stolen_ns", "stolen", VALUE_NS, .flags = FIELD_SIGNED,
	 .meaning = "Median of T_measured with the kernel work, less that with the kernel time"},
	{"share", "of T_comm", VALUE_NUMBER, .flags = FIELD_SIGNED,
	 .meaning = "Median of the same by T_comm"},
	{0},
};

static void stolen_values(struct report_row *row, const void *data, size_t number)
{
	const struct stolen_row *stolen =
		&((const struct overlap_findings *)data)->stolen.items[number];

	put_name(row, bench_descriptions[stolen->bench].name);
	put_count(row, stolen->bytes);
	put_count(row, stolen->cells);
	put_number(row, stolen->stolen_ns);
	put_ratio(row, stolen->share);
}

void overlap_table_stolen(struct report *report, const struct overlap_findings *of)
{
	report_table(
		report,
		&(struct report_table){
			.key = "stolen",
			.meaning =
				"Processor time that communication takes from the computation, where"
				" both kernels were measured",
			.title = "processor time that communication takes from the computation",
			.fields = stolen_fields,
			.row = stolen_values,
			.data = of,
			.count = of->stolen.count});
}

/* ---------------------------------------------------------------------- model */

static const struct report_field model_fields[] = {
	{"benchmark", "benchmark", .kind = VALUE_NAME, .values = bench_names},
	{"sizes", "sizes", .kind = VALUE_NAME},
	{"cells", "cells", VALUE_COUNT, .meaning = "Certain ones that the model predicts"},
	{"residual", "measured / model - 1", VALUE_SHARE, .flags = FIELD_SIGNED,
	 .meaning = "Median of full_ns / model_ns - 1"},
	{"residual_q1", "q1", VALUE_SHARE, .flags = FIELD_SIGNED, .meaning = "First quartile"},
	{"residual_q3", "q3", VALUE_SHARE, .flags = FIELD_SIGNED, .meaning = "Third quartile"},
	{0},
};

static void model_values(struct report_row *row, const void *data, size_t number)
{
	const struct overlap_findings *of = data;
	const struct model_row *values = &of->model_rows.items[number];
	char text[64] = "all";

	if (of->model->S != NO_THRESHOLD)
		snprintf(text, sizeof text, "%s %" PRIu64 " B", values->above ? "above" : "up to",
			 of->model->S);
	put_name(row, bench_descriptions[values->bench].name);
	put_name(row, text);
	put_count(row, values->residuals.count);
	put_number(row, values->residuals.median);
	put_number(row, values->residuals.lower_quartile);
	put_number(row, values->residuals.upper_quartile);
}

void overlap_table_model(struct report *report, const struct overlap_findings *of)
{
	if (!of->model && report->format != REPORT_SCHEMA)
		return;
	report_table(
		report,
		&(struct report_table){
			.key = "model",
			.optional = true,
			.meaning =
				"With --params: certain cells compared with the LogGPS model, in which "
				"messages move while ranks compute",
			.title =
				"compared with the model, in which messages move while ranks compute",
			.fields = model_fields,
			.row = model_values,
			.data = of,
			.count = of->model_rows.count});
}

/* ---------------------------------------------------------------------- cells */

#define TIME_FIELD(name, text)                                                            \
	{                                                                                 \
		name, NULL, VALUE_NS, .flags = FIELD_NULL | FIELD_SIGNED, .meaning = text \
	}
#define RATIO_FIELD(name, text)                                                               \
	{                                                                                     \
		name, NULL, VALUE_NUMBER, .flags = FIELD_NULL | FIELD_SIGNED, .meaning = text \
	}

static const struct report_field cell_fields[] = {
	{"benchmark", NULL, .kind = VALUE_NAME, .values = bench_names},
	{"kernel", NULL, .kind = VALUE_NAME, .values = kernel_names},
	{"side", NULL, .kind = VALUE_NAME, .values = side_names},
	{"pending", NULL, VALUE_COUNT, .flags = FIELD_POSITIVE, .meaning = "Messages at once"},
	{"tests_ns", NULL, VALUE_NS, .meaning = "Time between calls of MPI_Test; 0: none"},
	{"threads", NULL, VALUE_COUNT, .meaning = "That compute beside the ranks, in nload"},
	{"bytes", NULL, VALUE_BYTES, .meaning = "Of each message"},
	{"compute_ns", NULL, VALUE_NS, .meaning = "Computation as ordered"},
	TIME_FIELD("measured_ns", "T_measured: communication and computation together"),
	TIME_FIELD("comm_ns", "T_comm: communication alone"),
	TIME_FIELD("comp_ns", "T_comp: computation alone"),
	RATIO_FIELD("ratio", "(T_measured - max(T_comm, T_comp)) / min(T_comm, T_comp)"),
	RATIO_FIELD("ratio_seq",
		    "The same of the whole sequence: with full_ns, and T_comm + latency"),
	RATIO_FIELD("ratio_error",
		    "(H(T_measured) + H(max) + |ratio| H(min)) / min, H: half an interval"),
	{"uncertain", NULL, VALUE_TRUTH, .meaning = "ratio_error is unknown or above 0.25"},
	RATIO_FIELD("slowdown", "In nload: (T_measured - T_comm) / T_comm"),
	RATIO_FIELD("imb_percent",
		    "Overlap as IMB-NBC defines it: 100 (1 - ratio) within 0 and 100"),
	RATIO_FIELD("osu_percent",
		    "Overlap as OSU defines it: 100 max(0, 1 - (T_measured - T_comp) / T_comm)"),
	TIME_FIELD("stolen_ns", "T_measured less that of the same cell with the kernel time"),
	TIME_FIELD("full_ns", "Time of rank 0 from the first call to the end of the last, median"),
	TIME_FIELD("full_low_ns", "95 % interval of that median"),
	TIME_FIELD("full_high_ns", "95 % interval of that median"),
	TIME_FIELD("latency_ns", "Half a round trip without data"),
	TIME_FIELD("blocking_ns", "The blocking collective"),
	TIME_FIELD("post_ns", "Calls that start communication, median"),
	TIME_FIELD("computing_ns", "Computation beside communication, median"),
	TIME_FIELD("complete_ns", "Calls that complete communication, median"),
	TIME_FIELD("cpu_ns", "Processor time of rank 0's process, median"),
	TIME_FIELD("model_ns", "full_ns as the LogGPS model predicts it, with --params"),
	RATIO_FIELD("residual", "full_ns / model_ns - 1"),
	{"rounds", NULL, .kind = VALUE_COUNT},
	{"rejected", NULL, VALUE_COUNT,
	 .meaning = "Rounds in which the system took a processor away"},
	{0},
};

static void put_spec(struct report_row *row, const struct cell_spec *spec)
{
	put_name(row, bench_descriptions[spec->bench].name);
	put_name(row, kernel_names[spec->kernel]);
	put_name(row, side_names[spec->side]);
	put_count(row, spec->pending);
	put_number(row, spec->tests_ns);
	put_count(row, spec->threads);
	put_count(row, spec->bytes);
	put_number(row, spec->compute_ns);
}

static void put_ratios(struct report_row *row, const struct cell *cell)
{
	put_number(row, cell_ratio(cell));
	put_number(row, cell_ratio_seq(cell));
	put_number(row, cell_ratio_error(cell));
	put_truth(row, cell_uncertain(cell));
	put_number(row, cell_slowdown(cell));
	put_number(row, cell_imb_percent(cell));
	put_number(row, cell_osu_percent(cell));
}

static void cell_row(struct report_row *row, const void *data, size_t number)
{
	const struct overlap_findings *of = data;
	const struct cells_file *file = &of->file;
	const struct cell *cell = &file->cells.items[number];

	put_spec(row, &cell->spec);
	put_number(row, cell_measured_ns(cell));
	put_number(row, cell->comm.median);
	put_number(row, cell->comp.median);
	put_ratios(row, cell);
	put_number(row, cell_stolen_ns(file, cell));
	put_number(row, cell->full.median);
	put_number(row, cell->full.low);
	put_number(row, cell->full.high);
	put_number(row, cell->latency.median);
	put_number(row, cell->blocking.median);
	put_number(row, cell->post_ns);
	put_number(row, cell->compute_ns);
	put_number(row, cell->complete_ns);
	put_number(row, cell->cpu_ns);
	put_number(row, of->model ? cell_model_full_ns(of->model, &cell->spec) : NAN);
	put_number(row, of->model ? cell_model_residual(of->model, cell) : NAN);
	put_count(row, cell->rounds);
	put_count(row, cell->rejected);
}

void overlap_table_cells(struct report *report, const struct overlap_findings *of)
{
	report_table(report, &(struct report_table){.key = "cells",
						    .fields = cell_fields,
						    .row = cell_row,
						    .data = of,
						    .count = of->file.cells.count});
}
