#include "llamp/network/parameters.h"

#include "llamp/network/parameters_read.h"

#include "common/units.h"
#include "llamp/network/topology.h"

#include <stdio.h>
#include <string.h>

void parameters_init(struct model_parameters *parameters)
{
	*parameters = (struct model_parameters){.loggps = loggps_default};
	network_init(&parameters->network);
}

void parameters_release(struct model_parameters *parameters)
{
	network_release(&parameters->network);
}

/* Variables of all rows, of a node, of the links and the switches. */
_Static_assert((int)LOGGPS_COUNT + 3 * (int)SIZES_MOST + 3 + (int)TOPOLOGY_MOST_CLASSES + 1 <=
		       (int)VARIABLES_MOST,
	       "VARIABLES_MOST is too small");

uint32_t parameters_add(struct model_parameters *parameters, uint32_t like, const char *name,
			int64_t value_as)
{
	struct variables *variables = &parameters->loggps.variables;
	struct variable *added = &variables->of[variables->count];

	*added = variables->of[like];
	snprintf(added->name, sizeof added->name, "%s", name);
	added->value_as = value_as;
	added->least_as = added->most_as = 0;
	return variables->count++;
}

void parameters_connect(struct model_parameters *parameters)
{
	struct loggps *loggps = &parameters->loggps;

	if (!network_is_plain(&parameters->network) || loggps->resources & RESOURCE_NODE_NIC)
		loggps->network = &parameters->network;
}

/* Set ranks-per-node or mapping from text; STATUS_USAGE. */
static int network_set(struct network *network, const char *name, const char *value,
		       struct error *err)
{
	uint64_t ranks;

	if (!strcmp(name, "mapping"))
		return mapping_parse(network, value, "", err);
	TRY(parse_count(value, 1, UINT32_MAX, &ranks, err));
	network->ranks_per_node = (uint32_t)ranks;
	network->is_placed = true;
	return 0;
}

bool network_knows(const char *name)
{
	return !strcmp(name, "ranks-per-node") || !strcmp(name, "mapping");
}

bool parameters_know(const char *name)
{
	struct error none;

	return network_knows(name) || loggps_require(&loggps_default, name, &none) == 0;
}

int parameters_set(struct model_parameters *parameters, const char *name, const char *value,
		   struct error *err)
{
	TRY(network_knows(name) ? network_set(&parameters->network, name, value, err)
				: loggps_parse(&parameters->loggps, name, value, err));
	parameters_connect(parameters);
	if (parameters->unknown && !strcmp(parameters->unknown, name))
		parameters->unknown = NULL;
	return 0;
}

int parameters_check_known(const struct model_parameters *parameters, struct error *err)
{
	const char *name = parameters->unknown;

	if (!name)
		return 0;
	return error_set(err, STATUS_DATA,
			 "%s is unknown, as it could not be measured: give a value, as in"
			 " -p %s=VALUE",
			 name, name);
}
