#include "measure/params/report.h"

#include "common/table.h"
#include "common/text.h"
#include "common/units.h"
#include "common/version.h"
#include "measure/params/sizes.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ warnings */

__attribute__((format(printf, 2, 3))) static void warn(struct warnings *warnings,
						       const char *format, ...)
{
	va_list arguments;

	if (warnings->count == MOST_WARNINGS)
		return;
	va_start(arguments, format);
	vsnprintf(warnings->text[warnings->count++], WARNING_BYTES, format, arguments);
	va_end(arguments);
}

static double largest_error(const struct report *report,
			    double (*error)(const struct check *, const struct parameters *))
{
	double largest = 0;

	for (size_t i = 0; i < report->checks->count; i++)
		largest = fmax(largest,
			       fabs(error(&report->checks->of[i], &report->estimate->parameters)));
	return largest;
}

/* Whether one L, g and G fit all sizes. */
static bool fits_loggp(const struct estimate *estimate)
{
	return fmax(estimate->residual, estimate->gap.residual) <= MOST_RESIDUAL;
}

/* Whether a message takes more than MOST_SPREAD longer in one repeat than in another. */
static bool depends_on_placement(const struct estimate *estimate)
{
	return estimate->one_way_ns.most > (1 + MOST_SPREAD) * estimate->one_way_ns.least;
}

int report_check_latency(const struct estimate *estimate, struct error *err)
{
	const double overhead_ns = estimate->send_overhead_ns + estimate->receive_overhead_ns;
	const struct range *found = &estimate->latency_ns;
	char text[3][UNIT_TEXT_BYTES];

	if (estimate->tells_latency)
		return 0;
	if (found->most > fmax(0, found->least))
		return error_set(err, STATUS_LIMIT,
				 "nothing can be said of L: it is between %s and %s in %zu repeats,"
				 " as o_s + o_r take %s of the time of a message; measure on an idle"
				 " machine or between two nodes, or set L by hand",
				 format_time(fmax(0, found->least), 4, text[0]),
				 format_time(found->most, 4, text[1]), estimate->repeats,
				 format_time(overhead_ns, 4, text[2]));
	return error_set(err, STATUS_LIMIT,
			 "nothing can be said of L: a message takes %s, and o_s + o_r are %s of it;"
			 " set L by hand", format_time(estimate->one_way_ns.least, 4, text[0]),
			 format_time(overhead_ns, 4, text[1]));
}

void report_find_warnings(const struct report *report, struct warnings *warnings)
{
	const struct estimate *estimate = report->estimate;
	char bytes[UNIT_TEXT_BYTES], other[UNIT_TEXT_BYTES];

	warnings->count = 0;
	if (estimate->wide)
		warn(warnings,
		     "round trips of %zu of %zu sizes spread by more than %.0f %% (%.0f %% at %s):"
		     " measure on an idle machine with a core for each rank, or longer"
		     " (--time-limit)",
		     estimate->wide, estimate->measured, 100 * MOST_SPREAD,
		     100 * estimate->worst_spread,
		     format_bytes((double)estimate->worst_spread_bytes, bytes));
	if (!fits_loggp(estimate))
		warn(warnings,
		     "this is no LogGP network: L and G miss the round trips by %.0f %%, g and G"
		     " the gaps by %.0f %% (root mean square; shared memory often is none)%s",
		     100 * estimate->residual, 100 * estimate->gap.residual,
		     estimate->tells_latency ? ": use the parameters by message size, which are a"
					       " comment of the file"
					     : "");
	if (largest_error(report, check_burst_error) > MOST_BURST_ERROR)
		warn(warnings,
		     "the prediction misses bursts of %d messages by up to %.0f %%: messages in a row"
		     " take %.3g ns/B, a single one %.3g ns/B",
		     CHECK_MESSAGES, 100 * largest_error(report, check_burst_error),
		     estimate->gap.slope, estimate->parameters.G_ns);
	if (depends_on_placement(estimate))
		warn(warnings,
		     "the time of a message depends on where the ranks are, or changes during the"
		     " measurement: %s to %s one way in %zu repeats",
		     format_time(estimate->one_way_ns.least, 4, bytes),
		     format_time(estimate->one_way_ns.most, 4, other), estimate->repeats);
	if (estimate->threshold.waiting - estimate->threshold.eager > 1)
		warn(warnings,
		     "S is between %" PRIu64 " and %" PRIu64 " bytes: the time was over"
		     " (--time-limit)",
		     estimate->threshold.eager, estimate->threshold.waiting - 1);
	if (estimate->well_measured < report->table->count)
		warn(warnings,
		     "%zu of %zu sizes have fewer than 10 samples: measure longer (--time-limit)",
		     report->table->count - estimate->well_measured, report->table->count);
}

/* -------------------------------------------------------------------- tables */

