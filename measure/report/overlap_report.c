#include "measure/report/overlap_report.h"

#include "common/text.h"
#include "common/units.h"
#include "measure/report/overlap_tables.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------------- gains */

int progress_gains_find(struct progress_gains *gains, const struct overlap_files *files,
			struct error *err)
{
	memset(gains, 0, sizeof *gains);
	for (uint32_t i = 0; i < files->count; i++) {
		for (uint32_t k = i + 1; k < files->count; k++) {
			const struct overlap_findings *a = &files->items[i], *b = &files->items[k];

			if (!progress_gain_compares(&a->file.header, &b->file.header,
						    files->count == 2))
				continue;
			if (array_reserve(gains, 1, err) < 0 ||
			    progress_gain_find(&gains->items[gains->count], a, b, err) < 0) {
				progress_gains_release(gains);
				return -1;
			}
			gains->count++;
		}
	}
	return 0;
}

void progress_gains_release(struct progress_gains *gains)
{
	for (size_t i = 0; i < gains->count; i++)
		progress_gain_release(&gains->items[i]);
	array_release(gains);
}

/* ----------------------------------------------------------------- lines of text */

static const char *shown(const char *text, char room[static 256])
{
	return text_show(text ? text : "", room, 256);
}

/* Write lines of a text that is wrapped, the first with a label. */
static void wrapped_lines(const struct report *report, const char *label, const char *text)
{
	const int columns = text_table_columns(report->stream), width = 12;

	if (report->format != REPORT_TEXT)
		return;
	for (const char *next; text; text = next, label = "") {
		const size_t length = text_line(text, columns > 2 * width ? columns - width : width,
						1, &next);

		report_line(report, label, "%.*s", (int)length, text);
	}
}

/* Where a killed run has ended: "receiver, 64 KiB, 20 us". */
static void place_text(const struct cells_file *file, char text[static 512])
{
	char like[LIKE_TEXT_BYTES], bytes[UNIT_TEXT_BYTES], time[UNIT_TEXT_BYTES];

	if (file->began)
		snprintf(text, 512, "%s, %s, %s", like_text(&file->last, like),
			 format_bytes((double)file->last.bytes, bytes),
			 format_time(file->last.compute_ns, 4, time));
	else
		snprintf(text, 512, "between two cells");
}

static void line_of_file(const struct report *report, const struct cells_file *file)
{
	char path[256], end[256], place[512];
	const size_t count = file->cells.count;

	place_text(file, place);
	if (file->end)
		report_line(report, "file", "%s: %zu cell%s, %s", shown(file->path, path), count,
			    plural(count), shown(file->end, end));
	else
		report_line(report, "file", "%s: %zu cell%s, killed at %s", shown(file->path, path),
			    count, plural(count), place);
}

static void lines_of_place(const struct report *report, const struct cells_header *header)
{
	char text[4][256], load[64] = "";

	report_line(report, "MPI", "%s%s%s%s%s", shown(header->mpi, text[0]),
		    header->transport && *header->transport ? ", " : "",
		    shown(header->transport, text[1]),
		    header->thread_level && *header->thread_level ? ", " : "",
		    shown(header->thread_level, text[2]));
	if (header->load >= 0)
		snprintf(load, sizeof load, ", load %.1f before", header->load);
	report_line(report, "machine", "%s, %u processor%s%s", shown(header->processor, text[0]),
		    header->processors, plural(header->processors), load);
	shown(header->hosts[0], text[0]);
	shown(header->hosts[1], text[1]);
	if (header->one_host)
		report_line(report, "ranks", "%u, on one node, %s, processors %s and %s",
			    header->ranks, text[0], shown(header->cores[0], text[2]),
			    shown(header->cores[1], text[3]));
	else
		report_line(report, "ranks", "%u, 0 on node %s, 1 on node %s, processors %s and %s",
			    header->ranks, text[0], text[1], shown(header->cores[0], text[2]),
			    shown(header->cores[1], text[3]));
}

