/*
 * Computation of the overlap benchmark, without MPI.
 *
 * `work` and `memory` perform an amount that was calibrated once to take the ordered time, so that whatever takes the
 * processor away makes them longer; `time` ends when the clock says so.
 */
#ifndef MEASURE_KERNEL_H
#define MEASURE_KERNEL_H

#include "common/error.h"
#include "measure/cells/cell.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernels {
	double operation_ns
		[KERNEL_COUNT]; /* as calibrated, of `work` and `memory`; may be set by tests */
	double value;		/* state of the chain of `work`, in 0..1 */
	uint64_t *lines;	/* array of `memory`, or NULL; owned */
	size_t line_count, next_line;
};

/* Prepare both, and calibrate what will be used.  Takes about 0.2 s.  End with kernels_release. */
int kernels_init(struct kernels *kernels, bool memory, struct error *err);
void kernels_release(struct kernels *kernels);

/* Time of one operation of `work` now, ns: the least of several measurements, in about 40 ms. */
double kernels_measure_work(struct kernels *kernels);

/* Number of operations that take so long. */
uint64_t kernel_operations(const struct kernels *kernels, enum kernel kernel, double compute_ns);

/*
 * Compute.  `test`, unless tests_ns is 0, is called after each tests_ns of computation but not at the end.
 */
void kernel_run(struct kernels *kernels, enum kernel kernel, double compute_ns, double tests_ns,
		void (*test)(void *context), void *context);

/* Perform operations of `work`, each some 10 ns. */
void kernel_work(double *value, uint64_t operations);

#endif
