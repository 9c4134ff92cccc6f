#include "critpath/view/view_ranks.h"

#include "common/draw/bars.h"
#include "common/units.h"

#include <stdio.h>

enum { MOST_BARS = 32, LABEL_BYTES = UNIT_TEXT_BYTES + 16 };

/* Parts of a bar, in the order of the picture of the run. */
enum part { PART_OUTSIDE, PART_CALLS, PART_WAITS, PARTS };

static const char *const part_names[PARTS] = {"outside of MPI", "in MPI", "waiting in MPI"};
/* The colours that the picture of the run has for calls and waits. */
static const unsigned part_styles[PARTS] = {5, 2, 1};

/* What the bars are made of. */
struct view_bars {
	uint32_t ranks_per_bar, count;
	double values[MOST_BARS][PARTS];
	char labels[MOST_BARS][LABEL_BYTES], texts[MOST_BARS][LABEL_BYTES];
	struct bar list[MOST_BARS];
};

static void add_rank_time(double values[static PARTS], const struct rank_total *rank,
			  uint32_t ranks)
{
	/* Calls of damaged traces may overlap, so that their waits add up to more than their time. */
	const uint64_t wait_ns = rank->wait_ns < rank->mpi_ns ? rank->wait_ns : rank->mpi_ns;

	values[PART_OUTSIDE] += (double)rank->compute_ns / ranks;
	values[PART_CALLS] += (double)(rank->mpi_ns - wait_ns) / ranks;
	values[PART_WAITS] += (double)wait_ns / ranks;
}

/* Make the bar of the ranks first ... end - 1. */
static void make_bar(struct view_bars *bars, const struct totals *totals, uint32_t first,
		     uint32_t end)
{
	const uint32_t i = bars->count++;
	double *values = bars->values[i];
	char waits[UNIT_TEXT_BYTES];

	for (enum part part = 0; part < PARTS; part++)
		values[part] = 0;
	for (uint32_t r = first; r < end; r++)
		add_rank_time(values, &totals->ranks[r], end - first);
	if (end - first == 1)
		snprintf(bars->labels[i], LABEL_BYTES, "rank %u", first);
	else
		snprintf(bars->labels[i], LABEL_BYTES, "ranks %u to %u", first, end - 1);
	snprintf(bars->texts[i], LABEL_BYTES, "waits %s",
		 axis_value(QUANTITY_TIME, values[PART_WAITS], 3, waits));
	bars->list[i] = (struct bar){bars->labels[i], values, .text = bars->texts[i]};
}

static void make_bars(struct view_bars *bars, const struct findings *findings)
{
	const uint32_t ranks = findings->run->rank_count;

	bars->ranks_per_bar = (ranks + MOST_BARS - 1) / MOST_BARS;
	bars->count = 0;
	for (uint32_t first = 0; first < ranks; first += bars->ranks_per_bar) {
		const uint32_t end = first + bars->ranks_per_bar;

		make_bar(bars, findings->totals, first, end < ranks ? end : ranks);
	}
}

int view_ranks_write(struct html *html, const struct findings *findings, struct error *err)
{
	struct view_bars made;
	struct bar_group group = {NULL, made.list, 0};
	const struct bars bars = {.title = "time of each rank outside of MPI, in MPI, and waiting",
				  .name = "time",
				  .quantity = QUANTITY_TIME,
				  .parts = part_names,
				  .styles = part_styles,
				  .part_count = PARTS,
				  .groups = &group,
				  .group_count = 1};
	struct svg svg;

	make_bars(&made, findings);
	group.count = made.count;
	html_section(html, "ranks-time", "What the ranks spent their time with");
	html_figure(html, made.ranks_per_bar == 1
				  ? "Time of the first thread of each rank"
				  : "Time of the first threads, means of neighbouring ranks");
	while (html_picture(html, &svg))
		TRY(bars_draw(&bars, &svg, err));
	html_figure_end(html);
	html_section_end(html);
	return 0;
}
