/* Output of critpath path. */
#include "common/text.h"
#include "common/units.h"
#include "critpath/report/run_report.h"

#include <inttypes.h>

static uint64_t length_of(const struct walk_segment *segment)
{
	return segment->end_ns - segment->start_ns;
}

/* ------------------------------------------------------------------- categories */

static const struct report_field category_fields[] = {
	{NULL, "category", VALUE_NAME, .width = 10},
	{NULL, "time", VALUE_LONG_TIME, .width = 14},
	{NULL, "share", VALUE_SHARE, .width = 9},
	{0},
};

static void category_row(struct report_row *row, const void *data, size_t number)
{
	const struct walk *walk = ((const struct findings *)data)->walk;

	put_name(row, walk_category_names[number]);
	put_count(row, walk->category_ns[number]);
	put_share(row, walk->category_ns[number], walk->length_ns);
}

/* As facts. */
static const struct report_field sum_fields[WALK_CATEGORIES + 1] = {
	[WALK_COMPUTE] = {"compute", NULL, VALUE_TIME, .meaning = "Between MPI calls"},
	[WALK_CALL] = {"MPI", NULL, VALUE_TIME, .meaning = "In MPI calls"},
	[WALK_START] = {"start", NULL, VALUE_TIME, .meaning = "Before the rank has left MPI_Init"},
	[WALK_UNKNOWN] = {"unknown", NULL, VALUE_TIME, .meaning = "See unknown"},
};

static void sum_row(struct report_row *row, const void *data, size_t number)
{
	const struct walk *walk = ((const struct findings *)data)->walk;

	(void)number;
	for (int i = 0; i < WALK_CATEGORIES; i++)
		put_count(row, walk->category_ns[i]);
}

static const struct report_field unknown_fields[UNKNOWN_REASONS + 1] = {
	[UNKNOWN_CLOCKS] = {"clocks", "where clocks contradict the order of events", VALUE_TIME,
			    .meaning = "Where clocks contradict the order of events"},
	[UNKNOWN_LACKING] =
		{"lacking", "in calls that may have waited for what the trace lacks", VALUE_TIME,
		 .meaning = "In calls that may have waited for a call that the trace lacks"},
	[UNKNOWN_OFF] = {"off", "while recording was off", VALUE_TIME,
			 .meaning = "While recording was off"},
};

static void unknown_row(struct report_row *row, const void *data, size_t number)
{
	const struct walk *walk = ((const struct findings *)data)->walk;

	(void)number;
	for (int i = 0; i < UNKNOWN_REASONS; i++)
		put_count(row, walk->unknown_ns[i]);
}

/* Say why parts of the path are unknown. */
static void print_unknown(const struct report *report, const struct walk *walk)
{
	char time[RUN_TEXT_BYTES], share[RUN_TEXT_BYTES];

	for (int i = 0; i < UNKNOWN_REASONS; i++)
		if (walk->unknown_ns[i])
			report_line(report, "unknown", "%s, %s of T, %s",
				    run_report_time(walk->unknown_ns[i], time),
				    run_report_share(walk->unknown_ns[i], walk->length_ns, share),
				    unknown_fields[i].heading);
}

static void report_categories(struct report *report, const struct findings *findings)
{
	print_unknown(report, findings->walk);
	report_table(report, &(struct report_table){.fields = category_fields,
						    .row = category_row,
						    .data = findings,
						    .count = WALK_CATEGORIES});
	report_facts(report,
		     &(struct report_facts){
			     "categories",
			     "Time on the path, in ns, also that inside of blocks: its sum is T",
			     sum_fields, sum_row, .data = findings});
	report_facts(
		report,
		&(struct report_facts){
			"unknown",
			"Why time on the path is unknown, in ns: its sum is that of the category",
			unknown_fields, unknown_row, findings, .one_line = true});
}

/* -------------------------------------------------- functions, ranks, sites, in text */

static const struct report_field path_function_fields[] = {
	{NULL, "function", VALUE_NAME, .width = 16},
	{NULL, "calls", VALUE_COUNT, .width = 7},
	{NULL, "on path", VALUE_LONG_TIME, .width = 13},
	{NULL, "share", VALUE_SHARE, .width = 8},
	{NULL, "mean of ranks", VALUE_LONG_TIME, .width = 13},
	{NULL, "imbalance", VALUE_LONG_TIME, .width = 13},
	{0},
};

