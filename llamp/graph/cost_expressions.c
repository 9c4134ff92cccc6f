#include "llamp/graph/cost_expressions.h"

#include "common/hash.h"

static uint64_t expression_hash(const struct cost_term *terms, uint32_t count)
{
	uint64_t hash = 0;

	for (uint32_t i = 0; i < count; i++)
		hash = mix64(hash ^ terms[i].coefficient * 31 ^ terms[i].variable);
	return hash;
}

static bool same_terms(const struct cost_term *a, const struct cost_term *b, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (a[i].variable != b[i].variable || a[i].coefficient != b[i].coefficient)
			return false;
	return true;
}

/* Largest number of a line: sums of some fit 128 bits. */
#define LINE_MOST ((__int128)1 << 120)

/* Add coefficient * value to a number of a line.  False if that would be too large. */
static bool add_product(__int128 *sum, uint64_t coefficient, int64_t value)
{
	__int128 product;

	return !__builtin_mul_overflow((__int128)coefficient, (__int128)value, &product) &&
	       !__builtin_add_overflow(*sum, product, sum) && *sum < LINE_MOST;
}

/* Append the line of the last expression. */
static int append_line(struct cost_expressions *expressions)
{
	const struct direction *direction = expressions->direction;
	struct expression_line line = {0, 0};
	uint32_t count;
	const struct cost_term *terms = cost_terms(expressions,
						   (uint32_t)expressions->list.count - 1, &count);

	for (uint32_t i = 0; i < count; i++) {
		const uint32_t v = terms[i].variable;

		if (!add_product(&line.constant, terms[i].coefficient, direction->origin_as[v]) ||
		    !add_product(&line.slope, terms[i].coefficient, direction->weight[v])) {
			expressions->direction = NULL;
			return 0;
		}
	}
	return array_push(&expressions->lines, line, expressions->err);
}

static int expressions_append(struct cost_expressions *expressions, const struct cost_term *terms,
			      uint32_t count)
{
	const struct cost_expression added = {(uint32_t)expressions->terms.count, count};

	if (expressions->list.count == EXPRESSION_MOST - 1 ||
	    expressions->terms.count > UINT32_MAX - count)
		return error_set(expressions->err, STATUS_LIMIT,
				 "the operations have more than %u different costs",
				 EXPRESSION_MOST - 1);
	TRY(array_reserve(&expressions->terms, count, expressions->err));
	for (uint32_t i = 0; i < count; i++)
		expressions->terms.items[expressions->terms.count++] = terms[i];
	TRY(array_push(&expressions->list, added, expressions->err));
	return expressions->direction ? append_line(expressions) : 0;
}

uint32_t cost_expressions_find(struct cost_expressions *expressions, const struct cost_term *terms,
			       uint32_t count)
{
	const uint64_t hash = expression_hash(terms, count);
	const uint32_t added = (uint32_t)expressions->list.count;
	uint32_t found, found_count, same_hash = 0;

	while ((found = number_map_get(&expressions->numbers, hash, same_hash)) !=
	       NUMBER_MAP_EMPTY) {
		const struct cost_term *found_terms = cost_terms(expressions, found, &found_count);

		if (found_count == count && same_terms(found_terms, terms, count))
			return found;
		same_hash++;
	}
	if (expressions_append(expressions, terms, count) < 0 ||
	    number_map_add(&expressions->numbers, hash, same_hash, added, expressions->err) < 0) {
		expressions->failed = true;
		return EXPRESSION_FAILED;
	}
	return added;
}

uint32_t cost_expressions_copy(struct cost_expressions *expressions,
			       const struct cost_expressions *from, uint32_t expression)
{
	uint32_t count;
	const struct cost_term *terms = cost_terms(from, expression, &count);

	return cost_expressions_find(expressions, terms, count);
}

uint32_t cost_expressions_add_(struct cost_expressions *expressions, uint32_t a, uint32_t b)
{
	struct expression_sum *known = &expressions->sums[(a * 31 + b) % EXPRESSION_CACHE];
	uint32_t a_count, b_count, i = 0, k = 0, count = 0, found;
	const struct cost_term *a_terms = cost_terms(expressions, a, &a_count);
	const struct cost_term *b_terms = cost_terms(expressions, b, &b_count);
	struct cost_term sum[VARIABLES_MOST];

	while (i < a_count || k < b_count) {
		if (k == b_count || (i < a_count && a_terms[i].variable < b_terms[k].variable)) {
			sum[count++] = a_terms[i++];
		} else if (i == a_count || b_terms[k].variable < a_terms[i].variable) {
			sum[count++] = b_terms[k++];
		} else {
			sum[count].variable = a_terms[i].variable;
			if (__builtin_add_overflow(a_terms[i++].coefficient,
						   b_terms[k++].coefficient,
						   &sum[count++].coefficient))
				return EXPRESSION_FAILED;
		}
	}
	found = cost_expressions_find(expressions, sum, count);
	if (found != EXPRESSION_FAILED)
		*known = (struct expression_sum){a, b, found};
	return found;
}

