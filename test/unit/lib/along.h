/* Short forms of parameters and questions for tests. */
#ifndef TEST_ALONG_H
#define TEST_ALONG_H

#include "llamp/graph/cost_expressions.h"
#include "llamp/network/direction.h"
#include "llamp/network/loggps.h"

/* Pointer to the direction of one variable; it lives as long as the block around it. */
#define ALONG(loggps, variable) \
	((struct direction[]){direction_of(&(loggps)->variables, (uint32_t)(variable))})

/* Find or add the expression with these coefficients. */
static inline uint32_t expression_of(struct cost_expressions *expressions,
				     const uint64_t coefficients[LOGGPS_COUNT])
{
	struct cost_term terms[LOGGPS_COUNT];
	uint32_t count = 0;

	for (uint32_t v = 0; v < LOGGPS_COUNT; v++)
		if (coefficients[v])
			terms[count++] = (struct cost_term){coefficients[v], v};
	return cost_expressions_find(expressions, terms, count);
}

/* Find the coefficient of a variable in an expression. */
static inline uint64_t coefficient_in(const struct cost_expressions *expressions,
				      uint32_t expression, uint32_t variable)
{
	uint32_t count;
	const struct cost_term *terms = cost_terms(expressions, expression, &count);

	for (uint32_t i = 0; i < count; i++)
		if (terms[i].variable == variable)
			return terms[i].coefficient;
	return 0;
}

/* Parameters in as, without gap and rendezvous. */
static inline struct loggps loggps_of(int64_t L, int64_t o, int64_t G)
{
	struct loggps loggps = loggps_default;

	loggps_set(&loggps, VARIABLE_L, L);
	loggps_set(&loggps, VARIABLE_o, o);
	loggps_set(&loggps, VARIABLE_G, G);
	return loggps;
}

#endif
