#include "llamp/graph/edge_merge.h"

#include <string.h>

/* Compare with at most this many edges when testing for dominance. */
enum { MOST_COMPARED = 8 };

int edge_merge_init(struct edge_merge *merge, struct cost_expressions *expressions,
		    struct error *err)
{
	*merge = (struct edge_merge){.expressions = expressions,
				     .sources_mask = MOST_SOURCES_KNOWN - 1,
				     .err = err};
	TRY(array_push(&merge->pool, (struct in_edge){0}, err));
	TRY(array_reserve(&merge->open, 1, err));
	merge->next_source = 1;
	return array_push(&merge->sources, (struct merge_source){0}, err);
}

int edge_merge_limit(struct edge_merge *merge, uint32_t rank_count, uint32_t merge_count)
{
	const uint32_t most = MOST_SOURCES_KNOWN / merge_count;
	uint32_t known = LEAST_SOURCES_KNOWN;

	while (known <= most / 2 && known / SOURCES_KNOWN_PER_RANK < rank_count)
		known *= 2;
	merge->sources_mask = known - 1;
	TRY(array_reserve(&merge->sources, known, merge->err));
	memset(merge->sources.items, 0, known * sizeof *merge->sources.items);
	merge->sources.count = known;
	return 0;
}

void edge_merge_release(struct edge_merge *merge)
{
	array_release(&merge->open);
	array_release(&merge->sources);
	array_release(&merge->pool);
}

/*
 * Whether a costs no more than b in ns and in each coefficient, or less at all points of the
 * direction of the question.
 */
static bool in_edge_below(const struct edge_merge *merge, const struct in_edge *a,
			  const struct in_edge *b)
{
	if (cost_line_below(merge->expressions, a->ns, a->expression, b->ns, b->expression,
			    EXPRESSION_NONE))
		return true;
	return a->ns <= b->ns &&
	       (a->expression == b->expression || a->expression == EXPRESSION_NONE ||
		cost_expression_below(merge->expressions, a->expression, b->expression));
}

bool edge_merge_replace_(struct edge_merge *merge, struct in_edge *known,
			 const struct in_edge *in_edge)
{
	if (in_edge_below(merge, in_edge, known))
		return true;
	if (!in_edge_below(merge, known, in_edge))
		return false;
	*known = *in_edge;
	return true;
}

/*
 * Drop the edge from the beginning of the program if it costs no more than another edge.  It
 * cannot matter then, since all values are at least 0.
 */
static void drop_beginnings(struct edge_merge *merge)
{
	struct in_edge *open = merge->open.items;
	size_t kept = 0;

	for (size_t i = 0; i < merge->open.count; i++) {
		bool below = false;

		for (size_t k = 0;
		     open[i].source == 0 && !below && k < merge->open.count && k < MOST_COMPARED;
		     k++)
			below = open[k].source != 0 && in_edge_below(merge, &open[i], &open[k]);
		if (!below)
			open[kept++] = open[i];
	}
	merge->open.count = kept;
}

/* Whether `other` need not be kept beside `edge` and then `in_edge`, by the rule above. */
static bool bypasses(const struct edge_merge *merge, const struct cost_edge *edge,
		     const struct in_edge *in_edge, const struct in_edge *other)
{
	if (cost_line_below(merge->expressions, other->ns, other->expression,
			    (__int128)edge->ns + in_edge->ns, cost_edge_expression(edge),
			    in_edge->expression))
		return true;
	/* A sum that overflows counts as too small. */
	if (edge->ns + in_edge->ns < other->ns)
		return false;
	return in_edge->expression == other->expression ||
	       cost_expression_covered(merge->expressions, other->expression,
				       cost_edge_expression(edge), in_edge->expression);
}

#define DROPPED UINT32_MAX

/*
 * Drop each edge from a source x if the edges from x to another source y and from y to the event
 * cost no less.  `first` is the lowest source.
 */
