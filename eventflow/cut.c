#include "eventflow/cut.h"

#include "common/output.h"
#include "eventflow/write_archive.h"
#include "trace/flow/builder/flow_build.h"
#include "trace/flow/file/flow_file.h"
#include "trace/flow/recover/flow_recover.h"
#include "trace/flow/recover/flow_times.h"
#include "trace/sequence/main_loop.h"

#include <inttypes.h>
#include <stdio.h>

/* ------------------------------------------------------------------- main loops */

/* Times of the nodes and edges of a thread; owned. */
struct cut_times {
	uint64_t *nodes, *edges;
};

static int add_times(const struct flow *flow, const struct flow_thread *thread,
		     struct cut_times *times, struct flow_stat *nodes, struct flow_stat *edges,
		     struct error *err)
{
	const struct flow_graph *graph = &flow->graphs.items[thread->graph];

	TRY(allocate(&times->nodes, graph->nodes.count, sizeof *times->nodes, err));
	TRY(allocate(&times->edges, graph->edges.count, sizeof *times->edges, err));
	TRY(flow_thread_stats(flow, thread, nodes, edges, err));
	for (size_t i = 0; i < graph->nodes.count; i++)
		times->nodes[i] = nodes[i].sum;
	for (size_t i = 0; i < graph->edges.count; i++)
		times->edges[i] = edges[i].sum;
	return 0;
}

static int find_times(const struct flow *flow, const struct flow_thread *thread,
		      struct cut_times *times, struct error *err)
{
	const struct flow_graph *graph = &flow->graphs.items[thread->graph];
	struct flow_stat *nodes, *edges = NULL;
	int result;

	TRY(allocate(&nodes, graph->nodes.count, sizeof *nodes, err));
	result = allocate(&edges, graph->edges.count, sizeof *edges, err);
	if (result == 0)
		result = add_times(flow, thread, times, nodes, edges, err);
	free(nodes);
	free(edges);
	return result;
}

/* Find the main loop of a rank, to be released also after an error. */
static int find_main_loop(struct main_loop *found, const struct flow *flow, uint32_t rank,
			  struct error *err)
{
	const struct flow_thread *thread = flow->ranks[rank].threads.items;
	struct cut_times times = {0};
	struct flow_loops loops = {0};
	int result;

	*found = (struct main_loop){.loop = NO_LOOP};
	if (!flow->ranks[rank].threads.count)
		return 0;
	result = find_times(flow, thread, &times, err);
	if (result == 0)
		result = flow_loops_find(&loops, &flow->graphs.items[thread->graph], err);
	if (result == 0)
		result = main_loop_find(found, &flow->graphs.items[thread->graph], &loops,
					times.nodes, times.edges, err);
	flow_loops_release(&loops);
	free(times.nodes);
	free(times.edges);
	return result;
}

/*
 * Visit of the header with which an iteration begins, from 0; past the last one its last visit and
 * one more.
 */
static uint64_t start_of(const struct main_loop *loop, const struct flow_graph *graph,
			 uint64_t iteration)
{
	struct flow_run run = flow_run_first(loop->starts.items, loop->starts.count);

	if (iteration == loop->iterations && loop->round)
		return loop->first_visit + loop->round * loop->iterations;
	for (; run.begin != UINT64_MAX; flow_run_next(&run)) {
		if (iteration <= run.last - run.begin)
			return run.begin + iteration;
		iteration -= run.last - run.begin + 1;
	}
	return graph->nodes.items[loop->header].visits;
}

/* ----------------------------------------------------------------------- windows */

/* Calls of a rank, counted up to the visits of the header that begin and end a window. */
struct window_search {
	struct flow_window *window;
	uint64_t call, end;
	bool begun, ended;
	uint64_t begin_ns, end_ns; /* found: times of the window */
};

