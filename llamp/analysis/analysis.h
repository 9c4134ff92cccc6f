/*
 * Results that `llamp analyze` reports: T, its slopes, ranges and tolerances for one program
 * and one set of parameters (doc/model.md; LLAMP, section II-D).
 */
#ifndef LLAMP_ANALYSIS_H
#define LLAMP_ANALYSIS_H

#include "common/array.h"
#include "llamp/analysis/model.h"
#include "llamp/path/path_engine.h"

#include <stdbool.h>

/* ENGINE_AUTO is the LP engine for models below LP_ROW_LIMIT rows, else the path engine. */
enum engine { ENGINE_AUTO, ENGINE_LP, ENGINE_PATH };

/*
 * An analysis with three tolerances of a model of this size takes GLPK, always started
 * at the optimum, about 5 s and 1 GB (10^7 rows: 45 s and 9 GB); the path engine takes a
 * hundredth of that.
 */
#define LP_ROW_LIMIT 1000000

const char *engine_name(enum engine engine);

/* high is INFINITY if the range is unbounded. */
struct range_ns {
	double low, high;
};

/* p is the varied variable; of a time per byte, its values are in ns per byte. */
struct analysis {
	enum engine engine;		/* the one that was used: not ENGINE_AUTO */
	uint32_t varied;		/* variable */
	double runtime_ns;		/* T */
	/*
	 * Right slopes in each variable: latencies, bytes, ... on the critical path.  In p
	 * also the left one, which differs at a kink.
	 */
	double lambda[VARIABLES_MOST], lambda_left;
	double rho;			/* p lambda[varied] / T; 0 if T is 0 */
	bool has_basis;			/* GLPK's: known if the LP engine ran */
	struct range_ns basis;		/* p for which GLPK's basis stays optimal, in ten digits */
	struct range_ns critical;	/* p for which the slope is lambda[varied] */
	ARRAY(struct tolerance) tolerance;
	int64_t pivots;			/* of GLPK; 0: the longest path was optimal */
};

/*
 * Analyse the model with `varied` as p, for the tolerances `percents`.  All numbers but the
 * basis range are the path engine's, which are exact.  With the LP engine GLPK solves the
 * same questions, starting from the longest path: if an answer differs by more than 1e-9 of
 * its size the error is STATUS_LIMIT.
 */
int analysis_run(struct analysis *analysis, const struct model *model, enum engine engine,
		 uint32_t varied, const double *percents, size_t percent_count,
		 struct error *err);

void analysis_release(struct analysis *analysis);

/* A rational time in ns; T in ns on a line that T follows at p; rho of p. */
double rational_ns(struct rational as);
double line_runtime_ns(const struct line *line, struct rational at);
double share_of_runtime(double value_ns, double lambda, double runtime_ns);

#endif
