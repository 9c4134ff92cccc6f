/*
 * The affine expressions that costs have, each once.
 *
 * Millions of edges have few different coefficients of the parameters, so an edge
 * names its expression by a number.  What a expression weighs for given values of the
 * parameters is computed once per expression, whatever the number of parameters is.
 */
#ifndef LLAMP_COST_EXPRESSIONS_H
#define LLAMP_COST_EXPRESSIONS_H

#include "common/array.h"
#include "llamp/graph/execution_graph.h"

/* The parameters that can be varied come first: TERM_x is PARAMETER_x. */
enum {
	TERM_L = PARAMETER_L,		/* latencies */
	TERM_G = PARAMETER_G,		/* bytes */
	TERM_O = PARAMETER_O,		/* overheads */
	TERM_GAP = PARAMETER_COUNT,	/* gaps */
	TERM_COUNT,
};

struct cost_expression {
	uint64_t of[TERM_COUNT];
};

enum { EXPRESSION_NONE = 0 };	/* all coefficients 0 */

/* No expression: a sum that does not fit 64 bits, or no memory (err says so). */
#define EXPRESSION_FAILED UINT32_MAX
#define EXPRESSION_MOST (UINT32_C(1) << 31)

/* Results of cost_expressions_add that were asked for lately. */
struct expression_sum {
	uint32_t a, b, sum;
};

struct cost_expressions {
	ARRAY(struct cost_expression) list;
	uint32_t *table;		/* hash table of numbers + 1 */
	size_t table_mask;
	struct expression_sum *sums;
	uint32_t *elementary;		/* of costs of operations that were asked for lately */
	struct cost last_cost;		/* the last one with bytes, and its expression */
	uint32_t last_expression;
	uint32_t small[32];		/* of costs without bytes; 0: not asked for yet */
	struct error *err;
	bool failed;			/* memory was short, or there were too many */
};

int cost_expressions_init(struct cost_expressions *expressions, struct error *err);

/* Free what only finding expressions needs; the list stays. */
void cost_expressions_finish(struct cost_expressions *expressions);
void cost_expressions_release(struct cost_expressions *expressions);

/* The expression with these coefficients. */
uint32_t cost_expressions_find(struct cost_expressions *expressions,
			       const struct cost_expression *expression);

uint32_t cost_expressions_add_(struct cost_expressions *expressions, uint32_t a, uint32_t b);
uint32_t cost_expressions_of_(struct cost_expressions *expressions, const struct cost *cost);

enum { EXPRESSION_CACHE = 4096 };

/* The sum of two expressions; EXPRESSION_FAILED if a coefficient does not fit 64 bits. */
static inline uint32_t cost_expressions_add(struct cost_expressions *expressions, uint32_t a,
					    uint32_t b)
{
	const struct expression_sum *known;

	if (a == EXPRESSION_NONE)
		return b;
	if (b == EXPRESSION_NONE)
		return a;
	known = &expressions->sums[(a * 31 + b) % EXPRESSION_CACHE];
	return known->a == a && known->b == b ? known->sum
					      : cost_expressions_add_(expressions, a, b);
}

/* Whether two costs have the same expression. */
static inline bool cost_expressions_alike(const struct cost *a, const struct cost *b)
{
	return !((a->bytes ^ b->bytes) |
		 (unsigned)((a->latencies ^ b->latencies) | (a->overheads ^ b->overheads) |
			    (a->gaps ^ b->gaps)));
}

/* The expression of the cost of an operation. */
static inline uint32_t cost_expressions_of(struct cost_expressions *expressions,
					   const struct cost *cost)
{
	if (!cost->bytes) {
		const unsigned place = cost->latencies | cost->overheads << 2 | cost->gaps << 4;

		if (place == 0)
			return EXPRESSION_NONE;
		/* Operations have no more than 3 latencies, 3 overheads and a gap. */
		if (cost->latencies > 3 || cost->overheads > 3 || cost->gaps > 1)
			return cost_expressions_of_(expressions, cost);
		if (!expressions->small[place])
			expressions->small[place] = cost_expressions_of_(expressions, cost);
		return expressions->small[place];
	}
	if (!cost_expressions_alike(cost, &expressions->last_cost)) {
		expressions->last_expression = cost_expressions_of_(expressions, cost);
		expressions->last_cost = *cost;
	}
	return expressions->last_expression;
}

/* Whether no coefficient of a is larger than that of b. */
static inline bool cost_expression_below(const struct cost_expression *a,
					 const struct cost_expression *b)
{
	bool below = true;

	for (int term = 0; term < TERM_COUNT; term++)
		below &= a->of[term] <= b->of[term];
	return below;
}

#endif