static void lines_of_settings(const struct report *report, const struct cells_header *header)
{
	char text[2][256];

	if (header->options && *header->options)
		report_line(report, "options", "%s", shown(header->options, text[0]));
	for (size_t i = 0; i < header->settings.count; i++)
		report_line(report, i ? "" : "settings", "%s=%s",
			    shown(header->settings.items[i].name, text[0]),
			    shown(header->settings.items[i].value, text[1]));
	if (header->S_high == UINT64_MAX)
		report_line(report, "S", "none: all sends complete without their receiver");
	else if (header->S_high && header->S_high - header->S_low <= 1)
		report_line(report, "S", "%" PRIu64 " B", header->S_low);
	else if (header->S_high)
		report_line(report, "S", "between %" PRIu64 " and %" PRIu64 " B", header->S_low,
			    header->S_high - 1);
}

static const double most_uncertain = .2, most_drift = .02;

static void percent_text(const char *what, double share, char text[static 128])
{
	char number[UNIT_TEXT_BYTES];

	text[0] = '\0';
	if (!isnan(share))
		snprintf(text, 128, "%s %s %%", what, format_number(100 * share, 3, number));
}

static void line_of_quality(const struct report *report, const struct overlap_findings *of)
{
	char parts[4][128];
	struct sentence line = {.length = 0};

	percent_text("uncertain cells", of->uncertain, parts[0]);
	percent_text("rejected rounds", of->rejected, parts[1]);
	percent_text("median ratio_error", of->ratio_error, parts[2]);
	percent_text("calibration moved by", fabs(of->file.work_drift), parts[3]);
	for (unsigned i = 0; i < 4; i++)
		if (parts[i][0])
			sentence_add(&line, "%s%s", line.length ? ", " : "", parts[i]);
	if (line.length)
		wrapped_lines(report, "quality", line.text);
	if (fabs(of->file.work_drift) > most_drift)
		wrapped_lines(
			report, "",
			"the speed of computation has changed by more than 2 %: other programs ran, or the"
			" frequency of the processor has changed");
	if (of->uncertain > most_uncertain)
		wrapped_lines(
			report, "",
			"many cells are uncertain: measure on an idle machine, with a core for each rank");
}

static void lines_of_library(const struct report *report, const struct library_class *library)
{
	report_line(report, "library", "%s", library->name);
	if (library->evidence[0])
		wrapped_lines(report, "", library->evidence);
	if (library->paper)
		wrapped_lines(report, "", library->paper);
}

/* ----------------------------------------------------------------------- facts */

static const char *const thresholds[] = {"found", "none", "unknown", NULL};

static const struct report_field file_fields[] = {
	{"file", NULL, .kind = VALUE_NAME},
	{"mpi", NULL, VALUE_NAME, .meaning = "Name and version of the library"},
	{"transport", NULL, VALUE_NAME, .meaning = "As far as the environment tells"},
	{"hosts", NULL, VALUE_NAMES, .meaning = "Of ranks 0 and 1"},
	{"one_host", NULL, .kind = VALUE_TRUTH},
	{"processor", NULL, .kind = VALUE_NAME},
	{"processors", NULL, VALUE_COUNT, .meaning = "Of the host of rank 0"},
	{"cores", NULL, VALUE_NAMES, .meaning = "That ranks 0 and 1 may use"},
	{"ranks", NULL, .kind = VALUE_COUNT},
	{"pairs", NULL, VALUE_COUNT, .meaning = "Of ranks, that measure the same at once"},
	{"repeat", NULL, VALUE_COUNT, .meaning = "Rounds of a cell"},
	{"thread_level", NULL, .kind = VALUE_NAME},
	{"options", NULL, .kind = VALUE_NAME},
	{"start", NULL, VALUE_NAME, .meaning = "UTC"},
	{"end", NULL, VALUE_NAME, .flags = FIELD_NULL,
	 .meaning = "complete, interrupted or time limit; null: killed"},
	{"killed_at", NULL, VALUE_NAME, .flags = FIELD_NULL,
	 .meaning = "The cell that was being measured"},
	{"load", NULL, VALUE_NUMBER, .flags = FIELD_SIGNED, .meaning = "Before; below 0: unknown"},
	{"work_drift", NULL, VALUE_SHARE, .flags = FIELD_NULL | FIELD_SIGNED,
	 .meaning = "Change of the calibration during the run"},
	{"threshold", NULL, VALUE_NAME, .values = thresholds,
	 .meaning = "Of the rendezvous protocol"},
	{"S_low", NULL, VALUE_BYTES, .flags = FIELD_NULL,
	 .meaning = "Sends of this size do not wait"},
	{"S_high", NULL, VALUE_BYTES, .flags = FIELD_NULL, .meaning = "Sends of this size wait"},
	{"uncertain_share", NULL, VALUE_SHARE, .flags = FIELD_NULL, .meaning = "Of the cells"},
	{"rejected_share", NULL, VALUE_SHARE, .flags = FIELD_NULL, .meaning = "Of the rounds"},
	{"ratio_error", NULL, VALUE_NUMBER, .flags = FIELD_NULL,
	 .meaning = "Median over the cells"},
	{"library", NULL, VALUE_NAME, .meaning = "What kind of library this is"},
	{"evidence", NULL, .kind = VALUE_NAME},
	{"since_2016", NULL, VALUE_NAME, .flags = FIELD_NULL,
	 .meaning = "What Denis and Trahay found and is no longer so"},
	{0},
};

