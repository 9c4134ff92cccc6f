/*
 * The LP engine: the same questions as a linear program, solved by GLPK
 * (LLAMP, section II-C and algorithm 1).
 *
 *	minimise	t
 *	subject to	y_v >= y_u + cost(u, v)	for every edge u -> v of the cost graph
 *			t   >= y_u + cost(u, end)
 *			l >= L, G >= ..., o >= ..., (g fixed) for all variables
 *
 * where y_u is 0 for edges from the beginning of the program.  The cost graph is the
 * reduced one (llamp/graph/cost_graph.h), so it has rows only for edges into events
 * at which paths join and which have several edges out of them.  Costs are linear in the
 * columns l, G, o and g, so that the reduced cost of l is lambda_L, and so on.  Times
 * in the model are ns.
 *
 * Cold, the program is solved by the dual simplex.  Warm, it starts from the
 * basis of the longest path: every y basic, the row of the edge that decides it
 * nonbasic; that basis is optimal, GLPK needs no pivot, and the answer is a
 * certificate of the path engine's.
 *
 * An error inside GLPK (memory, for the most part) is STATUS_SYSTEM.  It leaves
 * GLPK unusable until its environment is freed, so it ends all models of the
 * process: their functions fail from then on, except lp_free.  Not thread-safe.
 */
#ifndef LLAMP_LP_ENGINE_H
#define LLAMP_LP_ENGINE_H

#include "llamp/graph/cost_graph.h"
#include "llamp/path/path_engine.h"

struct lp_model;	/* owns the GLPK problem; a row for every edge of the graph */

/*
 * Build the model; end with lp_free.  The graph must outlive it; *loggps is
 * copied.  More rows than GLPK can number are STATUS_LIMIT.
 */
int lp_build(struct lp_model **model, const struct cost_graph *graph,
	     const struct loggps *loggps, struct error *err);
void lp_free(struct lp_model *model);	/* NULL is allowed */

enum lp_start { LP_COLD, LP_LONGEST_PATH };

struct lp_solution {
	double runtime_ns;		/* t */
	double lambda[VARIABLES_MOST];	/* reduced costs of the variables' columns */
	/*
	 * The range of the varied parameter in which the basis stays optimal, in
	 * ns (for G ns per byte): low is at least 0, high may be INFINITY.
	 */
	double basis_low_ns, basis_high_ns;
	int64_t pivots;			/* simplex iterations */
};

/*
 * Solve with `variable` set to `at` (as) and the other parameters at the
 * model's values.  A warm start is the longest path on this side of `at` as the
 * parameter varies, so lambda[variable] is the slope on this side, and the
 * other lambdas are those of the same path: the right slope in G takes a call
 * for G.  A cold solution may report any slope between left and right.
 */
int lp_solve(struct lp_model *model, enum lp_start start, uint32_t variable,
	     struct rational at, enum side side, struct lp_solution *solution, struct error *err);

/*
 * Maximise the column of `variable` subject to t <= (1 + percent/100) * runtime_ns,
 * with runtime_ns the T of the model's parameters (LLAMP, section II-D2).  Warm, from the
 * longest path at the tolerance point.  *value_ns becomes that maximum, INFINITY if the
 * program is unbounded.  `pivots` may be NULL.
 */
int lp_tolerance(struct lp_model *model, enum lp_start start, uint32_t variable,
		 double runtime_ns, double percent, double *value_ns, int64_t *pivots,
		 struct error *err);

/*
 * Let lp_write write the program of a tolerance: maximise the column of `variable`
 * subject to t <= (1 + percent/100) T, with T the path engine's.
 */
int lp_ask_tolerance(struct lp_model *model, uint32_t variable, double percent,
		     struct error *err);

/*
 * Write the model for the model's parameters in CPLEX LP format, or in free MPS
 * format if the name ends in ".mps"; "-" is stdout.  Columns: l, G, o, g, t and
 * y_<rank>_<operation> for starts that the cost graph has, with an m appended for the
 * events at which message and receiver have met; rows: r_ and the name of the column they bound
 * from below, with _<number> appended.  MPS has no maximum: there the negative of the column
 * is minimised.  `goal` is the graph's.
 */
int lp_write(struct lp_model *model, const struct goal *goal, const char *path,
	     struct error *err);

#endif
