/*
 * The variables of the model: name, unit and value of everything that costs are linear in.
 *
 * The table is made when the program runs.  Costs name a variable by its index
 * (llamp/graph/cost_expressions.h), and a question says which variables move
 * (llamp/network/direction.h), so only the table knows their number.
 * Values are integers of attoseconds (common/units.h): the length of a path is exact.
 */
#ifndef LLAMP_VARIABLES_H
#define LLAMP_VARIABLES_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

enum variable_unit { UNIT_TIME, UNIT_TIME_PER_BYTE };

/* The kind of time that a cost in a variable is, in the order in which a path lists them. */
enum category {
	CATEGORY_COMPUTE,	/* the cost of a calc, which has no variable */
	CATEGORY_OVERHEAD,
	CATEGORY_LATENCY,
	CATEGORY_BANDWIDTH,
	CATEGORY_GAP,
	CATEGORY_COUNT,
};

const char *category_name(enum category category);

struct variable {
	const char *name;		/* "L"; not owned */
	const char *counted;		/* units of its slope: "latencies"; not owned */
	enum variable_unit unit;
	enum category category;
	bool zero_is_off;		/* 0 removes its edges from the graph */
	int64_t value_as;		/* as, or as per byte; at least 0 */
};

/* Bounds and keys of paths hold a number for each. */
enum { VARIABLES_MOST = 16 };

struct variables {
	uint32_t count;
	struct variable of[VARIABLES_MOST];
};

/* Index of the variable with this name, -1 if there is none. */
int variables_find(const struct variables *variables, const char *name);

/* The same; an unknown name is STATUS_USAGE, and the error lists the known ones. */
int variables_require(const struct variables *variables, const char *name, uint32_t *variable,
		      struct error *err);

enum { VARIABLES_TEXT_BYTES = 256 };

/* The names in the order of variables_listed, with ", " between them; returns `text`. */
const char *variables_names(const struct variables *variables,
			    char text[static VARIABLES_TEXT_BYTES]);

/* Index of the i-th variable where all are listed: times, then times per byte. */
uint32_t variables_listed(const struct variables *variables, uint32_t i);

/* Whether the variable is part of the model: not switched off by its value. */
bool variable_is_on(const struct variable *variable);

/* STATUS_USAGE if it is not: nothing can be asked of a variable that is off. */
int variables_require_on(const struct variables *variables, uint32_t variable, struct error *err);

/* A value in as: a time, for times per byte also a bandwidth (STATUS_USAGE). */
int variable_parse_value(const struct variable *variable, const char *text, int64_t *as,
			 struct error *err);

#endif
