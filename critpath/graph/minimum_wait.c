#include "critpath/graph/minimum_wait.h"

#include "common/parallel/parallel.h"
#include "common/ranges.h"
#include "critpath/graph/path_writer.h"
#include "critpath/graph/dist_graph.h"
#include "critpath/match/match_steps.h"
#include "critpath/graph/sync_points.h"

#include <string.h>

struct search {
	struct dist_graph graph;
	struct sync_points sync_points;
	struct subgraph subgraph;
	struct dist *dist;
	struct minimum_wait_found *found;
	/* By several processes. */
	struct minimum_wait_search own; /* the search in the vertices of this process */
	ARRAY(uint32_t) sources;	/* own vertices where searches end that are under way */
	uint64_t *sizes;		/* [process]: bytes to send */
	struct minimum_wait_steps sent; /* all steps of a round, by process */
	struct error *err;
};

/* Vertex where a block of the run begins: the synchronization point before it. */
static dist_vertex source_of(const struct search *search, size_t block)
{
	return block ? search->sync_points.hubs.items[block - 1] : PROGRAM_SOURCE;
}

static dist_vertex sink_of(const struct search *search, size_t block)
{
	return block < search->sync_points.hubs.count ? search->sync_points.hubs.items[block]
						      : PROGRAM_SINK;
}

static uint32_t own_number(const struct search *search, dist_vertex vertex)
{
	return (uint32_t)(vertex - search->subgraph.first[search->subgraph.number]);
}

/* Whether the wait of an own vertex is final, as its interval and all before it are finished. */
static bool is_final(const struct search *search, uint32_t own, uint64_t finished)
{
	const uint64_t wait_ns = search->subgraph.wait_ns[own];

	return wait_ns != DIST_UNREACHED &&
	       minimum_wait_interval_of(&search->subgraph, wait_ns) <= finished;
}

/* ---------------------------------------------------------- by the threads of one process */

/* Search a block of the run, from its end back to its source. */
static int search_block(void *shared, void *state, uint32_t block, struct error *err)
{
	struct search *search = shared;
	struct minimum_wait_search *own = state;
	const uint32_t source = own_number(search, source_of(search, block));
	uint64_t interval;

	own->subgraph = &search->subgraph;
	TRY(minimum_wait_start(own, sink_of(search, block), err));
	while ((interval = minimum_wait_interval(own)) != DIST_UNREACHED) {
		TRY(minimum_wait_go(own, interval, err));
		TRY(minimum_wait_finish(own, err));
		if (is_final(search, source, interval))
			break;
	}
	minimum_wait_clear(own);
	return 0;
}

static int count_looks(void *shared, void *state, uint32_t block, struct error *err)
{
	struct minimum_wait_search *own = state;

	(void)block;
	(void)err;
	((struct search *)shared)->own.looked_at += own->looked_at;
	own->looked_at = 0;
	return 0;
}

static void release_state(void *state)
{
	minimum_wait_search_release(state);
}

static int search_alone(struct search *search, enum sync_point_use use)
{
	const struct parallel_work work = {
		.make = search_block,
		.take = count_looks,
		.shared = search,
		.state_bytes = sizeof(struct minimum_wait_search),
		.release = release_state,
	};

	return parallel_run(&work, (uint32_t)search->sync_points.hubs.count + 1,
			    use == SYNC_POINTS_AT_ONCE ? processor_count() : 1, search->err);
}

/* -------------------------------------------------------------------- by several processes */

/* Line up the steps for all processes. */
static int minimum_wait_line_up(struct search *search)
{
	search->sent.list.count = 0;
	for (uint32_t p = 0; p < search->dist->size; p++) {
		struct minimum_wait_steps *out = &search->own.out[p];

		TRY(array_reserve(&search->sent.list, out->list.count, search->err));
		if (out->list.count)
			memcpy(search->sent.list.items + search->sent.list.count, out->list.items,
			       out->list.count * sizeof *out->list.items);
		search->sent.list.count += out->list.count;
		search->sizes[p] = out->list.count * sizeof *out->list.items;
		out->list.count = 0;
	}
	search->found->steps += search->sent.list.count;
	return 0;
}

