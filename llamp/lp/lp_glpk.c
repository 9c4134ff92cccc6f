/* GLPK as a solver.  Its errors must not return, and are brought back here by longjmp. */
#include "common/array.h"
#include "llamp/lp/lp_solver.h"

#include <glpk.h>
#include <math.h>
#include <setjmp.h>
#include <string.h>

struct glpk {
	glp_prob *problem;
	unsigned environment; /* GLPK's environment that owns the problem */
	int rows, columns;    /* without ties */
	double unit;	      /* of the scaled program; 0: not scaled yet */
};

static jmp_buf glpk_place;
static char message[512];
static unsigned environment; /* changes with every error in GLPK */

/* Print nothing on GLPK's terminal; keep its last message for the error. */
static int on_text(void *info, const char *text)
{
	size_t length = strcspn(text, "\n");

	(void)info;
	if (length == 0 || !strncmp(text, "Error detected", 14) || !strncmp(text, "Writing", 7))
		return 1;
	if (length >= sizeof message)
		length = sizeof message - 1;
	memcpy(message, text, length);
	message[length] = '\0';
	return 1;
}

static void on_error(void *info)
{
	(void)info;
	longjmp(glpk_place, 1);
}

/*
 * Let `work` call GLPK, and return what it returns.  An error in GLPK skips the rest of `work`, so `work` must
 * own no memory, and loses the problem: that, and to use it later, is STATUS_SYSTEM.
 */
static int glpk_do(struct glpk *glpk,
		   int (*work)(struct glpk *glpk, const void *data, struct error *err),
		   const void *data, struct error *err)
{
	int result;

	if (glpk->environment != environment)
		return error_set(err, STATUS_SYSTEM,
				 "the linear program was lost with an earlier error in GLPK");
	message[0] = '\0';
	glp_term_hook(on_text, NULL);
	glp_term_out(GLP_ON);
	glp_error_hook(on_error, NULL);
	if (setjmp(glpk_place)) {
		/* Memory that GLPK allocated before the error is freed with its environment. */
		glp_free_env();
		environment++;
		return error_set(err, STATUS_SYSTEM, "GLPK: %s", message);
	}
	result = work(glpk, data, err);
	glp_error_hook(NULL, NULL);
	glp_term_hook(NULL, NULL);
	return result;
}

static int create_problem(struct glpk *glpk, const void *data, struct error *err)
{
	(void)data;
	(void)err;
	glpk->problem = glp_create_prob();
	glp_set_prob_name(glpk->problem, "LogGPS");
	glp_add_rows(glpk->problem, glpk->rows);
	glp_add_cols(glpk->problem, glpk->columns);
	for (int column = 1; column <= glpk->columns; column++)
		glp_set_col_bnds(glpk->problem, column, GLP_FR, 0, 0);
	return 0;
}

static int glpk_open(void **problem, int rows, int columns, struct error *err)
{
	struct glpk *glpk = NULL;

	TRY(allocate(&glpk, 1, sizeof *glpk, err));
	*glpk = (struct glpk){.environment = environment, .rows = rows, .columns = columns};
	*problem = glpk;
	return glpk_do(glpk, create_problem, NULL, err);
}

static void glpk_close(void *problem)
{
	struct glpk *glpk = problem;

	if (glpk && glpk->problem && glpk->environment == environment)
		glp_delete_prob(glpk->problem);
	free(glpk);
}

struct rows {
	void (*next)(void *source, struct lp_row *row);
	void *source;
};

static int set_rows(struct glpk *glpk, const void *data, struct error *err)
{
	const struct rows *rows = data;

	(void)err;
	for (int number = 1; number <= glpk->rows; number++) {
		struct lp_row row;

		rows->next(rows->source, &row);
		glp_set_mat_row(glpk->problem, number, row.count, row.columns, row.values);
		glp_set_row_bnds(glpk->problem, number, GLP_LO, row.low, 0);
	}
	return 0;
}

static int glpk_set_rows(void *problem, void (*next)(void *source, struct lp_row *row),
			 void *source, struct error *err)
{
	return glpk_do(problem, set_rows, &(struct rows){next, source}, err);
}

/* --------------------------------------------------------------- question */

static void set_bounds(glp_prob *problem, const struct lp_column *column)
{
	const bool low = column->low > -INFINITY, high = column->high < INFINITY;
	const int type = !high			      ? (low ? GLP_LO : GLP_FR)
			 : !low			      ? GLP_UP
			 : column->low < column->high ? GLP_DB
						      : GLP_FX;

	glp_set_col_bnds(problem, column->column, type, low ? column->low : 0,
			 high ? column->high : 0);
}

