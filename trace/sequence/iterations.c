#include "trace/sequence/iterations.h"

#include "trace/flow/call/flow_call.h"
#include "trace/sequence/trail.h"

/* Events of a thread. */
struct finder_thread {
	struct trail trail;
	ARRAY(uint64_t) begins_ns; /* end of the event before */
};

struct iteration_finder {
	struct flow_rank_builder *builder;
	ARRAY(struct finder_thread) threads;
	ARRAY(struct mpi_event) events; /* of a call, without probes */
	/* Why events cannot be added, if `failed`. */
	bool failed;
	struct error *err;
};

/* ----------------------------------------------------------------------------- events */

static int add_finder_event(struct iteration_finder *finder, const struct flow_rank_event *event,
			    struct error *err)
{
	struct finder_thread *thread;
	bool grows;

	while (finder->threads.count <= event->thread)
		TRY(array_push(&finder->threads, (struct finder_thread){0}, err));
	thread = &finder->threads.items[event->thread];
	TRY(array_push(&thread->begins_ns,
		       thread->trail.events ? thread->trail.last_ns : event->enter_ns, err));
	return trail_add(&thread->trail, event->node, event->enter_ns, event->leave_ns, &grows,
			 err);
}

static void see_event(void *data, const struct flow_rank_event *event)
{
	struct iteration_finder *finder = data;

	finder->failed |= !finder->failed && add_finder_event(finder, event, finder->err) < 0;
}

/* Leave out what only a reader of measured times delivers. */
static int without_probes(struct iteration_finder *finder, const struct mpi_call *call,
			  struct mpi_call *kept, struct error *err)
{
	*kept = *call;
	finder->events.count = 0;
	for (uint32_t i = 0; i < call->event_count; i++)
		if (call->events[i].kind != EVENT_PROBE)
			TRY(array_push(&finder->events, call->events[i], err));
	kept->events = finder->events.items;
	kept->event_count = (uint32_t)finder->events.count;
	return 0;
}

int iteration_finder_begin(struct iteration_finder **made, const struct trace_world *world,
			   uint32_t rank, flow_site_text *site, void *site_data, struct error *err)
{
	const struct flow_options options = {.level = FLOW_BY_SITE,
					     .site = site,
					     .site_data = site_data};
	struct iteration_finder *finder;

	*made = NULL;
	TRY(allocate(&finder, 1, sizeof *finder, err));
	*made = finder;
	TRY(flow_rank_begin(&finder->builder, &options, world->rank_count, rank, err));
	flow_rank_watch(finder->builder, see_event, finder);
	for (uint32_t i = 0; i < world->comm_count; i++) {
		const struct flow_place place = flow_place_in(&world->comms[i], rank);

		TRY(flow_rank_comm(finder->builder, i, place.place, place.size, err));
	}
	return 0;
}

int iteration_finder_call(void *data, const struct mpi_call *call, struct error *err)
{
	struct iteration_finder *finder = data;
	struct mpi_call kept;

	finder->err = err;
	TRY(without_probes(finder, call, &kept, err));
	TRY(flow_rank_call(finder->builder, &kept, err));
	return finder->failed ? -1 : 0;
}

void iteration_finder_release(struct iteration_finder *finder)
{
	if (!finder)
		return;
	for (size_t t = 0; t < finder->threads.count; t++) {
		trail_release(&finder->threads.items[t].trail);
		array_release(&finder->threads.items[t].begins_ns);
	}
	array_release(&finder->threads);
	array_release(&finder->events);
	flow_rank_release(finder->builder);
	free(finder);
}

/* -------------------------------------------------------------------------- main loop */

/* The main loop of a trail. */
struct finder_loop {
	struct main_loop main_loop;
	uint64_t left; /* event with which it was left, or NO_VISIT */
};

/* Find the main loop, with at least one part of `part` of the time. */
static int find_main(struct finder_loop *found, const struct trail *trail, uint64_t part,
		     struct error *err)
{
	struct trail_graph made;
	struct flow_loops loops = {0};
	struct laps laps = {0};
	uint64_t before;
	int result = trail_graph_make(&made, trail, err);

	*found = (struct finder_loop){.main_loop = {.loop = NO_LOOP}};
	if (result == 0)
		result = flow_loops_find(&loops, &made.graph, err);
	if (result == 0)
		main_loop_choose(&found->main_loop, &made.graph, &loops, made.node_ns, made.edge_ns,
				 part);
	if (result == 0 && found->main_loop.loop != NO_LOOP) {
		result = trail_laps(trail, &laps, &made, &loops, found->main_loop.loop, 0, &before,
				    err);
		if (result == 0)
			result = laps_end(&laps, &found->main_loop, err);
		found->left = laps.left;
		laps_release(&laps);
	}
	flow_loops_release(&loops);
	trail_graph_release(&made);
	return result;
}

