/* Options for the questions of an analysis, which several commands of llamp have. */
#ifndef LLAMP_ANALYSIS_OPTIONS_H
#define LLAMP_ANALYSIS_OPTIONS_H

#include "common/options.h"
#include "llamp/analysis/analysis.h"

/* --tolerance; --baseline; --vary and --engine; --frozen-order */
extern const struct option_spec tolerance_options[], baseline_options[], analysis_options[],
	order_options[];

enum { MOST_TOLERANCES = 64 };

struct analysis_question {
	const char *vary;	/* name of a variable, or NULL: none was given */
	struct analysis_request request;	/* but for the variable and the baseline */
};

/* Refuse --frozen-order where no network has resources. */
int order_options_check(bool resources, struct error *err);

/*
 * Find the runtime that the tolerances of a model are relative to, 0 for T.  STATUS_USAGE if it is that
 * of the traced run and nobody has traced it.
 */
int baseline_of(const struct model *model, uint64_t *baseline_ns, struct error *err);

/* The question that the options ask: 1, 2 and 5 % and the automatic engine by default. */
const struct analysis_question *analysis_options_question(void);

/* Name of the variable to vary, L by default. */
const char *analysis_options_vary(void);

#endif
