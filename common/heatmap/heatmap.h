/*
 * Heat maps: planes of cells whose colour is a value, one rectangle a cell, without interpolation.
 *
 * Planes are in rows, which have labels, and break where a picture is narrow.  A plane is a grid of
 * columns and rows that are equally wide in px; its axes are linear or logarithmic.  Its cells are
 * empty where nothing is known and hatched where little is.  White curves are over them.  A plane
 * without values shows its curves in the colours of series.
 *
 * A page has its cells once and shows them in pictures of several sizes:
 *
 *	plane.id = 1;
 *	heatmap_define(&plane, HEATMAP_FIRE, page.stream);
 *	html_figure(&page, "Overlap");
 *	while (html_picture(&page, &svg))
 *		TRY(heatmap_draw(&heatmap, &svg, err));
 *	html_figure_end(&page);
 */
#ifndef COMMON_HEATMAP_H
#define COMMON_HEATMAP_H

#include "common/draw/axis.h"
#include "common/heatmap/colours.h"
#include "common/draw/svg.h"

#include <stddef.h>

struct heatmap_axis {
	const char *name;
	enum quantity quantity;
	bool logarithmic;
	double low, high; /* outer edges of the first and the last cell, low < high */
};

/* Number that the page's script tells of the cell that is pointed at. */
struct heatmap_detail {
	const char *name;
	enum quantity quantity;
};

struct heatmap_curve {
	const char *label;    /* in the legend, which has each label once */
	const double *values; /* [column]: y above the middle of the column; NAN: none */
	double mark;	      /* x of a marker on the curve of a plane without values; NAN: none */
};

struct heatmap_plane {
	const char *title;
	const char *note; /* why there are neither cells nor curves; NULL: there are */
	const struct heatmap_scale *scale;
	struct heatmap_axis x, y; /* with a note, both may be {0}: not drawn */
	size_t columns, rows;
	const double *values;  /* [row * columns + column], row 0 at the bottom; NAN: empty */
	const bool *uncertain; /* [cell]: hatched; NULL: none is */
	const struct heatmap_curve *curves;
	size_t curve_count;

	/* For pages: */
	unsigned id; /* of the cells in the page, from 1 on; 0: the picture has them itself */
	const double *x_values; /* [column], told beside the details; NULL: not told */
	const double *y_values; /* [row], likewise */
	const struct heatmap_detail *details;
	size_t detail_count;
	const double *
		detail_values; /* [cell * detail_count + detail]; NAN: none.  Told with three digits, bytes with all */
};

struct heatmap_row {
	const char *label; /* above its planes; NULL: none */
	const struct heatmap_plane *planes;
	size_t plane_count;
};

struct heatmap {
	const char *title; /* for those who cannot see the picture */
	const struct heatmap_row *rows;
	size_t row_count;
	size_t across; /* planes beside each other in a wide picture; two at most in a narrow one */
	enum heatmap_palette palette;
};

/* Write the cells of a plane that has an id and values into a page, where nothing is shown yet. */
void heatmap_define(const struct heatmap_plane *plane, enum heatmap_palette palette, FILE *stream);

/* Draw the planes as a whole picture. */
int heatmap_draw(const struct heatmap *heatmap, const struct svg *svg, struct error *err);

#endif
