#include "llamp/network/variables.h"

#include "common/units.h"

#include <stdio.h>
#include <string.h>

const char *const category_names[CATEGORY_COUNT + 1] = {
	[CATEGORY_COMPUTE] = "compute", [CATEGORY_OVERHEAD] = "overhead",
	[CATEGORY_LATENCY] = "latency", [CATEGORY_BANDWIDTH] = "bandwidth",
	[CATEGORY_GAP] = "gap",
};

int variables_find(const struct variables *variables, const char *name)
{
	for (uint32_t v = 0; v < variables->count; v++)
		if (!strcmp(name, variables->of[v].name))
			return (int)v;
	return -1;
}

int variables_require(const struct variables *variables, const char *name, uint32_t *variable,
		      struct error *err)
{
	const int found = variables_find(variables, name);
	char names[VARIABLES_TEXT_BYTES];

	if (found < 0)
		return error_set(err, STATUS_USAGE, "unknown variable '%s' (expected one of %s)",
				 name, variables_names(variables, names));
	*variable = (uint32_t)found;
	return 0;
}

const char *variables_names(const struct variables *variables,
			    char text[static VARIABLES_TEXT_BYTES])
{
	size_t used = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < variables->count && used < VARIABLES_TEXT_BYTES; i++)
		used += (size_t)snprintf(text + used, VARIABLES_TEXT_BYTES - used, "%s%s",
					 i ? ", " : "",
					 variables->of[variables_listed(variables, i)].name);
	return text;
}

uint32_t variables_listed(const struct variables *variables, uint32_t i)
{
	for (int unit = UNIT_TIME; unit <= UNIT_FACTOR; unit++)
		for (uint32_t v = 0; v < variables->count; v++)
			if ((int)variables->of[v].unit == unit && i-- == 0)
				return v;
	return 0;
}

int variables_require_on(const struct variables *variables, uint32_t variable, struct error *err)
{
	if (variables->of[variable].group != GROUP_NONE || variable_is_on(&variables->of[variable]))
		return 0;
	return error_set(err, STATUS_USAGE, "%s is switched off: give it a value above 0",
			 variables->of[variable].name);
}

static int parse_factor(const char *text, int64_t *as, struct error *err)
{
	const double most = 1e9;
	double factor;

	TRY(parse_number(text, &factor, err));
	if (!(factor >= 0 && factor <= most))
		return error_set(err, STATUS_USAGE, "'%s' is not a factor from 0 to %g", text,
				 most);
	*as = (int64_t)(factor * (double)AS_PER_NS + 0.5);
	return 0;
}

int variable_parse_value(const struct variable *variable, const char *text, int64_t *as,
			 struct error *err)
{
	if (variable->unit == UNIT_FACTOR)
		return parse_factor(text, as, err);
	return variable->unit == UNIT_TIME_PER_BYTE ? parse_gap_per_byte_as(text, as, err)
						    : parse_time_as(text, as, err);
}
