/* Pictures by kind of figure.  Private to figure_picture*.c. */
#ifndef USAGE_FIGURES_FIGURE_PICTURE_INTERNAL_H
#define USAGE_FIGURES_FIGURE_PICTURE_INTERNAL_H

#include "common/draw/svg.h"
#include "usage/figures/figure_result.h"

typedef int figure_drawer(const struct figure_result *result, const struct svg *svg,
			  struct error *err);

figure_drawer figure_draw_curves, figure_draw_lines, figure_draw_bars, figure_draw_quartiles,
	figure_draw_stacked;

#endif