static void put_text(struct report_row *row, const char *text)
{
	put_name(row, text ? text : "");
}

static void put_header(struct report_row *row, const struct cells_header *header)
{
	put_text(row, header->mpi);
	put_text(row, header->transport);
	put_names(row, (const char *const *)header->hosts, 2);
	put_truth(row, header->one_host);
	put_text(row, header->processor);
	put_count(row, header->processors);
	put_names(row, (const char *const *)header->cores, 2);
	put_count(row, header->ranks);
	put_count(row, header->pairs);
	put_count(row, header->repeat);
	put_text(row, header->thread_level);
	put_text(row, header->options);
	put_text(row, header->start);
}

static void file_row(struct report_row *row, const void *data, size_t number)
{
	const struct overlap_findings *of = data;
	const struct cells_header *header = &of->file.header;
	const bool has_S = header->S_high && header->S_high != UINT64_MAX;
	char place[512];

	(void)number;
	place_text(&of->file, place);
	put_name(row, of->file.path);
	put_header(row, header);
	put_name(row, of->file.end);
	put_name(row, of->file.end || !of->file.began ? NULL : place);
	put_number(row, header->load);
	put_number(row, of->file.work_drift);
	put_name(row, thresholds[!header->S_high ? 2 : !has_S]);
	put_count_or_none(row, header->S_low, has_S);
	put_count_or_none(row, header->S_high, has_S);
	put_number(row, of->uncertain);
	put_number(row, of->rejected);
	put_number(row, of->ratio_error);
	put_name(row, of->library.name);
	put_name(row, of->library.evidence);
	put_name(row, of->library.paper);
}

static const struct report_field setting_fields[] = {{"name", NULL, .kind = VALUE_NAME},
						     {"value", NULL, .kind = VALUE_NAME},
						     {0}};

static void setting_row(struct report_row *row, const void *data, size_t number)
{
	const struct cells_header *header = data;

	put_name(row, header->settings.items[number].name);
	put_name(row, header->settings.items[number].value);
}

/* ------------------------------------------------------------------------ file */

static void file_object(struct report *report, const void *data, size_t number)
{
	const struct overlap_findings *of = &((const struct overlap_files *)data)->items[number];
	const struct cells_header *header = &of->file.header;

	report->file = of->file.path;
	if (number && report->format == REPORT_TEXT)
		fputs("\n\n", report->stream);
	line_of_file(report, &of->file);
	lines_of_place(report, header);
	lines_of_settings(report, header);
	line_of_quality(report, of);
	lines_of_library(report, &of->library);
	report_facts(report,
		     &(struct report_facts){.fields = file_fields, .row = file_row, .data = of});
	report_table(report, &(struct report_table){.key = "settings",
						    .meaning = "Variables of the environment",
						    .fields = setting_fields,
						    .row = setting_row,
						    .data = header,
						    .count = header->settings.count});
	overlap_table_classes(report, of);
	overlap_table_stolen(report, of);
	overlap_table_model(report, of);
	overlap_table_negative(report, of);
	overlap_table_cells(report, of);
}

/* ---------------------------------------------------------------- side by side */

