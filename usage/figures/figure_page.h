/*
 * Figures as a page: one HTML file (common/draw/html.h), coverage first.
 */
#ifndef USAGE_FIGURES_FIGURE_PAGE_H
#define USAGE_FIGURES_FIGURE_PAGE_H

#include "usage/figures/figure_report.h"

int figure_page(FILE *stream, const struct figure_request *request, struct error *err);

#endif
