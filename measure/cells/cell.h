/*
 * Cells of the overlap benchmark as data: how long a message and a computation take together, for one
 * size of the message and one length of the computation.
 *
 * Source of the method: A. Denis, F. Trahay, "MPI Overlap: Benchmark and Analysis" (2016).  All times are
 * in ns and of rank 0, those of collectives of the slowest rank.
 */
#ifndef MEASURE_CELL_H
#define MEASURE_CELL_H

#include "common/error.h"
#include "measure/statistics/samples.h"

#include <stdbool.h>
#include <stdint.h>

enum bench {
#define BENCHMARK(id, name, group, picture, what) BENCH_##id,
#include "measure/cells/benchmarks.def"
#undef BENCHMARK
	BENCH_COUNT
};

enum bench_group { BENCH_PAIR, BENCH_THREADS, BENCH_ONE_SIDED, BENCH_COLLECTIVE };

struct bench_description {
	const char *name; /* "sender" */
	enum bench_group group;
	const char *picture; /* title of its plane */
	const char *what;    /* overlaps */
};

extern const struct bench_description bench_descriptions[BENCH_COUNT];

/* Find a benchmark by its name.  STATUS_USAGE lists the names. */
int bench_parse(const char *name, enum bench *bench, struct error *err);

/* How a rank computes: KERNEL_WORK, a fixed number of operations; KERNEL_TIME, until the clock says that
 * the time is over; KERNEL_MEMORY, a fixed number of bytes of a large array. */
enum kernel { KERNEL_WORK, KERNEL_TIME, KERNEL_MEMORY, KERNEL_COUNT };

extern const char *const kernel_names[KERNEL_COUNT + 1]; /* ends with NULL */

/* Which side computes in the benchmarks noncontig and cpu, and which side sends in nload (both: ping-pong). */
enum side { SIDE_SENDER, SIDE_RECEIVER, SIDE_BOTH, SIDE_COUNT };

extern const char *const side_names[SIDE_COUNT + 1]; /* ends with NULL */

/* What a cell is; two cells of a file differ in it. */
struct cell_spec {
	enum bench bench;
	enum kernel kernel;
	enum side
		side; /* of noncontig, cpu, nload (whose default is SIDE_BOTH); else SIDE_SENDER */
	uint64_t bytes;	   /* of each message */
	double compute_ns; /* as ordered; 0 in nload */
	unsigned threads;  /* that compute beside the ranks; nload only */
	unsigned pending;  /* messages at once, at least 1 */
	double tests_ns;   /* MPI_Test every so long within the computation; 0: never */
};

/* The side that a benchmark has unless another one is ordered: both in nload, a ping-pong; else the sender. */
enum side bench_default_side(enum bench bench);

bool cell_spec_equal(const struct cell_spec *a, const struct cell_spec *b);

/* Order by benchmark, kernel, side, messages, tests, size, threads, computation: below, at or above 0. */
int cell_spec_compare(const struct cell_spec *a, const struct cell_spec *b);

/*
 * Parse "BENCH:SIZE:TIME" or "nload:SIZE:THREADS" into a specification with the kernel `work`, the side of
 * bench_default_side, one message and no tests.  Errors are STATUS_USAGE.
 */
int cell_spec_parse(const char *text, struct cell_spec *spec, struct error *err);

/*
 * Order statistics of one quantity.  `low` and `high` are the confidence interval of the median: the kth samples
 * from both ends, for the largest k with
 *
 *	P(fewer than k of n samples are below the median) = sum over i < k of binomial(n, i) / 2^n <= 0.025
 *
 * (18th and 33rd of 50).  Fewer than 6 samples have no interval of 95 %: it is then from `min` to `max`.  Without
 * samples the count is 0, and all else NAN.
 */
struct spread {
	size_t count;
	double min, d1, q1, median, q3, d9, max, low, high;
};

/* Find the order statistics, without samples that are not finite.  Sorts the samples. */
struct spread spread_of(struct samples *samples);

struct cell {
	struct cell_spec spec;
	struct spread full;	/* time of rank 0 from the first call to the end of the last */
	struct spread latency;	/* half a round trip without data */
	struct spread comm;	/* T_comm: communication without computation */
	struct spread comp;	/* T_comp: computation without communication; none in nload */
	struct spread blocking; /* collectives: the blocking call */
	/* Medians within `full`: calls that start, computation, calls that complete. */
	double post_ns, compute_ns, complete_ns;
	double cpu_ns;	   /* processor time of rank 0's process in `full`, median */
	unsigned rounds;   /* that were run, without the warm-up */
	unsigned rejected; /* because the system took a processor away */
	/* Collectives: ratios of all ranks, by their own times; else NULL.  Owned. */
	double *rank_ratios;
	uint32_t rank_count;
};

/* Free what the cell owns, and set it to zero bytes. */
void cell_release(struct cell *cell);

#endif