static const enum bench overview_benches[] = {BENCH_SENDER,    BENCH_RECEIVER, BENCH_BOTH,
					      BENCH_NONCONTIG, BENCH_CPU,      BENCH_NLOAD};
enum { OVERVIEW_BENCHES = sizeof overview_benches / sizeof *overview_benches };

/* Medians of a file up to its threshold, and above. */
struct overview_row {
	const struct overlap_findings *of;
	bool above;
	double medians[OVERVIEW_BENCHES];
};

struct overview {
	struct overview_row *items;
	size_t count, capacity;
};

static int overview_add(struct overview *overview, const struct overlap_findings *of, bool above,
			struct error *err)
{
	const uint64_t least = library_least_above(&of->file.header);
	struct overview_row row = {.of = of, .above = above};
	bool found = false;

	if (!above && !least)
		return 0;
	for (unsigned i = 0; i < OVERVIEW_BENCHES; i++) {
		TRY(overlap_median(&of->file, overview_benches[i], above ? least : 0,
				   above ? UINT64_MAX : least - 1, &row.medians[i], err));
		found = found || !isnan(row.medians[i]);
	}
	return found ? array_push(overview, row, err) : 0;
}

static int overview_find(struct overview *overview, const struct overlap_files *files,
			 struct error *err)
{
	for (uint32_t i = 0; i < files->count; i++) {
		TRY(overview_add(overview, &files->items[i], false, err));
		TRY(overview_add(overview, &files->items[i], true, err));
	}
	return 0;
}

#define MEDIAN_FIELD(name)                                                    \
	{                                                                     \
		name, name, VALUE_NUMBER, .flags = FIELD_NULL | FIELD_SIGNED, \
					  .meaning = "Median of ratio_seq"    \
	}

static const struct report_field overview_fields[] = {
	{"file", "file", .kind = VALUE_NAME},
	{"sizes", "sizes", .kind = VALUE_NAME},
	MEDIAN_FIELD("sender"),
	MEDIAN_FIELD("receiver"),
	MEDIAN_FIELD("both"),
	MEDIAN_FIELD("noncontig"),
	MEDIAN_FIELD("cpu"),
	{"nload", "nload", VALUE_NUMBER, .flags = FIELD_NULL | FIELD_SIGNED,
	 .meaning = "Median of the slowdown"},
	{0},
};

static void overview_values(struct report_row *row, const void *data, size_t number)
{
	const struct overview_row *values = &((const struct overview *)data)->items[number];
	char sizes[LIBRARY_SIZES_BYTES];

	library_sizes(&values->of->file.header, values->above, sizes);
	put_name(row, values->of->file.path);
	put_name(row, sizes);
	for (unsigned i = 0; i < OVERVIEW_BENCHES; i++)
		put_number(row, row_in_text(row) ? round(100 * values->medians[i]) / 100 + 0.0
						 : values->medians[i]);
}

int overlap_report_overview(struct report *report, const struct overlap_files *files,
			    struct error *err)
{
	struct overview overview = {0};
	const int result = overview_find(&overview, files, err);

	if (result == 0)
		report_table(report,
			     &(struct report_table){
				     .key = "overview",
				     .meaning = "Files side by side, by the rendezvous threshold",
				     .title = files->count > 1 ? "side by side" : NULL,
				     .fields = overview_fields,
				     .row = overview_values,
				     .data = &overview,
				     .count = files->count < 2 && (report->format == REPORT_TEXT ||
								   report->format == REPORT_PAGE)
						      ? 0
						      : overview.count});
	array_release(&overview);
	return result;
}

/* ------------------------------------------------------------------ comparisons */

static const struct report_field gain_fields[] = {
	{"without", NULL, VALUE_NAME, .meaning = "File without the progress thread"},
	{"with", NULL, VALUE_NAME, .meaning = "File with it"},
	{"is_thread", NULL, VALUE_TRUTH,
	 .meaning = "Whether a variable starts a progress thread in one of them"},
	{"free_core", NULL, VALUE_TRUTH,
	 .meaning = "Whether the host has more processors than ranks"},
	{"latency_without_ns", NULL, VALUE_NS, .flags = FIELD_NULL},
	{"latency_with_ns", NULL, VALUE_NS, .flags = FIELD_NULL},
	{"cells", NULL, VALUE_COUNT, .meaning = "That are compared"},
	{"costs", NULL, VALUE_COUNT, .meaning = "Cells that take longer with the thread"},
	{"cost", NULL, VALUE_SHARE, .flags = FIELD_NULL,
	 .meaning = "Median loss of these, as a share of the time without"},
	{"sentence", NULL, .kind = VALUE_NAME},
	{0},
};

