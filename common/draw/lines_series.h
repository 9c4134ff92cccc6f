/* Series of a line chart, thinned to what is visible. */
#ifndef COMMON_DRAW_LINES_SERIES_H
#define COMMON_DRAW_LINES_SERIES_H

#include "common/draw/lines.h"

/* Draw a series with the axes x and y. */
void lines_draw_series(const struct svg *svg, const struct lines_series *series,
		       const struct axis *x, const struct axis *y);

#endif
