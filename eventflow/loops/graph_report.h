/* A graph with its loops as JSON, and the schema of that. */
#ifndef EVENTFLOW_GRAPH_REPORT_H
#define EVENTFLOW_GRAPH_REPORT_H

#include "common/report/report.h"
#include "eventflow/graph/shown_graph.h"
#include "trace/sequence/loops.h"

struct graph_report {
	uint32_t rank, thread;
	uint64_t events;
	const struct shown_graph *shown;
	const struct flow_loops *loops;
};

/* Write nodes, edges and loops.  The format is REPORT_JSON or REPORT_SCHEMA. */
void graph_report_write(const struct graph_report *graph, const char *file,
			enum report_format format, FILE *stream);

#endif
