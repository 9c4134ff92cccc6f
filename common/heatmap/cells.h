/* Cells and white curves of a heat map's plane, and the numbers of the cells for the page's script. */
#ifndef COMMON_HEATMAP_CELLS_H
#define COMMON_HEATMAP_CELLS_H

#include "common/heatmap/heatmap.h"

/*
 * Write the cells as lines one cell high, in units of cells from the upper left corner.  They have
 * their colours themselves: a style sheet does not reach what another part of a page uses.
 */
void heatmap_print_cells(const struct heatmap_plane *plane, enum heatmap_palette palette,
			 FILE *stream);

/* Rectangle of a plane, in units of cells or in px. */
struct heatmap_box {
	double left, top, width, height;
};

/*
 * Write the white curves of a plane with values, through the middles of its columns.  What is beyond
 * the axis of y is left out.
 */
void heatmap_print_curves(const struct heatmap_plane *plane, struct heatmap_box box, FILE *stream);

/* Place of a value on an axis: 0 is its low end, 1 its high end. */
double heatmap_axis_place(const struct heatmap_axis *axis, double value);

#endif