/* Tell the steps of this process, which has taken them with a result, and take those of others. */
static int tell_steps(struct search *search, int result)
{
	struct dist_arrived arrived;

	if (result == 0)
		result = minimum_wait_line_up(search);
	TRY(dist_agree(search->dist, result, search->err));
	TRY(dist_alltoallv(search->dist, search->sent.list.items, search->sizes, &arrived,
			   search->err));
	result = minimum_wait_take(&search->own, (const struct minimum_wait_step *)arrived.bytes,
				   arrived.ends[search->dist->size - 1] /
					   sizeof(struct minimum_wait_step),
				   search->err);
	dist_arrived_release(&arrived);
	search->found->rounds++;
	return dist_agree(search->dist, result, search->err);
}

/* Find the first interval with an open vertex on any process; DIST_UNREACHED if all is found. */
static int find_interval(struct search *search, uint64_t *interval)
{
	uint64_t values[] = {minimum_wait_interval(&search->own), search->sources.count == 0};

	TRY(dist_allreduce(search->dist, values, 2, DIST_MIN, search->err));
	*interval = values[1] ? DIST_UNREACHED : values[0];
	return 0;
}

/* Forget the sources whose waits are final. */
static void drop_sources(struct search *search, uint64_t finished)
{
	size_t kept = 0;

	for (size_t i = 0; i < search->sources.count; i++)
		if (!is_final(search, search->sources.items[i], finished))
			search->sources.items[kept++] = search->sources.items[i];
	search->sources.count = kept;
}

/* Search until the waits of all sources are final. */
static int search_on(struct search *search)
{
	uint64_t interval, next;

	TRY(find_interval(search, &interval));
	while (interval != DIST_UNREACHED) {
		TRY(tell_steps(search, minimum_wait_go(&search->own, interval, search->err)));
		TRY(find_interval(search, &next));
		if (next == interval)
			continue;
		TRY(tell_steps(search, minimum_wait_finish(&search->own, search->err)));
		drop_sources(search, interval);
		TRY(find_interval(search, &interval));
	}
	minimum_wait_clear(&search->own);
	search->sources.count = 0;
	return 0;
}

/* Let the search of a block begin on the process that has its end, and end on that of its source. */
static int start_block(struct search *search, size_t block)
{
	if (minimum_wait_owns(&search->subgraph, source_of(search, block)))
		TRY(array_push(&search->sources, own_number(search, source_of(search, block)),
			       search->err));
	return minimum_wait_owns(&search->subgraph, sink_of(search, block))
		       ? minimum_wait_start(&search->own, sink_of(search, block), search->err)
		       : 0;
}

static int start_all(struct search *search)
{
	for (size_t block = 0; block <= search->sync_points.hubs.count; block++)
		TRY(start_block(search, block));
	return 0;
}

static int minimum_wait_make_room(struct search *search)
{
	search->own.subgraph = &search->subgraph;
	TRY(allocate(&search->sizes, search->dist->size, sizeof *search->sizes, search->err));
	return allocate(&search->own.out, search->dist->size, sizeof *search->own.out, search->err);
}

static int search_together(struct search *search, enum sync_point_use use)
{
	struct dist *dist = search->dist;

	TRY(dist_agree(dist, minimum_wait_make_room(search), search->err));
	if (use != SYNC_POINTS_IN_TURN) {
		TRY(dist_agree(dist, start_all(search), search->err));
		return search_on(search);
	}
	for (size_t block = search->sync_points.hubs.count + 1; block-- > 0;) {
		TRY(dist_agree(dist, start_block(search, block), search->err));
		TRY(search_on(search));
	}
	return 0;
}

/* ---------------------------------------------------------------------- search */

