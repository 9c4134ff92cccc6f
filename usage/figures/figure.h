/*
 * Figures and tables of an index: each is one entry of a table, a question in SQL and how its answer is shown.
 *
 * The numbers are those of Chunduri et al., "Characterization of MPI Usage on a Production Supercomputer"
 * (SC 2018).  Figures of two systems there are one entry here: `number` is that of the index, `second` that of
 * the index it is compared with.
 *
 * A question asks the tables of an index (usage/index/schema.sql), and those of its sample, which
 * figure_source_open makes (figure_source.h).
 */
#ifndef USAGE_FIGURES_FIGURE_H
#define USAGE_FIGURES_FIGURE_H

#include "common/draw/axis.h"
#include "common/report/report.h"

#include <stdbool.h>

/* What the rows of the question are, and which picture shows them. */
enum figure_kind {
	FIGURE_TABLE, /* rows as they are; no picture */
	FIGURE_LINES, /* series, x, y, any, jobs: joined points */
	FIGURE_BARS,  /* rows as they are: bars, see `group`, `label`, `value`, `note` */
	/*
	 * Series, numerator, denominator, weight, job: the cumulative distribution of the ratio in each
	 * series.  Rows of a series that follow each other and have the same job are added.
	 */
	FIGURE_CURVES,
	/* Label, domain, ratio, weight, core-hours: median and quartiles of each label. */
	FIGURE_QUARTILES,
	FIGURE_STACKED, /* label, part, share of the label: bars of 100 % */
};

enum figure_flags {
	FIGURE_SUMS = 1,	  /* the question asks the table `sums` */
	FIGURE_LOG = 2,		  /* the axis of x, or of the bars, is logarithmic */
	FIGURE_BY_COUNT = 4,	  /* of curves: series with most jobs first */
	FIGURE_BY_CORE_HOURS = 8, /* of quartiles: by core-hours, not by the median */
	FIGURE_RECORDS =
		16, /* about the scheduler's records: the question asks the table `record` */
	FIGURE_IN_ORDER = 32,	/* of quartiles: by label as a number */
	FIGURE_EXPOSURE = 128,	/* the question asks the table `exposure` or `calibration` */
	FIGURE_NETWORK = 256,	/* the question asks the table `least_times` or `network` */
	FIGURE_COMPLEMENT = 64, /* a picture of several curves shows "so much or more" */
	FIGURE_MEASURED = 512,	/* of lines: y is a time that was measured, on a logarithmic axis */
};

struct figure {
	const char *number, *second; /* "6", "7", "table I"; NULL: the figure is not in the paper */
	const char *name;	     /* "mpi-fraction" */
	const char *title;
	const char *meaning; /* its definition, in sentences */
	const char *section; /* id of its section in a page */
	enum figure_kind kind;
	unsigned flags;
	const char *axis; /* name of the axis of x, or of the bars */
	enum quantity quantity;
	const struct report_field *fields; /* columns of the result; ends with {0} */
	const char *share;		   /* name of the axis of y of curves and lines */
	int group, label, value, note; /* of bars: columns from 1; group and note may be 0: none */
	const char *sql;
	const char *lack; /* see figure_lack; NULL: what its flags say */
};

extern const struct figure figures[];
extern const size_t figure_count;

/* Sections of a page in their order: id and heading.  Ends with {NULL}. */
extern const struct figure_section {
	const char *id, *heading;
} figure_sections[];

/* Find a figure by number or name ("6", "fig 6", "table A.1", "mpi-fraction").  NULL with an error. */
const struct figure *figure_find(const char *text, struct error *err);

/* Write "figure 6, 7" or "table I, II", or nothing.  Returns `text`. */
enum { FIGURE_NUMBER_BYTES = 64 };
const char *figure_numbers(const struct figure *figure, bool compared,
			   char text[static FIGURE_NUMBER_BYTES]);

/* What to say of a figure without rows, in lower case and without a full stop. */
const char *figure_lack(const struct figure *figure);

#endif
