/*
 * The LP engine: the same questions as a linear program, solved by GLPK
 * (LLAMP, section II-C and algorithm 1).
 *
 *	minimise	t
 *	subject to	y_v >= x_u + cost(u, v)	for every edge u -> v into a vertex with several
 *						incoming edges
 *			t   >= x_u + cost(u, end)
 *			l >= L, G >= ..., o >= ..., (g fixed)
 *
 * where x_u is y_u for a vertex with its own variable, and otherwise the
 * expression that the chain of single edges before it adds up to.  Costs are
 * linear in the columns l, G, o and g, so that the reduced cost of l is lambda_L,
 * and so on.  Times in the model are ns.
 *
 * Cold, the program is solved by the dual simplex.  Warm, it starts from the
 * basis of the longest path: every y basic, the row of the edge that decides it
 * nonbasic; that basis is optimal, GLPK needs no pivot, and the answer is a
 * certificate of the path engine's.
 */
#ifndef LLAMP_LP_ENGINE_H
#define LLAMP_LP_ENGINE_H

#include "llamp/cost_graph.h"
#include "llamp/path_engine.h"

struct lp_model;	/* owns the GLPK problem */

/* Rows the model of this graph would have. */
uint64_t lp_row_count(const struct cost_graph *graph);

/* Build the model; end with lp_free.  The graph must outlive it. */
int lp_build(struct lp_model **model, const struct cost_graph *graph,
	     const struct loggps *loggps, struct error *err);
void lp_free(struct lp_model *model);

enum lp_start { LP_COLD, LP_LONGEST_PATH };

struct lp_solution {
	double runtime_ns;			/* t */
	double lambda[PARAMETER_COUNT];		/* reduced costs of l, G, o */
	double basis_low_ns, basis_high_ns;	/* range of L in which the basis stays optimal; high may be INFINITY */
	int64_t pivots;				/* simplex iterations */
};

/*
 * Solve for the model's parameters, with L set to `latency_as`.  `side` says from
 * which line's longest path a warm start begins, and so which of the slopes at a
 * kink is reported; a cold solution may report any slope between them.
 */
int lp_solve(struct lp_model *model, enum lp_start start, double latency_as, enum side side,
	     struct lp_solution *solution, struct error *err);

/*
 * Maximise l subject to t <= (1 + percent/100) * runtime_ns (LLAMP, section
 * II-D2).  Warm, from the longest path at the tolerance point.
 */
int lp_tolerance(struct lp_model *model, enum lp_start start, double runtime_ns, double percent,
		 struct tolerance *tolerance, int64_t *pivots, struct error *err);

/* Write the model in CPLEX LP (".lp") or free MPS (".mps") format. */
int lp_write(struct lp_model *model, const char *path, struct error *err);

#endif
