#include "llamp/lp/lp_internal.h"

#include "common/array.h"
#include "common/memory.h"
#include "common/units.h"

#include <math.h>
#include <stdio.h>

/* GLPK's own limit; its numbers are of type int. */
enum { MOST_ROWS = 100000000 };

/* What GLPK takes to build and to solve it (bench/analysis). */
#define BYTES_PER_ROW UINT64_C(900)

/* What GLPK takes as one row: column - base - costs in the parameters >= constant. */
static void set_row(struct lp_model *model, int row, int column, int source,
		    const struct cost_edge *edge)
{
	const struct cost_expression *expression =
		&model->graph->expressions.list.items[cost_edge_expression(edge)];
	int columns[3 + TERM_COUNT], count = 1;
	double values[3 + TERM_COUNT];

	columns[1] = column;
	values[1] = 1;
	if (source) {
		columns[++count] = source;
		values[count] = -1;
	}
	for (int term = 0; term < TERM_COUNT; term++)
		if (expression->of[term]) {
			columns[++count] = lp_column_of(model, term);
			values[count] = -(double)expression->of[term];
		}
	glp_set_mat_row(model->problem, row, count, columns, values);
	glp_set_row_bnds(model->problem, row, GLP_LO, (double)edge->ns, 0);
	if (expression->of[TERM_G] > model->most_bytes)
		model->most_bytes = expression->of[TERM_G];
}

static void add_columns(struct lp_model *model)
{
	glp_prob *problem = model->problem;

	glp_set_obj_dir(problem, GLP_MIN);
	glp_add_rows(problem, model->row_count);
	glp_add_cols(problem, model->column_count);
	for (int column = COLUMN_FIRST_Y; column <= model->column_count; column++)
		glp_set_col_bnds(problem, column, GLP_FR, 0, 0);
	glp_set_obj_coef(problem, lp_column_t(model), 1);
	lp_set_parameters(model, GLP_LO);
}

static void add_rows(struct lp_model *model, const uint32_t *sources)
{
	const struct cost_graph *graph = model->graph;
	int column = COLUMN_FIRST_Y;

	for (uint64_t i = 0; i < graph->edge_count; i++) {
		const uint32_t from = sources[i];

		set_row(model, (int)i + 1, column,
			from == UINT32_MAX ? 0 : COLUMN_FIRST_Y + (int)from, &graph->edges[i]);
		column += (graph->edges[i].expression & COST_LAST_EDGE) != 0;
	}
}

static int fill(struct lp_model *model, const uint32_t *sources, struct error *err)
{
	if (setjmp(*lp_enter()))
		return lp_failed(err);
	model->problem = glp_create_prob();
	add_columns(model);
	add_rows(model, sources);
	lp_leave();
	return 0;
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
	built->environment = lp_environment();
	built->row_count = (int)graph->edge_count;
	built->column_count = PARAMETER_COUNT + (int)graph->vertex_count;
	if (graph->most.of[TERM_GAP] > 0)
		built->gap_column = ++built->column_count;
	result = cost_graph_sources(graph, &sources, err);
	if (result == 0)
		result = fill(built, sources, err);
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

double lp_parameter_ns(const struct loggps *loggps, int term)
{
	const int64_t as[TERM_COUNT] = {
		[TERM_L] = loggps->L, [TERM_G] = loggps->G, [TERM_O] = loggps->o,
		[TERM_GAP] = loggps->g,
	};

	return (double)as[term] / AS_PER_NS;
}

void lp_set_parameters(struct lp_model *model, int type)
{
	for (int term = 0; term < TERM_COUNT; term++) {
		const double value_ns = lp_parameter_ns(&model->loggps, term);
		const int column = lp_column_of(model, term);

		if (column)
			glp_set_col_bnds(model->problem, column, term == TERM_GAP ? GLP_FX : type,
					 value_ns, value_ns);
	}
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
			    column == lp_column_of(model, TERM_G) ? unit_ns / unit_bytes : unit_ns);
	model->unit_ns = unit_ns;
}
