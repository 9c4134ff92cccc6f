/* The linear program of a cost graph (design of llamp/lp/lp_engine.h), built in GLPK. */
#include "llamp/lp/lp_internal.h"

#include "common/array.h"
#include "common/memory.h"
#include "common/units.h"

#include <math.h>
#include <stdio.h>

/* Limit of GLPK, which numbers rows by an int. */
enum { MOST_ROWS = 100000000 };

/* Memory that GLPK needs to build a program and to solve it (bench/analysis). */
#define BYTES_PER_ROW UINT64_C(900)

/* Set the row of an edge: column - from - costs in the variables >= constant. */
static void set_row(struct lp_model *model, int row, int column, int from,
		    const struct cost_edge *edge)
{
	int columns[3 + VARIABLES_MOST], count = 1;
	double values[3 + VARIABLES_MOST];
	uint32_t term_count;
	const struct cost_term *terms = cost_terms(&model->graph->expressions,
						   cost_edge_expression(edge), &term_count);

	columns[1] = column;
	values[1] = 1;
	if (from) {
		columns[++count] = from;
		values[count] = -1;
	}
	for (uint32_t i = 0; i < term_count; i++) {
		columns[++count] = model->column_of[terms[i].variable];
		values[count] = -(double)terms[i].coefficient;
		if (model->loggps.variables.of[terms[i].variable].unit == UNIT_TIME_PER_BYTE &&
		    terms[i].coefficient > model->most_bytes)
			model->most_bytes = terms[i].coefficient;
	}
	glp_set_mat_row(model->problem, row, count, columns, values);
	glp_set_row_bnds(model->problem, row, GLP_LO, (double)edge->ns, 0);
}

static void add_columns(struct lp_model *model)
{
	glp_prob *problem = model->problem;

	glp_set_obj_dir(problem, GLP_MIN);
	glp_add_rows(problem, model->row_count);
	glp_add_cols(problem, model->column_count);
	for (int column = model->first_y; column <= model->column_count; column++)
		glp_set_col_bnds(problem, column, GLP_FR, 0, 0);
	glp_set_obj_coef(problem, lp_column_t(model), 1);
}

static void add_rows(struct lp_model *model, const uint32_t *sources)
{
	const struct cost_graph *graph = model->graph;
	int column = model->first_y;

	for (uint64_t i = 0; i < graph->edge_count; i++) {
		const uint32_t from = sources[i];

		set_row(model, (int)i + 1, column,
			from == UINT32_MAX ? 0 : model->first_y + (int)from, &graph->edges[i]);
		column += (graph->edges[i].expression & COST_LAST_EDGE) != 0;
	}
}

static int lp_model_fill(struct lp_model *model, const uint32_t *sources, struct error *err)
{
	if (setjmp(*lp_enter()))
		return lp_failed(err);
	model->problem = glp_create_prob();
	add_columns(model);
	add_rows(model, sources);
	lp_leave();
	return 0;
}

static void number_columns(struct lp_model *model)
{
	const struct variables *variables = &model->loggps.variables;

	for (uint32_t v = 0; v < variables->count; v++)
		if (!variables->of[v].zero_is_off && variables->of[v].group == GROUP_NONE)
			model->column_of[v] = ++model->column_count;
	model->first_y = model->column_count + 1;
	model->column_count += (int)model->graph->vertex_count;
	for (uint32_t v = 0; v < variables->count; v++)
		if (!model->column_of[v] &&
		    (variable_is_on(&variables->of[v]) || model->graph->most.of[v] > 0))
			model->column_of[v] = ++model->column_count;
}

int lp_build(struct lp_model **model, const struct cost_graph *graph,
	     const struct loggps *loggps, struct error *err)
{
	struct lp_model *built = NULL;
	uint32_t *sources = NULL;
	char what[80];
	int result;

	if (graph->edge_count > MOST_ROWS)
		return error_set(err, STATUS_LIMIT,
				 "the linear program would have %llu rows, more than the %d that "
				 "GLPK takes", (unsigned long long)graph->edge_count, MOST_ROWS);
	snprintf(what, sizeof what, "a linear program of %llu rows",
		 (unsigned long long)graph->edge_count);
	TRY(memory_require(graph->edge_count * BYTES_PER_ROW, what, err));
	TRY(allocate(&built, 1, sizeof *built, err));
	built->graph = graph;
	built->loggps = *loggps;
	built->written = direction_fixed(&loggps->variables);
	built->environment = lp_environment();
	built->row_count = (int)graph->edge_count;
	number_columns(built);
	result = cost_graph_sources(graph, &sources, err);
	if (result == 0)
		result = lp_model_fill(built, sources, err);
	free(sources);
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

double lp_value_ns(const struct direction *direction, uint32_t variable, double p_ns)
{
	return (double)direction->origin_as[variable] / AS_PER_NS +
	       (double)direction->weight[variable] * p_ns;
}

void lp_set_variables(struct lp_model *model, const struct direction *direction, double p_ns,
		      int type)
{
	for (uint32_t v = 0; v < model->loggps.variables.count; v++) {
		const bool stays = model->loggps.variables.of[v].zero_is_off &&
				   !direction->weight[v];
		const double value_ns = lp_value_ns(direction, v, p_ns);

		if (model->column_of[v])
			glp_set_col_bnds(model->problem, model->column_of[v], stays ? GLP_FX : type,
					 value_ns, value_ns);
	}
}

/* Smallest power of two above a value: scaling by it does not round. */
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
		glp_set_sjj(model->problem, column, unit_ns);
	for (uint32_t v = 0; v < model->loggps.variables.count; v++)
		if (model->column_of[v] &&
		    model->loggps.variables.of[v].unit == UNIT_TIME_PER_BYTE)
			glp_set_sjj(model->problem, model->column_of[v], unit_ns / unit_bytes);
	model->unit_ns = unit_ns;
}
