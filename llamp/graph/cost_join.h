/*
 * The edges into one instant while they are gathered, without the dominated.
 *
 * Edges come from bases, numbered in the order in which their own edges are complete;
 * base 0 is the beginning of the program.  An instant with one edge into it is no
 * base: the edges out of it begin where that one does.
 */
#ifndef LLAMP_COST_JOIN_H
#define LLAMP_COST_JOIN_H

#include "llamp/graph/cost_graph.h"

#include <stdbool.h>

/* A join of more edges becomes a base although only one leads on from it. */
enum { MOST_LED_PAST = 16 };

/* An edge into an instant. */
struct candidate {
	uint64_t ns;
	uint32_t base;
	uint32_t form;
	uint32_t next;		/* in a list; 0 ends it */
};

struct cost_base {
	uint64_t first_edge;	/* into it */
	uint32_t mark;		/* which one in `open` came from it last */
	uint32_t sources;	/* bit b % 32 is set for every base b of edges into it */
};

struct cost_join {
	struct cost_forms *forms;	/* not owned */
	ARRAY(struct candidate) open;	/* the edges into the instant at hand */
	ARRAY(struct cost_base) bases;
	/* Lists of edges into instants to come. */
	ARRAY(struct candidate) pool;	/* the first one is not used */
	uint32_t unused;		/* a list */
	bool failed;			/* memory was short: *err says so */
	struct error *err;
};

int cost_join_init(struct cost_join *join, struct cost_forms *forms, struct error *err);
void cost_join_release(struct cost_join *join);

/* Forget all bases but the beginning. */
void cost_join_restart(struct cost_join *join);

/* edges[first] and those behind it are the edges into the next base. */
static inline int cost_join_add_base(struct cost_join *join, const struct cost_edge *edges,
				     uint64_t first)
{
	const struct cost_edge *edge = &edges[first];
	uint32_t sources = UINT32_C(1) << edge->from % 32;

	while (!(edge++->form & COST_LAST_EDGE))
		sources |= UINT32_C(1) << edge->from % 32;
	return array_push(&join->bases, ((struct cost_base){first, 0, sources}), join->err);
}

/* The last base is all that leads on now. */
static inline void cost_join_go_on(struct cost_join *join)
{
	join->open.count = 1;
	join->open.items[0] = (struct candidate){.base = (uint32_t)join->bases.count - 1};
}

int cost_join_close_(struct cost_join *join, const struct cost_edge *edges);

/* Whether neither of two edges can make the other superfluous. */
static inline bool cost_join_apart_(const struct cost_join *join)
{
	const uint32_t a = join->open.items[0].base, b = join->open.items[1].base;
	const uint32_t x = a < b ? a : b, y = a < b ? b : a;

	return x > 0 && x < y && !(join->bases.items[y].sources >> x % 32 & 1);
}

/* That was all: drop what other edges make superfluous.  `edges` are those of the bases. */
static inline int cost_join_close(struct cost_join *join, const struct cost_edge *edges)
{
	const size_t count = join->open.count;

	if (!join->failed && (count == 1 || (count == 2 && cost_join_apart_(join))))
		return 0;
	return cost_join_close_(join, edges);
}

/* Of an edge and another one from the same base: whether one of them is all that counts. */
bool cost_join_merge_(struct cost_join *join, struct candidate *known,
		      const struct candidate *candidate);

/* Add an edge to those into the instant at hand, unless it is dominated. */
static inline void cost_join_take(struct cost_join *join, uint64_t ns, uint32_t base,
				  uint32_t form)
{
	uint32_t *mark = &join->bases.items[base].mark;
	struct candidate *added;

	if (*mark < join->open.count && join->open.items[*mark].base == base &&
	    cost_join_merge_(join, &join->open.items[*mark],
			     &(struct candidate){ns, base, form, 0}))
		return;
	*mark = (uint32_t)join->open.count;
	if (array_reserve(&join->open, 1, join->err) < 0) {
		join->failed = true;
		return;
	}
	/* Fields are written one by one: they are read soon, and whole ones would wait. */
	added = &join->open.items[join->open.count++];
	added->ns = ns;
	added->base = base;
	added->form = form;
}

/* Write the edges into the instant at hand: those of the next vertex. */
static inline int cost_join_write(const struct cost_join *join, struct cost_writer *writer)
{
	TRY(array_reserve(&writer->edges, join->open.count, join->err));
	for (size_t i = 0; i < join->open.count; i++) {
		const struct candidate *open = &join->open.items[i];
		struct cost_edge *edge = &writer->edges.items[writer->edges.count++];

		edge->ns = open->ns;
		edge->from = open->base;
		edge->form = open->form;
	}
	return 0;
}

/* ---------------------------------------------------------------------- lists */

/* More room for edges of lists; 0: *err says why not. */
uint32_t cost_join_grow_(struct cost_join *join);

/* Room for an edge of a list; 0: *err says why not. */
static inline uint32_t cost_join_new(struct cost_join *join)
{
	const uint32_t i = join->unused;

	if (!i)
		return cost_join_grow_(join);
	join->unused = join->pool.items[i].next;
	return i;
}

/* Keep the edges into the instant at hand as a list. */
int cost_join_list(struct cost_join *join, uint32_t *list);

/* Forget a list, of which there is one. */
static inline void cost_join_free(struct cost_join *join, uint32_t list)
{
	struct candidate *last = &join->pool.items[list];

	while (last->next)
		last = &join->pool.items[last->next];
	last->next = join->unused;
	join->unused = list;
}

/* Take a list, which is all there will be, and leave it empty. */
static inline void cost_join_take_list(struct cost_join *join, uint32_t *list)
{
	const struct candidate *pool = join->pool.items;

	if (!*list)
		return;
	/* One candidate cannot be dominated, and needs no mark. */
	if (!pool[*list].next) {
		join->open.items[0] = pool[*list];
		join->open.count = 1;
	} else {
		for (uint32_t i = *list; i; i = pool[i].next)
			cost_join_take(join, pool[i].ns, pool[i].base, pool[i].form);
	}
	cost_join_free(join, *list);
	*list = 0;
}

/*
 * The edge that goes on by ns and form, a number or FORM_FAILED; false if a sum does not
 * fit 64 bits, or if forms->failed.
 */
static inline bool cost_join_sum(struct cost_join *join, const struct candidate *candidate,
				 uint64_t ns, uint32_t form, struct candidate *sum)
{
	if (form == FORM_FAILED || __builtin_add_overflow(candidate->ns, ns, &sum->ns))
		return false;
	sum->form = cost_forms_add(join->forms, candidate->form, form);
	sum->base = candidate->base;
	return sum->form != FORM_FAILED;
}

#endif
