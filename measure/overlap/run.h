/* A run of the overlap benchmark: all cells of a plan, to a file. */
#ifndef MEASURE_RUN_H
#define MEASURE_RUN_H

#include "measure/cells/cells_file.h"
#include "measure/overlap/plan.h"
#include "measure/overlap/port.h"

#include <signal.h>

/* What a run did. */
struct run_result {
	size_t cells, left_out; /* measured, and left out because of the limit */
	double drift; /* greatest change of the speed of computation, as a share; NAN: not measured */
};

struct run_options {
	struct plan_options plan;
	unsigned repeat;
	bool full; /* all repetitions, in cells that take seconds, too */
	bool both_types;
	double limit_ns; /* of the run, INFINITY: none.  Cells that would take longer are left out */
	const struct cells_file *resumed;  /* cells that need not be measured, or NULL */
	const volatile sig_atomic_t *stop; /* becomes 1 when the run should end, or NULL */
	/* Called before (true) and after (false) each cell on rank 0, which writes nothing between; or NULL. */
	void (*measures)(bool begins);
	struct run_result *result; /* set on rank 0; or NULL */
};

/*
 * Measure on rank 0, all other ranks call overlap_serve.  Writes each cell to the stream as it is
 * measured, with a line before, and the end.  Shows progress (common/progress.h).
 */
int overlap_run(struct port *port, const struct run_options *options, FILE *stream,
		struct error *err);

/* Follow the orders of rank 0 until it ends. */
int overlap_serve(struct port *port, struct error *err);

/* End overlap_serve on all other ranks without a run. */
void overlap_end(struct port *port);

#endif