/* Row 0 is computation. */
static void path_function_row(struct report_row *row, const void *data, size_t number)
{
	const struct findings *findings = data;
	const struct totals *totals = findings->totals;
	const uint32_t ranks = findings->run->rank_count;
	uint64_t path_ns = totals->sum.path_compute_ns, sum_ns = totals->sum.compute_ns;

	if (number == 0) {
		put_name(row, "computation");
		put_none(row);
	} else {
		const struct function_total *total = &totals->functions.items[number - 1];

		put_name(row, measured_function(&findings->run->names, total->function));
		put_count(row, total->calls_on_path);
		path_ns = total->path_ns;
		sum_ns = total->ns - total->wait_ns;
	}
	put_count(row, path_ns);
	put_share(row, path_ns, findings->walk->length_ns);
	put_count(row, sum_ns / ranks);
	put_count(row, totals_imbalance_ns(path_ns, sum_ns, ranks));
}

static void report_functions(struct report *report, const struct findings *findings)
{
	size_t count = 0;

	while (count < findings->totals->functions.count && count < RUN_MOST_ROWS &&
	       findings->totals->functions.items[count].path_ns)
		count++;
	report_table(report, &(struct report_table){.fields = path_function_fields,
						    .row = path_function_row,
						    .data = findings,
						    .count = 1 + count});
}

static const struct report_field path_rank_fields[] = {
	{NULL, "rank", VALUE_COUNT, .width = 6},
	{NULL, "on path", VALUE_LONG_TIME, .width = 13},
	{NULL, "share", VALUE_SHARE, .width = 8},
	{NULL, "computing", VALUE_LONG_TIME, .width = 13},
	{NULL, "all computation", VALUE_LONG_TIME, .width = 13},
	{NULL, "all waits", VALUE_LONG_TIME, .width = 13},
	{0},
};

static report_weight path_of(const void *data, size_t rank)
{
	const struct rank_total *total = &((const struct findings *)data)->totals->ranks[rank];

	return total->path_compute_ns + total->path_mpi_ns;
}

static void path_rank_row(struct report_row *row, const void *data, size_t number)
{
	const struct findings *findings = data;
	const struct rank_total *total = &findings->totals->ranks[number];

	put_count(row, number);
	put_count(row, path_of(data, number));
	put_share(row, path_of(data, number), findings->walk->length_ns);
	put_count(row, total->path_compute_ns);
	put_count(row, total->compute_ns);
	put_count(row, total->wait_ns);
}

static const struct report_field site_fields[] = {
	{NULL, "call site", VALUE_NAME, .width = 16},
	{NULL, "calls", VALUE_COUNT, .width = 7},
	{NULL, "in them", VALUE_LONG_TIME, .width = 13},
	{NULL, "computing before", VALUE_LONG_TIME, .width = 13},
	{NULL, "share of the path", VALUE_SHARE, .width = 8},
	{NULL, "imbalance", VALUE_LONG_TIME, .width = 13},
	{0},
};

static void site_row(struct report_row *row, const void *data, size_t number)
{
	const struct findings *findings = data;
	const struct path_site *site = &findings->sites->list.items[number];

	put_name(row, run_site_short(findings->run, site->site));
	put_count(row, site->calls);
	put_count(row, site->call_ns);
	put_count(row, site->compute_ns);
	put_share(row, site->call_ns + site->compute_ns, findings->walk->length_ns);
	put_count(row, totals_imbalance_ns(site->call_ns + site->compute_ns, site->sum_ns,
					   findings->run->rank_count));
}

/* --------------------------------------------------------------------- segments */

static const struct report_field segment_fields[] = {
	{NULL, "time", VALUE_LONG_TIME, .width = 13},
	{"start_ns", "from", VALUE_LONG_TIME, .width = 13,
	 .meaning = "Since the run began; the end of the segment before it"},
	{"end_ns", NULL, VALUE_TIME, .flags = FIELD_POSITIVE},
	{"rank", NULL, .kind = VALUE_COUNT},
	{"category", NULL, VALUE_NAME, .values = walk_category_names,
	 .meaning =
		 "block: calls with less than the threshold between them, and the computation inside; only if a threshold is given"},
	{"call", NULL, VALUE_COUNT, .flags = FIELD_NULL | FIELD_POSITIVE,
	 .meaning =
		 "Number of the call on its rank, from 1, that the segment is part of, comes before, or begins a block with; null at the begin and the end of a rank"},
	{"function", NULL, VALUE_NAME, .flags = FIELD_NULL, .meaning = "Its function"},
	{"site", NULL, VALUE_NAME, .flags = FIELD_OPTIONAL,
	 .meaning =
		 "FILE:LINE of the call in the program, or what is known of it. Only if the trace has call sites"},
	{NULL, "segment", .kind = VALUE_NAME},
	{0},
};