/* "-" where nothing was measured. */
static void put_time(char *cell, double ns)
{
	char text[UNIT_TEXT_BYTES];

	snprintf(cell, TABLE_CELL_BYTES, "%s", isfinite(ns) ? format_time(ns, 4, text) : "-");
}

static void put_spread(char *cell, double share)
{
	snprintf(cell, TABLE_CELL_BYTES, "-");
	if (isfinite(share))
		snprintf(cell, TABLE_CELL_BYTES, "%.0f %%", 100 * share);
}

static void put_error(char *cell, double share)
{
	snprintf(cell, TABLE_CELL_BYTES, "-");
	if (isfinite(share))
		snprintf(cell, TABLE_CELL_BYTES, "%+.1f %%", 100 * share);
}

static void put_bytes(char *cell, uint64_t bytes)
{
	char text[UNIT_TEXT_BYTES];

	snprintf(cell, TABLE_CELL_BYTES, "%s", format_bytes((double)bytes, text));
}

static void size_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct report *report = data;
	const struct size_row *row = &report->table->rows[number];
	const double predicted_ns = 2 *
				    predict_one_way_ns(&report->estimate->parameters, row->bytes);

	put_bytes(cells[0], row->bytes);
	put_time(cells[1], row->trip.lower_decile);
	put_time(cells[2], row->trip.median);
	put_spread(cells[3], summary_spread(&row->trip));
	put_time(cells[4], row->send.lower_decile);
	put_time(cells[5], row->receive.lower_decile);
	put_time(cells[6], size_row_gap_ns(report->table, row));
	put_error(cells[7], predicted_ns / row->trip.lower_decile - 1);
}

static void print_sizes(FILE *stream, const struct report *report)
{
	static const struct table_column columns[] = {
		{"size", TABLE_RIGHT, 0},   {"round trip", TABLE_RIGHT, 0},
		{"median", TABLE_RIGHT, 0}, {"spread", TABLE_RIGHT, 0},
		{"o_s", TABLE_RIGHT, 0},    {"o_r", TABLE_RIGHT, 0},
		{"gap", TABLE_RIGHT, 0},    {"model", TABLE_RIGHT, 0},
	};

	table_print(stream, columns, sizeof columns / sizeof *columns, report->table->count,
		    size_row, report);
}

/* Two rows for each size: the ping-pong, then the burst. */
static void check_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct report *report = data;
	const struct parameters *parameters = &report->estimate->parameters;
	const bool burst = number >= report->checks->count;
	const struct check *check = &report->checks->of[number % report->checks->count];

	put_bytes(cells[1], check->bytes);
	if (burst) {
		snprintf(cells[0], TABLE_CELL_BYTES, "burst of %d", CHECK_MESSAGES);
		put_time(cells[2], predict_burst_ns(parameters, CHECK_MESSAGES, check->bytes));
		put_time(cells[3], check->burst.lower_decile);
		put_error(cells[4], check_burst_error(check, parameters));
	} else {
		snprintf(cells[0], TABLE_CELL_BYTES, "ping-pong");
		put_time(cells[2], 2 * predict_one_way_ns(parameters, check->bytes));
		put_time(cells[3], check->trip.lower_decile);
		put_error(cells[4], check_ping_pong_error(check, parameters));
	}
}

static void print_checks(FILE *stream, const struct report *report)
{
	static const struct table_column columns[] = {
		{"check", TABLE_LEFT, 0},      {"size", TABLE_RIGHT, 0},
		{"predicted", TABLE_RIGHT, 0}, {"measured", TABLE_RIGHT, 0},
		{"error", TABLE_RIGHT, 0},
	};

	if (report->checks->count)
		table_print(stream, columns, sizeof columns / sizeof *columns,
			    2 * report->checks->count, check_row, report);
}

/* --------------------------------------------------------------------- texts */

static void print_place(FILE *stream, const struct report *report)
{
	const struct place *place = report->place;
	char shown[2][256];

	fprintf(stream, "date        %s\n", place->date);
	fprintf(stream, "machine     %s, %ld processor%s", place->processor, place->processors,
		plural((uint64_t)place->processors));
	if (place->load >= 0)
		fprintf(stream, ", load %.1f before", place->load);
	fprintf(stream, "\nMPI         %s\n", place->mpi);
	text_show(place->hosts[0], shown[0], sizeof shown[0]);
	text_show(place->hosts[1], shown[1], sizeof shown[1]);
	if (place->one_host)
		fprintf(stream, "ranks       0 and 1 on the same node, %s\n", shown[0]);
	else
		fprintf(stream, "ranks       0 on node %s, 1 on node %s\n", shown[0], shown[1]);
}

