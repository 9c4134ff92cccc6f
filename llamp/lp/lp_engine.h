/*
 * The LP engine: the questions of the path engine as a linear program, which a solver solves
 * (LLAMP, section II-C and algorithm 1).
 *
 *	minimise	t
 *	subject to	y_v >= y_u + cost(u, v)	for every edge u -> v of the cost graph
 *			t   >= y_u + cost(u, end)
 *			l >= L, G >= ..., o >= ..., (g fixed) for all variables
 *
 * y_u is 0 for edges from the start of the program.  The cost graph (llamp/graph/cost_graph.h) is
 * small: the program has rows only for edges into events at which paths join and from which
 * several edges go out.  Costs are linear in the columns l, G, o and g.  The reduced cost of l is
 * therefore lambda_L, and that of G is lambda_G.  Times in the program are in ns.
 *
 * A cold solution starts from scratch.  A warm solution starts from the basis of
 * the longest path: every y is basic, and of its rows only that of the deciding edge is nonbasic.
 * This basis is optimal.  The solver needs no pivot, and its answer confirms the path engine's.
 *
 * A question has a direction (llamp/network/direction.h).  At a point p, the column of every
 * variable v is fixed at origin[v] + weight[v] p.  To maximise p, the column of the first variable
 * that moves is the objective.  A row for each further one ties it to the first:
 *
 *	weight[first] x_v - weight[v] x_first = weight[first] origin[v] - weight[v] origin[first]
 *
 * An error inside the solver, mostly for lack of memory, is STATUS_SYSTEM.  It may end all models of
 * the process: every function but lp_free fails from then on.  The functions are not thread-safe.
 */
#ifndef LLAMP_LP_ENGINE_H
#define LLAMP_LP_ENGINE_H

#include "llamp/graph/cost_graph.h"
#include "llamp/lp/lp_solver.h"
#include "llamp/path/path_engine.h"

struct lp_model; /* owns the solver's problem, which has a row for every edge of the graph */

/*
 * Build the model; end with lp_free.  The graph must outlive it; *loggps is copied.  A graph with
 * more edges than the solver takes is STATUS_LIMIT.  lp_build takes the first of lp_solvers.
 */
int lp_build(struct lp_model **model, const struct cost_graph *graph, const struct loggps *loggps,
	     struct error *err);
int lp_build_with(struct lp_model **model, const struct lp_solver *solver,
		  const struct cost_graph *graph, const struct loggps *loggps, struct error *err);
void lp_free(struct lp_model *model); /* NULL is allowed */

enum lp_start { LP_COLD, LP_LONGEST_PATH };

struct lp_solution {
	double runtime_ns;	       /* t */
	double lambda[VARIABLES_MOST]; /* reduced costs of the variables' columns */
	double slope;		       /* of T in p: the sum of weight times lambda */
	/*
	 * Range of p in which the basis stays optimal, in ns (ns per byte if p is G): low is at
	 * least 0, high may be INFINITY.
	 */
	double basis_low_ns, basis_high_ns;
	int64_t pivots; /* simplex iterations */
};

/*
 * Solve at p = `at` (as) in a direction.  A warm start is the longest path on `side` of that
 * point, so that `slope` is the slope on this side.  Each lambda is that of the same path: the
 * right slope in G takes a call in the direction of G.  A cold solution may report any
 * slope between left and right.  A variable that moves and is switched off is STATUS_USAGE.
 */
int lp_solve(struct lp_model *model, enum lp_start start, const struct direction *direction,
	     struct rational at, enum side side, struct lp_solution *solution, struct error *err);

/*
 * Maximise p subject to t <= (1 + percent/100) runtime_ns, where runtime_ns is T at the start of
 * the direction (LLAMP, section II-D2).  A warm start is the longest path at the tolerance.
 * *value_ns becomes the largest p, INFINITY if the program is unbounded.  `pivots` may be NULL.
 * A variable that moves and is switched off is STATUS_USAGE, as is a direction in which none moves.
 */
int lp_tolerance(struct lp_model *model, enum lp_start start, const struct direction *direction,
		 double runtime_ns, double percent, double *value_ns, int64_t *pivots,
		 struct error *err);

/*
 * Maximise p >= 0 subject to t <= (1 + percent/100) baseline_ns.  *value_ns becomes -INFINITY if the
 * program is infeasible.  Everything else is as for lp_tolerance.
 */
int lp_tolerance_to(struct lp_model *model, enum lp_start start, const struct direction *direction,
		    uint64_t baseline_ns, double percent, double *value_ns, int64_t *pivots,
		    struct error *err);

/*
 * Let lp_write write the program of a tolerance: maximise the column of the first variable that
 * moves, subject to t <= (1 + percent/100) T, where T is the path engine's at the start of the
 * direction.  Only lp_write and lp_free may follow.  Errors are those of lp_tolerance.
 */
int lp_ask_tolerance(struct lp_model *model, const struct direction *direction, double percent,
		     struct error *err);

/*
 * Write the program with its variables at the model's parameters, or at the start of the direction
 * of a tolerance, in free MPS or in CPLEX LP format.  "-" is stdout.  MPS has no maximum: there the negative of the column is minimised.
 *
 *	column	l, G, o, g, t		variable, runtime
 *		y_<rank>_<operation>	start of an operation that is a vertex of the cost graph
 *		y_<rank>_<operation>m	match of a receive and its message
 *	row	r_<column>_<number>	edge; bounds the column from below
 *		<column>_with_<column>	variables that move together
 *
 * `goal` is the one that the cost graph was built from.  The cost graph knows its events.
 */
int lp_write(struct lp_model *model, const struct goal *goal, const char *path, bool mps,
	     struct error *err);

#endif
