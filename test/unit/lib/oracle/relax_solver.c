#include "test/unit/lib/oracle/relax_solver.h"

#include "common/array.h"

#include <math.h>
#include <stdio.h>

struct relax {
	int row_count, column_count, named;
	struct lp_row *rows; /* [row - 1] */
	double *values;	     /* [column] */
	double *weights;     /* [column]: of the column in the objective */
	int *deciding;	     /* [column]: row that bounds it; 0: none */
};

int relax_solved;

static int relax_open(void **problem, int rows, int columns, struct error *err)
{
	struct relax *relax = NULL;
	const size_t row_count = (size_t)rows, count = (size_t)columns + 1;

	TRY(allocate(&relax, 1, sizeof *relax, err));
	*relax = (struct relax){.row_count = rows, .column_count = columns};
	*problem = relax;
	TRY(allocate(&relax->rows, row_count, sizeof *relax->rows, err));
	TRY(allocate(&relax->values, count, sizeof *relax->values, err));
	TRY(allocate(&relax->weights, count, sizeof *relax->weights, err));
	return allocate(&relax->deciding, count, sizeof *relax->deciding, err);
}

static void relax_close(void *problem)
{
	struct relax *relax = problem;

	free(relax->rows);
	free(relax->values);
	free(relax->weights);
	free(relax->deciding);
	free(relax);
}

static int relax_set_rows(void *problem, void (*next)(void *source, struct lp_row *row),
			  void *source, struct error *err)
{
	struct relax *relax = problem;

	for (int i = 0; i < relax->row_count; i++) {
		next(source, &relax->rows[i]);
		if (relax->rows[i].count < 1 || relax->rows[i].values[1] != 1)
			return error_set(err, STATUS_LIMIT, "relax: row %d has another form",
					 i + 1);
	}
	return 0;
}

/* Values of the columns if those that the question lists, but t, are at `values`. */
static void relax_forward(struct relax *relax, const struct lp_question *question)
{
	uint32_t tight = 0;

	for (int i = 0; i < relax->row_count; i++) {
		const struct lp_row *row = &relax->rows[i];
		/* Of several rows that bound a column, the basis of a warm start tells which. */
		const bool is_tight = !question->maximise && question->tight &&
				      tight < question->tight_count &&
				      question->tight[tight] == (uint32_t)i + 1;
		const int column = row->columns[1];
		double bound = row->low;

		for (int k = 2; k <= row->count; k++)
			bound -= row->values[k] * relax->values[row->columns[k]];
		if (!relax->deciding[column] || bound > relax->values[column]) {
			relax->values[column] = bound;
			relax->deciding[column] = i + 1;
		}
		if (is_tight)
			relax->deciding[column] = i + 1;
		tight += is_tight;
	}
}

/* Weights of all columns in the minimum of `column`. */
static void relax_backward(struct relax *relax, int column)
{
	for (int i = 0; i <= relax->column_count; i++)
		relax->weights[i] = 0;
	relax->weights[column] = 1;
	for (int i = relax->row_count - 1; i >= 0; i--) {
		const struct lp_row *row = &relax->rows[i];

		if (relax->deciding[row->columns[1]] != i + 1)
			continue;
		for (int k = 2; k <= row->count; k++)
			relax->weights[row->columns[k]] -= row->values[k] *
							   relax->weights[row->columns[1]];
	}
}

/* Minimise a column where the listed columns are at their lower bounds, and the objective at x. */
static double relax_minimum(struct relax *relax, const struct lp_question *question, int column,
			    double x)
{
	for (int i = 0; i <= relax->column_count; i++) {
		relax->values[i] = 0;
		relax->deciding[i] = 0;
	}
	for (int i = 0; i < question->column_count; i++)
		if (question->columns[i].low > -INFINITY)
			relax->values[question->columns[i].column] = question->columns[i].low;
	if (question->objective != column)
		relax->values[question->objective] = x;
	for (int i = 0; i < question->tie_count; i++)
		relax->values[question->ties[i].columns[1]] = (question->ties[i].origin -
							       question->ties[i].values[2] * x) /
							      question->ties[i].values[1];
	relax_forward(relax, question);
	relax_backward(relax, column);
	return relax->values[column];
}

/* Slope of the minimum in x. */
static double relax_slope(const struct relax *relax, const struct lp_question *question)
{
	double slope = relax->weights[question->objective];

	for (int i = 0; i < question->tie_count; i++)
		slope -= relax->weights[question->ties[i].columns[1]] *
			 question->ties[i].values[2] / question->ties[i].values[1];
	return slope;
}

/* Maximise x while t is at most its bound: Newton from the right. */
static enum lp_status relax_maximum(struct relax *relax, const struct lp_question *question,
				    const struct lp_column *t, double low, double *x)
{
	const double room = 1e-12 * fabs(t->high);

	if (relax_minimum(relax, question, t->column, low) > t->high + 1e3 * room)
		return LP_INFEASIBLE;
	*x = 1e9;
	for (int i = 0; i < 1000; i++) {
		const double over = relax_minimum(relax, question, t->column, *x) - t->high;
		const double slope = relax_slope(relax, question);

		if (i == 0 && over <= room)
			return LP_UNBOUNDED;
		/* Rounding may lead to the left of the answer, where Newton goes right. */
		if (fabs(over) <= room || slope == 0)
			return LP_OPTIMAL;
		*x -= over / slope;
	}
	return LP_OPTIMAL;
}

static int relax_solve(void *problem, struct lp_question *question, struct error *err)
{
	struct relax *relax = problem;
	const struct lp_column *t = NULL;
	struct lp_column *objective = NULL;

	(void)err;
	relax_solved++;
	question->pivots = 0;
	question->down = -INFINITY;
	question->up = INFINITY;
	for (int i = 0; i < question->column_count; i++) {
		if (question->columns[i].column == question->objective)
			objective = &question->columns[i];
		if (question->columns[i].low == -INFINITY &&
		    (question->columns[i].high < INFINITY || !question->maximise))
			t = &question->columns[i];
	}
	if (question->maximise) {
		question->status = relax_maximum(relax, question, t, objective->low,
						 &objective->value);
		return 0;
	}
	question->status = LP_OPTIMAL;
	objective->value = relax_minimum(relax, question, question->objective, 0);
	for (int i = 0; i < question->column_count; i++)
		question->columns[i].reduced_cost = relax->weights[question->columns[i].column];
	return 0;
}

static int relax_set_name(void *problem, enum lp_part part, int number, const char *name,
			  struct error *err)
{
	struct relax *relax = problem;

	(void)part;
	(void)number;
	if (name[0] == '\0')
		return error_set(err, STATUS_SYSTEM, "relax: no name");
	relax->named++;
	return 0;
}

static int relax_write(void *problem, const struct lp_question *question, bool mps,
		       const char *file, struct error *err)
{
	const struct relax *relax = problem;
	FILE *stream = fopen(file, "w");

	if (!stream)
		return error_set_errno(err, "%s", file);
	fprintf(stream, "%s: %d rows, %d columns, %d names, %d ties\n%s", question->objective_name,
		relax->row_count, relax->column_count, relax->named, question->tie_count,
		mps ? "ENDATA\n" : "\nEnd\n");
	return fclose(stream) == 0 ? 0 : 1;
}

const struct lp_solver relax_solver = {
	.name = "relax",
	.most_rows = 1000,
	.bytes_per_row = sizeof(struct lp_row),
	.open = relax_open,
	.close = relax_close,
	.set_rows = relax_set_rows,
	.solve = relax_solve,
	.set_name = relax_set_name,
	.write = relax_write,
};