static void print_parameters(FILE *stream, const struct report *report)
{
	const struct estimate *estimate = report->estimate;
	const struct parameters *of = &estimate->parameters;
	char text[4][UNIT_TEXT_BYTES];

	fprintf(stream, "parameters  L %s, o %s, g %s, G %.4g ns/B, O %.4g ns/B, S ",
		estimate->tells_latency ? format_time(of->L_ns, 4, text[0]) : "unknown",
		format_time(of->o_ns, 4, text[1]), format_time(of->g_ns, 4, text[2]), of->G_ns,
		of->O_ns);
	if (of->S == NO_THRESHOLD)
		fprintf(stream, "none\n");
	else
		fprintf(stream, "%" PRIu64 " B\n", of->S);
	fprintf(stream, "overhead    o_s %s, o_r %s at 1 B; without O, G is %.4g ns/B\n",
		format_time(estimate->send_overhead_ns, 4, text[0]),
		format_time(estimate->receive_overhead_ns, 4, text[1]), estimate->without_O.G_ns);
	if (estimate->repeats)
		fprintf(stream, "repeats     %zu: one way %s to %s, without o_s + o_r %s to %s\n",
			estimate->repeats, format_time(estimate->one_way_ns.least, 4, text[0]),
			format_time(estimate->one_way_ns.most, 4, text[1]),
			format_time(estimate->latency_ns.least, 4, text[2]),
			format_time(estimate->latency_ns.most, 4, text[3]));
	fprintf(stream, "residual    %.1f %% of round trips, %.1f %% of gaps (with G %.4g ns/B)\n",
		100 * estimate->residual, 100 * estimate->gap.residual, estimate->gap.slope);
	if (estimate->change_bytes)
		fprintf(stream, "change      round trips follow another line above %s\n",
			format_bytes((double)estimate->change_bytes, text[0]));
}

void report_print(FILE *stream, const struct report *report)
{
	print_place(stream, report);
	print_parameters(stream, report);
	fprintf(stream, "verified    ping-pong within %.1f %%, burst of %d within %.1f %%\n\n",
		100 * largest_error(report, check_ping_pong_error), CHECK_MESSAGES,
		100 * largest_error(report, check_burst_error));
	print_checks(stream, report);
	fprintf(stream, "\n");
	print_sizes(stream, report);
}

/* ---------------------------------------------------------------------- YAML */

/* Write each line of a text as a comment. */
static void write_comment(FILE *stream, const char *text)
{
	while (*text) {
		const int length = (int)strcspn(text, "\n");

		fprintf(stream, "#%s%.*s\n", length ? " " : "", length, text);
		text += length;
		text += *text == '\n';
	}
}

/* Name the largest size of a row, or nothing in the last row. */
static void write_row(FILE *stream, const struct size_parameters *row)
{
	fprintf(stream, "#   - {");
	if (row->to != UINT64_MAX)
		fprintf(stream, "to: %" PRIu64 ", ", row->to);
	fprintf(stream, "o: %.3fns, L: %.3fns, G: %.6fns}\n", row->o_ns, row->L_ns, row->G_ns);
}

/*
 * Where no single L and G fits, write parameters by size.  They are a comment, since they follow
 * every measured value, and programs expect an L.
 */
static void write_sizes(FILE *stream, const struct report *report)
{
	struct size_parameters_table fitted;

	if (fits_loggp(report->estimate) || !report->estimate->tells_latency)
		return;
	sizes_fit(report->table, report->estimate->parameters.S, &fitted);
	if (!fitted.count)
		return;
	fprintf(stream, "# These parameters follow the measured round trips, which no single L and G"
			" does.  To use them,\n# remove the lines L, o, G and O above and the # before"
			" these lines:\n# sizes:\n");
	for (size_t i = 0; i < fitted.count; i++)
		write_row(stream, &fitted.rows[i]);
}

int report_write_yaml(FILE *stream, const struct report *report, const struct warnings *warnings,
		      struct error *err)
{
	const struct parameters *of = &report->estimate->parameters;
	char *text = NULL;
	size_t bytes;
	FILE *comment = open_memstream(&text, &bytes);

	if (!comment)
		return error_set_memory(err, 1);
	report_print(comment, report);
	if (fclose(comment) != 0) {
		free(text);
		return error_set_memory(err, bytes);
	}
	fprintf(stream, "# LogGPS parameters, measured with llamp-measure params (%s %s)\n",
		PROJECT_NAME, PROJECT_VERSION);
	for (size_t i = 0; i < warnings->count; i++)
		fprintf(stream, "# warning: %s\n", warnings->text[i]);
	if (report->estimate->tells_latency)
		fprintf(stream, "L: %.3fns\n", of->L_ns);
	else
		fprintf(stream, "unknown: L # give llamp -L, or replace this line by \"L: TIME\"\n");
	fprintf(stream, "o: %.3fns\ng: %.3fns\nG: %.6fns\nO: %.6fns\n", of->o_ns, of->g_ns,
		of->G_ns, of->O_ns);
	if (of->S == NO_THRESHOLD)
		fprintf(stream, "S: none\n");
	else
		fprintf(stream, "S: %" PRIu64 "\n", of->S);
	write_sizes(stream, report);
	fprintf(stream, "#\n");
	write_comment(stream, text);
	free(text);
	return 0;
}
