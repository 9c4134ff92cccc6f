#include "critpath/graph/ideal_run.h"

#include "critpath/graph/ideal_blocks.h"
#include "dist/dist_deliver.h"

#include <string.h>

/* What a place waited for has happened, in the ideal run of a part. */
struct arrival {
	dist_vertex to;
	uint64_t at_ns;
	uint64_t part; /* or NO_PART */
};

struct ideal {
	struct ideal_graph *graph;
	const struct measured_run *run;
	const struct measured_parts *parts; /* NULL: blocks of the whole run */
	uint64_t *ideal_ns;		    /* [part or block] */
	ARRAY(uint32_t) ready;		    /* places that wait for nothing any more */
	ARRAY(struct arrival) out;	    /* at places of other processes */
	uint64_t left;			    /* calls of threads whose end is not known */
	uint64_t backward;		    /* edges to an earlier block */
	struct error *err;
};

/* Computation of a rank from a time to another one, within a part. */
static uint64_t computation(const struct ideal *ideal, uint32_t rank, uint32_t part,
			    uint64_t from_ns, uint64_t to_ns)
{
	const struct time_span between = {from_ns, to_ns};

	if (from_ns >= to_ns || part == NO_PART)
		return 0;
	if (!ideal->parts)
		return to_ns - from_ns;
	return time_span_common_ns(between, ideal->parts->ranks[rank].spans.items[part]);
}

static void end_part(struct ideal *ideal, uint32_t part, uint64_t at_ns)
{
	if (part != NO_PART && at_ns > ideal->ideal_ns[part])
		ideal->ideal_ns[part] = at_ns;
}

/* ------------------------------------------------------------------------ waits */

/* Let a place be no earlier than what it waited for. */
static int arrive(struct ideal *ideal, uint32_t number, uint32_t part, uint64_t at_ns)
{
	struct ideal_place *place = &ideal->graph->places[number];
	const bool is_hub = ideal_is_hub(ideal->graph, number);

	/* A hub is in the last part of its members. */
	if (is_hub && part != NO_PART && (place->part == NO_PART || place->part < part)) {
		place->part = part;
		place->at_ns = 0;
	}
	if (place->part == part && at_ns > place->at_ns)
		place->at_ns = at_ns;
	if (!is_hub && !ideal->parts && part != NO_PART && part > place->part)
		ideal->backward++;
	return --place->pending ? 0 : array_push(&ideal->ready, number, ideal->err);
}

/* Follow the edges from a hub, or from the start of a call. */
static int follow_edges(struct ideal *ideal, uint32_t place, uint32_t part, uint64_t at_ns)
{
	const struct ideal_graph *graph = ideal->graph;

	for (uint32_t e = graph->places[place].edge; e != IDEAL_NO_EDGE;
	     e = graph->edges.items[e].next) {
		const dist_vertex to = graph->edges.items[e].to;

		if (ideal_owns(graph, to))
			TRY(arrive(ideal, ideal_place_of(graph, to), part, at_ns));
		else
			TRY(array_push(&ideal->out, ((struct arrival){to, at_ns, part}),
				       ideal->err));
	}
	return 0;
}

/* ---------------------------------------------------------------------- threads */

/* A thread at the start of a call. */
struct position {
	uint32_t rank, call, place;
	uint64_t at_ns; /* in the ideal run of the call's part */
};

static const struct measured_call *ideal_call(const struct ideal *ideal, uint32_t rank,
					      uint32_t call)
{
	return &ideal->run->ranks[rank].calls.items[call];
}

/* Go from the end of a call to the start of the next one in its part.  Returns false if there is none. */
static bool go_to_next(struct ideal *ideal, struct position *at)
{
	const struct ideal_place *place = &ideal->graph->places[at->place];
	const uint64_t leave_ns = ideal_call(ideal, at->rank, at->call)->leave_ns;
	const uint32_t next = place->next;
	uint64_t to_ns = leave_ns;

	ideal->left--;
	if (next < IDEAL_CALLS)
		to_ns = ideal_call(ideal, at->rank, next)->enter_ns;
	else if (next == IDEAL_FINAL)
		to_ns = ideal->run->ranks[at->rank].end_ns;
	at->at_ns = place->at_ns;
	if (next < IDEAL_CALLS && place[next - at->call].part == place->part) {
		at->at_ns += computation(ideal, at->rank, place->part, leave_ns, to_ns);
		at->place += next - at->call;
		at->call = next;
		return true;
	}
	/* The computation behind the end of a block is of the next one. */
	if (ideal->parts || next >= IDEAL_CALLS)
		at->at_ns += computation(ideal, at->rank, place->part, leave_ns, to_ns);
	end_part(ideal, place->part, at->at_ns);
	return false;
}

