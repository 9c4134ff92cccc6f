/*
 * Line charts: panels above each other with one horizontal axis.
 *
 * Series, zones of the horizontal axis, and marks of single values.  The legend is above the first
 * panel and wraps.  Labels of zones and marks have rows of their own above the panel, in which none
 * touches another.  Nothing is rotated.
 */
#ifndef COMMON_DRAW_LINES_H
#define COMMON_DRAW_LINES_H

#include "common/draw/axis.h"
#include "common/draw/svg.h"

struct lines_point {
	double x, y;
};

enum lines_kind {
	LINES_STRAIGHT, /* points joined by lines */
	LINES_STEPS,	/* y of a point holds up to the x of the next */
	LINES_AREA,	/* steps, and the area below them down to 0 */
	LINES_POINTS,	/* markers */
};

/*
 * Points by ascending x, which are not copied.  A line with very many points is drawn with the
 * first, least, greatest and last of each third of a pixel.
 */
struct lines_series {
	const char *label; /* in the legend if there are points; NULL for none */
	enum lines_kind kind;
	unsigned style; /* number of the series in the palette */
	const struct lines_point *points;
	size_t count;
};

/* A value of the vertical axis: a horizontal line through the panel. */
struct lines_level {
	const char *label; /* in the legend */
	double value;	   /* outside of the chart if it is not finite */
};

struct lines_panel {
	const char *name; /* of the vertical axis, without its unit */
	enum quantity quantity;
	bool from_zero; /* the axis begins at 0 */
	double height;	/* in px */
	const struct lines_series *series;
	size_t series_count;
	const struct lines_level *levels;
	size_t level_count;
};

/* A part of the horizontal axis, in all panels.  Zones follow each other. */
struct lines_zone {
	double from, to;   /* to may be INFINITY */
	unsigned zone;	   /* 1 harmless, 2 noticeable, 3 severe, 0 none */
	const char *label; /* at its end, if the end is inside the chart */
};

/* A value of the horizontal axis: a vertical line through all panels. */
struct lines_mark {
	double value;
	const char *label;
};

struct lines {
	const char *title; /* for those who cannot see the picture */
	const char *name;  /* of the horizontal axis */
	enum quantity quantity;
	double low, high; /* horizontal range, low < high */
	bool logarithmic; /* the horizontal axis, with 0 < low; the script of pages leaves such charts alone */
	bool logarithmic_panels; /* the vertical axes, whose values are above 0 */
	const struct lines_zone *zones;
	size_t zone_count;
	const struct lines_mark *marks;
	size_t mark_count;
	const struct lines_panel *panels;
	size_t panel_count;
};

/* Draw the chart as a whole picture. */
int lines_draw(const struct lines *lines, const struct svg *svg, struct error *err);

#endif
