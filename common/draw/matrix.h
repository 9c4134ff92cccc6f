/*
 * Heat maps: a square matrix as cells whose colour is the logarithm of their value.
 */
#ifndef COMMON_DRAW_MATRIX_H
#define COMMON_DRAW_MATRIX_H

#include "common/draw/axis.h"
#include "common/draw/svg.h"

struct matrix {
	const char *title;		    /* for those who cannot see the picture */
	const char *row_name, *column_name; /* "from rank", "to rank" */
	const char *value_name;		    /* above the legend: "bytes" */
	enum quantity quantity;
	size_t side;	       /* rows and columns of cells */
	size_t items_per_cell; /* ranks in a row or column of cells; the last may have fewer */
	size_t item_count;     /* of all rows, and of all columns */
	const double *values;  /* [row * side + column]; 0 is empty */
};

/* Draw the heat map as a whole picture.  Row 0 is at the top. */
void matrix_draw(const struct matrix *matrix, const struct svg *svg);

#endif
