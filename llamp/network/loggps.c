#include "llamp/network/loggps.h"

#include "common/options.h"

#include <string.h>

#define ROW(variable, its_unit, value, its_category, off, counts)                  \
	[VARIABLE_##variable] = {.name = #variable,                                \
				 .counted = (counts),                              \
				 .unit = (its_unit),                               \
				 .category = (its_category),                       \
				 .zero_is_off = (off),                             \
				 .value_as = (value)},

const struct loggps loggps_default = {
	.variables = {.count = LOGGPS_COUNT, .of = {LOGGPS_VARIABLES(ROW)}},
	.S = LOGGPS_NO_RENDEZVOUS,
	.rendezvous = RENDEZVOUS_READ,
};

_Static_assert((int)LOGGPS_COUNT <= (int)VARIABLES_MOST, "VARIABLES_MOST is too small");

static const char *const names[] = {
	[RENDEZVOUS_READ] = "read",
	[RENDEZVOUS_SYNC] = "sync",
	[RENDEZVOUS_PAPER] = "paper",
	NULL,
};

const char *rendezvous_name(enum rendezvous rendezvous)
{
	return names[rendezvous];
}

int rendezvous_parse(const char *text, enum rendezvous *rendezvous, struct error *err)
{
	const int found = parse_choice(text, "rendezvous protocol", names, err);

	if (found < 0)
		return -1;
	*rendezvous = (enum rendezvous)found;
	return 0;
}

/* The last two are other spellings. */
static const char *const resource_names[] = {
	"none", "cpu", "nic", "cpu,nic", "node-nic", "cpu,node-nic", "nic,cpu", "node-nic,cpu", NULL};
static const unsigned resource_bits[] = {
	0,
	RESOURCE_CPU,
	RESOURCE_NIC,
	RESOURCE_CPU | RESOURCE_NIC,
	RESOURCE_NIC | RESOURCE_NODE_NIC,
	RESOURCE_CPU | RESOURCE_NIC | RESOURCE_NODE_NIC,
	RESOURCE_CPU | RESOURCE_NIC,
	RESOURCE_CPU | RESOURCE_NIC | RESOURCE_NODE_NIC,
};

const char *resources_name(unsigned resources)
{
	int i = 0;

	while (resource_bits[i] != resources)
		i++;
	return resource_names[i];
}

int resources_parse(const char *text, unsigned *resources, struct error *err)
{
	const int found = parse_choice(text, "resources", resource_names, err);

	if (found < 0)
		return -1;
	*resources = resource_bits[found];
	return 0;
}

int loggps_parse_threshold(const char *text, uint64_t *bytes, struct error *err)
{
	if (!strcmp(text, "none")) {
		*bytes = LOGGPS_NO_RENDEZVOUS;
		return 0;
	}
	return parse_bytes(text, bytes, err);
}

int loggps_require(const struct loggps *loggps, const char *name, struct error *err)
{
	char known[VARIABLES_TEXT_BYTES];

	if (variables_find(&loggps->variables, name) >= 0 || !strcmp(name, "S") ||
	    !strcmp(name, "rendezvous") || !strcmp(name, "resources"))
		return 0;
	return error_set(err, STATUS_USAGE,
			 "unknown parameter '%s' (expected %s, S, rendezvous or resources)",
			 name, variables_names(&loggps->variables, known));
}

int loggps_parse(struct loggps *loggps, const char *name, const char *value, struct error *err)
{
	const int found = variables_find(&loggps->variables, name);

	TRY(loggps_require(loggps, name, err));
	if (found >= 0)
		return variable_parse_value(&loggps->variables.of[found], value,
					    &loggps->variables.of[found].value_as, err);
	if (!strcmp(name, "resources"))
		return resources_parse(value, &loggps->resources, err);
	return !strcmp(name, "S") ? loggps_parse_threshold(value, &loggps->S, err)
				  : rendezvous_parse(value, &loggps->rendezvous, err);
}
