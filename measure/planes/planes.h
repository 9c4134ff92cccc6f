/*
 * Planes of files of the overlap benchmark: overhead ratio by size and computation, slowdown by size and threads.
 *
 * Denis and Trahay (2016), section III-C and figures 2 to 4: a row of planes for each file, a column for each
 * benchmark, and T_comm over them.  Files with the same benchmarks have the same columns.
 */
#ifndef MEASURE_PLANES_H
#define MEASURE_PLANES_H

#include "common/heatmap/heatmap.h"
#include "measure/planes/grid.h"

/* Colours of ratios, from 0 to 2, and of slowdowns, from 0.1 to 10^4. */
extern const struct heatmap_scale planes_ratio_scale, planes_slowdown_scale;

/* Data that a plane points to. */
struct plane_data {
	char title[256], note[256];
	double *values, *details, *sizes, *levels, *comm;
	bool *uncertain;
	struct heatmap_curve curve;
};

struct planes {
	size_t file_count;
	ARRAY(struct cell_spec) kinds; /* of planes; sizes, threads, computations are 0 */
	struct grid_scales scales;
	struct heatmap_row *rows;     /* [file] */
	struct heatmap_plane *planes; /* [file * kinds.count + kind] */
	struct plane_data *data;      /* likewise */
	char (*labels)[512];	      /* [file] */
};

/* Build the planes of files that live as long as these.  On success end with planes_release. */
int planes_build(struct planes *planes, const struct cells_file *const *files, size_t count,
		 struct error *err);
void planes_release(struct planes *planes);

/* All planes as a picture, with at most `across` (1 or more) beside each other: PLANES_ACROSS as in the paper. */
enum { PLANES_ACROSS = 6 };
struct heatmap planes_heatmap(const struct planes *planes, size_t across,
			      enum heatmap_palette palette);

#endif
