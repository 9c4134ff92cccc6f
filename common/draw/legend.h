/* Legends of charts: keys beside each other, in as many rows as they need. */
#ifndef COMMON_DRAW_LEGEND_H
#define COMMON_DRAW_LEGEND_H

#include "common/draw/svg.h"

#include <stddef.h>

enum legend_kind {
	LEGEND_LINE,
	LEGEND_POINT,
	LEGEND_AREA,
	LEGEND_BAR,
	LEGEND_LEVEL,
	LEGEND_THIN,
	LEGEND_WHITE, /* a white curve; with the next ones of heat maps */
	LEGEND_UNCERTAIN,
	LEGEND_EMPTY,
};

struct legend_item {
	const char *label;
	enum legend_kind kind;
	unsigned style; /* series of the palette */
};

/* Height in px of a legend that is `width` px wide. */
double legend_height(const struct legend_item *items, size_t count, double width);

/* Draw a legend with its upper left corner at (x, y). */
void legend_draw(const struct svg *svg, const struct legend_item *items, size_t count, double x,
		 double y, double width);

#endif
