/*
 * Several programs, or one on several networks, side by side: `llamp compare`.
 *
 * Each program is analyzed alone, and its results become a list of facts.  compared_align gives the
 * lists of all programs the same quantities in the same order, so that the i-th facts are compared.
 */
#ifndef LLAMP_COMPARE_H
#define LLAMP_COMPARE_H

#include "llamp/analysis/analysis.h"

/* How the value of a fact is shown. */
enum fact_kind {
	FACT_COUNT,	/* of ranks, operations, messages */
	FACT_TIME,	/* in ns */
	FACT_SLOPE,	/* lambda */
	FACT_SHARE,	/* of 1 */
	FACT_VALUE,	/* of the varied variable, in ns or ns per byte */
};

enum { FACT_NAME_BYTES = 48 };

struct fact {
	char quantity[FACT_NAME_BYTES];	/* "runtime", "lambda_L", "path_compute" */
	enum fact_kind kind;
	const struct variable *variable;	/* of FACT_SLOPE and FACT_VALUE; not owned */
	double percent;			/* of a tolerance, else NAN */
	double value;			/* NAN: unknown; INFINITY: unbounded; -INFINITY: none */
};

/* Program and its facts, which must not be moved: facts point to variables of the model. */
struct compared {
	/* Set by the caller, not owned: its short name, and the file of its parameters or NULL. */
	const char *label, *network;
	/* Released: only path, loggps, and the numbers of ranks, operations and messages are left. */
	struct model model;
	enum engine engine;
	int64_t pivots;		/* of GLPK, as in struct analysis */
	bool resimulated;	/* as in struct analysis */
	double runtime_ns;
	ARRAY(struct fact) facts;
};

/*
 * Analyze the model as analysis_run does, and find its critical path.  The facts are
 *	ranks, operations, messages
 *	runtime, traced, runtime_to_traced, lambda of all variables that are on, rho of the varied one
 *	baseline, if it is not T (baseline_ns of 0)
 *	tolerance and tolerance_delta for each of `percents`
 *	path_messages, path_compute ... path_gap, compute_share
 * On failure there is nothing to release.
 */
int compared_find(struct compared *compared, const struct model *model,
		  const struct analysis_request *request, struct error *err);
void compared_release(struct compared *compared);

/*
 * Give all programs the same quantities.  Networks differ in their variables: a program has the value
 * NAN for the lambda of a variable that its network lacks.
 */
int compared_align(struct compared *items, size_t count, struct error *err);

/*
 * Difference of two facts of the same quantity: absolute, and in per cent of the first.  NAN where
 * there is none: a value is unknown, both are unbounded, or the first is 0.
 */
struct difference {
	double absolute, percent;
};

struct difference facts_differ(const struct fact *first, const struct fact *fact);

#endif
