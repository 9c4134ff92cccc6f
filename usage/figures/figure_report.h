/*
 * Figures as text, JSON, CSV and their schema: what common/report makes of answers.
 */
#ifndef USAGE_FIGURES_FIGURE_REPORT_H
#define USAGE_FIGURES_FIGURE_REPORT_H

#include "common/text.h"
#include "usage/figures/figure_result.h"

/* The figures to show, of an index or of two that are compared. */
struct figure_request {
	const struct figure *only; /* NULL: all */
	struct figure_source *sources[2];
	int source_count;
};

/* Whether a figure is shown. */
bool figure_is_asked(const struct figure_request *request, const struct figure *figure);

/* Write the figures.  CSV has the rows of one figure. */
int figure_report(struct report *report, const struct figure_request *request, struct error *err);

/* Write a table of an answer into a text or a page: rows, or of curves and quartiles their summaries. */
void figure_report_table(struct report *report, const struct figure_result *result,
			 const char *title, size_t most);

/* Write what the figures of an index are about: jobs, filter, weights. */
void figure_basis(const struct figure_source *source, struct sentence *basis);

#endif
