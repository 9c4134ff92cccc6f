/* Matching the calls of a measured run (trace/measured_run.h). */
#ifndef TRACE_MEASURED_MATCH_H
#define TRACE_MEASURED_MATCH_H

#include "trace/measured_run.h"

/*
 * Fill what follows from the calls of all ranks: begin and end of the run, send_of, recv_of,
 * instance_of, instances, violations and lone halves.
 */
int measured_match(struct measured_run *run, struct error *err);

#endif
