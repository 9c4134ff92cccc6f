/*
 * Labels of vertical lines, in rows above a chart.
 *
 * All labels are to the left of their lines, or all to the right if then more lines can go up to
 * their labels without crossing another one, except for those at the edges.  The rows are numbered from the bottom.
 */
#ifndef COMMON_DRAW_STRIP_H
#define COMMON_DRAW_STRIP_H

#include "common/draw/svg.h"
#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>

struct strip_label {
	const char *text;
	double x; /* of the line */
	/* Set by strip_place: */
	int row;
	bool right;	 /* to the right of the line */
	bool leader;	 /* the line goes up to the label */
	double from, to; /* of the text */
};

#define STRIP_ROW_PX 16.0

/* Place labels, which are by ascending x, within [left, right], and count the rows. */
int strip_place(struct strip_label *labels, size_t count, double left, double right, int *rows,
		struct error *err);

/* Draw the labels and their lines above y, the bottom of the rows. */
void strip_draw(const struct svg *svg, const struct strip_label *labels, size_t count, double y);

#endif
