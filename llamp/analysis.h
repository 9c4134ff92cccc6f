/*
 * What `llamp analyze` reports: T, its slopes, ranges and tolerances for one
 * program and one set of parameters (doc/model.md; LLAMP, section II-D).
 */
#ifndef LLAMP_ANALYSIS_H
#define LLAMP_ANALYSIS_H

#include "common/array.h"
#include "llamp/model_options.h"
#include "llamp/path_engine.h"

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

/* high is INFINITY where there is no end. */
struct range_ns {
	double low, high;
};

/* The largest L for which T grows by no more than `percent`; INFINITY: unbounded. */
struct tolerated {
	double percent;
	double latency_ns;
	double delta_ns;	/* L - L0, at least 0 */
};

struct analysis {
	enum engine engine;		/* the one that was used: not ENGINE_AUTO */
	double runtime_ns;		/* T */
	double lambda_L_left, lambda_L_right;	/* slopes of T(L) at L; they differ at a kink */
	double lambda_G;		/* ns per (ns/B): bytes on the critical path */
	double lambda_o;		/* overheads on the critical path */
	double rho_L;			/* L lambda_L_right / T; 0 if T is 0 */
	bool has_basis;			/* GLPK's: not known if only the path engine ran */
	struct range_ns basis;		/* L for which GLPK's basis stays optimal */
	struct range_ns critical;	/* L for which the slope is lambda_L_right */
	ARRAY(struct tolerated) tolerance;
	int64_t pivots;			/* of GLPK; 0: the longest path was optimal */
	bool certified;			/* the path engine's numbers, which GLPK confirms */
};

/*
 * Analyse the model for the tolerances `percents`.  The LP engine starts from the
 * longest path, and its answers are compared with the path engine's: if they
 * differ by more than 1e-9 of their size the error is STATUS_LIMIT.
 */
int analysis_run(struct analysis *analysis, const struct model *model, enum engine engine,
		 const double *percents, size_t percent_count, struct error *err);

/* The same by the path engine, with GLPK's confirmation and its basis range. */
int analysis_certify(struct analysis *analysis, const struct model *model,
		     const double *percents, size_t percent_count, struct error *err);

void analysis_release(struct analysis *analysis);

/* A rational time in ns; T in ns on a line that T follows at `latency`; rho_L. */
double rational_ns(struct rational as);
double line_runtime_ns(const struct line *line, struct rational latency);
double latency_share(double latency_ns, double lambda_L, double runtime_ns);

#endif