/* Scale the program so that GLPK's tolerances are relative to the unit. */
static void glpk_scale(struct glpk *glpk, const struct lp_question *question)
{
	if (question->unit == 0 || question->unit == glpk->unit)
		return;
	for (int row = 1; row <= glpk->rows; row++)
		glp_set_rii(glpk->problem, row, 1 / question->unit);
	for (int column = 1; column <= glpk->columns; column++)
		glp_set_sjj(glpk->problem, column, question->unit);
	for (int i = 0; i < question->column_count; i++)
		glp_set_sjj(glpk->problem, question->columns[i].column, question->columns[i].unit);
	glpk->unit = question->unit;
}

/* Set the basis of a warm start, each status once: GLPK factorizes again if one changes. */
static void set_basis(const struct glpk *glpk, const struct lp_question *question)
{
	static const int statuses[] = {
		[LP_AT_LOW] = GLP_NL, [LP_AT_HIGH] = GLP_NU, [LP_BASIC] = GLP_BS};
	int listed = 0;
	uint32_t tight = 0;

	for (int column = 1; column <= glpk->columns; column++) {
		const bool is_listed = listed < question->column_count &&
				       question->columns[listed].column == column;

		glp_set_col_stat(glpk->problem, column,
				 is_listed ? statuses[question->columns[listed++].place] : GLP_BS);
	}
	for (int row = 1; row <= glpk->rows; row++) {
		const bool is_tight = tight < question->tight_count &&
				      question->tight[tight] == (uint32_t)row;

		glp_set_row_stat(glpk->problem, row, is_tight ? GLP_NL : GLP_BS);
		tight += is_tight;
	}
}

static void add_tie(const struct glpk *glpk, const struct lp_question *question,
		    const struct lp_tie *tie)
{
	const int row = glp_add_rows(glpk->problem, 1);

	glp_set_mat_row(glpk->problem, row, 2, tie->columns, tie->values);
	glp_set_row_bnds(glpk->problem, row, GLP_FX, tie->origin, tie->origin);
	if (question->unit > 0)
		glp_set_rii(glpk->problem, row, 1 / question->unit);
	if (question->tight)
		glp_set_row_stat(glpk->problem, row, GLP_NS);
}

static void glpk_pose(struct glpk *glpk, const struct lp_question *question)
{
	glpk_scale(glpk, question);
	for (int i = 0; i < question->column_count; i++)
		set_bounds(glpk->problem, &question->columns[i]);
	glp_set_obj_dir(glpk->problem, question->maximise ? GLP_MAX : GLP_MIN);
	glp_set_obj_coef(glpk->problem, question->objective, 1);
	if (question->tight)
		set_basis(glpk, question);
	for (int i = 0; i < question->tie_count; i++)
		add_tie(glpk, question, &question->ties[i]);
}

/* Return to the program without objective and ties. */
static void glpk_withdraw(const struct glpk *glpk, const struct lp_question *question)
{
	int rows[1 + VARIABLES_MOST];

	glp_set_obj_coef(glpk->problem, question->objective, 0);
	for (int i = 1; i <= question->tie_count; i++)
		rows[i] = glpk->rows + i;
	if (question->tie_count > 0)
		glp_del_rows(glpk->problem, question->tie_count, rows);
}

/* ----------------------------------------------------------------- answer */

static int glpk_simplex(const struct glpk *glpk, struct lp_question *question, struct error *err)
{
	const bool cold = !question->tight;
	glp_smcp control;
	int result;

	glp_init_smcp(&control);
	control.msg_lev = GLP_MSG_OFF;
	control.meth = cold && !question->maximise ? GLP_DUAL : GLP_PRIMAL;
	/*
	 * From a cold start, a row violated by less than the tolerance may hide the longest path.
	 * The program is scaled to 1, so that the tolerance is relative to T.  From the longest
	 * path it only has to cover rounding.
	 */
	control.tol_bnd = cold ? 1e-12 : 1e-9;
	control.tol_dj = 1e-9;
	if (cold)
		glp_std_basis(glpk->problem);
	glp_set_it_cnt(glpk->problem, 0);
	result = glp_simplex(glpk->problem, &control);
	if (result != 0)
		return error_set(err, STATUS_LIMIT, "GLPK's simplex failed (code %d)", result);
	question->code = glp_get_status(glpk->problem);
	question->status = question->code == GLP_OPT	  ? LP_OPTIMAL
			   : question->code == GLP_UNBND  ? LP_UNBOUNDED
			   : question->code == GLP_NOFEAS ? LP_INFEASIBLE
							  : LP_UNSOLVED;
	question->pivots = glp_get_it_cnt(glpk->problem);
	return 0;
}

