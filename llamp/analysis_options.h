/* Options for the questions of an analysis, which several commands of llamp have. */
#ifndef LLAMP_ANALYSIS_OPTIONS_H
#define LLAMP_ANALYSIS_OPTIONS_H

#include "common/options.h"
#include "llamp/analysis/analysis.h"

/* --tolerance; --baseline; --vary and --engine */
extern const struct option_spec tolerance_options[], baseline_options[], analysis_options[];

enum { MOST_TOLERANCES = 64 };

struct analysis_question {
	const char *vary;	/* name of a variable */
	enum engine engine;
	double percents[MOST_TOLERANCES];
	size_t percent_count;
};

/*
 * Find the runtime that the tolerances of a model are relative to, 0 for T.  STATUS_USAGE if it is that
 * of the traced run and nobody has traced it.
 */
int baseline_of(const struct model *model, uint64_t *baseline_ns, struct error *err);

/* The question that the options ask: L, 1, 2 and 5 % and the automatic engine by default. */
const struct analysis_question *analysis_options_question(void);

#endif
