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
#include "llamp/execution.h"

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
uint32_t cost_forms_of_(struct cost_forms *forms, const struct cost *cost, size_t place);

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

/* The form of the cost of an operation. */
static inline uint32_t cost_forms_of(struct cost_forms *forms, const struct cost *cost)
{
	const size_t place = (size_t)(cost->bytes * 61 + cost->latencies * 5u + cost->overheads +
				      cost->gaps * 17u) % FORM_CACHE;
	const struct cost_form *form;
	uint32_t known;

	if (!(cost->bytes | cost->latencies | cost->overheads | cost->gaps))
		return FORM_NONE;
	known = forms->elementary[place];
	form = &forms->list.items[known];
	if (form->of[TERM_L] == cost->latencies && form->of[TERM_G] == cost->bytes &&
	    form->of[TERM_O] == cost->overheads && form->of[TERM_GAP] == cost->gaps)
		return known;
	return cost_forms_of_(forms, cost, place);
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
