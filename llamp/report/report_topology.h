/* Output of `llamp topology`. */
#ifndef LLAMP_REPORT_TOPOLOGY_H
#define LLAMP_REPORT_TOPOLOGY_H

#include "common/draw/svg.h"
#include "llamp/network/topology_survey.h"
#include "llamp/report/report.h"

/* Write the figures of the topology in the parameter file `path`. */
void report_topology(FILE *stream, enum report_format format, const char *path,
		     const struct topology *topology, const struct topology_survey *survey);

/*
 * Draw hosts, switches and links, with the numbers of hosts where there is room.  A network that
 * is too large to be readable is STATUS_LIMIT.
 */
int picture_topology(const struct svg *svg, const struct topology *topology, struct error *err);

#endif
