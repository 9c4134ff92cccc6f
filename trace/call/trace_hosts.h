/* The hosts of a run: how many ranks each has, and how many cores they may use. */
#ifndef TRACE_TRACE_HOSTS_H
#define TRACE_TRACE_HOSTS_H

#include "common/error.h"
#include "trace/call/trace_world.h"

/* Property of a location group in our archives: the CPUs of the rank. */
#define TRACE_CPUS_PROPERTY "LLAMP::CPUS"

/*
 * Make *hosts, an array by node number that the caller frees, of world->nodes and, for each rank,
 * the name of its host and its CPUs (common/machine/cpus.h), "" if they are not known.  NULL without nodes.
 */
int trace_hosts_make(struct trace_host **hosts, uint32_t *count, const struct trace_world *world,
		     const char *const *names, const char *const *cpus, struct error *err);

enum { TRACE_HOSTS_TEXT_BYTES = 256 };

/*
 * Say that ranks had to share cores: "8 ranks on 2 cores".  Of several hosts it is the one
 * with the most ranks for each core, which is named.  NULL if each rank had a core, or if cores are not known.
 * Returns `text`.
 */
const char *trace_hosts_say(const struct trace_world *world,
			    char text[static TRACE_HOSTS_TEXT_BYTES]);

#endif