static void drop_detours(struct edge_merge *merge, uint32_t first, const struct cost_edges *edges)
{
	struct in_edge *open = merge->open.items;
	uint64_t all = 0;
	size_t kept = 0;

	for (size_t i = 0; i < merge->open.count; i++)
		all |= UINT64_C(1) << open[i].source % 64;
	for (size_t i = 0; i < merge->open.count; i++) {
		const struct merge_source *source;

		/* In-edges of the first source come from before it. */
		if (open[i].source == first || open[i].source == DROPPED ||
		    !edge_merge_knows(merge, open[i].source))
			continue;
		source = edge_merge_source(merge, open[i].source);
		if (source->latest < first || !(source->source_bits & all))
			continue;
		for (int k = 0; k < MOST_COMPARED; k++) {
			const struct cost_edge edge = cost_writer_edge_at(
				edges, source->first_edge + (uint64_t)k, open[i].source);

			/* Most edges come from before `first`, so not from a source in `open`. */
			if (edge.from >= first) {
				const uint32_t mark = edge_merge_source(merge, edge.from)->mark;

				if (mark < merge->open.count && open[mark].source == edge.from &&
				    bypasses(merge, &edge, &open[i], &open[mark]))
					open[mark].source = DROPPED;
			}
			if (edge.expression & COST_LAST_EDGE)
				break;
		}
	}
	for (size_t i = 0; i < merge->open.count; i++)
		if (open[i].source != DROPPED)
			open[kept++] = open[i];
	merge->open.count = kept;
}

/* Drop one of two edges, for either reason.  Most joins have two edges. */
static void drop_of_two(struct edge_merge *merge, const struct cost_edges *edges)
{
	struct in_edge *open = merge->open.items;
	const bool swapped = open[0].source > open[1].source;
	const struct in_edge *x = &open[swapped], *y = &open[!swapped];
	const bool detour = y->source > x->source && edge_merge_knows(merge, y->source);
	const uint64_t at = edge_merge_source(merge, y->source)->first_edge;
	bool dropped = x->source == 0 && y->source != 0 && in_edge_below(merge, x, y);

	for (int k = 0; k < MOST_COMPARED && detour && !dropped; k++) {
		const struct cost_edge edge = cost_writer_edge_at(edges, at + (uint64_t)k,
								  y->source);

		dropped = edge.from == x->source && bypasses(merge, &edge, y, x);
		if (edge.expression & COST_LAST_EDGE)
			break;
	}
	if (!dropped)
		return;
	open[0] = *y;
	merge->open.count = 1;
}

int edge_merge_close_(struct edge_merge *merge, const struct cost_edges *edges)
{
	uint32_t first = UINT32_MAX;

	if (merge->open.count == 0)
		edge_merge_take(merge, 0, 0, EXPRESSION_NONE);
	if (merge->open.count == 2) {
		drop_of_two(merge, edges);
		return merge->failed ? -1 : 0;
	}
	for (size_t i = 0; i < merge->open.count; i++)
		first = merge->open.items[i].source < first ? merge->open.items[i].source : first;
	if (merge->open.count > 1)
		drop_detours(merge, first, edges);
	if (merge->open.count > 1 && first == 0)
		drop_beginnings(merge);
	return merge->failed ? -1 : 0;
}

uint32_t edge_merge_grow_(struct edge_merge *merge)
{
	if (merge->pool.count == UINT32_MAX) {
		error_set(merge->err, STATUS_LIMIT,
			  "more than %u edges wait for operations that cannot start", UINT32_MAX);
		return 0;
	}
	if (array_push(&merge->pool, (struct in_edge){0}, merge->err) < 0)
		return 0;
	return (uint32_t)merge->pool.count - 1;
}

int edge_merge_list(struct edge_merge *merge, uint32_t *list)
{
	*list = 0;
	for (size_t i = 0; i < merge->open.count; i++) {
		const uint32_t number = edge_merge_new(merge);

		if (!number)
			return -1;
		merge->pool.items[number] = merge->open.items[i];
		merge->pool.items[number].next = *list;
		*list = number;
	}
	return 0;
}