static int begin_search(struct search *search, uint64_t delta_ns)
{
	struct dist_graph *graph = &search->graph;
	int result;

	search->subgraph.number = search->dist->rank;
	search->subgraph.count = search->dist->size;
	search->subgraph.first = graph->first;
	search->subgraph.first_hub = graph->first_hub;
	search->subgraph.delta_ns = delta_ns;
	search->found->most_edges = graph->edges.count;
	search->found->blocks = search->sync_points.hubs.count + 1;
	result = subgraph_begin(&search->subgraph, graph->edges.items, graph->edges.count,
				search->err);
	array_release(&graph->edges);
	if (result == 0 && search->sync_points.hubs.count)
		result = subgraph_sync_points(&search->subgraph, search->sync_points.hubs.items,
					      search->sync_points.hubs.count, search->err);
	return dist_agree(search->dist, result, search->err);
}

/* Add up the waits of the sources of all blocks, as far as they are own vertices. */
static uint64_t sum_waits(const struct search *search, uint64_t *unreached)
{
	uint64_t sum = 0;

	for (size_t block = 0; block <= search->sync_points.hubs.count; block++) {
		const dist_vertex source = source_of(search, block);
		uint64_t wait_ns;

		if (!minimum_wait_owns(&search->subgraph, source))
			continue;
		wait_ns = search->subgraph.wait_ns[own_number(search, source)];
		*unreached += wait_ns == DIST_UNREACHED;
		sum += wait_ns;
	}
	return sum;
}

/* Let all processes know what was found. */
static int share_found(struct search *search)
{
	struct minimum_wait_found *found = search->found;
	uint64_t unreached = 0;
	uint64_t sums[] = {found->steps, search->own.looked_at, sum_waits(search, &unreached), 0};

	sums[3] = unreached;
	TRY(dist_allreduce(search->dist, sums, 4, DIST_SUM, search->err));
	TRY(dist_allreduce(search->dist, &found->most_edges, 1, DIST_MAX, search->err));
	found->steps = sums[0];
	found->edges = sums[1];
	found->wait_ns = sums[2];
	return sums[3] ? error_set(search->err, STATUS_DATA, "no path leads to the end of the run")
		       : 0;
}

/* ------------------------------------------------------------------------ path */

/* What the process of the next vertex has to know of the path so far. */
struct place {
	dist_vertex vertex; /* the next one */
	uint64_t wait_ns;   /* from the last one to the end of its block */
	uint64_t passed;    /* vertices */
	struct path_writer_state state;
	bool arrived;
};

/* The own vertex that the path goes to next.  The wait of a hub's edge says when it was. */
static struct program_vertex next_vertex(const struct search *search, const struct place *place,
					 const struct path_writer_state *state)
{
	struct program_vertex vertex = dist_graph_vertex(&search->graph, place->vertex);

	if (vertex.call == NO_CALL)
		vertex.at_ns = state->from.at_ns + place->wait_ns -
			       minimum_wait_to_end(&search->subgraph, place->vertex);
	return vertex;
}

/* Calls at one time may lead in a circle, if clocks contradict each other. */
static int pass(const struct search *search, struct place *place, struct error *err)
{
	if (place->passed++ < search->subgraph.first[search->subgraph.count])
		return 0;
	return error_set(
		err, STATUS_DATA,
		"calls at one time wait for each other in a circle, so the clocks of the ranks"
		" contradict each other; --method walk finds a path");
}

/* Follow the path through own vertices. */
static int follow_own(struct search *search, struct path_writer *writer, struct place *place)
{
	const dist_vertex first = search->subgraph.first[search->subgraph.number];
	const dist_vertex end = search->subgraph.first[search->subgraph.number + 1];

	writer->state = place->state;
	while (place->vertex >= first && place->vertex < end && !place->arrived) {
		const struct program_vertex to = next_vertex(search, place, &writer->state);

		TRY(pass(search, place, writer->err));
		if (place->vertex != PROGRAM_SOURCE)
			TRY(path_write_to(writer, &to));
		place->wait_ns = search->subgraph.wait_ns[place->vertex - first];
		place->vertex = dist_next_vertex(search->subgraph.next[place->vertex - first]);
		if (place->vertex == PROGRAM_SINK) {
			TRY(path_write_end(writer));
			place->arrived = true;
		}
	}
	place->state = writer->state;
	return 0;
}

