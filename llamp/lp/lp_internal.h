/*
 * The linear program of a cost graph, shared by the files of the LP engine.
 *
 * Columns: the variables that 0 does not switch off, the y in the order of their vertices, t for
 * the last vertex, the other variables that are on.  Rows: one for each edge, in the order of
 * edges.
 */
#ifndef LLAMP_LP_INTERNAL_H
#define LLAMP_LP_INTERNAL_H

#include "llamp/lp/lp_engine.h"

struct lp_model {
	const struct lp_solver *solver;
	void *problem;			/* the solver's */
	const struct cost_graph *graph;	/* not owned */
	struct loggps loggps;
	/* What lp_write writes: the variables at the start of a direction, and the bound of t. */
	struct direction written;
	double written_most_ns; /* INFINITY: t is minimised, else the first variable maximised */
	int row_count, column_count;
	int first_y;		/* column of the first vertex */
	int column_of[VARIABLES_MOST];	/* of the variables; 0: none */
	uint64_t most_bytes;		/* largest coefficient of a variable per byte */
};

/* Column of t. */
static inline int lp_column_t(const struct lp_model *model)
{
	return model->first_y + (int)model->graph->vertex_count - 1;
}

/* The column of a variable or of t in a question of lp_pose. */
static inline struct lp_column *lp_listed(const struct lp_model *model,
					  struct lp_question *question, int column)
{
	return &question->columns[column < model->first_y
					  ? column - 1
					  : column - (int)model->graph->vertex_count];
}

/* Fail if a variable that moves is switched off (STATUS_USAGE). */
int lp_check_direction(const struct lp_model *model, const struct direction *direction,
		       struct error *err);

/*
 * Make the question for the least t, with the variables fixed at their values at p.  If they are
 * not `fixed`, those are lower bounds, but a variable that 0 switches off is fixed unless it moves.
 * Times up to `largest_ns` are at most 1 in the scaled program; below 0: do not scale.
 */
void lp_pose(const struct lp_model *model, const struct direction *direction, double p_ns,
	     bool fixed, double largest_ns, struct lp_question *question);

/* Make of it the question for the largest first variable that moves, with t <= most_ns. */
void lp_pose_maximum(const struct lp_model *model, const struct direction *direction,
		     double most_ns, struct lp_question *question);

/* Turn path_evaluate's tight edges into the rows that the basis of the longest path has not. */
void lp_set_tight(const struct lp_model *model, uint32_t *tight, struct lp_question *question);

/* Fail because a question has no optimum (STATUS_LIMIT). */
int lp_no_optimum(const struct lp_model *model, const struct lp_question *question,
		  struct error *err);

/* Find the basis range of a solution that is the longest path, without rounding errors. */
int lp_tree_range(const struct lp_model *model, const struct direction *direction,
		  const struct lp_question *question, struct lp_solution *solution,
		  struct error *err);

/* Name of the column of a variable.  The paper calls that of L l. */
static inline const char *lp_variable_name(const struct lp_model *model, uint32_t variable)
{
	return variable == VARIABLE_L ? "l" : model->loggps.variables.of[variable].name;
}

#endif
