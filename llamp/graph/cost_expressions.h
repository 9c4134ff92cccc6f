/*
 * Cost expressions: costs of edges in addition to their ns, as sums of coefficient times
 * variable.
 *
 * Millions of edges have few different expressions, so each is stored once and an edge names
 * it by a number.  An expression lists only the variables that it has.  Its weight for given
 * values is computed once per expression, not once per edge.
 */
#ifndef LLAMP_COST_EXPRESSIONS_H
#define LLAMP_COST_EXPRESSIONS_H

#include "common/array.h"
#include "common/number_map.h"
#include "llamp/graph/cost_rules.h"
#include "llamp/network/direction.h"

struct cost_term {
	uint64_t coefficient; /* above 0 */
	uint32_t variable;
};

/* The terms from `first` on, in ascending order of their variables. */
struct cost_expression {
	uint32_t first, count;
};

enum { EXPRESSION_NONE = 0 }; /* without terms */

/* No expression: a sum does not fit 64 bits, or cost_expressions.failed. */
#define EXPRESSION_FAILED UINT32_MAX
#define EXPRESSION_MOST (UINT32_C(1) << 31)

/* Recent result of cost_expressions_add. */
struct expression_sum {
	uint32_t a, b, sum;
};

/* Recent result of cost_expressions_of for a cost with bytes. */
struct expression_known {
	uint64_t bytes, size;
	uint32_t rule, expression; /* rule: cost_class_rule */
};

/* What an expression comes to at a point p of a direction, in as. */
struct expression_line {
	__int128 constant, slope;
};

struct cost_expressions {
	ARRAY(struct cost_expression) list;
	ARRAY(struct cost_term) terms;
	struct number_map numbers; /* keys: hash of the terms, number of earlier expressions
					   with this hash */
	struct expression_sum *sums;
	struct expression_known *known;
	struct expression_known last;
	const struct message_class *classes; /* not owned */
	uint32_t *of_rule; /* [cost_class_rule]: of costs without bytes; 0: not known */
	struct error *err;
	/*
	 * The direction of the only question, not owned, and the line of each expression in it.
	 * NULL: there is none, or a line would be too large.
	 */
	const struct direction *direction;
	ARRAY(struct expression_line) lines;
	bool failed; /* *err says why: no memory, or too many expressions */
};

/* Start with EXPRESSION_NONE.  All costs are of the plain class. */
int cost_expressions_init(struct cost_expressions *expressions, struct error *err);

/* Let costs name classes of a table, which must outlive them. */
int cost_expressions_use(struct cost_expressions *expressions, const struct message_class *classes,
			 uint32_t class_count, struct error *err);

/* Let costs be compared for one direction only.  No expression has been added. */
int cost_expressions_ask(struct cost_expressions *expressions, const struct direction *direction,
			 struct error *err);

/* Free the memory that only finding expressions needs, and keep the list. */
void cost_expressions_finish(struct cost_expressions *expressions);
void cost_expressions_release(struct cost_expressions *expressions);

/*
 * Number of the expression with these terms, which are in ascending order of variables and have
 * coefficients above 0.  A new expression is added to the list.
 */
uint32_t cost_expressions_find(struct cost_expressions *expressions, const struct cost_term *terms,
			       uint32_t count);

/* Number of the expression that is number `expression` of another list. */
uint32_t cost_expressions_copy(struct cost_expressions *expressions,
			       const struct cost_expressions *from, uint32_t expression);

uint32_t cost_expressions_add_(struct cost_expressions *expressions, uint32_t a, uint32_t b);
uint32_t cost_expressions_of_(struct cost_expressions *expressions, const struct cost *cost);

enum { EXPRESSION_CACHE = 4096 };

/* The terms of an expression. */
static inline const struct cost_term *cost_terms(const struct cost_expressions *expressions,
						 uint32_t expression, uint32_t *count)
{
	const struct cost_expression *found = &expressions->list.items[expression];

	*count = found->count;
	return expressions->terms.items + found->first;
}

/* Number of the sum of two expressions.  EXPRESSION_FAILED if a coefficient exceeds 64 bits. */
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

/* A number for the rule and the class of a cost. */
static inline uint32_t cost_class_rule(const struct cost *cost)
{
	return cost->class * COST_RULE_COUNT + cost->rule;
}

/* Number of the expression of a cost. */
static inline uint32_t cost_expressions_of(struct cost_expressions *expressions,
					   const struct cost *cost)
{
	const uint32_t rule = cost_class_rule(cost);

	if (!cost->bytes && !cost->size) {
		uint32_t *known = &expressions->of_rule[rule];

		if (!*known && cost->rule != COST_NONE)
			*known = cost_expressions_of_(expressions, cost);
		return *known;
	}
	if (cost->bytes != expressions->last.bytes || rule != expressions->last.rule ||
	    cost->size != expressions->last.size)
		expressions->last = (struct expression_known){cost->bytes, cost->size, rule,
							      cost_expressions_of_(expressions,
										   cost)};
	return expressions->last.expression;
}

/* Whether each coefficient of a is at most that of b. */
bool cost_expression_below(const struct cost_expressions *expressions, uint32_t a, uint32_t b);

/* Whether each coefficient of c is at most that of a + b.  Sums above 64 bits count as small. */
bool cost_expression_covered(const struct cost_expressions *expressions, uint32_t c, uint32_t a,
			     uint32_t b);

/*
 * Whether a cost is below the sum of two others at all points of the direction of the question:
 * `constant` and `by`, in ns, are what they have besides the expressions c, a and b.
 */
static inline bool cost_line_below(const struct cost_expressions *expressions, uint64_t ns,
				   uint32_t c, __int128 by, uint32_t a, uint32_t b)
{
	const struct expression_line *lines = expressions->lines.items;

	return expressions->direction && lines[c].slope <= lines[a].slope + lines[b].slope &&
	       lines[c].constant - lines[a].constant - lines[b].constant < (by - ns) * AS_PER_NS;
}

#endif
