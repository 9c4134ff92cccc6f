/* Command eventflow iterations: the time of each iteration of the main loop on each rank. */
#include "eventflow/commands.h"
#include "eventflow/loops/evolution.h"

#include <stdlib.h>

/* Rows and columns of the table, and of a picture, at most. */
enum { MOST_CELLS_SIDE = 2000, MOST_PICTURE_SIDE = 320 };

/* Cells that have iterations, for the rows of a table. */
struct iteration_cells {
	struct evolution evolution;
	uint32_t *filled; /* numbers of cells; owned */
	size_t count;
};

static const struct report_field iterations_facts[] = {
	{"header", "main loop", VALUE_NAME, .flags = FIELD_NULL,
	 .meaning = "Call with which iterations of the first rank begin; null without a main loop"},
	{"ranks", "ranks", VALUE_COUNT, .meaning = "Ranks that have a main loop"},
	{"iterations", "iterations", VALUE_COUNT, .meaning = "The most that a rank has"},
	{"mean_ns", "mean", VALUE_TIME, .flags = FIELD_NULL, .unit = "ns",
	 .meaning = "Mean time of an iteration of all ranks"},
	{"least_ns", "least", VALUE_TIME, .flags = FIELD_NULL, .unit = "ns"},
	{"most_ns", "most", VALUE_TIME, .flags = FIELD_NULL, .unit = "ns"},
	{0},
};

static void facts_row(struct report_row *row, const void *data, size_t number)
{
	const struct evolution *evolution = &((const struct iteration_cells *)data)->evolution;
	const bool any = evolution->times.count > 0;

	(void)number;
	put_name(row, evolution->header);
	put_count(row, evolution->ranks);
	put_count(row, evolution->most_iterations);
	put_count_or_none(row, flow_stat_mean(&evolution->times), any);
	put_count_or_none(row, evolution->times.least, any);
	put_count_or_none(row, evolution->times.most, any);
}

static const struct report_field cell_fields[] = {
	{"rank", "rank", VALUE_COUNT, .width = 6, .meaning = "The first of the ranks"},
	{"ranks", NULL, VALUE_COUNT, .meaning = "Ranks of which the time is a mean"},
	{"iteration", "iteration", VALUE_COUNT, .width = 10,
	 .meaning = "The first of the iterations, from 1"},
	{"iterations", NULL, VALUE_COUNT, .meaning = "Iterations of which the time is a mean"},
	{"time_ns", "time", VALUE_TIME, .width = 10, .unit = "ns",
	 .meaning = "Mean time of the iterations"},
	{0},
};

static uint64_t cell_mean(const struct iteration_cells *cells, size_t number)
{
	const struct evolution_cell *cell = &cells->evolution.cells[cells->filled[number]];

	return cell->sum_ns / cell->count;
}

static void cell_row(struct report_row *row, const void *data, size_t number)
{
	const struct iteration_cells *cells = data;
	const struct evolution *evolution = &cells->evolution;
	const uint32_t cell = cells->filled[number];

	put_count(row, cell / evolution->columns * evolution->ranks_in_row);
	put_count(row, evolution->ranks_in_row);
	put_count(row, cell % evolution->columns * evolution->iterations_in_column + 1);
	put_count(row, evolution->iterations_in_column);
	put_count(row, cell_mean(cells, number));
}

static report_weight cell_time(const void *data, size_t number)
{
	return cell_mean(data, number) + 1;
}

static void iterations_write(struct report *report, const void *data)
{
	const struct iteration_cells *cells = data;

	report_begin(report, "eventflow-iterations-1");
	report_facts(report, &(struct report_facts){.fields = iterations_facts,
						    .row = facts_row,
						    .data = data});
	report_table(
		report,
		&(struct report_table){
			"times", .title = "slowest iterations",
			.meaning = "Times of iterations: of each one on each rank, or means of "
				   "several where there are more than 2000 of either",
			.fields = cell_fields, .row = cell_row, .data = data, .count = cells->count,
			.most = REPORT_MOST_ROWS / 2, .weight = cell_time, .counts_rest = true,
			.lists_all = "--format csv"});
	report_end(report);
}

static int iterations_picture(const struct svg *svg, const void *data, struct error *err)
{
	const struct evolution *evolution = &((const struct iteration_cells *)data)->evolution;

	if (!evolution->ranks)
		return error_set(err, STATUS_DATA, "there is no main loop to draw");
	return evolution_draw(evolution, svg, err);
}

static int find_iterations(struct iteration_cells *cells, const struct flow *flow,
			   struct error *err)
{
	const bool draws = picture_output.format == REPORT_FORMATS_END;
	struct evolution *evolution = &cells->evolution;
	uint32_t rank;

	TRY(commands_given_rank(flow, &rank, err));
	TRY(evolution_find(evolution, flow, rank, draws ? MOST_PICTURE_SIDE : MOST_CELLS_SIDE,
			   err));
	TRY(allocate(&cells->filled, evolution->rows * evolution->columns, sizeof *cells->filled,
		     err));
	for (uint32_t i = 0; i < evolution->rows * evolution->columns; i++)
		if (evolution->cells[i].count)
			cells->filled[cells->count++] = i;
	return 0;
}

static int cmd_iterations(char **operands, int operand_count, struct error *err)
{
	struct iteration_cells cells = {0};
	struct flow *flow;
	int result;

	(void)operand_count;
	TRY(commands_open_flow_with(&flow, operands[0], FLOW_TIMES_ALL, err));
	result = find_iterations(&cells, flow, err);
	if (result == 0)
		result = commands_print_or_draw(operands[0], "times", iterations_write,
						iterations_picture, &cells, err);
	free(cells.filled);
	evolution_release(&cells.evolution);
	flow_release(flow);
	return result;
}

static const struct help_entry iterations_examples[] = {
	{"eventflow iterations app.efg", "print how long the iterations of the main loop took"},
	{"eventflow iterations app.efg -o iterations.svg",
	 "draw them for all ranks, as a heat map"},
	{"eventflow iterations app.efg --rank 0 -o iterations.csv",
	 "all iterations of rank 0, as a table"},
	{0},
};

static const struct option_spec *const iterations_options[] = {rank_options, NULL};

const struct command iterations_command = {
	.name = "iterations",
	.operands = "FILE",
	.least_operands = 1,
	.most_operands = 1,
	.summary = "print the time of each iteration of the main loop on each rank",
	.notes = INPUT_NOTES
	" The main loop of a rank is the outermost loop with most time, if that is a fifth of all or more. "
	"A file needs the times of each call (--times all of build). Iterations are numbered from 1, as "
	"schedgen --from iteration:N does.",
	.options = iterations_options,
	.output = &picture_output,
	.run = cmd_iterations,
	.examples = iterations_examples,
};
