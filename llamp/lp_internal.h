/*
 * What the files of the LP engine share.
 *
 * Columns: l, G, o in the order of enum parameter, then t, then the y in the
 * order of their vertices, then g if the graph has gaps.  Rows: for every vertex
 * with its own column, in the order of the vertices, one for each incoming edge
 * in the order of the edges; the end of the program comes last, and has a row
 * t >= 0 if it has no edge.
 */
#ifndef LLAMP_LP_INTERNAL_H
#define LLAMP_LP_INTERNAL_H

#include "llamp/lp_engine.h"

#include <glpk.h>
#include <setjmp.h>
#include <stdbool.h>

enum { COLUMN_L = 1 + PARAMETER_L, COLUMN_T = 1 + PARAMETER_COUNT, COLUMN_FIRST_Y };

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

/* Whether the vertex has a column: t, or a y. */
static inline bool lp_has_column(const struct cost_graph *graph, uint32_t vertex)
{
	return vertex == graph->vertex_count - 1 ||
	       graph->first_edge[vertex + 1] - graph->first_edge[vertex] > 1;
}

/* Rows of a vertex that has a column. */
static inline uint64_t lp_rows_of(const struct cost_graph *graph, uint32_t vertex)
{
	uint64_t edges = graph->first_edge[vertex + 1] - graph->first_edge[vertex];

	return edges > 0 ? edges : 1;
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

const char *lp_message(void);		/* the last thing GLPK said since lp_enter */
unsigned lp_environment(void);		/* changes with every error in GLPK */

/* An error if the model was lost with an error in GLPK. */
int lp_check(const struct lp_model *model, struct error *err);

/* The value of a parameter in ns. */
double lp_parameter_ns(const struct loggps *loggps, enum parameter parameter);

/* Set the bounds of the columns of all parameters; type is GLP_FX or GLP_LO. */
void lp_set_parameters(struct lp_model *model, int type);

/*
 * Scale the program such that times up to `largest_ns` are at most 1: GLPK's
 * tolerances then are relative to it.
 */
void lp_scale(struct lp_model *model, double largest_ns);

/* Make the basis of the longest path: tight is what path_evaluate gives. */
int lp_set_basis(struct lp_model *model, const uint64_t *tight, struct error *err);

/*
 * Run the simplex from the basis that is set, or from the standard basis if
 * cold.  *status becomes GLPK's (GLP_OPT, GLP_UNBND, ...).
 */
int lp_simplex(struct lp_model *model, enum lp_start start, int method, int *status,
	       int64_t *pivots, struct error *err);

#endif
