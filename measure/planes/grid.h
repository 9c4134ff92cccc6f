/*
 * Cells of one benchmark on a grid whose columns are sizes and whose rows are computations, at equal
 * distances of their logarithms (rows of nload: numbers of threads).
 *
 * A cell has one square if its neighbours are measured.  Cells of a coarser run have the squares up to the
 * middle between them.  What is not measured between cells of a finer run stays empty.
 */
#ifndef MEASURE_GRID_H
#define MEASURE_GRID_H

#include "common/heatmap/heatmap.h"
#include "measure/cells/cells_file.h"

/* Places of values in one direction, the same for all planes that are compared. */
struct scale {
	bool logarithmic;
	double first,
		step;	/* of place 0, and between places; logarithms to base 2 if logarithmic */
	size_t count;	/* of places */
	double *values; /* distinct values, ascending */
	size_t value_count;
};

struct grid_scales {
	struct scale sizes, times, threads;
};

/* Find the scales of all cells of files.  On success end with grid_scales_release. */
int grid_scales_find(struct grid_scales *scales, const struct cells_file *const *files,
		     size_t count, struct error *err);
void grid_scales_release(struct grid_scales *scales);

struct grid {
	size_t columns, rows;
	struct heatmap_axis x, y;  /* without names */
	bool exact;		   /* each cell has one square, whose size and level are its own */
	double *sizes;		   /* [column]: bytes, of the nearest place with cells */
	double *levels;		   /* [row]: ns or threads, likewise */
	const struct cell **cells; /* [row * columns + column]; NULL: not measured */
};

/*
 * Place cells, which are in the order of cell_spec_compare and alike but for size, threads and
 * computation.  There is at least one.  On success end with grid_release.
 */
int grid_build(struct grid *grid, const struct grid_scales *scales, const struct cell *cells,
	       size_t count, struct error *err);
void grid_release(struct grid *grid);

#endif