/* Make the trail of the functions of a thread's nodes. */
static int trail_of_functions(struct trail *made, const struct iteration_finder *finder,
			      uint32_t number, struct error *err)
{
	const struct finder_thread *thread = &finder->threads.items[number];
	struct number_map node_of = {0};
	uint32_t count = 0;
	bool grows;
	int result = 0;

	for (size_t i = 0; i < thread->trail.log.count && result == 0; i++) {
		const char *name = flow_rank_function(finder->builder, number,
						      thread->trail.log.items[i]);
		uint32_t node = number_map_get(&node_of, (uintptr_t)name, 0);

		if (node == NUMBER_MAP_EMPTY) {
			node = count++;
			result = number_map_add(&node_of, (uintptr_t)name, 0, node, err);
		}
		if (result == 0)
			result = trail_add(made, node, thread->begins_ns.items[i],
					   i + 1 < thread->begins_ns.count
						   ? thread->begins_ns.items[i + 1]
						   : thread->trail.last_ns,
					   &grows, err);
	}
	number_map_release(&node_of);
	return result;
}

/* Take the starts of iterations, which are visits of a header, as times. */
static int take_starts(struct iterations *iterations, const struct finder_loop *found,
		       const struct trail *trail, const struct finder_thread *thread,
		       struct error *err)
{
	const struct main_loop *loop = &found->main_loop;
	struct flow_run run = flow_run_first(loop->starts.items, loop->starts.count);
	uint64_t visit = 0;

	iterations->starts_ns.count = 0;
	iterations->end_ns = found->left == NO_VISIT ? thread->trail.last_ns
						     : thread->begins_ns.items[found->left];
	for (size_t i = 0; i < trail->log.count; i++) {
		if (trail->log.items[i] != loop->header)
			continue;
		if (visit > run.last && run.begin != UINT64_MAX)
			flow_run_next(&run);
		if (visit >= run.begin && visit <= run.last)
			TRY(array_push(&iterations->starts_ns, thread->begins_ns.items[i], err));
		if (visit == loop->end_visit)
			iterations->end_ns = thread->begins_ns.items[i];
		visit++;
	}
	return 0;
}

/* Take the iterations of a thread if its main loop takes more time than that of the threads before. */
static int take_main(struct iterations *iterations, uint64_t *most_ns, const struct trail *trail,
		     const struct finder_thread *thread, uint64_t part, struct error *err)
{
	struct finder_loop found;
	int result = find_main(&found, trail, part, err);

	if (result == 0 && found.main_loop.loop != NO_LOOP &&
	    (found.main_loop.time_ns > *most_ns || !iterations->starts_ns.count)) {
		*most_ns = found.main_loop.time_ns;
		result = take_starts(iterations, &found, trail, thread, err);
	}
	main_loop_release(&found.main_loop);
	return result;
}

static int take_functions(struct iterations *iterations, uint64_t *most_ns,
			  const struct iteration_finder *finder, uint32_t number, struct error *err)
{
	struct trail trail = {0};
	int result = trail_of_functions(&trail, finder, number, err);

	if (result == 0)
		result = take_main(iterations, most_ns, &trail, &finder->threads.items[number],
				   UINT64_MAX, err);
	trail_release(&trail);
	return result;
}

static int take_all(struct iterations *iterations, const struct iteration_finder *finder,
		    struct error *err)
{
	const struct finder_thread *threads = finder->threads.items;
	uint64_t most_ns = 0;

	for (uint32_t t = 0; t < finder->threads.count; t++)
		TRY(take_main(iterations, &most_ns, &threads[t].trail, &threads[t], MAIN_LOOP_PART,
			      err));
	if (iterations->starts_ns.count)
		return 0;
	for (uint32_t t = 0; t < finder->threads.count; t++) {
		TRY(take_main(iterations, &most_ns, &threads[t].trail, &threads[t], UINT64_MAX,
			      err));
		TRY(take_functions(iterations, &most_ns, finder, t, err));
	}
	return 0;
}

int iteration_finder_end(const struct iteration_finder *finder, struct iterations *iterations,
			 struct error *err)
{
	*iterations = (struct iterations){0};
	if (take_all(iterations, finder, err) == 0)
		return 0;
	iterations_release(iterations);
	return -1;
}

static const char *iterations_site(void *reader, uint64_t place)
{
	return trace_reader_site(reader, (uint32_t)place);
}

int iterations_find(struct iterations *iterations, struct trace_reader *reader, uint32_t rank,
		    struct error *err)
{
	struct iteration_finder *finder;
	int result = iteration_finder_begin(&finder, trace_reader_world(reader), rank,
					    iterations_site, reader, err);

	if (result == 0)
		result = trace_reader_rank(reader, rank, iteration_finder_call, finder, err);
	if (result == 0)
		result = iteration_finder_end(finder, iterations, err);
	iteration_finder_release(finder);
	return result;
}

void iterations_release(struct iterations *iterations)
{
	array_release(&iterations->starts_ns);
}

uint32_t iteration_at(const struct iterations *iterations, uint64_t time_ns)
{
	size_t low = 0, high = iterations->starts_ns.count;

	if (time_ns >= iterations->end_ns)
		return NO_ITERATION;
	/* The number of iterations that begin at the time or before it. */
	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (iterations->starts_ns.items[middle] <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? (uint32_t)low - 1 : NO_ITERATION;
}
