/*
 * A solver of linear programs as a struct of operations.
 *
 * Another solver is a .c file that defines its `struct lp_solver`, and a row of LP_SOLVERS.  No
 * other file includes the solver's headers.
 *
 * Rows and columns count from 1.  A row bounds a sum of columns from below.  A question says all
 * that changes from one solution to the next, and the solver writes its answer beside it.
 *
 * An error inside a solver is STATUS_SYSTEM.  Then the problem only takes `close`.
 */
#ifndef LLAMP_LP_SOLVER_H
#define LLAMP_LP_SOLVER_H

#include "common/error.h"
#include "llamp/network/variables.h"

#include <stdbool.h>
#include <stdint.h>

enum { LP_ROW_MOST = 3 + VARIABLES_MOST, LP_NAME_BYTES = 128 };

/* The sum of values times columns, [1] to [count] of both, is at least `low`. */
struct lp_row {
	int count, columns[LP_ROW_MOST];
	double values[LP_ROW_MOST], low;
};

/* The basis of a warm start has the column, or not: then its value is one of its bounds. */
enum lp_place { LP_AT_LOW, LP_AT_HIGH, LP_BASIC };

/* A column that a question bounds, and the solution. */
struct lp_column {
	int column;
	double low, high; /* -INFINITY, INFINITY: none */
	double unit;	  /* value that is 1 in the scaled program */
	enum lp_place place;
	double value, reduced_cost; /* of an optimal solution */
};

/* The sum of both values times columns is `origin`. */
struct lp_tie {
	int columns[3]; /* [1] and [2]; [1] is basic in a warm start */
	double values[3], origin;
	char name[LP_NAME_BYTES];
};

enum lp_status { LP_OPTIMAL, LP_UNBOUNDED, LP_INFEASIBLE, LP_UNSOLVED };

struct lp_question {
	bool maximise;		    /* else minimise */
	int objective;		    /* column */
	const char *objective_name; /* in a file */
	/* In ascending order.  All other columns are free, and basic in a warm start. */
	int column_count;
	struct lp_column columns[VARIABLES_MOST + 1];
	/* More rows, which are not basic in a warm start. */
	int tie_count;
	struct lp_tie ties[VARIABLES_MOST];
	double unit; /* of rows and of the columns that are not listed; 0: none */
	/* Rows that are not basic in a warm start, in ascending order; NULL: start cold. */
	const uint32_t *tight;
	uint32_t tight_count;
	/*
	 * The column that a parameter would have: values [1] to [moved] in the rows [1] to [moved].
	 * If `rows` is not NULL, find how far the parameter may go while the basis stays optimal.
	 * The arrays have room for all rows, and the solver may overwrite them.
	 */
	int moved, *rows;
	double *values;

	/* Answer */
	enum lp_status status;
	int code;	 /* the solver's own number of the status */
	int64_t pivots;	 /* simplex iterations */
	double down, up; /* at most 0, at least 0; -INFINITY, INFINITY: any distance */
};

enum lp_part { LP_ROW, LP_COLUMN };

struct lp_solver {
	const char *name; /* in messages */
	uint64_t most_rows;
	uint64_t bytes_per_row; /* of memory, to build a program and to solve it */

	/* Open a problem of empty rows and free columns.  After an error *problem is NULL or takes `close`. */
	int (*open)(void **problem, int rows, int columns, struct error *err);
	void (*close)(void *problem);
	/* Set all rows; `next` makes one after another from `source`. */
	int (*set_rows)(void *problem, void (*next)(void *source, struct lp_row *row), void *source,
			struct error *err);

	/* STATUS_LIMIT if the solver gives up. */
	int (*solve)(void *problem, struct lp_question *question, struct error *err);

	/* Name a row or column for the file; ties have their names in the question. */
	int (*set_name)(void *problem, enum lp_part part, int number, const char *name,
			struct error *err);

	/*
	 * Write the program that a question asks, in free MPS or in CPLEX LP format.  MPS has no
	 * maximum: there the negative of the column is minimised.  Returns 1 if the file cannot be
	 * written.
	 */
	int (*write)(void *problem, const struct lp_question *question, bool mps, const char *file,
		     struct error *err);
};

/* The solvers; the first one is llamp's. */
#define LP_SOLVERS(ROW) ROW(lp_glpk)

#define LP_SOLVER_DECLARED(solver) extern const struct lp_solver solver;
LP_SOLVERS(LP_SOLVER_DECLARED)

extern const struct lp_solver *const lp_solvers[]; /* ends with NULL */

#endif
