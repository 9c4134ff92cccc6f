#include "critpath/graph/subgraph_search.h"

#include "common/ranges.h"

#include <string.h>

bool minimum_wait_owns(const struct subgraph *subgraph, dist_vertex vertex)
{
	return vertex >= subgraph->first[subgraph->number] &&
	       vertex < subgraph->first[subgraph->number + 1];
}

/* ----------------------------------------------------------------------- begin */

/* Put the edges into the order of the vertices where they end. */
static void sort_edges(struct subgraph *subgraph, const struct dist_raw_edge *edges, size_t count,
		       uint32_t vertices)
{
	const dist_vertex first = subgraph->first[subgraph->number];

	for (size_t i = 0; i < count; i++)
		subgraph->first_edge[edges[i].to - first]++;
	for (uint32_t v = 1; v <= vertices; v++)
		subgraph->first_edge[v] += subgraph->first_edge[v - 1];
	for (size_t i = count; i-- > 0;)
		subgraph->edges[--subgraph->first_edge[edges[i].to - first]] =
			(struct dist_edge){edges[i].from, edges[i].order, edges[i].wait_ns};
}

static int allocate_subgraph(struct subgraph *subgraph, size_t edges, uint32_t vertices,
			     struct error *err)
{
	TRY(allocate(&subgraph->first_edge, (size_t)vertices + 1, sizeof *subgraph->first_edge,
		     err));
	TRY(allocate(&subgraph->edges, edges, sizeof *subgraph->edges, err));
	TRY(allocate(&subgraph->wait_ns, vertices, sizeof *subgraph->wait_ns, err));
	TRY(allocate(&subgraph->next, vertices, sizeof *subgraph->next, err));
	memset(subgraph->wait_ns, 0xff, vertices * sizeof *subgraph->wait_ns);
	return 0;
}

int subgraph_begin(struct subgraph *subgraph, const struct dist_raw_edge *edges, size_t count,
		   struct error *err)
{
	const uint64_t vertices = subgraph->first[subgraph->number + 1] -
				  subgraph->first[subgraph->number];

	if (vertices >= UINT32_MAX)
		return error_set(err, STATUS_LIMIT, "a process has too many calls; use more");
	TRY(allocate_subgraph(subgraph, count, (uint32_t)vertices, err));
	sort_edges(subgraph, edges, count, (uint32_t)vertices);
	return 0;
}

void subgraph_release(struct subgraph *subgraph)
{
	free(subgraph->first_edge);
	free(subgraph->edges);
	free(subgraph->wait_ns);
	free(subgraph->next);
	free(subgraph->sync_point);
}

/* Number of an own vertex among the own hubs; that of a call is not below the number of hubs. */
static uint64_t hub_number(const struct subgraph *subgraph, uint32_t own)
{
	return subgraph->first[subgraph->number] + own - subgraph->first_hub[subgraph->number];
}

int subgraph_sync_points(struct subgraph *subgraph, const dist_vertex *hubs, size_t count,
			 struct error *err)
{
	TRY(allocate(&subgraph->sync_point,
		     subgraph->first[subgraph->number + 1] - subgraph->first_hub[subgraph->number],
		     sizeof *subgraph->sync_point, err));
	for (size_t i = 0; i < count; i++)
		if (minimum_wait_owns(subgraph, hubs[i]))
			subgraph->sync_point[hubs[i] - subgraph->first_hub[subgraph->number]] =
				true;
	return 0;
}

static bool is_sync_point(const struct subgraph *subgraph, uint32_t own)
{
	return subgraph->sync_point &&
	       subgraph->first[subgraph->number] + own >= subgraph->first_hub[subgraph->number] &&
	       subgraph->sync_point[hub_number(subgraph, own)];
}

/* ---------------------------------------------------------------------- search */

uint64_t minimum_wait_interval_of(const struct subgraph *subgraph, uint64_t wait_ns)
{
	return wait_ns != DIST_UNREACHED && subgraph->delta_ns ? wait_ns / subgraph->delta_ns
							       : wait_ns;
}

/* Note the wait of an own vertex, if it is less than what is known. */
static int improve(struct minimum_wait_search *search, dist_vertex vertex, dist_next next,
		   uint64_t wait_ns, struct error *err)
{
	struct subgraph *subgraph = search->subgraph;
	const uint32_t own = (uint32_t)(vertex - subgraph->first[subgraph->number]);
	uint64_t interval;

	if (wait_ns > subgraph->wait_ns[own])
		return 0;
	if (wait_ns == subgraph->wait_ns[own]) {
		if (next < subgraph->next[own])
			subgraph->next[own] = next;
		return 0;
	}
	subgraph->wait_ns[own] = wait_ns;
	subgraph->next[own] = next;
	/* A search ends at a synchronization point, where another one starts. */
	if (is_sync_point(subgraph, own))
		return 0;
	interval = minimum_wait_interval_of(subgraph, wait_ns);
	if (search->under_way && interval == search->interval)
		return array_push(&search->taken, own, err);
	return min_heap_push(&search->open, interval, own, err);
}

