/* Output of `llamp topology`. */
#ifndef LLAMP_REPORT_TOPOLOGY_H
#define LLAMP_REPORT_TOPOLOGY_H

#include "llamp/network/topology_survey.h"
#include "llamp/report/report.h"

/* Write the figures of the topology in the parameter file `report->file`. */
void report_topology(struct report *report, const struct topology *topology,
		     const struct topology_survey *survey);

/* Put the name of a class of links: "wire", in a text the name of its latency, "l_wire". */
void put_link_class(struct report_row *row, const struct topology *topology, uint32_t class);

#endif