/*
 * Find how far the parameter may go up (way 1) or down (-1) before the basis is infeasible.  Of
 * the basic variables only rows are bounded.
 */
static double range_end(const struct glpk *glpk, const struct lp_question *question, int count,
			int way)
{
	const int first = glp_prim_rtest(glpk->problem, count, question->rows, question->values,
					 way, 1e-9);
	int row;

	if (first == 0)
		return way * INFINITY;
	row = question->rows[first];
	return (glp_get_row_lb(glpk->problem, row) - glp_get_row_prim(glpk->problem, row)) /
	       question->values[first];
}

static void glpk_read(const struct glpk *glpk, struct lp_question *question)
{
	for (int i = 0; i < question->column_count; i++) {
		struct lp_column *column = &question->columns[i];

		column->value = glp_get_col_prim(glpk->problem, column->column);
		column->reduced_cost = glp_get_col_dual(glpk->problem, column->column);
	}
	if (question->rows) {
		/* Replace the column of the parameter by the change of each basic variable. */
		const int count = glp_transform_col(glpk->problem, question->moved, question->rows,
						    question->values);

		question->down = range_end(glpk, question, count, -1);
		question->up = range_end(glpk, question, count, 1);
	}
}

static int pose_and_solve(struct glpk *glpk, const void *data, struct error *err)
{
	struct lp_question *const *asked = data, *question = *asked;
	int result;

	glpk_pose(glpk, question);
	result = glpk_simplex(glpk, question, err);
	if (result == 0 && question->status == LP_OPTIMAL)
		glpk_read(glpk, question);
	glpk_withdraw(glpk, question);
	return result;
}

static int glpk_solve(void *problem, struct lp_question *question, struct error *err)
{
	return glpk_do(problem, pose_and_solve, &question, err);
}

/* ------------------------------------------------------------------- file */

struct name {
	enum lp_part part;
	int number;
	const char *text;
};

static int set_name(struct glpk *glpk, const void *data, struct error *err)
{
	const struct name *name = data;

	(void)err;
	if (name->part == LP_ROW)
		glp_set_row_name(glpk->problem, name->number, name->text);
	else
		glp_set_col_name(glpk->problem, name->number, name->text);
	return 0;
}

static int glpk_set_name(void *problem, enum lp_part part, int number, const char *name,
			 struct error *err)
{
	return glpk_do(problem, set_name, &(struct name){part, number, name}, err);
}

struct written {
	const struct lp_question *question;
	bool mps;
	const char *file;
};

static int pose_and_write(struct glpk *glpk, const void *data, struct error *err)
{
	const struct written *written = data;
	const struct lp_question *question = written->question;
	int result;

	(void)err;
	glpk_pose(glpk, question);
	glp_set_obj_name(glpk->problem, question->objective_name);
	for (int i = 0; i < question->tie_count; i++)
		glp_set_row_name(glpk->problem, glpk->rows + 1 + i, question->ties[i].name);
	if (written->mps && question->maximise) {
		glp_set_obj_dir(glpk->problem, GLP_MIN);
		glp_set_obj_coef(glpk->problem, question->objective, -1);
	}
	result = written->mps ? glp_write_mps(glpk->problem, GLP_MPS_FILE, NULL, written->file)
			      : glp_write_lp(glpk->problem, NULL, written->file);
	glpk_withdraw(glpk, question);
	/* GLPK's message names the temporary file, so the caller finds the reason. */
	return result != 0 ? 1 : 0;
}

static int glpk_write(void *problem, const struct lp_question *question, bool mps, const char *file,
		      struct error *err)
{
	return glpk_do(problem, pose_and_write, &(struct written){question, mps, file}, err);
}

const struct lp_solver lp_glpk = {
	.name = "GLPK",
	.most_rows = 100000000, /* GLPK numbers rows by an int, and takes no more */
	.bytes_per_row = 900,	/* bench/analysis */
	.open = glpk_open,
	.close = glpk_close,
	.set_rows = glpk_set_rows,
	.solve = glpk_solve,
	.set_name = glpk_set_name,
	.write = glpk_write,
};
