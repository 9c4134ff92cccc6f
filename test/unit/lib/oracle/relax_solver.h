/*
 * A solver of the linear programs of cost graphs without a simplex method: a second
 * `struct lp_solver`, for programs whose rows bound their first column by earlier ones.
 *
 * A minimum is one pass over the rows.  A maximum is Newton's method on the minimum of t.
 */
#ifndef TEST_RELAX_SOLVER_H
#define TEST_RELAX_SOLVER_H

#include "llamp/lp/lp_solver.h"

extern const struct lp_solver relax_solver;

extern int relax_solved; /* number of questions that it was asked */

#endif