/* Go on with a thread until it waits, or leaves the part. */
static int run_thread(struct ideal *ideal, struct position at)
{
	do {
		struct ideal_place *place = &ideal->graph->places[at.place];

		TRY(follow_edges(ideal, at.place, place->part, at.at_ns));
		if (at.at_ns > place->at_ns)
			place->at_ns = at.at_ns;
		if (--place->pending)
			return 0;
	} while (go_to_next(ideal, &at));
	return 0;
}

/* Go on with all that waits for nothing any more. */
static int run_ready(struct ideal *ideal)
{
	while (ideal->ready.count) {
		struct position at = {.place = ideal->ready.items[--ideal->ready.count]};
		const struct ideal_place *place = &ideal->graph->places[at.place];

		if (ideal_is_hub(ideal->graph, at.place)) {
			TRY(follow_edges(ideal, at.place, place->part, place->at_ns));
			continue;
		}
		at.rank = ideal_rank_at(ideal->graph, at.place);
		at.call = at.place - ideal_rank_place(ideal->graph, at.rank);
		if (place->next != IDEAL_OUTSIDE && go_to_next(ideal, &at))
			TRY(run_thread(ideal, at));
	}
	return 0;
}

/* ------------------------------------------------------------------------ start */

/* Let a thread begin all its parts at once. */
static int start_thread(struct ideal *ideal, const struct ideal_thread *thread)
{
	const struct ideal_place *places = ideal->graph->places +
					   ideal_rank_place(ideal->graph, thread->rank);
	/* A further thread may not exist before its first call. */
	uint64_t from_ns = thread->thread ? UINT64_MAX : ideal->run->ranks[thread->rank].begin_ns;
	uint32_t part = NO_PART;

	for (uint32_t c = thread->call; c < IDEAL_CALLS; c = places[c].next) {
		const struct measured_call *call = ideal_call(ideal, thread->rank, c);

		if (c == thread->call || places[c].part != part) {
			const struct position at = {
				.rank = thread->rank,
				.call = c,
				.place = ideal_rank_place(ideal->graph, thread->rank) + c,
				.at_ns = computation(ideal, thread->rank, places[c].part, from_ns,
						     call->enter_ns),
			};

			part = places[c].part;
			TRY(run_thread(ideal, at));
		}
		from_ns = call->leave_ns;
		if (places[c].next == IDEAL_FINAL_APART)
			end_part(ideal, part + 1,
				 computation(ideal, thread->rank, part + 1, from_ns,
					     ideal->run->ranks[thread->rank].end_ns));
	}
	return 0;
}

/* Start all places that wait for nothing. */
static int start_all(struct ideal *ideal)
{
	const struct ideal_graph *graph = ideal->graph;

	/* MPI_Init and MPI_Finalize begin when they like. */
	for (uint32_t i = 0; i < graph->calls; i++)
		if (graph->places[i].next == IDEAL_OUTSIDE)
			TRY(follow_edges(ideal, i, NO_PART, 0));
	for (uint32_t i = graph->calls; i < graph->count; i++)
		if (!graph->places[i].pending)
			TRY(array_push(&ideal->ready, i, ideal->err));
	for (size_t t = 0; t < graph->threads.count; t++) {
		TRY(start_thread(ideal, &graph->threads.items[t]));
		TRY(run_ready(ideal));
	}
	return run_ready(ideal);
}

static void set_parts(struct ideal *ideal)
{
	for (uint32_t r = ideal->run->own_first; r < ideal->run->own_end; r++) {
		struct ideal_place *places = ideal->graph->places +
					     ideal_rank_place(ideal->graph, r);

		for (uint32_t c = 0; c < ideal->run->ranks[r].calls.count; c++)
			places[c].part = measured_part_at(ideal->parts, r,
							  ideal_call(ideal, r, c)->enter_ns);
	}
}

/* -------------------------------------------------------------------- processes */

