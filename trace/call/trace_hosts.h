/* The hosts of a run: how many ranks each has, how many cores they may use, how often they were preempted, and how long they waited for a core. */
#ifndef TRACE_TRACE_HOSTS_H
#define TRACE_TRACE_HOSTS_H

#include "common/error.h"
#include "common/machine/preemptions.h"
#include "trace/call/trace_world.h"

/* Properties of a location group in our archives: the CPUs of the rank, and how often it was preempted. */
#define TRACE_CPUS_PROPERTY "LLAMP::CPUS"
#define TRACE_PREEMPTIONS_PROPERTY "LLAMP::PREEMPTIONS"

/*
 * Make *hosts, an array by node number that the caller frees, of world->nodes and, for each rank,
 * the name of its host, its CPUs (common/machine/cpus.h), "" if they are not known, and its preemptions.  NULL without nodes.
 */
int trace_hosts_make(struct trace_host **hosts, uint32_t *count, const struct trace_world *world,
		     const char *const *names, const char *const *cpus,
		     const struct preemptions *preemptions, struct error *err);

enum { TRACE_HOSTS_TEXT_BYTES = 320 };

/* The most preemptions of a rank in a second that leave its times as they are (doc/trace-format.md has measurements). */
enum { TRACE_MOST_PREEMPTIONS = 100 };

/*
 * Waiting of a thread of a rank for a core as a share of the run, of the thread that waited longest: up to which nothing is said, and above which ranks have shared cores, so that
 * there is no advice (doc/trace-format.md has measurements).
 */
#define TRACE_MOST_WAITED 0.05
#define TRACE_WAITED_SHARED 0.2

/*
 * Say that a host has more ranks than cores: "8 ranks on 2 cores".  Of several hosts it is the one
 * with the most ranks for each core, which is named.  NULL if each rank had a core, or if cores are not known.
 * Returns `text`.
 */
const char *trace_hosts_say_ranks(const struct trace_world *world,
				  char text[static TRACE_HOSTS_TEXT_BYTES]);

/*
 * Say that ranks had to share cores: as trace_hosts_say_ranks, else with what else ran there, if a thread of a rank waited for a core for
 * more than TRACE_WAITED_SHARED of the run.  NULL if neither, or not known.  Returns `text`.
 */
const char *trace_hosts_say_shared(const struct trace_world *world,
				   char text[static TRACE_HOSTS_TEXT_BYTES]);

/*
 * Say that ranks may have had to share cores: as trace_hosts_say_shared, but from TRACE_MOST_WAITED on, else that a rank was preempted more than
 * TRACE_MOST_PREEMPTIONS times a second, if it is not known how long its threads waited.  NULL if neither, or not known.  Returns `text`.
 */
const char *trace_hosts_say(const struct trace_world *world,
			    char text[static TRACE_HOSTS_TEXT_BYTES]);

/* Say so, and what it means for the times: "8 ranks on 2 cores, whose times include waiting for a core". */
const char *trace_hosts_say_times(const struct trace_world *world,
				  char text[static TRACE_HOSTS_TEXT_BYTES]);

#endif