static int end_path(struct search *search, struct place *place)
{
	place->arrived = true;
	for (uint32_t p = 0; p < search->dist->size; p++)
		if (p != search->dist->rank)
			TRY(dist_send(search->dist, p, place, sizeof *place, search->err));
	return 0;
}

/* One process follows the path at a time, until it arrives at the end, or fails. */
static int follow(struct search *search, struct path_writer *writer)
{
	struct dist *dist = search->dist;
	struct place place = {.vertex = PROGRAM_SOURCE};

	path_writer_begin(writer);
	place.state = writer->state;
	if (dist->rank != 0)
		TRY(dist_receive(dist, ANY_PROCESS, &place, sizeof place, search->err));
	while (!place.arrived) {
		struct error failure;

		writer->err = &failure;
		if (follow_own(search, writer, &place) < 0) {
			TRY(end_path(search, &place));
			*search->err = failure;
			return -1;
		}
		if (place.arrived)
			return end_path(search, &place);
		TRY(dist_send(dist,
			      range_of(search->subgraph.first, dist->size, place.vertex),
			      &place, sizeof place, search->err));
		TRY(dist_receive(dist, ANY_PROCESS, &place, sizeof place, search->err));
	}
	return 0;
}

/* Whether the path meets no vertex between the source and the sink.  Known to the process that has them. */
static bool is_direct(const struct search *search)
{
	return minimum_wait_owns(&search->subgraph, PROGRAM_SOURCE) &&
	       dist_next_vertex(search->subgraph.next[own_number(search, PROGRAM_SOURCE)]) ==
		       PROGRAM_SINK;
}

/* Let the process of the last rank, which only computed, write that path. */
static int write_direct(const struct search *search, struct path_writer *writer)
{
	const struct measured_run *run = search->graph.waits->run;

	if (!measured_owns(run, run->last_rank))
		return 0;
	path_writer_begin(writer);
	writer->state.from.rank = run->last_rank;
	return path_write_end(writer);
}

static int minimum_wait_write_path(struct search *search, struct walk *walk)
{
	struct path_writer writer = {.walk = walk,
				     .waits = search->graph.waits,
				     .err = search->err};
	uint64_t direct = is_direct(search);

	TRY(dist_allreduce(search->dist, &direct, 1, DIST_MAX, search->err));
	return direct ? write_direct(search, &writer) : follow(search, &writer);
}

static int minimum_wait_find_path(struct search *search, struct walk *walk,
				  const struct minimum_wait_options *options)
{
	int result;

	TRY(begin_search(search, options->delta_ns));
	result = search->dist->size == 1 ? search_alone(search, options->sync_points)
					 : search_together(search, options->sync_points);
	TRY(result);
	TRY(share_found(search));
	TRY(dist_agree(search->dist, minimum_wait_write_path(search, walk), search->err));
	if (search->dist->size > 1)
		return walk_gather(walk, search->dist, search->err);
	walk_add_up(walk);
	return 0;
}

static int minimum_wait_find(struct search *search, struct walk *walk,
			     const struct minimum_wait_options *options)
{
	if (options->sync_points != SYNC_POINTS_OFF)
		TRY(sync_points_find(&search->sync_points, &search->graph, search->dist,
				     search->err));
	return minimum_wait_find_path(search, walk, options);
}

int minimum_wait_path(struct walk *walk, const struct waits *waits,
		      const struct minimum_wait_options *options, struct dist *dist,
		      struct minimum_wait_found *found, struct error *err)
{
	struct search search = {.dist = dist, .found = found, .err = err};
	int result;

	*walk = (struct walk){.length_ns = waits->run->end_ns - waits->run->begin_ns};
	*found = (struct minimum_wait_found){0};
	TRY(dist_graph_build(&search.graph, waits, search.dist, err));
	result = minimum_wait_find(&search, walk, options);
	dist_graph_release(&search.graph);
	sync_points_release(&search.sync_points);
	subgraph_release(&search.subgraph);
	minimum_wait_search_release(&search.own);
	array_release(&search.sources);
	array_release(&search.sent.list);
	free(search.sizes);
	if (result < 0)
		walk_release(walk);
	return result;
}
