#include "measure/params/report.h"

#include "common/report/report.h"
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

static double largest_error(const struct measured_link *link,
			    double (*error)(const struct check *, const struct parameters *))
{
	double largest = 0;

	for (size_t i = 0; i < link->checks->count; i++)
		largest = fmax(largest,
			       fabs(error(&link->checks->of[i], &link->estimate->parameters)));
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
		return error_set(
			err, STATUS_LIMIT,
			"nothing can be said of L: it is between %s and %s in %zu repeats,"
			" as o_s + o_r take %s of the time of a message; measure on an idle"
			" machine or between two nodes, or set L by hand",
			format_time(fmax(0, found->least), 4, text[0]),
			format_time(found->most, 4, text[1]), estimate->repeats,
			format_time(overhead_ns, 4, text[2]));
	return error_set(err, STATUS_LIMIT,
			 "nothing can be said of L: a message takes %s, and o_s + o_r are %s of it;"
			 " set L by hand",
			 format_time(estimate->one_way_ns.least, 4, text[0]),
			 format_time(overhead_ns, 4, text[1]));
}

void report_find_warnings(const struct measured_link *link, struct warnings *warnings)
{
	const struct estimate *estimate = link->estimate;
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
	if (largest_error(link, check_burst_error) > MOST_BURST_ERROR)
		warn(warnings,
		     "the prediction misses bursts of %d messages by up to %.0f %%: messages in a row"
		     " take %.3g ns/B, a single one %.3g ns/B",
		     CHECK_MESSAGES, 100 * largest_error(link, check_burst_error),
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
	if (estimate->well_measured < link->table->count)
		warn(warnings,
		     "%zu of %zu sizes have fewer than 10 samples: measure longer (--time-limit)",
		     link->table->count - estimate->well_measured, link->table->count);
}

/* -------------------------------------------------------------------- tables */

/* Put a time or a share, "-" where nothing was measured. */
static void put_ns(struct report_row *row, double ns)
{
	char text[UNIT_TEXT_BYTES];

	put_name(row, isfinite(ns) ? format_time(ns, 4, text) : "-");
}

static void put_spread(struct report_row *row, double share)
{
	char text[UNIT_TEXT_BYTES] = "-";

	if (isfinite(share))
		snprintf(text, sizeof text, "%.0f %%", 100 * share);
	put_name(row, text);
}

static void put_error(struct report_row *row, double share)
{
	char text[UNIT_TEXT_BYTES] = "-";

	if (isfinite(share))
		snprintf(text, sizeof text, "%+.1f %%", 100 * share);
	put_name(row, text);
}

static const struct report_field size_fields[] = {
	{NULL, "size", .kind = VALUE_BYTES},
	{NULL, "round trip", VALUE_NAME, .right = true},
	{NULL, "median", VALUE_NAME, .right = true},
	{NULL, "spread", VALUE_NAME, .right = true},
	{NULL, "o_s", VALUE_NAME, .right = true},
	{NULL, "o_r", VALUE_NAME, .right = true},
	{NULL, "gap", VALUE_NAME, .right = true},
	{NULL, "model", VALUE_NAME, .right = true},
	{0},
};

static void size_row(struct report_row *row, const void *data, size_t number)
{
	const struct measured_link *link = data;
	const struct size_row *size = &link->table->rows[number];
	const double predicted_ns = 2 *
				    predict_one_way_ns(&link->estimate->parameters, size->bytes);

	put_count(row, size->bytes);
	put_ns(row, size->trip.lower_decile);
	put_ns(row, size->trip.median);
	put_spread(row, summary_spread(&size->trip));
	put_ns(row, size->send.lower_decile);
	put_ns(row, size->receive.lower_decile);
	put_ns(row, size_row_gap_ns(link->table, size));
	put_error(row, predicted_ns / size->trip.lower_decile - 1);
}

static const struct report_field check_fields[] = {
	{NULL, "check", .kind = VALUE_NAME},
	{NULL, "size", .kind = VALUE_BYTES},
	{NULL, "predicted", VALUE_NAME, .right = true},
	{NULL, "measured", VALUE_NAME, .right = true},
	{NULL, "error", VALUE_NAME, .right = true},
	{0},
};

/* Two rows for each size: the ping-pong, then the burst. */
static void check_row(struct report_row *row, const void *data, size_t number)
{
	const struct measured_link *link = data;
	const struct parameters *parameters = &link->estimate->parameters;
	const bool burst = number >= link->checks->count;
	const struct check *check = &link->checks->of[number % link->checks->count];
	char name[32];

	snprintf(name, sizeof name, burst ? "burst of %d" : "ping-pong", CHECK_MESSAGES);
	put_name(row, name);
	put_count(row, check->bytes);
	put_ns(row, burst ? predict_burst_ns(parameters, CHECK_MESSAGES, check->bytes)
			  : 2 * predict_one_way_ns(parameters, check->bytes));
	put_ns(row, burst ? check->burst.lower_decile : check->trip.lower_decile);
	put_error(row, (burst ? check_burst_error : check_ping_pong_error)(check, parameters));
}

/* --------------------------------------------------------------------- texts */

static void report_place(struct report *report, const struct place *place)
{
	char shown[2][256], load[32] = "";

	if (place->load >= 0)
		snprintf(load, sizeof load, ", load %.1f before", place->load);
	report_line(report, "date", "%s", place->date);
	report_line(report, "machine", "%s, %ld processor%s%s", place->processor, place->processors,
		    plural((uint64_t)place->processors), load);
	report_line(report, "MPI", "%s", place->mpi);
	text_show(place->hosts[0], shown[0], sizeof shown[0]);
	text_show(place->hosts[1], shown[1], sizeof shown[1]);
	if (place->one_host)
		report_line(report, "ranks", "0 and 1 on the same node, %s", shown[0]);
	else
		report_line(report, "ranks", "0 on node %s, 1 on node %s", shown[0], shown[1]);
}

static void report_parameters(struct report *report, const struct estimate *estimate)
{
	const struct parameters *of = &estimate->parameters;
	char text[4][UNIT_TEXT_BYTES], S[UNIT_TEXT_BYTES] = "none";

	if (of->S != NO_THRESHOLD)
		snprintf(S, sizeof S, "%" PRIu64 " B", of->S);
	report_line(report, "parameters", "L %s, o %s, g %s, G %.4g ns/B, O %.4g ns/B, S %s",
		    estimate->tells_latency ? format_time(of->L_ns, 4, text[0]) : "unknown",
		    format_time(of->o_ns, 4, text[1]), format_time(of->g_ns, 4, text[2]), of->G_ns,
		    of->O_ns, S);
	report_line(report, "overhead", "o_s %s, o_r %s at 1 B; without O, G is %.4g ns/B",
		    format_time(estimate->send_overhead_ns, 4, text[0]),
		    format_time(estimate->receive_overhead_ns, 4, text[1]),
		    estimate->without_O.G_ns);
	if (estimate->repeats)
		report_line(report, "repeats", "%zu: one way %s to %s, without o_s + o_r %s to %s",
			    estimate->repeats, format_time(estimate->one_way_ns.least, 4, text[0]),
			    format_time(estimate->one_way_ns.most, 4, text[1]),
			    format_time(estimate->latency_ns.least, 4, text[2]),
			    format_time(estimate->latency_ns.most, 4, text[3]));
	report_line(report, "residual",
		    "%.1f %% of round trips, %.1f %% of gaps (with G %.4g ns/B)",
		    100 * estimate->residual, 100 * estimate->gap.residual, estimate->gap.slope);
	if (estimate->change_bytes)
		report_line(report, "change", "round trips follow another line above %s",
			    format_bytes((double)estimate->change_bytes, text[0]));
}

void report_print(FILE *stream, const struct measured_link *link)
{
	struct report report = {.stream = stream};

	report_place(&report, link->place);
	report_parameters(&report, link->estimate);
	report_line(&report, "verified", "ping-pong within %.1f %%, burst of %d within %.1f %%",
		    100 * largest_error(link, check_ping_pong_error), CHECK_MESSAGES,
		    100 * largest_error(link, check_burst_error));
	report_table(&report, &(struct report_table){.fields = check_fields,
						     .row = check_row,
						     .data = link,
						     .count = 2 * link->checks->count});
	report_table(&report, &(struct report_table){.fields = size_fields,
						     .row = size_row,
						     .data = link,
						     .count = link->table->count});
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
static void write_sizes(FILE *stream, const struct measured_link *link)
{
	struct size_parameters_table fitted;

	if (fits_loggp(link->estimate) || !link->estimate->tells_latency)
		return;
	sizes_fit(link->table, link->estimate->parameters.S, &fitted);
	if (!fitted.count)
		return;
	fprintf(stream,
		"# These parameters follow the measured round trips, which no single L and G"
		" does.  To use them,\n# remove the lines L, o, G, O and intervals above and the # before"
		" these lines:\n# sizes:\n");
	for (size_t i = 0; i < fitted.count; i++)
		write_row(stream, &fitted.rows[i]);
}

/* Write the interval of L over the repeats, in which L is if it differs from theirs. */
static void write_interval(FILE *stream, const struct estimate *estimate)
{
	const double L_ns = estimate->parameters.L_ns;
	const struct range *found = &estimate->latency_ns;

	if (estimate->tells_latency && estimate->repeats > 1)
		fprintf(stream, "intervals: {L: [%.3fns, %.3fns]}\n",
			fmax(0, fmin(L_ns, found->least)), fmax(L_ns, found->most));
}

int report_write_yaml(FILE *stream, const struct measured_link *link,
		      const struct warnings *warnings, struct error *err)
{
	const struct parameters *of = &link->estimate->parameters;
	char *text = NULL;
	size_t bytes;
	FILE *comment = open_memstream(&text, &bytes);

	if (!comment)
		return error_set_memory(err, 1);
	report_print(comment, link);
	if (fclose(comment) != 0) {
		free(text);
		return error_set_memory(err, bytes);
	}
	fprintf(stream, "# LogGPS parameters, measured with llamp-measure params (%s %s)\n",
		PROJECT_NAME, PROJECT_VERSION);
	for (size_t i = 0; i < warnings->count; i++)
		fprintf(stream, "# warning: %s\n", warnings->text[i]);
	if (link->estimate->tells_latency)
		fprintf(stream, "L: %.3fns\n", of->L_ns);
	else
		fprintf(stream,
			"unknown: L # give llamp -L, or replace this line by \"L: TIME\"\n");
	fprintf(stream, "o: %.3fns\ng: %.3fns\nG: %.6fns\nO: %.6fns\n", of->o_ns, of->g_ns,
		of->G_ns, of->O_ns);
	if (of->S == NO_THRESHOLD)
		fprintf(stream, "S: none\n");
	else
		fprintf(stream, "S: %" PRIu64 "\n", of->S);
	write_interval(stream, link->estimate);
	write_sizes(stream, link);
	fprintf(stream, "#\n");
	write_comment(stream, text);
	free(text);
	return 0;
}
