#include "llamp/loggps.h"

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
