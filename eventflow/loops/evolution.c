#include "eventflow/loops/evolution.h"

#include "common/heatmap/heatmap.h"
#include "eventflow/graph/print_calls.h"
#include "eventflow/loops/iterations.h"

#include <math.h>

/* The main loop of a graph. */
struct evolution_loop {
	struct flow_loops loops;
	struct main_loop main_loop;
	bool found;
};

struct evolving {
	struct evolution *evolution;
	const struct flow *flow;
	uint32_t only_rank;
	struct evolution_loop *of; /* [graph] */
	struct graph_times *times; /* [graph] */
	uint32_t rank;		   /* at hand */
};

/* Thread whose main loop is that of the rank, or NULL. */
static const struct flow_thread *first_thread(const struct evolving *evolving, uint32_t rank)
{
	const struct flow_rank *own = &evolving->flow->ranks[rank];

	if (!own->threads.count || own->lossy ||
	    (evolving->only_rank != UINT32_MAX && evolving->only_rank != rank))
		return NULL;
	return &own->threads.items[0];
}

static int find_loop(struct evolving *evolving, uint32_t number, struct error *err)
{
	const struct flow_graph *graph = &evolving->flow->graphs.items[number];
	struct evolution_loop *own = &evolving->of[number];

	if (own->found)
		return 0;
	own->found = true;
	own->main_loop.loop = NO_LOOP;
	TRY(flow_loops_find(&own->loops, graph, err));
	return main_loop_find(&own->main_loop, graph, &own->loops, evolving->times[number].nodes,
			      evolving->times[number].edges, err);
}

/* Find the main loops of all ranks, and the most iterations. */
static int find_main_loops(struct evolving *evolving, struct error *err)
{
	struct evolution *evolution = evolving->evolution;

	for (uint32_t rank = 0; rank < evolving->flow->world.rank_count; rank++) {
		const struct flow_thread *thread = first_thread(evolving, rank);
		const struct main_loop *main_loop;

		if (!thread)
			continue;
		TRY(find_loop(evolving, thread->graph, err));
		main_loop = &evolving->of[thread->graph].main_loop;
		if (main_loop->loop == NO_LOOP || !main_loop->iterations)
			continue;
		if (!evolution->ranks++) {
			const struct flow_graph *graph =
				&evolving->flow->graphs.items[thread->graph];

			evolution->first_rank = rank;
			evolution->header = flow_label_text(
				evolving->flow, graph->nodes.items[main_loop->header].signature,
				err);
			if (!evolution->header)
				return -1;
		}
		if (main_loop->iterations > evolution->most_iterations)
			evolution->most_iterations = main_loop->iterations;
	}
	return 0;
}

static int add_iteration(void *data, uint64_t number, uint64_t begin_ns, uint64_t end_ns,
			 struct error *err)
{
	const struct evolving *evolving = data;
	struct evolution *evolution = evolving->evolution;
	struct evolution_cell *cell =
		&evolution->cells[evolving->rank / evolution->ranks_in_row * evolution->columns +
				  number / evolution->iterations_in_column];

	(void)err;
	cell->sum_ns += end_ns - begin_ns;
	cell->count++;
	flow_stat_add(&evolution->times, end_ns - begin_ns);
	return 0;
}

static int fill_cells(struct evolving *evolving, struct error *err)
{
	const struct flow *flow = evolving->flow;

	for (evolving->rank = 0; evolving->rank < flow->world.rank_count; evolving->rank++) {
		const struct flow_thread *thread = first_thread(evolving, evolving->rank);
		const struct evolution_loop *own = thread ? &evolving->of[thread->graph] : NULL;

		if (own && main_loop_iterations(flow, thread, &own->loops, &own->main_loop,
						add_iteration, evolving, err) < 0)
			return error_prefix(err, "rank %u", evolving->rank);
	}
	return 0;
}

