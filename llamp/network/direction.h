/*
 * The direction of a question: the variables that move together, and how far each of them.
 *
 * At a point p >= 0 of a direction, variable v has the value origin_as[v] + weight[v] p.  Where
 * one variable moves, p is its value.
 */
#ifndef LLAMP_DIRECTION_H
#define LLAMP_DIRECTION_H

#include "llamp/network/variables.h"

struct direction {
	uint32_t count;			   /* of variables */
	int64_t origin_as[VARIABLES_MOST]; /* at least 0 */
	int64_t weight[VARIABLES_MOST];	   /* at least 0; 0: the variable does not move */
	int64_t start_as;		   /* given p; tolerances refer to T there */
};

/* Make a direction in which no variable moves: all keep their values, and p starts at 0. */
static inline struct direction direction_fixed(const struct variables *variables)
{
	struct direction direction = {.count = variables->count};

	for (uint32_t v = 0; v < variables->count; v++)
		direction.origin_as[v] = variables->of[v].value_as;
	return direction;
}

/*
 * Make the direction in which one variable moves, and p is its value.  If it stands for a group,
 * its variables move together: all in proportion, from p = value_as on, or by p times their
 * weights, from p = 0 on.
 */
static inline struct direction direction_of(const struct variables *variables, uint32_t variable)
{
	struct direction direction = direction_fixed(variables);
	const struct variable *moving = &variables->of[variable];

	direction.start_as = moving->value_as;
	direction.origin_as[variable] = 0;
	direction.weight[variable] = moving->group == GROUP_NONE;
	for (uint32_t v = 0; v < variables->count && moving->group != GROUP_NONE; v++) {
		direction.weight[v] = variables->together[v];
		if (moving->group == GROUP_SCALED && direction.weight[v])
			direction.origin_as[v] = 0;
	}
	return direction;
}

/* Tell whether two directions are the same, with the same start. */
static inline bool direction_is(const struct direction *direction, const struct direction *other)
{
	bool is = direction->count == other->count && direction->start_as == other->start_as;

	for (uint32_t v = 0; is && v < direction->count; v++)
		is = direction->origin_as[v] == other->origin_as[v] &&
		     direction->weight[v] == other->weight[v];
	return is;
}

/* Find the first variable that moves; `count` if none does. */
static inline uint32_t direction_first(const struct direction *direction)
{
	uint32_t v = 0;

	while (v < direction->count && !direction->weight[v])
		v++;
	return v;
}

#endif
