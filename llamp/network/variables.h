/*
 * Variables of the model: name, unit and value of each quantity in which costs are linear.
 *
 * The table is filled at run time.  Costs refer to a variable by its index
 * (llamp/graph/cost_expressions.h), and a question by its weight in a direction
 * (llamp/network/direction.h).  Only the table knows how many there are.
 * Values are integers of attoseconds (common/units.h), so that lengths of paths are exact.
 */
#ifndef LLAMP_VARIABLES_H
#define LLAMP_VARIABLES_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

/* UNIT_FACTOR: a plain number; 1 is AS_PER_NS. */
enum variable_unit { UNIT_TIME, UNIT_TIME_PER_BYTE, UNIT_FACTOR };

enum variable_group {
	GROUP_NONE,   /* a variable of the model */
	GROUP_SCALED, /* all `together` are multiplied by p */
	GROUP_ADDED,  /* p times the weight is added to each */
};

/* Kinds of time, one for each variable, in the order in which reports of a path list them. */
enum category {
	CATEGORY_COMPUTE, /* the cost of a calc, which has no variable */
	CATEGORY_OVERHEAD,
	CATEGORY_LATENCY,
	CATEGORY_BANDWIDTH,
	CATEGORY_GAP,
	CATEGORY_COUNT,
};

extern const char *const category_names[CATEGORY_COUNT + 1]; /* ends with NULL */

enum { VARIABLE_NAME_BYTES = 48 };

struct variable {
	char name[VARIABLE_NAME_BYTES]; /* "L" */
	const char *counted;		/* units of its slope: "latencies"; not owned */
	enum variable_unit unit;
	enum category category;
	bool zero_is_off; /* 0 removes its edges from the graph */
	/*
	 * It stands for other variables that move together, and is in no cost.  value_as is the
	 * start of p: 1 for GROUP_SCALED, 0 for GROUP_ADDED (llamp/network/direction.h).
	 */
	enum variable_group group;
	int64_t value_as; /* as, or as per byte; at least 0 */
	/* Interval of its measurements, with value_as in it; most_as 0: not known. */
	int64_t least_as, most_as;
};

/* Length of the arrays with a number for each variable, as in bounds and keys of paths. */
enum { VARIABLES_MOST = 64 };

struct variables {
	uint32_t count;
	struct variable of[VARIABLES_MOST];
	/* Weights of the group, of which there is one at most, in the last place of the table. */
	int64_t together[VARIABLES_MOST];
};

/* Find the index of the variable with a name; -1 if there is none. */
int variables_find(const struct variables *variables, const char *name);

/* The same; an unknown name is STATUS_USAGE, and the error lists the known ones. */
int variables_require(const struct variables *variables, const char *name, uint32_t *variable,
		      struct error *err);

enum { VARIABLES_TEXT_BYTES = 256 };

/* List the names in the order of variables_listed, separated by ", "; returns `text`. */
const char *variables_names(const struct variables *variables,
			    char text[static VARIABLES_TEXT_BYTES]);

/* Index of the i-th variable of a list by unit: times, times per byte, factors. */
uint32_t variables_listed(const struct variables *variables, uint32_t i);

/* Tell whether a variable is part of the model: no group, and not switched off by its value. */
static inline bool variable_is_on(const struct variable *variable)
{
	return variable->group == GROUP_NONE && (!variable->zero_is_off || variable->value_as > 0);
}

/* Fail with STATUS_USAGE if a variable is switched off, since it can answer no question. */
int variables_require_on(const struct variables *variables, uint32_t variable, struct error *err);

/*
 * Parse a value in as: a time, for a time per byte also a bandwidth, for a factor a number
 * (STATUS_USAGE).
 */
int variable_parse_value(const struct variable *variable, const char *text, int64_t *as,
			 struct error *err);

#endif
