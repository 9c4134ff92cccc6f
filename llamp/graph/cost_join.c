#include "llamp/graph/cost_join.h"

/* So many edges are looked at to find that one costs no more than others. */
enum { MOST_COMPARED = 8 };

int cost_join_init(struct cost_join *join, struct cost_forms *forms, struct error *err)
{
	*join = (struct cost_join){.forms = forms, .err = err};
	TRY(array_push(&join->pool, (struct candidate){0}, err));
	TRY(array_reserve(&join->open, 1, err));
	return array_push(&join->bases, (struct cost_base){0}, err);
}

void cost_join_release(struct cost_join *join)
{
	array_release(&join->open);
	array_release(&join->bases);
	array_release(&join->pool);
}

void cost_join_restart(struct cost_join *join)
{
	join->bases.count = 1;
}

/* Whether an edge costs no more than another in anything. */
static bool is_below(const struct cost_join *join, const struct candidate *a,
		     const struct candidate *b)
{
	const struct cost_form *forms = join->forms->list.items;

	return a->ns <= b->ns && (a->form == b->form || a->form == FORM_NONE ||
				  cost_form_below(&forms[a->form], &forms[b->form]));
}

bool cost_join_merge_(struct cost_join *join, struct candidate *known,
		      const struct candidate *candidate)
{
	if (is_below(join, candidate, known))
		return true;
	if (!is_below(join, known, candidate))
		return false;
	*known = *candidate;
	return true;
}

/* All values are at least 0: the beginning matters only where it costs more than another. */
static void drop_beginnings(struct cost_join *join)
{
	struct candidate *open = join->open.items;
	size_t kept = 0;

	for (size_t i = 0; i < join->open.count; i++) {
		bool below = false;

		for (size_t k = 0; open[i].base == 0 && !below && k < join->open.count &&
				   k < MOST_COMPARED; k++)
			below = open[k].base != 0 && is_below(join, &open[i], &open[k]);
		if (!below)
			open[kept++] = open[i];
	}
	join->open.count = kept;
}

/* Whether a path by way of `candidate` whose first edge is `edge` costs as much as `other`. */
static bool leads_past(const struct cost_join *join, const struct cost_edge *edge,
		       const struct candidate *candidate, const struct candidate *other)
{
	const struct cost_form *forms = join->forms->list.items;
	const struct cost_form *a = &forms[cost_edge_form(edge)], *b = &forms[candidate->form];
	const struct cost_form *c = &forms[other->form];

	/* Sums that overflow are taken for too small. */
	if (edge->ns + candidate->ns < other->ns)
		return false;
	if (b == c)
		return true;
	for (int term = 0; term < TERM_COUNT; term++)
		if (a->of[term] + b->of[term] < c->of[term])
			return false;
	return true;
}

#define DROPPED UINT32_MAX

/*
 * An edge that has come to lead from x past y to the instant is dropped if one from x
 * to y and one from y to the instant cost no less.  `first` is the first of the bases.
 */
static void drop_detours(struct cost_join *join, uint32_t first, const struct cost_edge *edges)
{
	const struct cost_base *bases = join->bases.items;
	struct candidate *open = join->open.items;
	uint32_t all = 0;
	size_t kept = 0;

	for (size_t i = 0; i < join->open.count; i++)
		all |= UINT32_C(1) << open[i].base % 32;
	for (size_t i = 0; i < join->open.count; i++) {
		const struct cost_edge *edge;

		/* Edges into the first come from before it. */
		if (open[i].base == first || open[i].base == DROPPED ||
		    !(bases[open[i].base].sources & all))
			continue;
		edge = &edges[bases[open[i].base].first_edge];
		for (int k = 0; k < MOST_COMPARED; k++, edge++) {
			/* Most come from before all others: their marks need not be looked at. */
			if (edge->from >= first) {
				const uint32_t mark = bases[edge->from].mark;

				if (mark < join->open.count && open[mark].base == edge->from &&
				    leads_past(join, edge, &open[i], &open[mark]))
					open[mark].base = DROPPED;
			}
			if (edge->form & COST_LAST_EDGE)
				break;
		}
	}
	for (size_t i = 0; i < join->open.count; i++)
		if (open[i].base != DROPPED)
			open[kept++] = open[i];
	join->open.count = kept;
}

/* Both for two edges, which most joins have: x, y and the instant as above. */
static void drop_of_two(struct cost_join *join, const struct cost_edge *edges)
{
	struct candidate *open = join->open.items;
	const bool swapped = open[0].base > open[1].base;
	const struct candidate *x = &open[swapped], *y = &open[!swapped];
	const struct cost_base *base = &join->bases.items[y->base];
	const struct cost_edge *edge = &edges[base->first_edge];
	bool dropped = x->base == 0 && y->base != 0 && is_below(join, x, y);

	for (int k = 0; k < MOST_COMPARED && y->base > x->base && !dropped; k++, edge++) {
		dropped = edge->from == x->base && leads_past(join, edge, y, x);
		if (edge->form & COST_LAST_EDGE)
			break;
	}
	if (!dropped)
		return;
	open[0] = *y;
	join->open.count = 1;
}

int cost_join_close_(struct cost_join *join, const struct cost_edge *edges)
{
	uint32_t first = UINT32_MAX;

	if (join->open.count == 0)
		cost_join_take(join, 0, 0, FORM_NONE);
	if (join->open.count == 2) {
		drop_of_two(join, edges);
		return join->failed ? -1 : 0;
	}
	for (size_t i = 0; i < join->open.count; i++)
		first = join->open.items[i].base < first ? join->open.items[i].base : first;
	if (join->open.count > 1)
		drop_detours(join, first, edges);
	if (join->open.count > 1 && first == 0)
		drop_beginnings(join);
	return join->failed ? -1 : 0;
}

uint32_t cost_join_grow_(struct cost_join *join)
{
	if (join->pool.count == UINT32_MAX) {
		error_set(join->err, STATUS_LIMIT,
			  "more than %u edges wait for operations that cannot start", UINT32_MAX);
		return 0;
	}
	if (array_push(&join->pool, (struct candidate){0}, join->err) < 0)
		return 0;
	return (uint32_t)join->pool.count - 1;
}

int cost_join_list(struct cost_join *join, uint32_t *list)
{
	*list = 0;
	for (size_t i = 0; i < join->open.count; i++) {
		const uint32_t number = cost_join_new(join);

		if (!number)
			return -1;
		join->pool.items[number] = join->open.items[i];
		join->pool.items[number].next = *list;
		*list = number;
	}
	return 0;
}
