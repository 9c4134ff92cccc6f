/* Output of critpath graph. */
#ifndef CRITPATH_RUN_REPORT_GRAPH_H
#define CRITPATH_RUN_REPORT_GRAPH_H

#include "critpath/path/graph_slice.h"
#include "critpath/report/run_report.h"

/* CSV has a row for each edge, DOT is for the programs of Graphviz. */
enum graph_format { GRAPH_CSV, GRAPH_JSON, GRAPH_DOT, GRAPH_FORMATS };

void run_report_graph(FILE *stream, enum graph_format format, const struct findings *findings,
		      const struct graph_slice *slice);

#endif
