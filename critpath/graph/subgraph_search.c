#include "critpath/graph/subgraph_search.h"

#include <string.h>

bool minimum_wait_owns(const struct subgraph *part, dist_vertex vertex)
{
	return vertex >= part->first[part->part] && vertex < part->first[part->part + 1];
}

uint32_t dist_vertex_range(const dist_vertex *first, uint32_t ranges, dist_vertex vertex)
{
	uint32_t low = 0, high = ranges;

	while (high - low > 1) {
		const uint32_t middle = low + (high - low) / 2;

		if (first[middle] <= vertex)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* ----------------------------------------------------------------------- begin */

/* Put the edges into the order of the vertices where they end. */
static void sort_edges(struct subgraph *part, const struct dist_raw_edge *edges, size_t count,
		       uint32_t vertices)
{
	const dist_vertex first = part->first[part->part];

	for (size_t i = 0; i < count; i++)
		part->first_edge[edges[i].to - first]++;
	for (uint32_t v = 1; v <= vertices; v++)
		part->first_edge[v] += part->first_edge[v - 1];
	for (size_t i = count; i-- > 0;)
		part->edges[--part->first_edge[edges[i].to - first]] =
			(struct dist_edge){edges[i].from, edges[i].order, edges[i].wait_ns};
}

static int allocate_part(struct subgraph *part, size_t edges, uint32_t vertices, struct error *err)
{
	TRY(allocate(&part->first_edge, (size_t)vertices + 1, sizeof *part->first_edge, err));
	TRY(allocate(&part->edges, edges, sizeof *part->edges, err));
	TRY(allocate(&part->wait_ns, vertices, sizeof *part->wait_ns, err));
	TRY(allocate(&part->next, vertices, sizeof *part->next, err));
	memset(part->wait_ns, 0xff, vertices * sizeof *part->wait_ns);
	return 0;
}

int subgraph_begin(struct subgraph *part, const struct dist_raw_edge *edges, size_t count,
		   struct error *err)
{
	const uint64_t vertices = part->first[part->part + 1] - part->first[part->part];

	if (vertices >= UINT32_MAX)
		return error_set(err, STATUS_LIMIT, "a process has too many calls; use more");
	TRY(allocate_part(part, count, (uint32_t)vertices, err));
	sort_edges(part, edges, count, (uint32_t)vertices);
	return 0;
}

void subgraph_release(struct subgraph *part)
{
	free(part->first_edge);
	free(part->edges);
	free(part->wait_ns);
	free(part->next);
	free(part->sync_point);
}

/* Number of an own vertex among the own hubs; that of a call is not below the number of hubs. */
static uint64_t hub_number(const struct subgraph *part, uint32_t own)
{
	return part->first[part->part] + own - part->first_hub[part->part];
}

int subgraph_sync_points(struct subgraph *part, const dist_vertex *hubs, size_t count,
			 struct error *err)
{
	TRY(allocate(&part->sync_point, part->first[part->part + 1] - part->first_hub[part->part],
		     sizeof *part->sync_point, err));
	for (size_t i = 0; i < count; i++)
		if (minimum_wait_owns(part, hubs[i]))
			part->sync_point[hubs[i] - part->first_hub[part->part]] = true;
	return 0;
}

static bool is_sync_point(const struct subgraph *part, uint32_t own)
{
	return part->sync_point && part->first[part->part] + own >= part->first_hub[part->part] &&
	       part->sync_point[hub_number(part, own)];
}

/* ---------------------------------------------------------------------- search */

uint64_t minimum_wait_interval_of(const struct subgraph *part, uint64_t wait_ns)
{
	return wait_ns != DIST_UNREACHED && part->delta_ns ? wait_ns / part->delta_ns : wait_ns;
}

/* Note the wait of an own vertex, if it is less than what is known. */
static int improve(struct minimum_wait_search *search, dist_vertex vertex, dist_next next,
		   uint64_t wait_ns, struct error *err)
{
	struct subgraph *part = search->part;
	const uint32_t own = (uint32_t)(vertex - part->first[part->part]);
	uint64_t interval;

	if (wait_ns > part->wait_ns[own])
		return 0;
	if (wait_ns == part->wait_ns[own]) {
		if (next < part->next[own])
			part->next[own] = next;
		return 0;
	}
	part->wait_ns[own] = wait_ns;
	part->next[own] = next;
	/* A search ends at a synchronization point, where another one starts. */
	if (is_sync_point(part, own))
		return 0;
	interval = minimum_wait_interval_of(part, wait_ns);
	if (search->under_way && interval == search->interval)
		return array_push(&search->taken, own, err);
	return min_heap_push(&search->open, interval, own, err);
}

static uint64_t known_wait(const struct subgraph *part, uint32_t own)
{
	return is_sync_point(part, own) ? 0 : part->wait_ns[own];
}

uint64_t minimum_wait_to_end(const struct subgraph *part, dist_vertex vertex)
{
	return known_wait(part, (uint32_t)(vertex - part->first[part->part]));
}

int minimum_wait_start(struct minimum_wait_search *search, dist_vertex vertex, struct error *err)
{
	const uint32_t own = (uint32_t)(vertex - search->part->first[search->part->part]);

	if (is_sync_point(search->part, own))
		return min_heap_push(&search->open, 0, own, err);
	return improve(search, vertex, vertex, 0, err);
}

/* Whether the first entry of the heap has been replaced by a lower one, taken before. */
static bool is_stale(const struct minimum_wait_search *search)
{
	const struct min_heap_entry *entry = &search->open.entries.items[0];

	return minimum_wait_interval_of(search->part, known_wait(search->part, entry->number)) !=
	       entry->key;
}

uint64_t minimum_wait_interval(struct minimum_wait_search *search)
{
	if (search->looked_from < search->taken.count)
		return search->interval;
	while (search->open.entries.count && is_stale(search))
		min_heap_pop(&search->open);
	return search->open.entries.count ? search->open.entries.items[0].key : DIST_UNREACHED;
}

/* Tell the part of a vertex its wait. */
static int tell(struct minimum_wait_search *search, const struct minimum_wait_step *step,
		struct error *err)
{
	const struct subgraph *part = search->part;
	const uint32_t owner = dist_vertex_range(part->first, part->parts, step->vertex);

	return array_push(&search->out[owner].list, *step, err);
}

/* Look at the edges into an own vertex: the light ones, with a wait of up to delta, or the others. */
static int relax(struct minimum_wait_search *search, uint32_t own, bool light, struct error *err)
{
	const struct subgraph *part = search->part;
	const dist_vertex vertex = part->first[part->part] + own;
	const uint64_t known_ns = known_wait(part, own);

	for (uint64_t i = part->first_edge[own]; i < part->first_edge[own + 1]; i++) {
		const struct dist_edge *edge = &part->edges[i];
		const struct minimum_wait_step step = {edge->from,
						       dist_next_by(edge->order, vertex),
						       known_ns + edge->wait_ns};

		if ((edge->wait_ns <= part->delta_ns) != light)
			continue;
		search->looked_at++;
		if (minimum_wait_owns(part, edge->from))
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
		if (!minimum_wait_owns(search->part, steps[i].vertex))
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
	for (uint32_t k = 0; search->out && k < search->part->parts; k++)
		array_release(&search->out[k].list);
	free(search->out);
	min_heap_release(&search->open);
	array_release(&search->taken);
}
