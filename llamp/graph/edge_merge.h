/*
 * Gathering the in-edges of one event, without dominated edges.
 *
 * Edges come from sources, which are numbered in the order in which their own in-edges are
 * complete.  Source 0 is the beginning of the program.  An event with one in-edge is not a
 * source, since the edges out of it begin where its in-edge begins.  Numbers may be left out: of
 * sources that others add, and whose in-edges are not known here.
 */
#ifndef LLAMP_EDGE_MERGE_H
#define LLAMP_EDGE_MERGE_H

#include "llamp/graph/cost_writer.h"

/* An event with more in-edges becomes a source although it has only one edge out of it. */
enum { MOST_BYPASSED = 16 };

/*
 * Number of recent sources that are known: enough for 10,000 ranks, and of fewer ranks
 * SOURCES_KNOWN_PER_RANK each, so that they stay in the cache.  Powers of two.
 */
enum {
	SOURCES_KNOWN_PER_RANK = 1 << 8,
	LEAST_SOURCES_KNOWN = 1 << 12,
	MOST_SOURCES_KNOWN = 1 << 18
};

/* Edge into an event. */
struct in_edge {
	uint64_t ns;
	uint32_t source;
	uint32_t expression;
	uint32_t next; /* in a list; 0 ends it */
};

struct merge_source {
	uint64_t first_edge;  /* the first of its in-edges */
	uint64_t source_bits; /* bit b % 64 for each source b of its in-edges */
	uint32_t latest;      /* the last one of these sources */
	uint32_t mark;	      /* index in `open` of the last edge taken from it */
	uint32_t number;      /* of the source whose in-edges these are */
};

struct edge_merge {
	struct cost_expressions *expressions; /* not owned */
	ARRAY(struct in_edge) open;	      /* in-edges of the current event */
	/*
	 * The last sources_mask + 1 sources: source x is item x & sources_mask.  Detours by way of
	 * older ones are not found.
	 */
	ARRAY(struct merge_source) sources;
	uint32_t sources_mask;
	uint32_t next_source; /* number of the next one that is added */
	/* Lists of in-edges of later events: */
	ARRAY(struct in_edge) pool; /* item 0 is not used */
	uint32_t unused;	    /* list of free items */
	bool failed;		    /* no memory: see *err */
	struct error *err;
};

int edge_merge_init(struct edge_merge *merge, struct cost_expressions *expressions,
		    struct error *err);
/*
 * Know only as many sources as the events of `rank_count` ranks need, and let numbers of sources be
 * left out.  `merge_count` merges share the memory of MOST_SOURCES_KNOWN.  Before the first is added.
 */
int edge_merge_limit(struct edge_merge *merge, uint32_t rank_count, uint32_t merge_count);

void edge_merge_release(struct edge_merge *merge);

/* Item of a source.  An old source shares it with a later one, so that its mark may be wrong. */
static inline struct merge_source *edge_merge_source(const struct edge_merge *merge,
						     uint32_t source)
{
	return &merge->sources.items[source & merge->sources_mask];
}

/* Whether the in-edges of a source are known. */
static inline bool edge_merge_knows(const struct edge_merge *merge, uint32_t source)
{
	return edge_merge_source(merge, source)->number == source;
}

/* Add a source.  Its in-edges are those from `first` to the end of the list. */
static inline int edge_merge_add_source(struct edge_merge *merge, const struct cost_edges *edges,
					uint64_t first)
{
	uint64_t bits = 0;
	uint32_t latest = 0;

	for (uint64_t i = first; i < edges->list.count; i++) {
		const uint32_t from = cost_writer_edge_at(edges, i, merge->next_source).from;

		bits |= UINT64_C(1) << from % 64;
		latest = from > latest ? from : latest;
	}
	if (merge->sources.count <= (merge->next_source & merge->sources_mask))
		TRY(array_push(&merge->sources, (struct merge_source){0}, merge->err));
	*edge_merge_source(merge, merge->next_source) = (struct merge_source){first, bits, latest,
									      0,
									      merge->next_source};
	merge->next_source++;
	return 0;
}

/* Replace the in-edges of the current event by one from the last source. */
static inline void edge_merge_keep_last(struct edge_merge *merge)
{
	merge->open.count = 1;
	merge->open.items[0] = (struct in_edge){.source = merge->next_source - 1};
}

int edge_merge_close_(struct edge_merge *merge, const struct cost_edges *edges);