static report_weight segment_ns(const void *data, size_t number)
{
	return length_of(&((const struct findings *)data)->walk->segments.items[number]);
}

/* Describe a segment in text. */
static void put_segment(struct report_row *row, const struct measured_run *run,
			const struct walk_segment *segment)
{
	char call[RUN_CALL_BYTES], text[RUN_CALL_BYTES + 16];

	if (segment->category == WALK_START)
		snprintf(text, sizeof text, "start of rank %u", segment->rank);
	else
		snprintf(text, sizeof text, "%s%s",
			 segment->category == WALK_COMPUTE ? "before "
			 : segment->category == WALK_BLOCK ? "block from "
							   : "",
			 run_report_call(run, segment->rank, segment->call, segment->function,
					 segment->site, call));
	put_name(row, text);
}

static void segment_row(struct report_row *row, const void *data, size_t number)
{
	const struct findings *findings = data;
	const struct measured_run *run = findings->run;
	const struct walk_segment *segment = &findings->walk->segments.items[number];
	const char *site = measured_site_name(run, segment->site);

	put_count(row, length_of(segment));
	put_count(row, segment->start_ns);
	put_count(row, segment->end_ns);
	put_count(row, segment->rank);
	put_name(row, walk_category_names[segment->category]);
	put_call(row, segment->call);
	put_name(row, segment->call == NO_CALL ? NULL
					       : measured_function(&run->names, segment->function));
	if (site)
		put_name(row, site);
	else
		put_missing(row);
	if (row_in_text(row))
		put_segment(row, run, segment);
	else
		put_none(row);
}

/* ----------------------------------------------------------------------- report */

static const struct report_field path_fact_fields[] = {
	{"observed", NULL, VALUE_TRUTH, .flags = FIELD_OPTIONAL,
	 .meaning = "Given if waits in collectives are as observed"},
	{"parts", NULL, VALUE_COUNT, .flags = FIELD_OPTIONAL | FIELD_POSITIVE,
	 .meaning = "Parts of the run between splits, if each was searched on its own"},
	{"rank_switches", NULL, VALUE_COUNT,
	 .meaning = "Places in which the path goes to another rank"},
	{0},
};

static void path_fact_row(struct report_row *row, const void *data, size_t number)
{
	const struct findings *findings = data;

	(void)number;
	if (findings->waits->observed)
		put_truth(row, true);
	else
		put_missing(row);
	if (findings->sync_blocks)
		put_count(row, findings->sync_blocks);
	else
		put_missing(row);
	put_count(row, findings->walk->rank_switches);
}

static void report_path_facts(struct report *report, const struct findings *findings)
{
	const struct walk *walk = findings->walk;

	if (findings->waits->observed)
		report_line(report, "waits", "in collectives are as observed");
	if (findings->sync_blocks)
		report_line(report, "parts", "%zu between %zu split%s, each searched on its own",
			    findings->sync_blocks, findings->sync_blocks - 1,
			    plural(findings->sync_blocks - 1));
	report_line(report, "path", "%zu segment%s, %" PRIu64 " rank switch%s",
		    walk->segments.count, plural(walk->segments.count), walk->rank_switches,
		    walk->rank_switches == 1 ? "" : "es");
	report_facts(report, &(struct report_facts){.fields = path_fact_fields,
						    .row = path_fact_row,
						    .data = findings});
}

void run_report_path(struct report *report, const struct findings *findings)
{
	report->rows = "segments";
	run_report_begin(report, "critpath-path-1", findings);
	run_report_blocks(report, findings);
	report_path_facts(report, findings);
	report_categories(report, findings);
	if (report->format == REPORT_TEXT)
		report_functions(report, findings);
	report_table(report, &(struct report_table){.title = "ranks with most time on the path",
						    .fields = path_rank_fields,
						    .row = path_rank_row,
						    .data = findings,
						    .count = findings->run->rank_count,
						    .most = RUN_MOST_ROWS,
						    .weight = path_of});
	if (findings->sites)
		report_table(report, &(struct report_table){
					     .title = "call sites with most time on the path",
					     .fields = site_fields,
					     .row = site_row,
					     .data = findings,
					     .count = findings->sites->list.count,
					     .most = RUN_MOST_ROWS});
	report_table(report, &(struct report_table){
				     "segments",
				     .meaning = "The critical path, in order of time, without gaps",
				     .title = "longest segments", .fields = segment_fields,
				     .row = segment_row, .data = findings,
				     .count = findings->walk->segments.count,
				     .lacks_optional = !findings->run->site_count,
				     .most = RUN_MOST_ROWS, .weight = segment_ns});
	report_end(report);
}
