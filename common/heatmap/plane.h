/* One plane of a heat map with its labels, and the axes of planes and colour bars. */
#ifndef COMMON_HEATMAP_PLANE_H
#define COMMON_HEATMAP_PLANE_H

#include "common/heatmap/heatmap.h"

#define HEATMAP_TICK_PX 4.0

/* Find the ticks of an axis that goes up `height` px. */
void heatmap_y_ticks(const struct heatmap_axis *axis, double height, struct ticks *ticks);

/* Find as many ticks as have room beside each other on `width` px. */
void heatmap_x_ticks(const struct heatmap_axis *axis, double width, struct ticks *ticks);

/*
 * Write a label with its middle at x = `at`, or beside it so that it does not go beyond the ends of an
 * axis, `left` and `right`.  It is left out if it begins before *end, which is moved to its own end.
 */
void heatmap_x_label(const struct svg *svg, const char *text, double at, double y, double left,
		     double right, double *end);

/* Plane that is drawn, and where. */
struct heatmap_pen {
	const struct svg *svg;
	const struct heatmap_plane *plane;
	enum heatmap_palette palette;
	const char *row_label; /* or NULL */
	unsigned number;       /* of the plane in the picture */
	double left, top, side;
	bool shows_x, shows_y; /* has labels below, at its left */
};

void heatmap_draw_plane(const struct heatmap_pen *pen);

#endif
