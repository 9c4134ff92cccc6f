/* Output of critpath graph. */
#ifndef CRITPATH_RUN_REPORT_GRAPH_H
#define CRITPATH_RUN_REPORT_GRAPH_H

#include "critpath/graph/graph_slice.h"
#include "critpath/report/run_report.h"

/* As JSON, or CSV with a row for each edge. */
void run_report_graph(struct report *report, const struct findings *findings,
		      const struct graph_slice *slice);

/* In the language of the programs of Graphviz. */
void run_report_graph_dot(FILE *stream, const struct findings *findings,
			  const struct graph_slice *slice);

#endif
