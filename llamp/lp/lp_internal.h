/*
 * What the files of the LP engine share.
 *
 * Columns: the variables that 0 does not switch off, then the y in the order of their
 * vertices, t for the last vertex, and the other variables that are on.  Rows: one
 * for each edge, in their order.
 */
#ifndef LLAMP_LP_INTERNAL_H
#define LLAMP_LP_INTERNAL_H

#include "llamp/lp/lp_engine.h"

#include <glpk.h>
#include <setjmp.h>
#include <stdbool.h>

struct lp_model {
	glp_prob *problem;
	const struct cost_graph *graph;	/* not owned */
	struct loggps loggps;
	unsigned environment;	/* GLPK's environment that owns the problem */
	int row_count, column_count;
	int first_y;		/* column of the first vertex */
	int column_of[VARIABLES_MOST];	/* of the variables; 0: none */
	uint64_t most_bytes;	/* largest coefficient of a variable per byte */
	double unit_ns;		/* of the scaled program, 0: not scaled yet */
};

/* The column of t. */
static inline int lp_column_t(const struct lp_model *model)
{
	return model->first_y + (int)model->graph->vertex_count - 1;
}

/*
 * GLPK reports errors by a function that must not return.  Calls of GLPK are put
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

/* The value of a variable in ns. */
double lp_value_ns(const struct lp_model *model, uint32_t variable);

/*
 * Set the bounds of the columns of all variables; type is GLP_FX or GLP_LO.  Variables that
 * 0 switches off are fixed unless they are the objective.
 */
void lp_set_variables(struct lp_model *model, int type);

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
