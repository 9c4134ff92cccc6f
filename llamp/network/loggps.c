#include "llamp/network/loggps.h"

#include "common/units.h"

#include <string.h>

const struct loggps loggps_default = {
	.L = 3000 * AS_PER_NS,
	.o = 5000 * AS_PER_NS,
	.g = 0,
	.G = 18 * AS_PER_NS / 1000,
	.S = LOGGPS_NO_RENDEZVOUS,
	.rendezvous = RENDEZVOUS_READ,
};

static const char *const parameter_names[] = {
	[PARAMETER_L] = "L", [PARAMETER_G] = "G", [PARAMETER_O] = "o"};

const char *parameter_name(enum parameter parameter)
{
	return parameter_names[parameter];
}

int parameter_parse(const char *text, enum parameter *parameter, struct error *err)
{
	for (int p = 0; p < PARAMETER_COUNT; p++)
		if (!strcmp(text, parameter_names[p])) {
			*parameter = (enum parameter)p;
			return 0;
		}
	return error_set(err, STATUS_USAGE, "'%s' is not a parameter that can be varied: L, G or o",
			 text);
}

int parameter_parse_value(enum parameter parameter, const char *text, int64_t *as,
			  struct error *err)
{
	return parameter == PARAMETER_G ? parse_gap_per_byte_as(text, as, err)
					: parse_time_as(text, as, err);
}

int64_t loggps_value(const struct loggps *loggps, enum parameter parameter)
{
	switch (parameter) {
	case PARAMETER_L:
		return loggps->L;
	case PARAMETER_G:
		return loggps->G;
	default:
		return loggps->o;
	}
}

static const char *const names[] = {
	[RENDEZVOUS_READ] = "read",
	[RENDEZVOUS_SYNC] = "sync",
	[RENDEZVOUS_PAPER] = "paper",
};

const char *rendezvous_name(enum rendezvous rendezvous)
{
	return names[rendezvous];
}

int rendezvous_parse(const char *text, enum rendezvous *rendezvous, struct error *err)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(text, names[i]) == 0) {
			*rendezvous = (enum rendezvous)i;
			return 0;
		}
	return error_set(err, STATUS_USAGE,
			 "'%s' is not a rendezvous protocol: read, sync or paper", text);
}

int loggps_parse_threshold(const char *text, uint64_t *bytes, struct error *err)
{
	if (!strcmp(text, "none")) {
		*bytes = LOGGPS_NO_RENDEZVOUS;
		return 0;
	}
	return parse_bytes(text, bytes, err);
}
