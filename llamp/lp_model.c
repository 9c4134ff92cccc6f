#include "llamp/lp_internal.h"

#include "common/array.h"
#include "common/units.h"

#include <math.h>

/* GLPK's own limit; its numbers are of type int. */
enum { MOST_ROWS = 100000000 };

/*
 * The value of a vertex: a column and the costs of the chain of single edges
 * that begins at it.
 */
struct expression {
	uint64_t ns, bytes;
	uint32_t latencies, overheads, gaps;
	int base;	/* 0: none, the chain begins at 0 */
};

uint64_t lp_row_count(const struct cost_graph *graph)
{
	uint64_t rows = 0;

	for (uint32_t v = 0; v < graph->vertex_count; v++)
		if (lp_has_column(graph, v))
			rows += lp_rows_of(graph, v);
	return rows;
}

static int add_cost(struct expression *sum, const struct cost *cost, struct error *err)
{
	if (__builtin_add_overflow(sum->ns, cost->ns, &sum->ns) ||
	    __builtin_add_overflow(sum->bytes, cost->bytes, &sum->bytes) ||
	    __builtin_add_overflow(sum->latencies, cost->latencies, &sum->latencies) ||
	    __builtin_add_overflow(sum->overheads, cost->overheads, &sum->overheads) ||
	    __builtin_add_overflow(sum->gaps, cost->gaps, &sum->gaps))
		return error_set(err, STATUS_LIMIT,
				 "a sum of costs does not fit the linear program's 64 bits");
	return 0;
}

/* column - base - costs in the parameters >= constant */
static void set_row(struct lp_model *model, int row, int column, const struct expression *from)
{
	int columns[7];
	double values[7];
	int count = 1;

	columns[1] = column;
	values[1] = 1;
#define ADD(number, value)                        \
	do {                                      \
		if ((number) > 0 && (value) > 0) {\
			columns[++count] = (number); \
			values[count] = -(double)(value); \
		}                                 \
	} while (0)
	ADD(from->base, 1);
	ADD(1 + PARAMETER_L, from->latencies);
	ADD(1 + PARAMETER_G, from->bytes);
	ADD(1 + PARAMETER_O, from->overheads);
	ADD(model->gap_column, from->gaps);
#undef ADD
	glp_set_mat_row(model->problem, row, count, columns, values);
	glp_set_row_bnds(model->problem, row, GLP_LO, (double)from->ns, 0);
	if (from->bytes > model->most_bytes)
		model->most_bytes = from->bytes;
}

static void add_columns(struct lp_model *model)
{
	glp_prob *problem = model->problem;

	glp_set_obj_dir(problem, GLP_MIN);
	glp_add_rows(problem, model->row_count);
	glp_add_cols(problem, model->column_count);
	for (int column = COLUMN_T; column <= model->column_count; column++)
		glp_set_col_bnds(problem, column, GLP_FR, 0, 0);
	glp_set_obj_coef(problem, COLUMN_T, 1);
	lp_set_parameters(model, GLP_LO);
}

static int add_rows(struct lp_model *model, struct expression *expressions, struct error *err)
{
	const struct cost_graph *graph = model->graph;
	uint32_t end = graph->vertex_count - 1;
	struct expression none = {0};
	int row = 0, y = COLUMN_FIRST_Y;

	for (uint32_t v = 0; v <= end; v++) {
		bool has_column = lp_has_column(graph, v);
		int column = v == end ? COLUMN_T : y;

		for (uint64_t e = graph->first_edge[v]; e < graph->first_edge[v + 1]; e++) {
			struct expression value = expressions[graph->edges[e].from];

			TRY(add_cost(&value, &graph->edges[e].cost, err));
			if (has_column)
				set_row(model, ++row, column, &value);
			else
				expressions[v] = value;
		}
		if (has_column && v != end)
			expressions[v].base = y++;
	}
	if (graph->first_edge[end] == graph->first_edge[end + 1])
		set_row(model, ++row, COLUMN_T, &none);
	return 0;
}

static int fill(struct lp_model *model, struct expression *expressions, struct error *err)
{
	int result;

	if (setjmp(*lp_enter()))
		return lp_failed(err);
	model->problem = glp_create_prob();
	add_columns(model);
	result = add_rows(model, expressions, err);
	lp_leave();
	return result;
}

/* Whether a cost has a multiple of g. */
static bool has_gaps(const struct cost_graph *graph)
{
	for (uint64_t e = 0; e < graph->edge_count; e++)
		if (graph->edges[e].cost.gaps > 0)
			return true;
	return false;
}

static int count(struct lp_model *model, struct error *err)
{
	const struct cost_graph *graph = model->graph;
	uint64_t rows = lp_row_count(graph);
	int columns = PARAMETER_COUNT;

	if (rows > MOST_ROWS)
		return error_set(err, STATUS_LIMIT,
				 "the linear program would have %llu rows, more than the %d that "
				 "GLPK takes", (unsigned long long)rows, MOST_ROWS);
	for (uint32_t v = 0; v < graph->vertex_count; v++)
		columns += lp_has_column(graph, v);
	model->row_count = (int)rows;
	if (has_gaps(graph))
		model->gap_column = ++columns;
	model->column_count = columns;
	return 0;
}

int lp_build(struct lp_model **model, const struct cost_graph *graph,
	     const struct loggps *loggps, struct error *err)
{
	struct expression *expressions = NULL;
	struct lp_model *built = NULL;
	int result;

	TRY(allocate(&built, 1, sizeof *built, err));
	built->graph = graph;
	built->loggps = *loggps;
	built->environment = lp_environment();
	result = count(built, err);
	if (result == 0)
		result = allocate(&expressions, graph->vertex_count, sizeof *expressions, err);
	if (result == 0)
		result = fill(built, expressions, err);
	free(expressions);
	if (result < 0) {
		lp_free(built);
		return -1;
	}
	*model = built;
	return 0;
}

void lp_free(struct lp_model *model)
{
	if (model && model->problem && model->environment == lp_environment())
		glp_delete_prob(model->problem);
	free(model);
}

double lp_parameter_ns(const struct loggps *loggps, enum parameter parameter)
{
	int64_t as = parameter == PARAMETER_L   ? loggps->L
		     : parameter == PARAMETER_G ? loggps->G
						: loggps->o;

	return (double)as / AS_PER_NS;
}

void lp_set_parameters(struct lp_model *model, int type)
{
	double gap_ns = (double)model->loggps.g / AS_PER_NS;

	for (int p = 0; p < PARAMETER_COUNT; p++) {
		double value_ns = lp_parameter_ns(&model->loggps, p);

		glp_set_col_bnds(model->problem, 1 + p, type, value_ns, value_ns);
	}
	if (model->gap_column)
		glp_set_col_bnds(model->problem, model->gap_column, GLP_FX, gap_ns, gap_ns);
}

/* The smallest power of two that is greater: scaling by it does not round. */
static double power_of_two_above(double value)
{
	int exponent;

	frexp(value, &exponent);
	return ldexp(1, exponent);
}

void lp_scale(struct lp_model *model, double largest_ns)
{
	double unit_ns = power_of_two_above(largest_ns);
	double unit_bytes = power_of_two_above((double)model->most_bytes);

	if (unit_ns == model->unit_ns)
		return;
	for (int row = 1; row <= model->row_count; row++)
		glp_set_rii(model->problem, row, 1 / unit_ns);
	for (int column = 1; column <= model->column_count; column++)
		glp_set_sjj(model->problem, column,
			    column == 1 + PARAMETER_G ? unit_ns / unit_bytes : unit_ns);
	model->unit_ns = unit_ns;
}
