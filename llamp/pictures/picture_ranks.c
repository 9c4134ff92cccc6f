/* Pictures of the communication between ranks. */
#include "llamp/pictures/pictures.h"

#include "common/draw/bars.h"
#include "common/draw/lines.h"
#include "common/draw/matrix.h"
#include "llamp/pictures/picture_text.h"

#include <math.h>
#include <stdio.h>

/*
 * Rows of a heat map, of which a phone and few pairs need larger cells; from so many ranks on their
 * times are curves.
 */
enum { MOST_SIDE = 128, LARGE_CELLS_SIDE = 64, MOST_BARS = 16, LABEL_BYTES = 96 };

/* Draw messages or bytes, whose name is `what`, in at most `most_side` rows. */
static int draw_matrix(const struct svg *svg, const struct communication *communication,
		       uint32_t most_side, enum picture_matrix quantity, const char *what,
		       struct error *err)
{
	struct communication_grid grid;
	struct matrix matrix = {
		.row_name = "from rank",
		.column_name = "to rank",
		.value_name = what,
		.quantity = quantity == PICTURE_BYTES ? QUANTITY_BYTES : QUANTITY_COUNT,
	};
	char title[LABEL_BYTES], name[LABEL_BYTES];
	double *values;

	TRY(communication_bin(&grid, communication, most_side, err));
	if (allocate(&values, (size_t)grid.side * grid.side, sizeof *values, err) < 0) {
		communication_grid_release(&grid);
		return -1;
	}
	for (size_t i = 0; i < (size_t)grid.side * grid.side; i++)
		values[i] = (double)(quantity == PICTURE_BYTES ? grid.bytes : grid.messages)[i];
	snprintf(title, sizeof title, "%s from each rank to each rank", what);
	matrix.title = title;
	matrix.side = grid.side;
	matrix.items_per_cell = grid.ranks_per_cell;
	matrix.item_count = communication->rank_count;
	if (grid.ranks_per_cell > 1) {
		snprintf(name, sizeof name, "%s, %u \xc3\x97 %u ranks a cell", what,
			 grid.ranks_per_cell, grid.ranks_per_cell);
		matrix.value_name = name;
	}
	matrix.values = values;
	matrix_draw(&matrix, svg);
	free(values);
	communication_grid_release(&grid);
	return 0;
}

int picture_communication(const struct svg *svg, const struct communication *communication,
			  enum picture_matrix quantity, struct error *err)
{
	static const char *const names[] = {"messages", "bytes"};
	const uint32_t most_side = svg->width < SVG_WIDE_PX ? LARGE_CELLS_SIDE : MOST_SIDE;
	return draw_matrix(svg, communication, most_side, quantity, names[quantity], err);
}

int picture_pairs(const struct svg *svg, const struct findings *findings, enum picture_slope slope,
		  struct error *err)
{
	struct communication latencies = {.rank_count = findings->model->goal.rank_count};
	int result = 0;

	for (size_t i = 0; i < findings->rank_switches.count && result == 0; i++) {
		const struct rank_switch *pair = &findings->rank_switches.items[i];

		result = array_push(&latencies.pairs, ((struct communication_pair){
			pair->from, pair->to, pair->lambda, pair->lambda_G}), err);
	}
	if (result == 0 && slope == PICTURE_LAMBDA_L)
		result = draw_matrix(svg, &latencies, LARGE_CELLS_SIDE, PICTURE_MESSAGES,
				     "\xce\xbb_L", err);
	else if (result == 0)
		result = draw_matrix(svg, &latencies, LARGE_CELLS_SIDE, PICTURE_BYTES,
				     "\xce\xbb_G", err);
	array_release(&latencies.pairs);
	return result;
}

/* ------------------------------------------------------------ end, compute */

/* Bars for few ranks: computation, and the rest of the time until the end. */
static int draw_bars(const struct svg *svg, const struct rank_totals *totals, struct error *err)
{
	static const char *const parts[] = {"computation", "communication and waiting"};
	static const unsigned styles[] = {0, 5};
	double values[MOST_BARS][2];
	char labels[MOST_BARS][LABEL_BYTES], texts[MOST_BARS][LABEL_BYTES];
	struct bar drawn[MOST_BARS];
	const struct bar_group group = {NULL, drawn, totals->ranks.count};
	const struct bars bars = {.title = "computation and end of each rank",
				  .name = "time",
				  .quantity = QUANTITY_TIME,
				  .parts = parts,
				  .styles = styles,
				  .part_count = 2,
				  .groups = &group,
				  .group_count = 1};

	for (size_t i = 0; i < totals->ranks.count; i++) {
		const struct rank_total *rank = &totals->ranks.items[i];

		values[i][0] = rank->compute_ns;
		values[i][1] = fmax(rank->end_ns - rank->compute_ns, 0);
		snprintf(labels[i], LABEL_BYTES, "rank %zu", i);
		axis_value(QUANTITY_TIME, rank->end_ns, 4, texts[i]);
		drawn[i] = (struct bar){labels[i], values[i], .text = texts[i]};
	}
	return bars_draw(&bars, svg, err);
}

/* Curves for many ranks, as steps that are one rank wide. */
static int draw_curves(const struct svg *svg, const struct rank_totals *totals, struct error *err)
{
	const size_t count = totals->ranks.count;
	struct lines_point *ends, *computes;
	int status;

	TRY(allocate(&ends, 2 * (count + 1), sizeof *ends, err));
	computes = ends + count + 1;
	for (size_t i = 0; i <= count; i++) {
		const struct rank_total *rank = &totals->ranks.items[i < count ? i : count - 1];

		ends[i] = (struct lines_point){(double)i - 0.5, rank->end_ns};
		computes[i] = (struct lines_point){(double)i - 0.5, rank->compute_ns};
	}
	{
		const struct lines_series series[] = {{"computation", LINES_AREA, 0, computes,
						       count + 1},
						      {"end", LINES_STEPS, 1, ends, count + 1}};
		const struct lines_panel panel = {"time", QUANTITY_TIME, true, 220, series,
						  2,	  NULL,		 0};
		const struct lines lines = {.title = "computation and end of each rank",
					    .name = "rank",
					    .quantity = QUANTITY_COUNT,
					    .low = -0.5,
					    .high = (double)count - 0.5,
					    .panels = &panel,
					    .panel_count = 1};

		status = lines_draw(&lines, svg, err);
	}
	free(ends);
	return status;
}

int picture_ranks(const struct svg *svg, const struct rank_totals *totals, struct error *err)
{
	return totals->ranks.count <= MOST_BARS ? draw_bars(svg, totals, err)
						: draw_curves(svg, totals, err);
}
