/* The hosts of ranks, as numbers. */
#ifndef PROFILER_HOSTS_H
#define PROFILER_HOSTS_H

#include "usage/log/job_ranks.h"

/* Number of this host, by the boot id of its kernel and its name. */
uint64_t hosts_own(void);

/* Set nodes and ranks_per_node of a log by the hosts of all its ranks, which are sorted. */
int hosts_set_nodes(struct job_log *log, uint64_t *hosts, size_t count, struct error *err);

#endif
