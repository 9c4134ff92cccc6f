/*
 * Verdicts: what overlaps, by benchmark and size class.
 *
 * A class is a run of neighbouring sizes with the same verdict.  The verdict of a size is that of the median of
 * ratio_seq over its certain cells whose computation takes at least T_comm: there all communication could be hidden.
 *
 *	up to 0.15	overlapped	0.85 to 1.15	serialised
 *	0.15 to 0.85	partly		above 1.15	harmful
 *
 * In nload, where each number of threads has classes of its own, it is the slowdown that counts: up to 0.15 overlapped,
 * else harmful.
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

extern const char *const verdict_names[VERDICT_COUNT + 1]; /* ends with NULL */

/* NAN is VERDICT_NONE. */
enum verdict verdict_of(double ratio);

/* Whether the cell has a say: it is certain, and its computation takes at least T_comm (nload: has threads). */
bool cell_decides(const struct cell *cell);

/*
 * Plain cells of a benchmark: its default side, one message, no tests, and the kernel `work`, or another one if the file
 * has no such cells.
 */
enum kernel plain_kernel(const struct cells_file *file, enum bench bench);
bool cell_is_plain(const struct cell *cell, enum bench bench, enum kernel kernel);

/* Sizes from..to of one benchmark (and kernel, side, messages, tests; nload: threads) with one verdict. */
struct size_class {
	struct cell_spec like; /* bytes and compute_ns are 0 */
	uint64_t from, to;     /* bytes */
	enum verdict verdict;
	double ratio, low, high; /* median, and quartiles, of ratio_seq (slowdown in nload) */
	unsigned cells;		 /* of these sizes, with long enough computations */
	unsigned uncertain;	 /* of these, left out */
};

/* Zero bytes are an empty list; end with array_release. */
struct size_classes {
	struct size_class *items;
	size_t count, capacity;
};

/*
 * Find the classes of all benchmarks of the file, in its order of benchmarks, by size.  Sizes without a verdict belong to the
 * class around them if there is one.
 */
int size_classes_find(const struct cells_file *file, struct size_classes *classes,
		      struct error *err);

/*
 * Share of a message that moves while the rank computes: 1 - median of ratio (1) over the cells of a size that decide,
 * clipped to 0..1.  Only plain cells count.  A measured size counts up to the geometric mean of it and the next.
 */
struct overlap_share {
	uint64_t from, to; /* bytes */
	double share;
};

struct overlap_shares {
	/* By size, without gaps, from 0 to UINT64_MAX. */
	struct overlap_share *items;
	size_t count, capacity;
};

/* Fails with STATUS_LIMIT if no cell of the benchmark decides. */
int overlap_shares_find(const struct cells_file *file, enum bench bench,
			struct overlap_shares *shares, struct error *err);

/*
 * Processor time that communication has taken from the computation: T_measured with a fixed amount of work, less that
 * with a fixed time.  NAN unless this is a cell of the kernel `work` and the file has the other one.
 */
double cell_stolen_ns(const struct cells_file *file, const struct cell *cell);

/*
 * What kind of library this is (Denis and Trahay, section V-A).  Of messages above the rendezvous threshold, medians over
 * plain cells that decide:
 *
 *	sender		receiver	name
 *	overlapped	overlapped	"progress thread" if the process uses at least 1.2 processors, or if communication
 *					takes at least 0.1 of T_comm from the computation; else "network card", or
 *					on one node "copy by the peer"
 *	overlapped	another		"in calls of the receiver"
 *	another		overlapped	"in calls of the sender"
 *	serialised	serialised	"in calls only"
 *	harmful		any		"harmful", also if it is the receiver
 *	any		any		"mixed"
 *	none		none		"unknown"
 *
 * What is partly overlapped with the kernel `work` is overlapped here if it is so with `time`: a thread on the same core hides
 * the message, and takes the core from the computation.  If the threshold is unknown, sizes from 64 KiB on are above it; if
 * there is none, all are.
 */
struct library_class {
	const char *name;
	char evidence[512]; /* the numbers, as a sentence */
	const char *paper;  /* what the paper has found there and is no longer so, or NULL */
};

/* The smallest size above the threshold, as said above. */
uint64_t library_least_above(const struct cells_header *header);

/* Name the sizes above the threshold or those up to it: "above 16 KiB". */
enum { LIBRARY_SIZES_BYTES = 80 };
const char *library_sizes(const struct cells_header *header, bool above,
			  char text[static LIBRARY_SIZES_BYTES]);

int library_class_find(const struct cells_file *file, struct library_class *class,
		       struct error *err);

#endif
