/*
 * Bar charts: horizontal stacked bars with labels of any length, in groups with headings.
 *
 * A bar may have a range, such as quartiles, as a line across its end.  The axis may be logarithmic.
 *
 * A bar's label is at its left, shortened in its middle if it is too long, and above it where the
 * picture is narrow.  Its text is at its right.
 */
#ifndef COMMON_DRAW_BARS_H
#define COMMON_DRAW_BARS_H

#include "common/draw/axis.h"
#include "common/draw/svg.h"

struct bar {
	const char *label;
	const double *values; /* [part], in the order of the parts; INFINITY: unbounded */
	const char *text;     /* at the right, such as "12.4 µs"; NULL for none */
	const double *range;  /* [2], least and greatest; NULL for none */
};

struct bar_group {
	const char *heading; /* NULL for none */
	const struct bar *bars;
	size_t count;
};

struct bars {
	const char *title; /* for those who cannot see the picture */
	const char *name;  /* of the axis */
	enum quantity quantity;
	bool logarithmic;	  /* axis; there is one part, and bars begin at a power below all values */
	const char *const *parts; /* names in the legend; NULL if there is one part */
	const unsigned *styles;	  /* [part]: series of the palette; NULL: 0, 1, 2 ... */
	size_t part_count;
	const struct bar_group *groups;
	size_t group_count;
};

/* Draw the chart as a whole picture.  A bar with a value of INFINITY ends in an arrow. */
int bars_draw(const struct bars *bars, const struct svg *svg, struct error *err);

#endif
