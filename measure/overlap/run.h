/* A run of the overlap benchmark: all cells of a plan, to a file. */
#ifndef MEASURE_RUN_H
#define MEASURE_RUN_H

#include "measure/cells/cells_file.h"
#include "measure/overlap/plan.h"
#include "measure/overlap/port.h"

#include <signal.h>

struct run_options {
	struct plan_options plan;
	unsigned repeat;
	bool both_types;
	double limit_ns;		   /* INFINITY: none */
	const struct cells_file *resumed;  /* cells that need not be measured, or NULL */
	const volatile sig_atomic_t *stop; /* becomes 1 when the run should end, or NULL */
};

/*
 * Measure on rank 0, all other ranks call overlap_serve.  Writes each cell to the stream as it is
 * measured, and the end.  Shows progress (common/progress.h).
 */
int overlap_run(struct port *port, const struct run_options *options, FILE *stream,
		struct error *err);

/* Follow the orders of rank 0 until it ends. */
int overlap_serve(struct port *port, struct error *err);

#endif
