/* The variable that is varied: one of the parameters, a weighted sum, or a class of links. */
#include "llamp/network/loggps.h"

#include "llamp/network/network.h"
#include "llamp/network/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WEIGHT = 1000000 };

/* Add a variable for the group whose weights are set. */
static int add_group(struct loggps *loggps, const char *name, struct variable group,
		     uint32_t *varied, struct error *err)
{
	struct variables *variables = &loggps->variables;

	if (strlen(name) >= sizeof group.name)
		return error_set(err, STATUS_USAGE, "'%s' has more than %zu characters", name,
				 sizeof group.name - 1);
	if (variables->count == VARIABLES_MOST)
		return error_set(err, STATUS_LIMIT, "the network has more than %d variables",
				 VARIABLES_MOST - 1);
	strcpy(group.name, name);
	*varied = variables->count;
	variables->of[variables->count++] = group;
	return 0;
}

/* The links in proportion: p = 1 as they are. */
static int vary_links(struct loggps *loggps, uint32_t *varied, struct error *err)
{
	struct variables *variables = &loggps->variables;
	const struct network *network = loggps->network;
	const struct variable group = {
		.counted = "ns of links",
		.unit = UNIT_FACTOR,
		.category = CATEGORY_LATENCY,
		.group = GROUP_SCALED,
		.value_as = AS_PER_NS,
	};
	bool any = false;

	for (uint32_t i = 0; i < network->topology->class_count; i++) {
		const uint32_t v = network->first_link + i;
		const struct variable *link = &variables->of[v];

		/* Weights are integers, so that lengths of paths are exact. */
		if (link->value_as % AS_PER_NS)
			return error_set(
				err, STATUS_LIMIT,
				"links move together only if each takes whole ns, unlike %s",
				link->name);
		variables->together[v] = link->value_as / AS_PER_NS;
		any |= link->value_as > 0;
	}
	if (!any)
		return error_set(err, STATUS_USAGE, "all links take no time: name one of them");
	return add_group(loggps, "links", group, varied, err);
}

/* Read "VARIABLE" or "WEIGHT*VARIABLE". */
static int add_weight(struct variables *variables, const char *part, size_t length,
		      uint32_t *variable, struct error *err)
{
	char name[2 * VARIABLE_NAME_BYTES];
	const char *at = name;
	long weight = 1;
	char *end;

	snprintf(name, sizeof name, "%.*s", (int)length, part);
	if (strchr(name, '*')) {
		weight = strtol(name, &end, 10);
		if (*end != '*' || end == name || weight < 1 || weight > MOST_WEIGHT)
			return error_set(err, STATUS_USAGE,
					 "'%s' is not NUMBER*VARIABLE with a whole"
					 " number from 1 to %d",
					 name, MOST_WEIGHT);
		at = end + 1;
	}
	TRY(variables_require(variables, at, variable, err));
	TRY(variables_require_on(variables, *variable, err));
	if (variables->together[*variable])
		return error_set(err, STATUS_USAGE, "%s is named twice", at);
	variables->together[*variable] = weight;
	return 0;
}

static int vary_sum(struct loggps *loggps, const char *text, uint32_t *varied, struct error *err)
{
	struct variables *variables = &loggps->variables;
	struct variable group = {0};

	for (const char *part = text;; part++) {
		const size_t length = strcspn(part, "+");
		const struct variable *added;
		uint32_t v;

		TRY(add_weight(variables, part, length, &v, err));
		added = &variables->of[v];
		if (part != text && added->unit != group.unit)
			return error_set(err, STATUS_USAGE,
					 "%s and the variables before it have different units",
					 added->name);
		if (part == text)
			group = *added;
		part += length;
		if (!*part)
			break;
	}
	group.group = GROUP_ADDED;
	group.value_as = 0;
	group.zero_is_off = false;
	return add_group(loggps, text, group, varied, err);
}

int loggps_vary(struct loggps *loggps, const char *text, uint32_t *varied, struct error *err)
{
	if (strpbrk(text, "+*"))
		return vary_sum(loggps, text, varied, err);
	if (!strcmp(text, "links") && loggps->network && loggps->network->topology)
		return vary_links(loggps, varied, err);
	return variables_require(&loggps->variables, text, varied, err);
}

bool loggps_is_of_links(const struct loggps *loggps)
{
	struct loggps trial = *loggps;
	uint32_t varied;
	struct error err;

	return loggps->network && loggps->network->topology &&
	       loggps_value(loggps, VARIABLE_L) == 0 &&
	       loggps_vary(&trial, "links", &varied, &err) == 0;
}