static int search_event(void *data, uint32_t thread, const struct flow_walk *at, uint64_t calls,
			uint64_t *gap_ns, struct error *err)
{
	struct window_search *search = data;
	struct flow_window *window = search->window;

	(void)calls, (void)gap_ns, (void)err;
	if (thread || at->node != window->header)
		return 0;
	if (at->visit == window->first_visit) {
		search->begun = true;
		window->first_call = search->call;
	}
	if (at->visit == window->first_visit + window->visits) {
		search->ended = true;
		search->end = search->call;
	}
	return 0;
}

static void search_time(void *data, uint32_t thread, struct mpi_call *call, uint64_t *gap_ns,
			uint64_t *duration_ns)
{
	(void)data, (void)thread, (void)call, (void)gap_ns, (void)duration_ns;
}

static int search_call(void *data, const struct mpi_call *call, struct error *err)
{
	struct window_search *search = data;

	(void)call, (void)err;
	search->call++;
	return 0;
}

/* Set the calls of a window whose visits are known. */
static int find_calls(const struct flow *flow, uint32_t rank, struct flow_window *window,
		      struct error *err)
{
	struct window_search search = {.window = window};
	const struct flow_timer timer = {.event = search_event,
					 .call = search_time,
					 .data = &search};

	TRY(flow_recover_timed(flow, rank, &timer, search_call, &search, err));
	if (!search.ended)
		search.end = search.call;
	window->calls = search.end - window->first_call;
	return 0;
}

/* Find when the calls of a window are entered, or the calls of a time. */
struct time_search {
	const struct flow_window *window; /* NULL: of a time */
	uint64_t call, begin_ns, end_ns, first, end;
};

static int search_times(void *data, const struct mpi_call *call, struct error *err)
{
	struct time_search *search = data;
	const uint64_t number = search->call++;

	(void)err;
	if (search->window) {
		if (number == search->window->first_call)
			search->begin_ns = call->enter_ns;
		if (number >= search->window->first_call &&
		    number - search->window->first_call < search->window->calls)
			search->end_ns = call->leave_ns;
		return 0;
	}
	search->first += call->enter_ns < search->begin_ns;
	search->end += call->enter_ns < search->end_ns;
	return 0;
}

/* Give a rank without a main loop the calls of the time in which others have theirs. */
static int take_time(struct flow *flow, uint32_t rank, uint64_t begin_ns, uint64_t end_ns,
		     struct error *err)
{
	struct time_search search = {.begin_ns = begin_ns, .end_ns = end_ns};
	struct flow_window window = {.round = 1};

	TRY(flow_recover(flow, rank, search_times, &search, err));
	window.first_call = search.first;
	window.calls = search.end - search.first;
	return array_push(&flow->ranks[rank].recorded, window, err);
}

static int take_iterations(struct flow *flow, uint32_t rank, const struct main_loop *loop,
			   const struct cut_iterations *iterations, struct error *err)
{
	const struct flow_graph *graph =
		&flow->graphs.items[flow->ranks[rank].threads.items[0].graph];
	struct flow_window window = {.header = loop->header,
				     .round = loop->round ? (uint32_t)loop->round : 1};

	if (iterations->first - 1 > loop->iterations ||
	    iterations->count > loop->iterations - (iterations->first - 1))
		return error_set(err, STATUS_USAGE,
				 "--iterations: the main loop of rank %u has %" PRIu64
				 " iterations",
				 rank, loop->iterations);
	window.first_visit = start_of(loop, graph, iterations->first - 1);
	window.visits = start_of(loop, graph, iterations->first - 1 + iterations->count) -
			window.first_visit;
	TRY(find_calls(flow, rank, &window, err));
	return array_push(&flow->ranks[rank].recorded, window, err);
}

static int take_all(struct flow *flow, const struct main_loop *loops,
		    const struct cut_iterations *iterations, struct error *err)
{
	uint64_t begin_ns = UINT64_MAX, end_ns = 0;

	for (uint32_t r = 0; r < flow->world.rank_count; r++) {
		struct time_search search = {0};

		if (loops[r].loop == NO_LOOP)
			continue;
		TRY(take_iterations(flow, r, &loops[r], iterations, err));
		search.window = flow->ranks[r].recorded.items;
		TRY(flow_recover(flow, r, search_times, &search, err));
		begin_ns = search.begin_ns < begin_ns ? search.begin_ns : begin_ns;
		end_ns = search.end_ns > end_ns ? search.end_ns : end_ns;
	}
	for (uint32_t r = 0; r < flow->world.rank_count; r++)
		if (loops[r].loop == NO_LOOP)
			TRY(take_time(flow, r, begin_ns, end_ns, err));
	return 0;
}

