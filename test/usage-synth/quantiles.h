/*
 * Distributions of known quantiles: lines between marks, written "SHARE:VALUE,SHARE:VALUE,...".
 *
 *	0:0,1:1			uniform from 0 to 1
 *	0:5,1:5			always 5
 *	0:1,0.25:1,0.25:2,1:2	a quarter is 1, the others 2
 *
 * Shares ascend from 0 to 1, values ascend.  The value of the share u is the quantile u.
 */
#ifndef TEST_USAGE_SYNTH_QUANTILES_H
#define TEST_USAGE_SYNTH_QUANTILES_H

#include "common/error.h"

enum { QUANTILE_MARKS = 24 };

struct quantiles {
	unsigned count;
	struct quantile_mark {
		double share, value;
	} marks[QUANTILE_MARKS];
};

/* Read the text form. */
int quantiles_parse(struct quantiles *of, const char *text, struct error *err);

/* Quantile of a share from 0 to 1.  At a jump it is the lower value. */
double quantile(const struct quantiles *of, double share);

#endif
