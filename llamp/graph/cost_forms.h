/*
 * The linear forms that costs have, each once.
 *
 * Millions of edges have few different coefficients of the parameters, so an edge
 * names its form by a number.  What a form weighs for given values of the
 * parameters is computed once per form, whatever the number of parameters is.
 */
#ifndef LLAMP_COST_FORMS_H
#define LLAMP_COST_FORMS_H

#include "common/array.h"
#include "llamp/graph/execution.h"

/* The parameters that can be varied come first: TERM_x is PARAMETER_x. */
enum {
	TERM_L = PARAMETER_L,		/* latencies */
	TERM_G = PARAMETER_G,		/* bytes */
	TERM_O = PARAMETER_O,		/* overheads */
	TERM_GAP = PARAMETER_COUNT,	/* gaps */
	TERM_COUNT,
};

struct cost_form {
	uint64_t of[TERM_COUNT];
};

enum { FORM_NONE = 0 };	/* all coefficients 0 */

/* No form: a sum that does not fit 64 bits, or no memory (err says so). */
#define FORM_FAILED UINT32_MAX
#define FORM_MOST (UINT32_C(1) << 31)

/* Results of cost_forms_add that were asked for lately. */
struct form_sum {
	uint32_t a, b, sum;
};

struct cost_forms {
	ARRAY(struct cost_form) list;
	uint32_t *table;		/* hash table of numbers + 1 */
	size_t table_mask;
	struct form_sum *sums;
	uint32_t *elementary;		/* of costs of operations that were asked for lately */
	struct cost last_cost;		/* the last one with bytes, and its form */
	uint32_t last_form;
	uint32_t small[32];		/* of costs without bytes; 0: not asked for yet */
	struct error *err;
	bool failed;			/* memory was short, or there were too many */
};

int cost_forms_init(struct cost_forms *forms, struct error *err);

/* Free what only finding forms needs; the list stays. */
void cost_forms_finish(struct cost_forms *forms);
void cost_forms_release(struct cost_forms *forms);

/* The form with these coefficients. */
uint32_t cost_forms_find(struct cost_forms *forms, const struct cost_form *form);

uint32_t cost_forms_add_(struct cost_forms *forms, uint32_t a, uint32_t b);
uint32_t cost_forms_of_(struct cost_forms *forms, const struct cost *cost);

enum { FORM_CACHE = 4096 };

/* The sum of two forms; FORM_FAILED if a coefficient does not fit 64 bits. */
static inline uint32_t cost_forms_add(struct cost_forms *forms, uint32_t a, uint32_t b)
{
	const struct form_sum *known;

	if (a == FORM_NONE)
		return b;
	if (b == FORM_NONE)
		return a;
	known = &forms->sums[(a * 31 + b) % FORM_CACHE];
	return known->a == a && known->b == b ? known->sum : cost_forms_add_(forms, a, b);
}

/* Whether two costs have the same form. */
static inline bool cost_forms_alike(const struct cost *a, const struct cost *b)
{
	return !((a->bytes ^ b->bytes) |
		 (unsigned)((a->latencies ^ b->latencies) | (a->overheads ^ b->overheads) |
			    (a->gaps ^ b->gaps)));
}

/* The form of the cost of an operation. */
static inline uint32_t cost_forms_of(struct cost_forms *forms, const struct cost *cost)
{
	if (!cost->bytes) {
		const unsigned place = cost->latencies | cost->overheads << 2 | cost->gaps << 4;

		if (place == 0)
			return FORM_NONE;
		/* Operations have no more than 3 latencies, 3 overheads and a gap. */
		if (cost->latencies > 3 || cost->overheads > 3 || cost->gaps > 1)
			return cost_forms_of_(forms, cost);
		if (!forms->small[place])
			forms->small[place] = cost_forms_of_(forms, cost);
		return forms->small[place];
	}
	if (!cost_forms_alike(cost, &forms->last_cost)) {
		forms->last_form = cost_forms_of_(forms, cost);
		forms->last_cost = *cost;
	}
	return forms->last_form;
}

/* Whether no coefficient of a is larger than that of b. */
static inline bool cost_form_below(const struct cost_form *a, const struct cost_form *b)
{
	bool below = true;

	for (int term = 0; term < TERM_COUNT; term++)
		below &= a->of[term] <= b->of[term];
	return below;
}

#endif
