#include "critpath/parts/least_wait_part.h"

#include <string.h>

static bool is_own(const struct least_wait_part *part, part_vertex vertex)
{
	return vertex >= part->first[part->part] && vertex < part->first[part->part + 1];
}

uint32_t least_wait_owner(const part_vertex *first, uint32_t parts, part_vertex vertex)
{
	uint32_t low = 0, high = parts;

	while (high - low > 1) {
		const uint32_t middle = low + (high - low) / 2;

		if (first[middle] <= vertex)
			low = middle;
		else
			high = middle;
	}
	return low;
}

uint64_t least_wait_interval_of(const struct least_wait_part *part, uint64_t wait_ns)
{
	return wait_ns != PART_UNREACHED && part->delta_ns ? wait_ns / part->delta_ns : wait_ns;
}

/* Note the wait of an own vertex, if it is less than what is known. */
static int improve(struct least_wait_part *part, part_vertex vertex, part_vertex next,
		   uint64_t wait_ns, struct error *err)
{
	const uint32_t own = (uint32_t)(vertex - part->first[part->part]);

	if (wait_ns >= part->wait_ns[own])
		return 0;
	part->wait_ns[own] = wait_ns;
	part->next[own] = next;
	return min_heap_push(&part->open, least_wait_interval_of(part, wait_ns), own, err);
}

/* ----------------------------------------------------------------------- begin */

/* Put the edges into the order of the vertices where they end. */
static void sort_edges(struct least_wait_part *part, const struct part_raw_edge *edges,
		       size_t count, uint32_t vertices)
{
	const part_vertex first = part->first[part->part];

	for (size_t i = 0; i < count; i++)
		part->first_edge[edges[i].to - first]++;
	for (uint32_t v = 1; v <= vertices; v++)
		part->first_edge[v] += part->first_edge[v - 1];
	for (size_t i = count; i-- > 0;)
		part->edges[--part->first_edge[edges[i].to - first]] =
			(struct part_edge){edges[i].from, edges[i].wait_ns};
}

static int allocate_part(struct least_wait_part *part, size_t edges, uint32_t vertices,
			 struct error *err)
{
	TRY(allocate(&part->first_edge, (size_t)vertices + 1, sizeof *part->first_edge, err));
	TRY(allocate(&part->edges, edges, sizeof *part->edges, err));
	TRY(allocate(&part->wait_ns, vertices, sizeof *part->wait_ns, err));
	TRY(allocate(&part->next, vertices, sizeof *part->next, err));
	memset(part->wait_ns, 0xff, vertices * sizeof *part->wait_ns);
	return allocate(&part->out, part->parts, sizeof *part->out, err);
}

int least_wait_part_begin(struct least_wait_part *part, const struct part_raw_edge *edges,
			  size_t count, part_vertex sink, struct error *err)
{
	const uint64_t vertices = part->first[part->part + 1] - part->first[part->part];

	if (vertices >= UINT32_MAX)
		return error_set(err, STATUS_LIMIT, "a process has too many calls; use more");
	TRY(allocate_part(part, count, (uint32_t)vertices, err));
	sort_edges(part, edges, count, (uint32_t)vertices);
	return is_own(part, sink) ? improve(part, sink, sink, 0, err) : 0;
}

void least_wait_part_release(struct least_wait_part *part)
{
	free(part->first_edge);
	free(part->edges);
	free(part->wait_ns);
	free(part->next);
	for (uint32_t k = 0; part->out && k < part->parts; k++)
		array_release(&part->out[k].list);
	free(part->out);
	min_heap_release(&part->open);
	array_release(&part->taken);
}

/* ---------------------------------------------------------------------- search */

/* Whether the first entry of the heap has been replaced by a lower one, taken before. */
static bool is_stale(const struct least_wait_part *part)
{
	const struct min_heap_entry *entry = &part->open.entries.items[0];

	return least_wait_interval_of(part, part->wait_ns[entry->number]) != entry->key;
}

uint64_t least_wait_part_interval(struct least_wait_part *part)
{
	while (part->open.entries.count && is_stale(part))
		min_heap_pop(&part->open);
	return part->open.entries.count ? part->open.entries.items[0].key : PART_UNREACHED;
}

/* Look at the edges into an own vertex: the light ones, with a wait of up to delta, or the others. */
static int relax(struct least_wait_part *part, uint32_t own, bool light, struct error *err)
{
	const part_vertex vertex = part->first[part->part] + own;

	for (uint64_t i = part->first_edge[own]; i < part->first_edge[own + 1]; i++) {
		const struct part_edge *edge = &part->edges[i];
		const struct least_wait_step step = {edge->from, vertex,
						     part->wait_ns[own] + edge->wait_ns};

		if ((edge->wait_ns <= part->delta_ns) != light)
			continue;
		part->looked_at++;
		if (is_own(part, edge->from))
			TRY(improve(part, step.vertex, step.next, step.wait_ns, err));
		else
			TRY(array_push(&part->out[least_wait_owner(part->first, part->parts, edge->from)].list, step,
				       err));
	}
	return 0;
}

int least_wait_part_go(struct least_wait_part *part, uint64_t interval, struct error *err)
{
	while (least_wait_part_interval(part) == interval) {
		const uint32_t own = min_heap_pop(&part->open);

		TRY(array_push(&part->taken, own, err));
		TRY(relax(part, own, true, err));
	}
	return 0;
}

int least_wait_part_finish(struct least_wait_part *part, struct error *err)
{
	for (size_t i = 0; i < part->taken.count; i++)
		TRY(relax(part, part->taken.items[i], false, err));
	part->taken.count = 0;
	return 0;
}

int least_wait_part_take(struct least_wait_part *part, const struct least_wait_step *steps,
			 size_t count, struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		if (!is_own(part, steps[i].vertex))
			return error_set(err, STATUS_DATA, "a step to a vertex of another process");
		TRY(improve(part, steps[i].vertex, steps[i].next, steps[i].wait_ns, err));
	}
	return 0;
}
