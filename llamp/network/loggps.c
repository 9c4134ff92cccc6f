#include "llamp/network/loggps.h"

#include "common/options.h"

#include <stdio.h>
#include <string.h>

#define ROW(variable, its_unit, value, its_category, off, counts) \
	[VARIABLE_##variable] = {.name = #variable,               \
				 .counted = (counts),             \
				 .unit = (its_unit),              \
				 .category = (its_category),      \
				 .zero_is_off = (off),            \
				 .value_as = (value)},

const struct loggps loggps_default = {
	.variables = {.count = LOGGPS_COUNT, .of = {LOGGPS_VARIABLES(ROW)}},
	.S = LOGGPS_NO_RENDEZVOUS,
	.rendezvous = RENDEZVOUS_READ,
};

_Static_assert((int)LOGGPS_COUNT <= (int)VARIABLES_MOST, "VARIABLES_MOST is too small");

#define RENDEZVOUS_NAME(protocol, name, ...) name,

const char *const rendezvous_names[] = {RENDEZVOUS_PROTOCOLS(RENDEZVOUS_NAME) NULL};

const char *rendezvous_name(enum rendezvous rendezvous)
{
	return rendezvous_names[rendezvous];
}

int rendezvous_parse(const char *text, enum rendezvous *rendezvous, struct error *err)
{
	const int found = parse_choice(text, "rendezvous protocol", rendezvous_names, err);

	if (found < 0)
		return -1;
	*rendezvous = (enum rendezvous)found;
	return 0;
}

/* With and without CPUs, of no NICs, those of ranks and those of nodes, and that again with links. */
const char *const resources_names[] = {
	"none", "cpu",	    "nic",	"cpu,nic",	"node-nic",	 "cpu,node-nic",
	"link", "cpu,link", "nic,link", "cpu,nic,link", "node-nic,link", "cpu,node-nic,link",
	NULL};

const char *resources_name(unsigned resources)
{
	const unsigned nics = !(resources & RESOURCE_NIC)     ? 0
			      : resources & RESOURCE_NODE_NIC ? 2
							      : 1;

	return resources_names[!!(resources & RESOURCE_LINK) * 6 + nics * 2 +
			       !!(resources & RESOURCE_CPU)];
}

/* Read one of a list of resources, and go past it and the comma. */
static int parse_resource(const char **at, unsigned *resource, struct error *err)
{
	static const char *const parts[] = {"cpu", "nic", "node-nic", "link", NULL};
	static const unsigned bits[] = {RESOURCE_CPU, RESOURCE_NIC,
					RESOURCE_NIC | RESOURCE_NODE_NIC, RESOURCE_LINK};
	const size_t length = strcspn(*at, ",");
	char part[16];
	int found;

	snprintf(part, sizeof part, "%.*s", length < sizeof part ? (int)length : 0, *at);
	found = parse_choice(part, "resource", parts, err);
	TRY(found);
	*resource = bits[found];
	*at += length + ((*at)[length] == ',');
	return 0;
}

static int resources_parse(const char *text, unsigned *resources, struct error *err)
{
	unsigned sum = 0;

	for (const char *at = text; strcmp(text, "none") != 0 && (at == text || at[-1] == ',');) {
		unsigned resource;

		TRY(parse_resource(&at, &resource, err));
		if (sum & resource)
			return error_set(err, STATUS_USAGE, "resources: '%s' names one twice",
					 text);
		sum |= resource;
	}
	*resources = sum;
	return 0;
}

/* Parse a threshold: a size with a unit, or "none" for LOGGPS_NO_RENDEZVOUS (STATUS_USAGE). */
static int loggps_parse_threshold(const char *text, uint64_t *bytes, struct error *err)
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
			 "unknown parameter '%s' (expected %s, S, rendezvous or resources)", name,
			 variables_names(&loggps->variables, known));
}

int loggps_parse(struct loggps *loggps, const char *name, const char *value, struct error *err)
{
	const int found = variables_find(&loggps->variables, name);

	TRY(loggps_require(loggps, name, err));
	if (found >= 0) {
		struct variable *variable = &loggps->variables.of[found];

		TRY(variable_parse_value(variable, value, &variable->value_as, err));
		/* The interval is that of another value. */
		variable->least_as = variable->most_as = 0;
		return 0;
	}
	if (!strcmp(name, "resources"))
		return resources_parse(value, &loggps->resources, err);
	return !strcmp(name, "S") ? loggps_parse_threshold(value, &loggps->S, err)
				  : rendezvous_parse(value, &loggps->rendezvous, err);
}
