#include "common/table.h"
#include "common/text.h"
#include "common/units.h"
#include "critpath/report/run_report.h"

#include <inttypes.h>

/* Rows of the tables that are cut: longest segments, ranks, functions. */
enum { MOST_ROWS = 10 };

static size_t at_most(size_t count)
{
	return count < MOST_ROWS ? count : MOST_ROWS;
}

/* ------------------------------------------------------------------------ text */

static void category_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct findings *findings = data;
	const uint64_t ns = findings->walk->category_ns[number];

	snprintf(cells[0], TABLE_CELL_BYTES, "%s", walk_category_name((enum walk_category)number));
	run_report_time(ns, cells[1]);
	run_report_share(ns, findings->walk->length_ns, cells[2]);
}

static void print_categories(FILE *stream, const struct findings *findings)
{
	const struct table_column columns[] = {
		{"category", TABLE_LEFT, 10}, {"time", TABLE_RIGHT, 14}, {"share", TABLE_RIGHT, 9},
	};

	fputc('\n', stream);
	table_print(stream, columns, 3, WALK_CATEGORIES, category_row, findings);
}

static void function_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct findings *findings = data;
	const struct totals *totals = findings->totals;
	const uint32_t ranks = findings->run->rank_count;
	uint64_t path_ns = totals->sum.path_compute_ns, sum_ns = totals->sum.compute_ns;

	if (number == 0) {
		snprintf(cells[0], TABLE_CELL_BYTES, "computation");
	} else {
		const struct function_total *total = &totals->functions.items[number - 1];

		text_show(measured_function(&findings->run->names, total->function), cells[0],
			  TABLE_CELL_BYTES);
		snprintf(cells[1], TABLE_CELL_BYTES, "%" PRIu64, total->calls_on_path);
		path_ns = total->path_ns;
		sum_ns = total->ns;
	}
	run_report_time(path_ns, cells[2]);
	run_report_share(path_ns, findings->walk->length_ns, cells[3]);
	run_report_time(sum_ns / ranks, cells[4]);
	run_report_time(totals_imbalance_ns(path_ns, sum_ns, ranks), cells[5]);
}

static void print_functions(FILE *stream, const struct findings *findings)
{
	const struct table_column columns[] = {
		{"function", TABLE_LEFT, 16}, {"calls", TABLE_RIGHT, 7},
		{"on path", TABLE_RIGHT, 13}, {"share", TABLE_RIGHT, 8},
		{"mean of ranks", TABLE_RIGHT, 13}, {"imbalance", TABLE_RIGHT, 13},
	};
	size_t count = 0;

	while (count < findings->totals->functions.count && count < MOST_ROWS &&
	       findings->totals->functions.items[count].path_ns)
		count++;
	fputc('\n', stream);
	table_print(stream, columns, 6, 1 + count, function_row, findings);
}

/* Ranks by time on the path. */
struct ranking {
	const struct findings *findings;
	uint32_t *ranks;
	size_t count;
};

static void rank_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct ranking *ranking = data;
	const uint32_t rank = ranking->ranks[number];
	const struct rank_total *total = &ranking->findings->totals->ranks[rank];

	snprintf(cells[0], TABLE_CELL_BYTES, "%u", rank);
	run_report_time(total->path_compute_ns + total->path_mpi_ns, cells[1]);
	run_report_share(total->path_compute_ns + total->path_mpi_ns,
		     ranking->findings->walk->length_ns, cells[2]);
	run_report_time(total->path_compute_ns, cells[3]);
	run_report_time(total->compute_ns, cells[4]);
	run_report_time(total->wait_ns, cells[5]);
}

static uint64_t path_of(const struct totals *totals, uint32_t rank)
{
	return totals->ranks[rank].path_compute_ns + totals->ranks[rank].path_mpi_ns;
}

/* Choose the ranks with most time on the path, by insertion into a short list. */
static void choose_ranks(struct ranking *ranking, uint32_t rank_count)
{
	const struct totals *totals = ranking->findings->totals;

	for (uint32_t rank = 0; rank < rank_count; rank++) {
		size_t at = ranking->count;

		if (!path_of(totals, rank))
			continue;
		if (at == MOST_ROWS && path_of(totals, ranking->ranks[at - 1]) >= path_of(totals, rank))
			continue;
		at = at == MOST_ROWS ? at - 1 : ranking->count++;
		for (; at > 0 && path_of(totals, ranking->ranks[at - 1]) < path_of(totals, rank); at--)
			ranking->ranks[at] = ranking->ranks[at - 1];
		ranking->ranks[at] = rank;
	}
}