/* List the terms of a cost in ascending order of their variables.  Returns their number. */
static uint32_t list_terms(const struct message_class *class, const struct cost *cost,
			   struct cost_term terms[VARIABLES_MOST])
{
	uint64_t sums[VARIABLES_MOST] = {0};
	uint32_t end = 0, count = 0;

	for (uint32_t i = 0; i < class->term_count; i++) {
		const struct class_term *term = &class->terms[i];

		sums[term->variable] += term->count * cost_symbol(cost, term->symbol);
		end = term->variable >= end ? term->variable + 1 : end;
	}
	for (uint32_t v = 0; v < end; v++)
		if (sums[v])
			terms[count++] = (struct cost_term){sums[v], v};
	return count;
}

uint32_t cost_expressions_of_(struct cost_expressions *expressions, const struct cost *cost)
{
	const uint32_t rule = cost_class_rule(cost);
	struct expression_known *known =
		&expressions->known[((cost->bytes + cost->size) * 61 + rule) % EXPRESSION_CACHE];
	struct cost_term terms[VARIABLES_MOST];
	uint32_t found;

	if (known->bytes == cost->bytes && known->size == cost->size && known->rule == rule &&
	    known->expression)
		return known->expression;
	found = cost_expressions_find(expressions, terms,
				      list_terms(&expressions->classes[cost->class], cost, terms));
	if (found != EXPRESSION_FAILED)
		*known = (struct expression_known){cost->bytes, cost->size, rule, found};
	return found;
}

bool cost_expression_below(const struct cost_expressions *expressions, uint32_t a, uint32_t b)
{
	uint32_t a_count, b_count, k = 0;
	const struct cost_term *a_terms = cost_terms(expressions, a, &a_count);
	const struct cost_term *b_terms = cost_terms(expressions, b, &b_count);

	if (a_count > b_count)
		return false;
	for (uint32_t i = 0; i < a_count; i++, k++) {
		while (k < b_count && b_terms[k].variable < a_terms[i].variable)
			k++;
		if (k == b_count || b_terms[k].variable != a_terms[i].variable ||
		    b_terms[k].coefficient < a_terms[i].coefficient)
			return false;
	}
	return true;
}

/* Coefficient of a variable, searched from *terms on.  *terms advances to it. */
static uint64_t coefficient_of(const struct cost_term **terms, const struct cost_term *end,
			       uint32_t variable)
{
	while (*terms < end && (*terms)->variable < variable)
		(*terms)++;
	return *terms < end && (*terms)->variable == variable ? (*terms)->coefficient : 0;
}

bool cost_expression_covered(const struct cost_expressions *expressions, uint32_t c, uint32_t a,
			     uint32_t b)
{
	uint32_t a_count, b_count, c_count;
	const struct cost_term *a_terms = cost_terms(expressions, a, &a_count);
	const struct cost_term *b_terms = cost_terms(expressions, b, &b_count);
	const struct cost_term *c_terms = cost_terms(expressions, c, &c_count);
	const struct cost_term *a_end = a_terms + a_count, *b_end = b_terms + b_count;

	for (uint32_t i = 0; i < c_count; i++) {
		const uint32_t variable = c_terms[i].variable;

		if (coefficient_of(&a_terms, a_end, variable) +
			    coefficient_of(&b_terms, b_end, variable) <
		    c_terms[i].coefficient)
			return false;
	}
	return true;
}

int cost_expressions_use(struct cost_expressions *expressions, const struct message_class *classes,
			 uint32_t class_count, struct error *err)
{
	free(expressions->of_rule);
	expressions->of_rule = NULL;
	expressions->classes = classes;
	return allocate(&expressions->of_rule, (size_t)class_count * COST_RULE_COUNT,
			sizeof *expressions->of_rule, err);
}

int cost_expressions_ask(struct cost_expressions *expressions, const struct direction *direction,
			 struct error *err)
{
	expressions->direction = direction;
	return direction ? array_push(&expressions->lines, ((struct expression_line){0, 0}), err)
			 : 0;
}

int cost_expressions_init(struct cost_expressions *expressions, struct error *err)
{
	*expressions = (struct cost_expressions){.err = err};
	if (cost_expressions_use(expressions, &message_class_plain, 1, err) == 0 &&
	    allocate(&expressions->sums, EXPRESSION_CACHE, sizeof *expressions->sums, err) == 0 &&
	    allocate(&expressions->known, EXPRESSION_CACHE, sizeof *expressions->known, err) == 0 &&
	    cost_expressions_find(expressions, NULL, 0) == EXPRESSION_NONE)
		return 0;
	cost_expressions_release(expressions);
	return -1;
}

void cost_expressions_finish(struct cost_expressions *expressions)
{
	number_map_release(&expressions->numbers);
	free(expressions->sums);
	free(expressions->known);
	free(expressions->of_rule);
	array_release(&expressions->lines);
	expressions->direction = NULL;
	expressions->sums = NULL;
	expressions->known = NULL;
	expressions->of_rule = NULL;
	expressions->classes = NULL;
	expressions->err = NULL;
}

void cost_expressions_release(struct cost_expressions *expressions)
{
	cost_expressions_finish(expressions);
	array_release(&expressions->list);
	array_release(&expressions->terms);
}
