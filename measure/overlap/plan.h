/*
 * Which cells are measured, in which order: a coarse grid first, then the cells between.
 *
 * Sizes are 2^(i/n) rounded to multiples of 64 bytes (below 64: whole bytes), computations 2^(i/n) us, for n cells per octave.
 */
#ifndef MEASURE_PLAN_H
#define MEASURE_PLAN_H

#include "measure/cells/cell.h"

struct plan_options {
	bool benches[BENCH_COUNT];
	bool kernels[KERNEL_COUNT];
	enum side side;
	uint64_t least_bytes, most_bytes;
	double least_compute_ns, most_compute_ns;
	unsigned per_octave;
	unsigned least_threads, most_threads; /* nload */
	unsigned pending;
	double tests_ns;
	bool quick; /* sizes in powers of 4; computations are set when T_comm is known (plan_quick_compute_ns) */
};

struct plan {
	struct cell_spec *items; /* in the order of measuring */
	size_t count, capacity;
};

int plan_make(const struct plan_options *options, struct plan *plan, struct error *err);

/* Computations of a quick run for a message that takes T_comm: a quarter, the same, and four times of it. */
enum { QUICK_COMPUTATIONS = 3 };
double plan_quick_compute_ns(double comm_ns, unsigned number);

#endif