static void print_ranks(FILE *stream, const struct findings *findings)
{
	const struct table_column columns[] = {
		{"rank", TABLE_RIGHT, 6},	    {"on path", TABLE_RIGHT, 13},
		{"share", TABLE_RIGHT, 8},	    {"computing", TABLE_RIGHT, 13},
		{"all computation", TABLE_RIGHT, 13}, {"all waits", TABLE_RIGHT, 13},
	};
	uint32_t chosen[MOST_ROWS];
	struct ranking ranking = {.findings = findings, .ranks = chosen};

	choose_ranks(&ranking, findings->run->rank_count);
	fputs("\nranks with most time on the path\n", stream);
	table_print(stream, columns, 6, ranking.count, rank_row, &ranking);
}

static void site_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct findings *findings = data;
	const struct path_site *site = &findings->sites->list.items[number];

	text_show(run_site_short(findings->run, site->site), cells[0], TABLE_CELL_BYTES);
	snprintf(cells[1], TABLE_CELL_BYTES, "%" PRIu64, site->calls);
	run_report_time(site->call_ns, cells[2]);
	run_report_time(site->compute_ns, cells[3]);
	run_report_share(site->call_ns + site->compute_ns, findings->walk->length_ns, cells[4]);
}

static void print_sites(FILE *stream, const struct findings *findings)
{
	const struct table_column columns[] = {
		{"call site", TABLE_LEFT, 16},	      {"calls", TABLE_RIGHT, 7},
		{"in them", TABLE_RIGHT, 13},	      {"computing before", TABLE_RIGHT, 13},
		{"share of the path", TABLE_RIGHT, 8},
	};

	if (!findings->sites || !findings->sites->list.count)
		return;
	fputs("\ncall sites with most time on the path\n", stream);
	table_print(stream, columns, 5, at_most(findings->sites->list.count), site_row, findings);
}

struct longest {
	const struct findings *findings;
	size_t segments[MOST_ROWS];
	size_t count;
};

static uint64_t length_of(const struct walk_segment *segment)
{
	return segment->end_ns - segment->start_ns;
}

static void choose_segments(struct longest *longest)
{
	const struct walk *walk = longest->findings->walk;

	for (size_t i = 0; i < walk->segments.count; i++) {
		const uint64_t ns = length_of(&walk->segments.items[i]);
		size_t at = longest->count;

		if (at == MOST_ROWS &&
		    length_of(&walk->segments.items[longest->segments[at - 1]]) >= ns)
			continue;
		at = at == MOST_ROWS ? at - 1 : longest->count++;
		for (; at > 0 && length_of(&walk->segments.items[longest->segments[at - 1]]) < ns; at--)
			longest->segments[at] = longest->segments[at - 1];
		longest->segments[at] = i;
	}
}

static void segment_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct longest *longest = data;
	const struct walk_segment *segment =
		&longest->findings->walk->segments.items[longest->segments[number]];
	char call[RUN_CALL_BYTES];

	run_report_time(length_of(segment), cells[0]);
	run_report_time(segment->start_ns, cells[1]);
	run_report_call(longest->findings->run, segment->rank, segment->call, segment->function,
			segment->site, call);
	if (segment->category == WALK_START)
		snprintf(cells[2], TABLE_CELL_BYTES, "start of rank %u", segment->rank);
	else
		snprintf(cells[2], TABLE_CELL_BYTES, "%s%s",
			 segment->category == WALK_COMPUTE ? "before "
			 : segment->category == WALK_BLOCK ? "block from " : "", call);
}

static void print_longest(FILE *stream, const struct findings *findings)
{
	const struct table_column columns[] = {
		{"time", TABLE_RIGHT, 13}, {"from", TABLE_RIGHT, 13}, {"segment", TABLE_LEFT, 0},
	};
	struct longest longest = {.findings = findings};

	choose_segments(&longest);
	fputs("\nlongest segments\n", stream);
	table_print(stream, columns, 3, at_most(longest.count), segment_row, &longest);
}

/* Say why parts of the path are unknown. */
static void print_unknown(FILE *stream, const struct walk *walk)
{
	static const char *const reasons[UNKNOWN_REASONS] = {
		[UNKNOWN_CLOCKS] = "where clocks contradict the order of events",
		[UNKNOWN_LACKING] = "in calls that may have waited for what the trace lacks",
		[UNKNOWN_OFF] = "while recording was off",
	};
	char time[RUN_TEXT_BYTES], share[RUN_TEXT_BYTES];

	for (int i = 0; i < UNKNOWN_REASONS; i++)
		if (walk->unknown_ns[i])
			fprintf(stream, "unknown     %s, %s of T, %s\n",
				run_report_time(walk->unknown_ns[i], time),
				run_report_share(walk->unknown_ns[i], walk->length_ns, share),
				reasons[i]);
}

