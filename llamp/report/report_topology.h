/* Output of `llamp topology`. */
#ifndef LLAMP_REPORT_TOPOLOGY_H
#define LLAMP_REPORT_TOPOLOGY_H

#include "llamp/network/topology_survey.h"
#include "llamp/report/report.h"

/* Write the figures of the topology in the parameter file `path`. */
void report_topology(FILE *stream, enum report_format format, const char *path,
		     const struct topology *topology, const struct topology_survey *survey);

#endif