static void gain_values(struct report_row *row, const void *data, size_t number)
{
	const struct progress_gain *gain = data;

	(void)number;
	put_name(row, gain->without ? gain->without->file.path : "");
	put_name(row, gain->with ? gain->with->file.path : "");
	put_truth(row, gain->is_thread);
	put_truth(row, gain->has_free_core);
	put_number(row, gain->latency_ns[0]);
	put_number(row, gain->latency_ns[1]);
	put_count(row, gain->cells);
	put_count(row, gain->costs);
	put_number(row, gain->cost);
	put_name(row, gain->sentence);
}

static const struct report_field gain_row_fields[] = {
	{"bytes", "size", .kind = VALUE_BYTES},
	{"cells", "cells", .kind = VALUE_COUNT},
	{"pays", "pays", VALUE_COUNT, .meaning = "Cells in which the thread pays"},
	{"costs", "costs", VALUE_COUNT, .meaning = "Cells in which it costs"},
	{"gain", "median gain", VALUE_SHARE, .flags = FIELD_SIGNED,
	 .meaning =
		 "Median of (E without - E with) / T without; E: what communication adds to the computation"},
	{"most", "largest gain", VALUE_SHARE, .flags = FIELD_SIGNED},
	{"least_compute_ns", "from", VALUE_NS, .flags = FIELD_NULL,
	 .meaning = "Shortest computation with a gain"},
	{"most_compute_ns", "to", VALUE_NS, .flags = FIELD_NULL,
	 .meaning = "Longest computation with a gain"},
	{0},
};

static void gain_row_values(struct report_row *row, const void *data, size_t number)
{
	const struct gain_row *values = &((const struct progress_gain *)data)->rows.items[number];

	put_count(row, values->bytes);
	put_count(row, values->cells);
	put_count(row, values->pays);
	put_count(row, values->costs);
	put_number(row, values->gain);
	put_number(row, values->most);
	put_number(row, values->least_ns);
	put_number(row, values->most_ns);
}

void overlap_report_gain(struct report *report, const void *data, size_t number)
{
	static const struct progress_gain none;
	const struct progress_gains *gains = data;
	const struct progress_gain *gain = gains->count ? &gains->items[number] : &none;
	char title[700], first[256], second[256];

	if (gains->count)
		snprintf(title, sizeof title, "%s against %s", shown(gain->with->file.path, first),
			 shown(gain->without->file.path, second));
	report_facts(report, &(struct report_facts){.fields = gain_fields,
						    .row = gain_values,
						    .data = gain});
	report_table(report, &(struct report_table){.key = "sizes",
						    .title = title,
						    .fields = gain_row_fields,
						    .row = gain_row_values,
						    .data = gain,
						    .count = gain->rows.count});
	if (report->format == REPORT_TEXT) {
		snprintf(title, sizeof title, "%s\n", gain->sentence);
		fputc('\n', report->stream);
		text_print_lines(report->stream, title, 0);
	}
}

/* ---------------------------------------------------------------------- report */

int overlap_report(struct report *report, const struct overlap_files *files,
		   const struct progress_gains *gains, struct error *err)
{
	report->rows = "cells";
	report_begin(report, "llamp-overlap-report-1");
	report_list(report, &(struct report_list){.key = "files",
						  .object = file_object,
						  .data = files,
						  .count = files->count});
	TRY(overlap_report_overview(report, files, err));
	report_list(
		report,
		&(struct report_list){
			.key = "comparisons",
			.meaning =
				"Pairs of files with and without a progress thread; of two files, also with other settings",
			.object = overlap_report_gain,
			.data = gains,
			.count = gains->count});
	report_end(report);
	return 0;
}
