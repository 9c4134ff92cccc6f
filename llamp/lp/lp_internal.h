/*
 * The GLPK problem, shared by the files of the LP engine.
 *
 * Columns: the variables that 0 does not switch off, the y in the order of their vertices, t for
 * the last vertex, the other variables that are on.  Rows: one for each edge, in the order of
 * edges; while p is maximised, one for each further variable that moves.
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
	struct direction written;	/* lp_write puts the variables at its start */
	unsigned environment;	/* GLPK's environment that owns the problem */
	int row_count;		/* of edges */
	int column_count;	/* of variables and vertices */
	int first_y;		/* column of the first vertex */
	int column_of[VARIABLES_MOST];	/* of the variables; 0: none */
	uint64_t most_bytes;	/* largest coefficient of a variable per byte */
	double unit_ns;		/* of the scaled program; 0: not scaled yet */
};

/* Column of t. */
static inline int lp_column_t(const struct lp_model *model)
{
	return model->first_y + (int)model->graph->vertex_count - 1;
}

/*
 * GLPK reports errors by a function that must not return.  Put calls of GLPK between
 * lp_enter and lp_leave:
 *
 *	if (setjmp(*lp_enter()))
 *		return lp_failed(err);
 *	result = work(model, err);
 *	lp_leave();
 *
 * An error skips the rest of `work`, so that the caller has to own all memory that `work` needs.
 */
jmp_buf *lp_enter(void);
void lp_leave(void);
int lp_failed(struct error *err);	/* free GLPK's memory, fill the error; returns -1 */

/* Number of GLPK's environment, which changes with every error in GLPK. */
unsigned lp_environment(void);

/* Fail if the model was lost with an error in GLPK. */
int lp_check(const struct lp_model *model, struct error *err);

/* The same, and fail if a variable that moves is switched off (STATUS_USAGE). */
int lp_check_direction(const struct lp_model *model, const struct direction *direction,
		       struct error *err);

/* Value of a variable at p. */
double lp_value_ns(const struct direction *direction, uint32_t variable, double p_ns);

/*
 * Bound the columns of all variables by their values at p; type is GLP_FX or GLP_LO.  A variable
 * that 0 switches off is fixed unless it moves.
 */
void lp_set_variables(struct lp_model *model, const struct direction *direction, double p_ns,
		      int type);

/*
 * Scale the program so that times up to `largest_ns` are at most 1, and GLPK's tolerances are
 * relative to that time.
 */
void lp_scale(struct lp_model *model, double largest_ns);

/* Set the basis of the longest path; `tight` is path_evaluate's. */
void lp_set_basis(struct lp_model *model, const uint32_t *tight);

/*
 * Run the simplex from the basis that is set, or from GLPK's standard basis if the start is
 * cold.  *status becomes GLPK's (GLP_OPT, GLP_UNBND, ...).
 */
int lp_simplex(struct lp_model *model, enum lp_start start, int method, int *status,
	       int64_t *pivots, struct error *err);

/* Find the basis range of a solution that is the longest path, without rounding errors. */
int lp_tree_range(const struct lp_model *model, const struct direction *direction,
		  const uint32_t *tight, struct lp_solution *solution, struct error *err);

#endif
