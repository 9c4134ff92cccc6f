/*
 * What the files of the LP engine share.
 *
 * Columns: l, G, o in the order of enum parameter, then the y in the order of their
 * vertices, t for the last vertex, and g if the graph has gaps.  Rows: one for each edge, in
 * their order.
 */
#ifndef LLAMP_LP_INTERNAL_H
#define LLAMP_LP_INTERNAL_H

#include "llamp/lp/lp_engine.h"

#include <glpk.h>
#include <setjmp.h>
#include <stdbool.h>

enum { COLUMN_FIRST_Y = 1 + PARAMETER_COUNT };

struct lp_model {
	glp_prob *problem;
	const struct cost_graph *graph;	/* not owned */
	struct loggps loggps;
	unsigned environment;	/* GLPK's environment that owns the problem */
	int row_count, column_count;
	int gap_column;		/* 0: none */
	uint64_t most_bytes;	/* largest coefficient of G */
	double unit_ns;		/* of the scaled program, 0: not scaled yet */
};

/* The column of t. */
static inline int lp_column_t(const struct lp_model *model)
{
	return COLUMN_FIRST_Y + (int)model->graph->vertex_count - 1;
}

/* The column of the parameter of a term; 0: none. */
static inline int lp_column_of(const struct lp_model *model, int term)
{
	return term == TERM_GAP ? model->gap_column : 1 + term;
}

/*
 * GLPK reports errors by a function that must not return.  Calls of GLPK stand
 * between these:
 *
 *	if (setjmp(*lp_enter()))
 *		return lp_failed(err);
 *	result = work(model, err);
 *	lp_leave();
 *
 * Memory that `work` allocates is lost with an error; it is owned by the caller.
 */
jmp_buf *lp_enter(void);
void lp_leave(void);
int lp_failed(struct error *err);	/* fill the error; returns -1 */

unsigned lp_environment(void);		/* changes with every error in GLPK */

/* An error if the model was lost with an error in GLPK. */
int lp_check(const struct lp_model *model, struct error *err);

/* The value of a parameter in ns. */
double lp_parameter_ns(const struct loggps *loggps, int term);

/* Set the bounds of the columns of all parameters; type is GLP_FX or GLP_LO. */
void lp_set_parameters(struct lp_model *model, int type);

/*
 * Scale the program such that times up to `largest_ns` are at most 1: GLPK's
 * tolerances then are relative to it.
 */
void lp_scale(struct lp_model *model, double largest_ns);

/* Make the basis of the longest path: tight is what path_evaluate gives. */
void lp_set_basis(struct lp_model *model, const uint32_t *tight);

/*
 * Run the simplex from the basis that is set, or from the standard basis if
 * cold.  *status becomes GLPK's (GLP_OPT, GLP_UNBND, ...).
 */
int lp_simplex(struct lp_model *model, enum lp_start start, int method, int *status,
	       int64_t *pivots, struct error *err);

#endif