/* Choose iterations in the middle if none were asked for. */
static int choose_iterations(const struct flow *flow, const struct main_loop *loops,
			     struct cut_iterations *iterations, struct error *err)
{
	uint64_t least = UINT64_MAX;

	for (uint32_t r = 0; r < flow->world.rank_count; r++)
		if (loops[r].loop != NO_LOOP && loops[r].iterations < least)
			least = loops[r].iterations;
	if (least == UINT64_MAX)
		return error_set(
			err, STATUS_DATA,
			"no rank has a main loop, of whose iterations some could be cut out "
			"(eventflow loops)");
	if (!iterations->first)
		iterations->first = least > iterations->count ? (least - iterations->count) / 2 + 1
							      : 1;
	return 0;
}

int cut_find(struct flow *flow, struct cut_iterations *iterations, struct error *err)
{
	struct main_loop *loops;
	int result = 0;

	TRY(allocate(&loops, flow->world.rank_count, sizeof *loops, err));
	for (uint32_t r = 0; r < flow->world.rank_count; r++) {
		flow->ranks[r].recorded.count = 0;
		if (result == 0)
			result = find_main_loop(&loops[r], flow, r, err);
	}
	if (result == 0)
		result = choose_iterations(flow, loops, iterations, err);
	if (result == 0)
		result = take_all(flow, loops, iterations, err);
	for (uint32_t r = 0; r < flow->world.rank_count; r++)
		main_loop_release(&loops[r]);
	free(loops);
	return result;
}

/* ------------------------------------------------------------------------ output */

static int recover_rank(void *data, uint32_t rank, trace_receive *receive, void *receiver,
			struct error *err)
{
	return flow_recover(data, rank, receive, receiver, err);
}

static const char *string_of(void *data, uint64_t place)
{
	const struct string_table *strings = &((const struct flow *)data)->strings;

	return place < strings->starts.count ? string_table_get(strings, (uint32_t)place) : NULL;
}

/* Make a flow of the same calls, with statistics of their times. */
static int make_stats(struct flow **made, const struct flow *flow, struct error *err)
{
	const struct flow_source source = {.world = &flow->world,
					   .rank = recover_rank,
					   .site = string_of,
					   .data = (void *)flow};
	const struct flow_options options = {.times = FLOW_TIMES_STATS,
					     .level = flow->level,
					     .folds = flow->folds};

	TRY(flow_build(made, &source, &options, err));
	(*made)->left_out = flow->left_out;
	for (uint32_t r = 0; r < flow->world.rank_count; r++) {
		const struct flow_rank *from = &flow->ranks[r];

		for (size_t i = 0; i < from->recorded.count; i++)
			TRY(array_push(&(*made)->ranks[r].recorded, from->recorded.items[i], err));
	}
	return 0;
}

static int write_stats(const struct flow *flow, const char *directory, struct error *err)
{
	struct output output;
	struct flow *made;
	char *path;
	int result;

	if (asprintf(&path, "%s/flow.efg", directory) < 0)
		return error_set_memory(err, 1);
	result = make_stats(&made, flow, err);
	if (result == 0)
		result = output_open(&output, path, err);
	if (result == 0) {
		result = flow_write(made, output.stream, err);
		if (result == 0)
			result = output_commit(&output, err);
		else
			output_discard(&output);
	}
	flow_release(made);
	free(path);
	return result;
}

int cut_write(const struct flow *flow, const struct cut_iterations *iterations,
	      const char *directory, struct error *err)
{
	TRY(flow_write_archive(flow, directory, iterations, err));
	return write_stats(flow, directory, err);
}