static uint32_t process_of_arrival(const void *data, const void *item)
{
	return dist_graph_process(data, ((const struct arrival *)item)->to);
}

static int take_arrivals(struct ideal *ideal, const struct bytes *arrived)
{
	const struct arrival *list = (const struct arrival *)arrived->list.items;
	const size_t count = arrived->list.count / sizeof *list;

	for (size_t i = 0; i < count; i++)
		TRY(arrive(ideal, ideal_place_of(ideal->graph, list[i].to), (uint32_t)list[i].part,
			   list[i].at_ns));
	return run_ready(ideal);
}

/* Send other processes what they wait for, and go on with what they send, until nobody sends. */
static int take_turns(struct ideal *ideal, struct dist_turns *turns)
{
	int result = start_all(ideal);
	bool any;

	for (;;) {
		const struct dist_items items = {
			.list = (void **)&ideal->out.items,
			.count = ideal->out.count,
			.item_bytes = sizeof *ideal->out.items,
			.process_of = process_of_arrival,
			.data = &ideal->graph->numbers,
		};

		TRY(dist_turn(turns, &items, result, &any, ideal->err));
		if (!any)
			return 0;
		ideal->out.count = 0;
		result = take_arrivals(ideal, &turns->arrived);
	}
}

static int play_all(struct ideal *ideal, struct dist *dist)
{
	struct dist_turns turns;
	uint64_t count;
	int result = dist_turns_begin(&turns, dist, ideal->err);

	if (result == 0)
		result = take_turns(ideal, &turns);
	dist_turns_end(&turns);
	TRY(result);
	count = ideal->left + ideal->backward;
	TRY(dist_allreduce(dist, &count, 1, DIST_SUM, ideal->err));
	if (!count)
		return 0;
	return error_set(ideal->err, STATUS_DATA,
			 "%lu calls wait for each other: clocks contradict each other",
			 (unsigned long)count);
}

/* Find ideal_ns of this process, then of all. */
static int find_parts(struct ideal *ideal, uint64_t count, struct dist *dist)
{
	int result;

	for (uint32_t i = 0; i < ideal->graph->calls; i++)
		ideal->left += ideal->graph->places[i].next != IDEAL_OUTSIDE;
	result = play_all(ideal, dist);
	array_release(&ideal->ready);
	array_release(&ideal->out);
	TRY(result);
	return dist_allreduce(dist, ideal->ideal_ns, count, DIST_MAX, ideal->err);
}

int ideal_parts_find(uint64_t *ideal_ns, const struct measured_parts *parts,
		     const struct waits *waits, struct dist *dist, struct error *err)
{
	struct ideal_graph graph;
	struct ideal ideal = {.graph = &graph,
			      .run = waits->run,
			      .parts = parts,
			      .ideal_ns = ideal_ns,
			      .err = err};
	int result;

	if (parts->most)
		memset(ideal_ns, 0, parts->most * sizeof *ideal_ns);
	TRY(ideal_graph_build(&graph, waits, dist, err));
	set_parts(&ideal);
	result = find_parts(&ideal, parts->most, dist);
	ideal_graph_release(&graph);
	return result;
}

/* Add up the blocks. */
static int add_blocks(uint64_t *ideal_ns, struct ideal *ideal, struct dist *dist)
{
	uint64_t count;
	int result;

	TRY(ideal_blocks_find(&count, ideal->graph, dist, ideal->err));
	result = allocate(&ideal->ideal_ns, count, sizeof *ideal->ideal_ns, ideal->err);
	result = dist_agree(dist, result, ideal->err);
	if (result == 0)
		result = find_parts(ideal, count, dist);
	*ideal_ns = 0;
	for (uint64_t i = 0; result == 0 && i < count; i++)
		*ideal_ns += ideal->ideal_ns[i];
	free(ideal->ideal_ns);
	return result;
}

int ideal_run_find(uint64_t *ideal_ns, const struct waits *waits, struct dist *dist,
		   struct error *err)
{
	struct ideal_graph graph;
	struct ideal ideal = {.graph = &graph, .run = waits->run, .err = err};
	int result;

	TRY(ideal_graph_build(&graph, waits, dist, err));
	result = add_blocks(ideal_ns, &ideal, dist);
	ideal_graph_release(&graph);
	return result;
}
