/*
 * Which cells are measured, in which order: a coarse grid first, then the cells between.
 *
 * Sizes are 2^(i/n) rounded to multiples of 64 bytes (below 64: whole bytes), computations 2^(i/n) us, rounded to
 * ns, for n cells per octave.  A range of one value is that value.
 */
#ifndef MEASURE_PLAN_H
#define MEASURE_PLAN_H

#include "measure/cells/cell.h"

struct plan_options {
	bool benches[BENCH_COUNT];
	bool kernels[KERNEL_COUNT];
	enum side side; /* of noncontig, cpu and nload; SIDE_COUNT: the default of each */
	uint64_t least_bytes, most_bytes;
	uint64_t
		most_block_bytes; /* in collectives: some need a block for each rank; 0: no limit */
	double least_compute_ns, most_compute_ns;
	unsigned per_octave;
	unsigned least_threads, most_threads; /* nload */
	unsigned pending;		      /* of benchmarks of a pair, and one-sided ones */
	double tests_ns;
	/*
	 * Sizes in powers of 4; threads 0, 1 and most.  One cell for each size, without computation: the three
	 * computations are known when T_comm is (plan_quick_compute_ns).
	 */
	bool quick;
};

struct plan {
	struct cell_spec *items; /* in the order of measuring */
	size_t count, capacity;
};

/* Make the plan; zero bytes are an empty one.  End with array_release. */
int plan_make(const struct plan_options *options, struct plan *plan, struct error *err);

/*
 * Computations of a quick run for a message that takes T_comm, at least 4 us: a quarter, the same, and four times of
 * it, as the nearest powers of the square root of 2 us.
 */
enum { QUICK_COMPUTATIONS = 3 };
double plan_quick_compute_ns(double comm_ns, unsigned number);

/* Whether a cell of a quick plan stands for all its computations. */
bool plan_is_quick(const struct plan_options *options, const struct cell_spec *spec);

#endif
