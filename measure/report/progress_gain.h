/*
 * What a progress thread brings: two files of the same library on the same hosts whose settings differ.
 *
 * Cells are plain ones that are certain, of the benchmarks sender, receiver and both, with the kernel `work`.  A cell is compared
 * with that of the other file, of the same computation; else of the nearest one within a factor of 1.25, or of any if both
 * computations are as long as their messages.  What is compared is what communication adds to the computation:
 *
 *	E = full - T_comp,	gain = (E without - E with) / full without
 *
 * The thread pays in a cell if the 95 % interval of E with it is below the one without, and costs if it is above.  It pays at a
 * size if it does so in more cells than it costs in, and in at least a quarter of them.
 */
#ifndef MEASURE_PROGRESS_GAIN_H
#define MEASURE_PROGRESS_GAIN_H

#include "measure/report/overlap_files.h"

struct gain_row {
	uint64_t bytes;
	unsigned cells, pays, costs; /* number of cells */
	double gain;		     /* median */
	double most;		     /* the largest */
	double least_ns, most_ns;    /* computations of the cells in which it pays; NAN: none */
};

/* Whether the thread pays at the size of the row. */
bool gain_row_pays(const struct gain_row *row);

struct progress_gain {
	const struct overlap_findings *without, *with;
	bool is_thread;	     /* a variable of the settings of `with` starts a progress thread */
	bool has_free_core;  /* rank 0's host has more processors than ranks */
	unsigned host_ranks; /* on rank 0's host */
	ARRAY(struct gain_row) rows; /* by size */
	double latency_ns[2];  /* without and with: median of half a round trip without data */
	unsigned cells, costs; /* of all sizes */
	double cost;	       /* median of -gain over the cells in which it costs; NAN: none */
	char sentence[640];
};

/*
 * Whether two files can be compared: of the same library, processor and hosts, with settings of which only those of progress
 * threads differ, or with `any` others.
 */
bool progress_gain_compares(const struct cells_header *a, const struct cells_header *b, bool any);

/* Compare two files.  On success end with progress_gain_release. */
int progress_gain_find(struct progress_gain *gain, const struct overlap_findings *a,
		       const struct overlap_findings *b, struct error *err);
void progress_gain_release(struct progress_gain *gain);

#endif
