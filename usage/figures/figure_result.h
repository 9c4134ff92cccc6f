/*
 * Answer of a figure: rows of values, one for each of the figure's fields.
 *
 *	struct figure_result result;
 *
 *	if (figure_ask(&result, figure, &source, err) < 0)
 *		...
 *	figure_result_release(&result);
 */
#ifndef USAGE_FIGURES_FIGURE_RESULT_H
#define USAGE_FIGURES_FIGURE_RESULT_H

#include "common/array.h"
#include "common/string_map.h"
#include "usage/figures/figure.h"
#include "usage/figures/figure_source.h"

struct figure_value {
	double number;	  /* NAN: none */
	const char *text; /* NULL: the value is a number */
};

/* What curves, and quartiles of a label, say in few numbers. */
struct figure_summary {
	const char *label, *domain;
	double jobs, core_hours;
	double least, low, median, high, most; /* low, high: quartiles */
	size_t first, count;		       /* rows of the curve */
};

struct figure_result {
	const struct figure *figure;
	int columns;
	ARRAY(struct figure_value) values;	/* [row * columns + column] */
	ARRAY(struct figure_summary) summaries; /* of curves and quartiles, in their order */
	ARRAY(char *) texts;			/* all texts, each once */
	struct string_map numbers;		/* of texts */
};

/* Ask an index. */
int figure_ask(struct figure_result *result, const struct figure *figure,
	       struct figure_source *source, struct error *err);
void figure_result_release(struct figure_result *result);

size_t figure_rows(const struct figure_result *result);
const struct figure_value *figure_row(const struct figure_result *result, size_t row);

/* A value as pictures have it: shares in per cent. */
double figure_shown(const struct figure *figure, int column, double value);

/* The text as the result keeps it, or NULL with an error. */
const char *figure_text(struct figure_result *result, const char *text, struct error *err);

/*
 * Read the rows of a statement as curves or as quartiles (figure.h).  A quantile q of a distribution is its
 * least value v with CDF(v) >= q, and the mean of that and the next value where CDF(v) = q: it does not change
 * if each job is there k times.
 */
int figure_read_curves(struct figure_result *result, struct usage_db *db, sqlite3_stmt *statement,
		       struct error *err);
int figure_read_quartiles(struct figure_result *result, struct usage_db *db,
			  sqlite3_stmt *statement, struct error *err);

#endif
