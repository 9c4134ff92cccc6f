/*
 * Pictures of figures.
 */
#ifndef USAGE_FIGURES_FIGURE_PICTURE_H
#define USAGE_FIGURES_FIGURE_PICTURE_H

#include "common/draw/svg.h"
#include "usage/figures/figure_report.h"

/* Whether an answer has a picture: its kind has one, and there are rows. */
bool figure_has_picture(const struct figure_result *result);

/* Draw an answer as a whole picture. */
int figure_draw(const struct figure_result *result, const struct svg *svg, struct error *err);

/* Write the picture of the figure of a request, of its first index, as a file. */
int figure_file(FILE *stream, const struct figure_request *request, struct error *err);

#endif
