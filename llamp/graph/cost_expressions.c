#include "llamp/graph/cost_expressions.h"

#include <string.h>

static size_t hash(const struct cost_expression *expression)
{
	uint64_t h = 0;

	for (int term = 0; term < TERM_COUNT; term++) {
		h = (h ^ expression->of[term]) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
	}
	return (size_t)h;
}

/* Where the expression is in the table, or would be. */
static size_t find_place(const struct cost_expressions *expressions,
			 const struct cost_expression *expression)
{
	size_t place = hash(expression) & expressions->table_mask;

	while (expressions->table[place] &&
	       memcmp(&expressions->list.items[expressions->table[place] - 1], expression,
		      sizeof *expression) != 0)
		place = (place + 1) & expressions->table_mask;
	return place;
}

static int grow(struct cost_expressions *expressions)
{
	const size_t mask = 2 * expressions->table_mask + 1;
	uint32_t *table;

	TRY(allocate(&table, mask + 1, sizeof *table, expressions->err));
	free(expressions->table);
	expressions->table = table;
	expressions->table_mask = mask;
	for (size_t i = 0; i < expressions->list.count; i++)
		table[find_place(expressions, &expressions->list.items[i])] = (uint32_t)i + 1;
	return 0;
}

static uint32_t failed(struct cost_expressions *expressions)
{
	expressions->failed = true;
	return EXPRESSION_FAILED;
}

uint32_t cost_expressions_find(struct cost_expressions *expressions,
			       const struct cost_expression *expression)
{
	size_t place = find_place(expressions, expression);

	if (expressions->table[place])
		return expressions->table[place] - 1;
	if (expressions->list.count == EXPRESSION_MOST - 1) {
		error_set(expressions->err, STATUS_LIMIT,
			  "the costs of the operations have more than %u different forms",
			  EXPRESSION_MOST - 1);
		return failed(expressions);
	}
	if (array_push(&expressions->list, *expression, expressions->err) < 0)
		return failed(expressions);
	expressions->table[place] = (uint32_t)expressions->list.count;
	if (2 * expressions->list.count > expressions->table_mask && grow(expressions) < 0)
		return failed(expressions);
	return (uint32_t)expressions->list.count - 1;
}

uint32_t cost_expressions_add_(struct cost_expressions *expressions, uint32_t a, uint32_t b)
{
	struct expression_sum *known = &expressions->sums[(a * 31 + b) % EXPRESSION_CACHE];
	struct cost_expression sum = expressions->list.items[a];
	uint32_t found;

	for (int term = 0; term < TERM_COUNT; term++)
		if (__builtin_add_overflow(sum.of[term], expressions->list.items[b].of[term],
					   &sum.of[term]))
			return EXPRESSION_FAILED;
	found = cost_expressions_find(expressions, &sum);
	if (found != EXPRESSION_FAILED)
		*known = (struct expression_sum){a, b, found};
	return found;
}

uint32_t cost_expressions_of_(struct cost_expressions *expressions, const struct cost *cost)
{
	const struct cost_expression expression = {.of = {
		[TERM_L] = cost->latencies, [TERM_G] = cost->bytes,
		[TERM_O] = cost->overheads, [TERM_GAP] = cost->gaps,
	}};
	uint32_t *known = &expressions->elementary[(cost->bytes * 61 + cost->latencies * 5u +
						    cost->overheads + cost->gaps * 17u) %
						   EXPRESSION_CACHE];
	uint32_t found;

	if (!memcmp(&expressions->list.items[*known], &expression, sizeof expression))
		return *known;
	found = cost_expressions_find(expressions, &expression);
	if (found != EXPRESSION_FAILED)
		*known = found;
	return found;
}

int cost_expressions_init(struct cost_expressions *expressions, struct error *err)
{
	const struct cost_expression none = {0};

	*expressions = (struct cost_expressions){.table_mask = 255, .err = err};
	if (allocate(&expressions->table, expressions->table_mask + 1, sizeof *expressions->table,
		     err) == 0 &&
	    allocate(&expressions->sums, EXPRESSION_CACHE, sizeof *expressions->sums, err) == 0 &&
	    allocate(&expressions->elementary, EXPRESSION_CACHE, sizeof *expressions->elementary,
		     err) == 0 &&
	    cost_expressions_find(expressions, &none) == EXPRESSION_NONE)
		return 0;
	cost_expressions_release(expressions);
	return -1;
}

void cost_expressions_finish(struct cost_expressions *expressions)
{
	free(expressions->table);
	free(expressions->sums);
	free(expressions->elementary);
	expressions->table = NULL;
	expressions->sums = NULL;
	expressions->elementary = NULL;
	expressions->err = NULL;
}

void cost_expressions_release(struct cost_expressions *expressions)
{
	cost_expressions_finish(expressions);
	array_release(&expressions->list);
}
