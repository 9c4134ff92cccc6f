/* Picture of what the critical path is made of. */
#include "llamp/pictures/pictures.h"

#include "common/draw/bars.h"
#include "llamp/pictures/picture_text.h"
#include "llamp/report/report.h"

#include <stdio.h>
#include <string.h>

/* Bars of a group, with the last for the sum of all others. */
enum { MOST_BARS = 8, LABEL_BYTES = 160, GROUP_COUNT = 3 };

/* The categories differ most where they touch: latency is the brightest. */
static const unsigned category_styles[CATEGORY_COUNT] = {[CATEGORY_COMPUTE] = 0,
							 [CATEGORY_OVERHEAD] = 5,
							 [CATEGORY_LATENCY] = 1,
							 [CATEGORY_BANDWIDTH] = 2,
							 [CATEGORY_GAP] = 3};

struct row {
	double values[CATEGORY_COUNT];
	char label[LABEL_BYTES], text[LABEL_BYTES];
};

struct group {
	struct row rows[MOST_BARS];
	struct bar bars[MOST_BARS];
	size_t count;
};

/* Add times to the row of an item, which is the last row for all items beyond it. */
static struct row *add_row(struct group *group, const int128 as[CATEGORY_COUNT])
{
	struct row *row = &group->rows[group->count < MOST_BARS ? group->count++ : MOST_BARS - 1];

	for (int i = 0; i < CATEGORY_COUNT; i++)
		row->values[i] += report_ns(as[i]);
	return row;
}

static void name_others(struct group *group, size_t count, const char *what)
{
	if (count > MOST_BARS)
		snprintf(group->rows[MOST_BARS - 1].label, LABEL_BYTES, "%zu other %s",
			 count - MOST_BARS + 1, what);
}

static void finish_group(struct group *group, double runtime_ns)
{
	for (size_t i = 0; i < group->count; i++) {
		struct row *row = &group->rows[i];
		double sum = 0;

		for (int j = 0; j < CATEGORY_COUNT; j++)
			sum += row->values[j];
		picture_share(sum, runtime_ns, row->text, LABEL_BYTES);
		group->bars[i] = (struct bar){row->label, row->values, .text = row->text};
	}
}

static void fill_categories(struct group *group, const struct findings *findings)
{
	for (int i = 0; i < CATEGORY_COUNT; i++) {
		int128 as[CATEGORY_COUNT] = {0};

		as[i] = findings->category_as[i];
		if (as[i])
			snprintf(add_row(group, as)->label, LABEL_BYTES, "%s",
				 category_names[i]);
	}
}

static void fill_functions(struct group *group, const struct critical_calls *calls)
{
	for (size_t i = 0; i < calls->functions.list.count; i++) {
		const struct critical_function *function = &calls->functions.list.items[i];

		snprintf(add_row(group, function->as)->label, LABEL_BYTES, "%s%s",
			 function->before ? "before " : "",
			 function->function ? function->function : "outside of MPI calls");
	}
	name_others(group, calls->functions.list.count, "functions");
}

static void fill_ranks(struct group *group, const struct findings *findings)
{
	for (size_t i = 0; i < findings->path_ranks.count; i++)
		snprintf(add_row(group, findings->path_ranks.items[i].as)->label, LABEL_BYTES,
			 "rank %u", findings->path_ranks.items[i].rank);
	name_others(group, findings->path_ranks.count, "ranks");
}

int picture_composition(const struct svg *svg, const struct findings *findings, struct error *err)
{
	static const char *const headings[] = {"By category", "By MPI function", "By rank"};
	const double runtime_ns = report_ns(findings->path.runtime_as);
	struct group groups[GROUP_COUNT] = {0};
	struct bar_group drawn[GROUP_COUNT];
	const char *parts[CATEGORY_COUNT];
	struct bars bars = {.title = "what the critical path is made of",
			    .name = "time on the critical path",
			    .quantity = QUANTITY_TIME,
			    .parts = parts,
			    .styles = category_styles,
			    .part_count = CATEGORY_COUNT,
			    .groups = drawn};

	fill_categories(&groups[0], findings);
	if (findings->has_calls)
		fill_functions(&groups[1], &findings->calls);
	fill_ranks(&groups[2], findings);
	for (int i = 0; i < GROUP_COUNT; i++) {
		finish_group(&groups[i], runtime_ns);
		if (groups[i].count)
			drawn[bars.group_count++] = (struct bar_group){headings[i], groups[i].bars,
								       groups[i].count};
	}
	for (int i = 0; i < CATEGORY_COUNT; i++)
		parts[i] = category_names[i];
	return bars_draw(&bars, svg, err);
}

/* -------------------------------------------------------------- rank switches */

enum { MOST_PAIRS = 12 };

/* Sum all pairs from the last row on in that row. */
static void fill_pair(struct row *row, const struct findings *findings, size_t from, size_t to)
{
	uint64_t messages = 0;
	double transfer_ns = 0;
	char text[UNIT_TEXT_BYTES];

	for (size_t i = from; i < to; i++) {
		row->values[0] += (double)findings->rank_switches.items[i].lambda;
		messages += findings->rank_switches.items[i].messages;
		transfer_ns += report_ns(findings->rank_switches.items[i].transfer_as);
	}
	if (to - from == 1)
		snprintf(row->label, LABEL_BYTES, "rank %u to rank %u",
			 findings->rank_switches.items[from].from,
			 findings->rank_switches.items[from].to);
	else
		snprintf(row->label, LABEL_BYTES, "%zu other pairs", to - from);
	snprintf(row->text, LABEL_BYTES, "%llu message%s, %s", (unsigned long long)messages,
		 plural(messages), axis_value(QUANTITY_TIME, transfer_ns, 3, text));
}

int picture_rank_switches(const struct svg *svg, const struct findings *findings, struct error *err)
{
	const size_t pairs = findings->rank_switches.count;
	const size_t count = pairs < MOST_PAIRS ? pairs : MOST_PAIRS;
	struct row rows[MOST_PAIRS] = {0};
	struct bar drawn[MOST_PAIRS];
	const struct bar_group group = {NULL, drawn, count};
	const struct bars bars = {.title = "latencies with which the critical path changes ranks",
				  .name = "latencies on the critical path",
				  .quantity = QUANTITY_COUNT,
				  .styles = &category_styles[CATEGORY_LATENCY],
				  .part_count = 1,
				  .groups = &group,
				  .group_count = 1};

	for (size_t i = 0; i < count; i++) {
		fill_pair(&rows[i], findings, i, i + 1 < count ? i + 1 : pairs);
		drawn[i] = (struct bar){rows[i].label, rows[i].values, .text = rows[i].text};
	}
	return bars_draw(&bars, svg, err);
}