/* Whether edges from two sources certainly do not dominate each other. */
static inline bool edge_merge_apart(const struct edge_merge *merge, uint32_t a, uint32_t b)
{
	const uint32_t x = a < b ? a : b, y = a < b ? b : a;

	return x > 0 && x < y && !(edge_merge_source(merge, y)->source_bits >> x % 64 & 1);
}

/* Drop dominated edges after all have been taken.  `edges` are the sources' in-edges. */
static inline int edge_merge_close(struct edge_merge *merge, const struct cost_edges *edges)
{
	const size_t count = merge->open.count;
	const struct in_edge *open = merge->open.items;

	if (!merge->failed &&
	    (count == 1 || (count == 2 && edge_merge_apart(merge, open[0].source, open[1].source))))
		return 0;
	return edge_merge_close_(merge, edges);
}

/* Keep the dominating one of two edges from the same source; false if neither dominates. */
bool edge_merge_replace_(struct edge_merge *merge, struct in_edge *known,
			 const struct in_edge *in_edge);

/* Add an edge to the in-edges of the current event, unless it is dominated. */
static inline void edge_merge_take(struct edge_merge *merge, uint64_t ns, uint32_t source,
				   uint32_t expression)
{
	uint32_t *mark = &edge_merge_source(merge, source)->mark;
	struct in_edge *added;

	if (*mark < merge->open.count && merge->open.items[*mark].source == source &&
	    edge_merge_replace_(merge, &merge->open.items[*mark],
				&(struct in_edge){ns, source, expression, 0}))
		return;
	*mark = (uint32_t)merge->open.count;
	if (array_reserve(&merge->open, 1, merge->err) < 0) {
		merge->failed = true;
		return;
	}
	/* Write single fields: a field is read soon, and would wait for a wider store. */
	added = &merge->open.items[merge->open.count++];
	added->ns = ns;
	added->source = source;
	added->expression = expression;
}

/* Write the in-edges of the current event as those of the next vertex and source. */
static inline int edge_merge_write(const struct edge_merge *merge, struct cost_writer *writer)
{
	for (size_t i = 0; i < merge->open.count; i++) {
		const struct in_edge *open = &merge->open.items[i];

		TRY(cost_writer_edge_into(writer, merge->next_source, open->source, open->ns,
					  open->expression, merge->err));
	}
	return 0;
}

/* ---------------------------------------------------------------------- lists */

/* Add an item to the pool and return its index, or 0 with *err set. */
uint32_t edge_merge_grow_(struct edge_merge *merge);

/* Take a free item of the pool and return its index, or 0 with *err set. */
static inline uint32_t edge_merge_new(struct edge_merge *merge)
{
	const uint32_t i = merge->unused;

	if (!i)
		return edge_merge_grow_(merge);
	merge->unused = merge->pool.items[i].next;
	return i;
}

/* Copy the in-edges of the current event to a list. */
int edge_merge_list(struct edge_merge *merge, uint32_t *list);

/* Free a list that is not empty. */
static inline void edge_merge_free(struct edge_merge *merge, uint32_t list)
{
	struct in_edge *last = &merge->pool.items[list];

	while (last->next)
		last = &merge->pool.items[last->next];
	last->next = merge->unused;
	merge->unused = list;
}

/* Take a list as the only in-edges of the current event, and leave it empty. */
static inline void edge_merge_take_list(struct edge_merge *merge, uint32_t *list)
{
	const struct in_edge *pool = merge->pool.items;

	if (!*list)
		return;
	/* A single edge cannot be dominated, so it needs no mark. */
	if (!pool[*list].next) {
		merge->open.items[0] = pool[*list];
		merge->open.count = 1;
	} else {
		for (uint32_t i = *list; i; i = pool[i].next)
			edge_merge_take(merge, pool[i].ns, pool[i].source, pool[i].expression);
	}
	edge_merge_free(merge, *list);
	*list = 0;
}

/*
 * Extend an edge by ns and an expression.  False if the expression is EXPRESSION_FAILED, if a
 * sum does not fit 64 bits, or if expressions->failed.
 */
static inline bool edge_merge_extend(struct edge_merge *merge, const struct in_edge *in_edge,
				     uint64_t ns, uint32_t expression, struct in_edge *sum)
{
	if (expression == EXPRESSION_FAILED || __builtin_add_overflow(in_edge->ns, ns, &sum->ns))
		return false;
	sum->expression = cost_expressions_add(merge->expressions, in_edge->expression, expression);
	sum->source = in_edge->source;
	return sum->expression != EXPRESSION_FAILED;
}

#endif