static void path_text(FILE *stream, const struct findings *findings)
{
	const struct walk *walk = findings->walk;

	run_report_heading(stream, findings);
	run_report_blocks(stream, findings);
	if (findings->waits->observed)
		fputs("waits       in collectives are as observed\n", stream);
	if (findings->parts)
		fprintf(stream, "parts       %zu between %zu split%s, each searched on its own\n",
			findings->parts, findings->parts - 1, plural(findings->parts - 1));
	fprintf(stream, "path        %zu segment%s, %" PRIu64 " hand-over%s between ranks\n",
		walk->segments.count, plural(walk->segments.count), walk->hand_overs,
		plural(walk->hand_overs));
	print_unknown(stream, walk);
	print_categories(stream, findings);
	print_functions(stream, findings);
	print_ranks(stream, findings);
	print_sites(stream, findings);
	print_longest(stream, findings);
}

/* ------------------------------------------------------------------ JSON, CSV */

static const char *function_of(const struct findings *findings, const struct walk_segment *segment)
{
	if (segment->call == NO_CALL)
		return NULL;
	return measured_function(&findings->run->names, segment->function);
}

/* Call site of a segment, or NULL. */
static const char *site_of(const struct findings *findings, const struct walk_segment *segment)
{
	return measured_site_name(findings->run, segment->site);
}

static void json_segments(struct json *json, const struct findings *findings)
{
	json_begin(json, "segments", '[', JSON_LINES);
	for (size_t i = 0; i < findings->walk->segments.count; i++) {
		const struct walk_segment *segment = &findings->walk->segments.items[i];

		json_begin(json, NULL, '{', JSON_INLINE);
		json_integer(json, "start_ns", segment->start_ns);
		json_integer(json, "end_ns", segment->end_ns);
		json_integer(json, "rank", segment->rank);
		json_text(json, "category",
			  walk_category_name((enum walk_category)segment->category));
		if (segment->call == NO_CALL) {
			json_null(json, "call");
			json_null(json, "function");
		} else {
			json_integer(json, "call", segment->call + UINT64_C(1));
			json_text(json, "function", function_of(findings, segment));
			if (site_of(findings, segment))
				json_text(json, "site", site_of(findings, segment));
		}
		json_end(json);
	}
	json_end(json);
}

static void path_json(FILE *stream, const struct findings *findings)
{
	struct json json = {.stream = stream};

	json_begin(&json, NULL, '{', JSON_LINES);
	run_report_json_heading(&json, "critpath-path-1", findings);
	run_report_json_blocks(&json, findings);
	if (findings->waits->observed)
		json_boolean(&json, "observed", true);
	if (findings->parts)
		json_integer(&json, "parts", findings->parts);
	json_integer(&json, "hand_overs", findings->walk->hand_overs);
	json_begin(&json, "categories", '{', JSON_LINES);
	for (int i = 0; i < WALK_CATEGORIES; i++)
		json_integer(&json, walk_category_name((enum walk_category)i),
			     findings->walk->category_ns[i]);
	json_end(&json);
	json_begin(&json, "unknown", '{', JSON_INLINE);
	json_integer(&json, "clocks", findings->walk->unknown_ns[UNKNOWN_CLOCKS]);
	json_integer(&json, "lacking", findings->walk->unknown_ns[UNKNOWN_LACKING]);
	json_integer(&json, "off", findings->walk->unknown_ns[UNKNOWN_OFF]);
	json_end(&json);
	json_segments(&json, findings);
	json_end(&json);
}

static void path_csv(FILE *stream, const struct findings *findings)
{
	const bool sites = findings->run->site_count;

	fprintf(stream, "file,start_ns,end_ns,rank,category,call,function%s\n",
		sites ? ",site" : "");
	for (size_t i = 0; i < findings->walk->segments.count; i++) {
		const struct walk_segment *segment = &findings->walk->segments.items[i];

		text_print_csv(stream, findings->path);
		fprintf(stream, ",%" PRIu64 ",%" PRIu64 ",%u,%s,", segment->start_ns,
			segment->end_ns, segment->rank,
			walk_category_name((enum walk_category)segment->category));
		if (segment->call != NO_CALL) {
			fprintf(stream, "%u,", segment->call + 1);
			text_print_csv(stream, function_of(findings, segment));
		} else {
			fputc(',', stream);
		}
		if (sites)
			fputc(',', stream);
		if (site_of(findings, segment))
			text_print_csv(stream, site_of(findings, segment));
		fputc('\n', stream);
	}
}

void run_report_path(FILE *stream, enum run_format format, const struct findings *findings)
{
	switch (format) {
	case RUN_TEXT:
		path_text(stream, findings);
		break;
	case RUN_JSON:
		path_json(stream, findings);
		break;
	case RUN_CSV:
		path_csv(stream, findings);
		break;
	}
}
