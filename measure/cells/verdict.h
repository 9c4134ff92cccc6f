/*
 * Verdicts: what overlaps, by benchmark and size class.
 *
 * A class is a run of neighbouring sizes with the same verdict.  The verdict of a size is that of the median of
 * ratio_seq over its certain cells whose computation takes at least T_comm: there all communication could be hidden.
 *
 *	up to 0.15	overlapped	0.85 to 1.15	serialised
 *	0.15 to 0.85	partly		above 1.15	harmful
 */
#ifndef MEASURE_VERDICT_H
#define MEASURE_VERDICT_H

#include "measure/cells/cells_file.h"

enum verdict {
	VERDICT_OVERLAPPED,
	VERDICT_PARTLY,
	VERDICT_SERIALISED,
	VERDICT_HARMFUL,
	VERDICT_NONE,
	VERDICT_COUNT
};

extern const char *const verdict_names[VERDICT_COUNT + 1];

enum verdict verdict_of(double ratio);

/* Sizes from..to of one benchmark (and kernel, side, messages, tests) with one verdict. */
struct size_class {
	struct cell_spec like; /* bytes and compute_ns are 0 */
	uint64_t from, to;     /* bytes */
	enum verdict verdict;
	double ratio, low, high; /* median, and quartiles, of ratio_seq (slowdown in nload) */
	unsigned cells, uncertain;
};

/* Zero bytes are an empty list; end with array_release. */
struct size_classes {
	struct size_class *items;
	size_t count, capacity;
};

/* Find the classes of all benchmarks of the file, in its order of benchmarks, by size. */
int size_classes_find(const struct cells_file *file, struct size_classes *classes,
		      struct error *err);

/*
 * Share of a message that moves while the rank computes: 1 - median of ratio (1) over certain cells with
 * T_comp >= T_comm, clipped to 0..1, by size, of the benchmarks sender and receiver.
 */
struct overlap_share {
	uint64_t from, to; /* bytes */
	double share;
};

struct overlap_shares {
	struct overlap_share *
		items; /* by size, without gaps between first and last; the outer ones reach to 0 and UINT64_MAX */
	size_t count, capacity;
};

/* Fails with STATUS_LIMIT if the file has no certain cell of the benchmark. */
int overlap_shares_find(const struct cells_file *file, enum bench bench,
			struct overlap_shares *shares, struct error *err);

/* What kind of library this is (Denis and Trahay, section V-A), with the evidence, as one sentence each. */
struct library_class {
	const char *name; /* "progress thread", "network card", "in calls only", ... */
	char evidence[512];
};

void library_class_find(const struct cells_file *file, struct library_class *class);

#endif
