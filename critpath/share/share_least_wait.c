#include "critpath/share/share_least_wait.h"

#include "critpath/path/path_writer.h"
#include "critpath/share/share_graph.h"
#include "critpath/share/share_parts.h"

#include <string.h>

struct search {
	struct share_graph graph;
	struct least_wait_part part;
	struct exchange *exchange;
	struct share_search *found;
	uint64_t *sizes;	      /* [process]: bytes to send */
	struct least_wait_steps sent; /* all steps of a round, by process */
	struct error *err;
};

/* ---------------------------------------------------------------------- search */

/* Line up the steps for all processes. */
static int line_up(struct search *search)
{
	search->sent.list.count = 0;
	for (uint32_t p = 0; p < search->exchange->size; p++) {
		struct least_wait_steps *out = &search->part.out[p];

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
	struct exchange_arrived arrived;

	if (result == 0)
		result = line_up(search);
	TRY(exchange_agree(search->exchange, result, search->err));
	TRY(exchange_all(search->exchange, search->sent.list.items, search->sizes, &arrived,
			 search->err));
	result = least_wait_part_take(&search->part, (const struct least_wait_step *)arrived.bytes,
				      arrived.ends[search->exchange->size - 1] /
					      sizeof(struct least_wait_step),
				      search->err);
	exchange_arrived_release(&arrived);
	search->found->rounds++;
	return exchange_agree(search->exchange, result, search->err);
}

/* Find the first interval with an open vertex on any process, and that of the source. */
static int find_interval(struct search *search, uint64_t *interval, uint64_t *of_source)
{
	uint64_t first[] = {least_wait_part_interval(&search->part), PART_UNREACHED};

	if (search->exchange->rank == 0)
		first[1] = least_wait_interval_of(&search->part,
						  search->part.wait_ns[PROGRAM_SOURCE]);
	TRY(exchange_reduce(search->exchange, first, 2, EXCHANGE_LEAST, search->err));
	*interval = first[0];
	*of_source = first[1];
	return 0;
}

/* Search until what is known of the source cannot become less. */
static int search_all(struct search *search)
{
	uint64_t interval, next, of_source;

	TRY(find_interval(search, &interval, &of_source));
	while (interval != PART_UNREACHED && interval <= of_source) {
		TRY(tell_steps(search, least_wait_part_go(&search->part, interval, search->err)));
		TRY(find_interval(search, &next, &of_source));
		if (next == interval)
			continue;
		TRY(tell_steps(search, least_wait_part_finish(&search->part, search->err)));
		TRY(find_interval(search, &interval, &of_source));
	}
	return 0;
}

static int begin_search(struct search *search, uint64_t delta_ns)
{
	struct share_graph *graph = &search->graph;
	int result;

	search->part.part = search->exchange->rank;
	search->part.parts = search->exchange->size;
	search->part.first = graph->first;
	search->part.delta_ns = delta_ns;
	search->found->most_edges = graph->edges.count;
	result = allocate(&search->sizes, search->exchange->size, sizeof *search->sizes,
			  search->err);
	if (result == 0)
		result = least_wait_part_begin(&search->part, graph->edges.items,
					       graph->edges.count, PROGRAM_SINK, search->err);
	array_release(&graph->edges);
	return exchange_agree(search->exchange, result, search->err);
}

/* Let all processes know what was found. */
static int share_found(struct search *search)
{
	struct share_search *found = search->found;
	uint64_t sums[] = {found->steps, search->part.looked_at};

	found->wait_ns = search->exchange->rank == 0 ? search->part.wait_ns[PROGRAM_SOURCE] : 0;
	TRY(exchange_reduce(search->exchange, &found->wait_ns, 1, EXCHANGE_SUM, search->err));
	TRY(exchange_reduce(search->exchange, sums, 2, EXCHANGE_SUM, search->err));
	TRY(exchange_reduce(search->exchange, &found->most_edges, 1, EXCHANGE_MOST, search->err));
	found->steps = sums[0];
	found->edges = sums[1];
	return found->wait_ns == PART_UNREACHED
		       ? error_set(search->err, STATUS_DATA, "no path leads to the end of the run")
		       : 0;
}

/* ------------------------------------------------------------------------ path */

/* What the process of the next vertex has to know of the path so far. */
struct place {
	part_vertex vertex; /* the next one */
	uint64_t wait_ns;   /* from the last one to the end */
	struct path_writer_state state;
	bool arrived;
};

/* The own vertex that the path goes to next.  The wait of a hub's edge says when it was. */
static struct program_vertex next_vertex(const struct search *search, const struct place *place,
					 const struct path_writer_state *state)
{
	struct program_vertex vertex = share_graph_vertex(&search->graph, place->vertex);

	if (vertex.call == NO_CALL)
		vertex.at_ns =
			state->from.at_ns + place->wait_ns -
			search->part.wait_ns[place->vertex - search->part.first[search->part.part]];
	return vertex;
}

/* Follow the path through own vertices. */
static int follow_own(struct search *search, struct path_writer *writer, struct place *place)
{
	const part_vertex first = search->part.first[search->part.part];
	const part_vertex end = search->part.first[search->part.part + 1];

	writer->state = place->state;
	while (place->vertex >= first && place->vertex < end && !place->arrived) {
		const struct program_vertex to = next_vertex(search, place, &writer->state);

		if (place->vertex != PROGRAM_SOURCE)
			TRY(path_write_to(writer, &to));
		place->wait_ns = search->part.wait_ns[place->vertex - first];
		place->vertex = search->part.next[place->vertex - first];
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
	for (uint32_t p = 0; p < search->exchange->size; p++)
		if (p != search->exchange->rank)
			TRY(exchange_send(search->exchange, p, place, sizeof *place, search->err));
	return 0;
}

/* One process follows the path at a time, until it arrives at the end, or fails. */
static int follow(struct search *search, struct path_writer *writer)
{
	struct exchange *exchange = search->exchange;
	struct place place = {.vertex = PROGRAM_SOURCE};

	path_writer_begin(writer);
	place.state = writer->state;
	if (exchange->rank != 0)
		TRY(exchange_receive(exchange, ANY_PROCESS, &place, sizeof place, search->err));
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
		TRY(exchange_send(exchange,
				  least_wait_owner(search->part.first, exchange->size,
						   place.vertex),
				  &place, sizeof place, search->err));
		TRY(exchange_receive(exchange, ANY_PROCESS, &place, sizeof place, search->err));
	}
	return 0;
}

static int find_path(struct search *search, struct walk *walk, uint64_t delta_ns)
{
	struct path_writer writer = {.walk = walk, .waits = search->graph.waits};

	TRY(begin_search(search, delta_ns));
	TRY(search_all(search));
	TRY(share_found(search));
	TRY(exchange_agree(search->exchange, follow(search, &writer), search->err));
	return share_walk_gather(walk, search->exchange, search->err);
}

int share_least_wait(struct walk *walk, const struct waits *waits, uint64_t delta_ns,
		     struct exchange *exchange, struct share_search *found, struct error *err)
{
	struct search search = {.exchange = exchange, .found = found, .err = err};
	int result;

	*walk = (struct walk){.length_ns = waits->run->end_ns - waits->run->begin_ns};
	*found = (struct share_search){0};
	TRY(share_graph_build(&search.graph, waits, exchange, err));
	result = find_path(&search, walk, delta_ns);
	share_graph_release(&search.graph);
	least_wait_part_release(&search.part);
	array_release(&search.sent.list);
	free(search.sizes);
	if (result < 0)
		walk_release(walk);
	return result;
}