static int find_cells(struct evolving *evolving, uint32_t most_side, struct error *err)
{
	struct evolution *evolution = evolving->evolution;
	const uint32_t rank_count = evolving->flow->world.rank_count;

	TRY(find_main_loops(evolving, err));
	if (!evolution->ranks)
		return 0;
	evolution->ranks_in_row = (rank_count + most_side - 1) / most_side;
	evolution->rows = (rank_count + evolution->ranks_in_row - 1) / evolution->ranks_in_row;
	evolution->iterations_in_column = (evolution->most_iterations + most_side - 1) / most_side;
	evolution->columns = (evolution->most_iterations + evolution->iterations_in_column - 1) /
			     evolution->iterations_in_column;
	TRY(allocate(&evolution->cells, evolution->rows * evolution->columns,
		     sizeof *evolution->cells, err));
	return fill_cells(evolving, err);
}

int evolution_find(struct evolution *evolution, const struct flow *flow, uint32_t only_rank,
		   uint32_t most_side, struct error *err)
{
	struct evolving evolving = {.evolution = evolution, .flow = flow, .only_rank = only_rank};
	int result;

	*evolution = (struct evolution){0};
	if (flow->times != FLOW_TIMES_ALL)
		return error_set(err, STATUS_DATA,
				 "the file lacks the times of calls: build it with --times all");
	TRY(graph_times_find(&evolving.times, flow, only_rank, err));
	result = allocate(&evolving.of, flow->graphs.count, sizeof *evolving.of, err);
	if (result == 0)
		result = find_cells(&evolving, most_side, err);
	for (size_t g = 0; evolving.of && g < flow->graphs.count; g++) {
		flow_loops_release(&evolving.of[g].loops);
		main_loop_release(&evolving.of[g].main_loop);
	}
	free(evolving.of);
	graph_times_release(evolving.times, flow);
	return result;
}

void evolution_release(struct evolution *evolution)
{
	free(evolution->header);
	free(evolution->cells);
}

/* ------------------------------------------------------------------------- picture */

/* A scale becomes logarithmic where the largest value is so many times the smallest one. */
static const double wide_range = 20;

/* Fill the values of the cells in a unit, and the scale that holds them all. */
static void scale_values(const struct evolution *evolution, double unit_ns, double *values,
			 struct heatmap_scale *scale)
{
	double low = INFINITY, high = 0;

	for (size_t i = 0; i < evolution->rows * evolution->columns; i++) {
		const struct evolution_cell *cell = &evolution->cells[i];

		values[i] = cell->count ? (double)cell->sum_ns / (double)cell->count / unit_ns
					: NAN;
		low = fmin(low, values[i]);
		high = fmax(high, values[i]);
	}
	scale->logarithmic = low > 0 && high > wide_range * low;
	scale->low = low;
	scale->high = high > low ? high : low + 1 / unit_ns;
}

int evolution_draw(const struct evolution *evolution, const struct svg *svg, struct error *err)
{
	const struct axis_unit unit = axis_unit(QUANTITY_TIME, (double)evolution->times.most);
	struct heatmap_scale scale = {0};
	char name[AXIS_TITLE_BYTES];
	double *values;
	int result;

	TRY(allocate(&values, evolution->rows * evolution->columns, sizeof *values, err));
	scale.name = axis_title("iteration", unit, SVG_WIDE_PX, name);
	scale_values(evolution, unit.size, values, &scale);
	const struct heatmap_plane plane = {
		.title = "time of iterations",
		.scale = &scale,
		.x = {"iteration", QUANTITY_COUNT, false, 0.5,
		      0.5 + (double)(evolution->columns * evolution->iterations_in_column)},
		.y = {"rank", QUANTITY_COUNT, false, -0.5,
		      -0.5 + (double)evolution->rows * evolution->ranks_in_row},
		.columns = evolution->columns,
		.rows = evolution->rows,
		.values = values};
	const struct heatmap_row row = {NULL, &plane, 1};

	result = heatmap_draw(&(struct heatmap){.title = "time of each iteration on each rank",
						.rows = &row,
						.row_count = 1,
						.across = 1,
						.palette = HEATMAP_SAFE},
			      svg, err);
	free(values);
	return result;
}
