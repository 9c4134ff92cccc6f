/*
 * Results of `llamp analyze`: T, its slopes, ranges and tolerances for one program and one set
 * of parameters (doc/model.md, and section II-D of the LLAMP paper).
 */
#ifndef LLAMP_ANALYSIS_H
#define LLAMP_ANALYSIS_H

#include "common/array.h"
#include "llamp/analysis/model.h"
#include "llamp/analysis/order_range.h"
#include "llamp/path/path_engine.h"

#include <stdbool.h>

/* ENGINE_AUTO is the LP engine for models below LP_ROW_LIMIT rows, else the path engine. */
enum engine { ENGINE_AUTO, ENGINE_LP, ENGINE_PATH };

/*
 * Number of rows from which ENGINE_AUTO is the path engine.  At this size an analysis with three
 * tolerances takes GLPK about 5 s and 1 GB although it starts at the optimum (10^7 rows: 45 s and
 * 9 GB).  The path engine takes a hundredth of that.
 */
#define LP_ROW_LIMIT 1000000

extern const char *const engine_names[]; /* ends with NULL */

/* Range of values.  If it is unbounded, high is INFINITY. */
struct range_ns {
	double low, high;
};

/* Results.  p is the varied variable.  Values of a time per byte are in ns per byte. */
struct analysis {
	enum engine engine;		/* used engine, not ENGINE_AUTO */
	uint32_t varied;		/* variable */
	double runtime_ns;		/* T */
	uint64_t baseline_ns;		/* tolerances are relative to it; 0: to T */
	/*
	 * Slopes to the right in each variable: latencies, bytes, ... on the critical path.
	 * lambda_left is the slope to the left in p, which differs at a breakpoint.
	 */
	double lambda[VARIABLES_MOST], lambda_left;
	double rho;			/* p lambda[varied] / T; 0 if T is 0 */
	bool has_basis;			/* the LP engine ran, `basis` is set */
	struct range_ns basis;		/* p for which GLPK's basis stays optimal; exact without pivots */
	struct range_ns critical;	/* p for which the slope is lambda[varied] */
	bool has_order;			/* the model has resources: */
	struct order_range order;	/* p for which requests are served in the same order */
	uint64_t order_hash;		/* of that order, as in struct sim_result */
	ARRAY(struct tolerance) tolerance;
	/*
	 * The order of service was decided again for `tolerance` (llamp/analysis/tolerance_orders.h), in
	 * so many simulations; `frozen` are those of the order at the given p.
	 */
	bool resimulated;
	uint32_t simulations;
	ARRAY(struct tolerance) frozen;
	int64_t pivots;			/* of GLPK; 0 if the longest path was optimal */
};

/* What to analyse. */
struct analysis_request {
	enum engine engine;
	uint32_t varied;		/* variable that is p */
	uint64_t baseline_ns;		/* tolerances are relative to it; 0: to T */
	const double *percents;		/* of the tolerances */
	size_t percent_count;
	bool frozen_order;		/* tolerances hold for the order of service at the given p */
	bool exact_order_range;		/* find the ends of the order range by further simulations */
};

/*
 * Analyse the model.  All numbers except the basis range are exact results of the path engine.  With
 * the LP engine GLPK also solves the same questions, starting from the longest path, before the order
 * of service is decided again.  If an answer differs by more than 1e-9 of its size, the error is
 * STATUS_LIMIT.
 */
int analysis_run(struct analysis *analysis, const struct model *model,
		 const struct analysis_request *request, struct error *err);

void analysis_release(struct analysis *analysis);

/* The order range in ns or ns per byte; from 0 on if it is from 1 as on, INFINITY if it has no end. */
struct range_ns order_in_ns(const struct order_range *order);

/* Rational time in ns, T at p in ns on the line that T follows there, and rho of p. */
double rational_ns(struct rational as);
double line_runtime_ns(const struct line *line, struct rational at);
double share_of_runtime(double value_ns, double lambda, double runtime_ns);

#endif