static uint64_t known_wait(const struct subgraph *subgraph, uint32_t own)
{
	return is_sync_point(subgraph, own) ? 0 : subgraph->wait_ns[own];
}

uint64_t minimum_wait_to_end(const struct subgraph *subgraph, dist_vertex vertex)
{
	return known_wait(subgraph, (uint32_t)(vertex - subgraph->first[subgraph->number]));
}

int minimum_wait_start(struct minimum_wait_search *search, dist_vertex vertex, struct error *err)
{
	const uint32_t own = (uint32_t)(vertex - search->subgraph->first[search->subgraph->number]);

	if (is_sync_point(search->subgraph, own))
		return min_heap_push(&search->open, 0, own, err);
	return improve(search, vertex, vertex, 0, err);
}

/* Whether the first entry of the heap has been replaced by a lower one, taken before. */
static bool is_stale(const struct minimum_wait_search *search)
{
	const struct min_heap_entry *entry = &search->open.entries.items[0];

	return minimum_wait_interval_of(search->subgraph,
					known_wait(search->subgraph, entry->number)) != entry->key;
}

uint64_t minimum_wait_interval(struct minimum_wait_search *search)
{
	if (search->looked_from < search->taken.count)
		return search->interval;
	while (search->open.entries.count && is_stale(search))
		min_heap_pop(&search->open);
	return search->open.entries.count ? search->open.entries.items[0].key : DIST_UNREACHED;
}

/* Tell the subgraph of a vertex its wait. */
static int tell(struct minimum_wait_search *search, const struct minimum_wait_step *step,
		struct error *err)
{
	const struct subgraph *subgraph = search->subgraph;
	const uint32_t owner = range_of(subgraph->first, subgraph->count, step->vertex);

	return array_push(&search->out[owner].list, *step, err);
}

/* Look at the edges into an own vertex: the light ones, with a wait of up to delta, or the others. */
static int relax(struct minimum_wait_search *search, uint32_t own, bool light, struct error *err)
{
	const struct subgraph *subgraph = search->subgraph;
	const dist_vertex vertex = subgraph->first[subgraph->number] + own;
	const uint64_t known_ns = known_wait(subgraph, own);

	for (uint64_t i = subgraph->first_edge[own]; i < subgraph->first_edge[own + 1]; i++) {
		const struct dist_edge *edge = &subgraph->edges[i];
		const struct minimum_wait_step step = {edge->from,
						       dist_next_by(edge->order, vertex),
						       known_ns + edge->wait_ns};

		if ((edge->wait_ns <= subgraph->delta_ns) != light)
			continue;
		search->looked_at++;
		if (minimum_wait_owns(subgraph, edge->from))
			TRY(improve(search, step.vertex, step.next, step.wait_ns, err));
		else
			TRY(tell(search, &step, err));
	}
	return 0;
}

int minimum_wait_go(struct minimum_wait_search *search, uint64_t interval, struct error *err)
{
	search->interval = interval;
	search->under_way = true;
	while (minimum_wait_interval(search) == interval) {
		if (search->looked_from == search->taken.count)
			TRY(array_push(&search->taken, min_heap_pop(&search->open), err));
		TRY(relax(search, search->taken.items[search->looked_from++], true, err));
	}
	return 0;
}

/* Forget the interval under way. */
static void forget_interval(struct minimum_wait_search *search)
{
	search->taken.count = search->looked_from = 0;
	search->under_way = false;
}

int minimum_wait_finish(struct minimum_wait_search *search, struct error *err)
{
	for (size_t i = 0; i < search->taken.count; i++)
		TRY(relax(search, search->taken.items[i], false, err));
	forget_interval(search);
	return 0;
}

int minimum_wait_take(struct minimum_wait_search *search, const struct minimum_wait_step *steps,
		      size_t count, struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		if (!minimum_wait_owns(search->subgraph, steps[i].vertex))
			return error_set(err, STATUS_DATA, "a step to a vertex of another process");
		TRY(improve(search, steps[i].vertex, steps[i].next, steps[i].wait_ns, err));
	}
	return 0;
}

void minimum_wait_clear(struct minimum_wait_search *search)
{
	search->open.entries.count = 0;
	forget_interval(search);
}

void minimum_wait_search_release(struct minimum_wait_search *search)
{
	for (uint32_t k = 0; search->out && k < search->subgraph->count; k++)
		array_release(&search->out[k].list);
	free(search->out);
	min_heap_release(&search->open);
	array_release(&search->taken);
}
