/* Output of `llamp topology --route` and `--load`: links of a topology by the names of their nodes. */
#ifndef LLAMP_REPORT_LINKS_H
#define LLAMP_REPORT_LINKS_H

#include "llamp/placement/link_load.h"
#include "llamp/report/report.h"

/* Write the links between two hosts of the topology in the parameter file `report->file`. */
int report_route(struct report *report, const struct topology *topology, uint32_t from,
		 uint32_t to, struct error *err);

/* Write the load that the graph `graph` is for the links of the topology in `report->file`. */
void report_load(struct report *report, const char *graph, const struct topology *topology,
		 const struct link_load *load);

#endif
