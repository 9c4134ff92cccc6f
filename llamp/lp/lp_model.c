/* The linear program of a cost graph (design of llamp/lp/lp_engine.h), and the questions to it. */
#include "llamp/lp/lp_internal.h"

#include "common/array.h"
#include "common/memory.h"
#include "common/units.h"

#include <math.h>
#include <stdio.h>

#define LP_SOLVER_LISTED(solver) &(solver),

const struct lp_solver *const lp_solvers[] = {LP_SOLVERS(LP_SOLVER_LISTED) NULL};

/* The edges in the order of their rows. */
struct row_source {
	struct lp_model *model;
	const uint32_t *sources; /* [edge] */
	uint64_t edge;
	int column; /* of the vertex that the edge leads to */
};

/* Make the row of an edge: column - from - costs in the variables >= constant. */
static void next_row(void *source, struct lp_row *row)
{
	struct row_source *at = source;
	struct lp_model *model = at->model;
	const uint32_t from = at->sources[at->edge];
	const struct cost_edge edge = cost_graph_edge(model->graph, at->edge++);
	uint32_t term_count;
	const struct cost_term *terms = cost_terms(&model->graph->expressions,
						   cost_edge_expression(&edge), &term_count);

	row->count = 1;
	row->low = (double)edge.ns;
	row->columns[1] = at->column;
	row->values[1] = 1;
	if (from != UINT32_MAX) {
		row->columns[++row->count] = model->first_y + (int)from;
		row->values[row->count] = -1;
	}
	for (uint32_t i = 0; i < term_count; i++) {
		row->columns[++row->count] = model->column_of[terms[i].variable];
		row->values[row->count] = -(double)terms[i].coefficient;
		if (model->loggps.variables.of[terms[i].variable].unit == UNIT_TIME_PER_BYTE &&
		    terms[i].coefficient > model->most_bytes)
			model->most_bytes = terms[i].coefficient;
	}
	at->column += (edge.expression & COST_LAST_EDGE) != 0;
}

static int lp_model_fill(struct lp_model *model, struct error *err)
{
	uint32_t *sources = NULL;
	int result;

	TRY(model->solver->open(&model->problem, model->row_count, model->column_count, err));
	result = cost_graph_sources(model->graph, &sources, err);
	if (result == 0)
		result = model->solver->set_rows(model->problem, next_row,
						 &(struct row_source){model, sources, 0,
								      model->first_y},
						 err);
	free(sources);
	return result;
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

int lp_build_with(struct lp_model **model, const struct lp_solver *solver,
		  const struct cost_graph *graph, const struct loggps *loggps, struct error *err)
{
	struct lp_model *built = NULL;
	char what[80];

	if (graph->edge_count > solver->most_rows)
		return error_set(err, STATUS_LIMIT,
				 "the linear program would have %llu rows, more than the %llu that "
				 "%s takes",
				 (unsigned long long)graph->edge_count,
				 (unsigned long long)solver->most_rows, solver->name);
	snprintf(what, sizeof what, "a linear program of %llu rows",
		 (unsigned long long)graph->edge_count);
	TRY(memory_require(graph->edge_count * solver->bytes_per_row, what, err));
	TRY(allocate(&built, 1, sizeof *built, err));
	built->solver = solver;
	built->graph = graph;
	built->loggps = *loggps;
	built->written = direction_fixed(&loggps->variables);
	built->written_most_ns = INFINITY;
	built->row_count = (int)graph->edge_count;
	number_columns(built);
	if (lp_model_fill(built, err) < 0) {
		lp_free(built);
		return -1;
	}
	*model = built;
	return 0;
}

int lp_build(struct lp_model **model, const struct cost_graph *graph, const struct loggps *loggps,
	     struct error *err)
{
	return lp_build_with(model, lp_solvers[0], graph, loggps, err);
}

void lp_free(struct lp_model *model)
{
	if (model && model->problem)
		model->solver->close(model->problem);
	free(model);
}

int lp_check_direction(const struct lp_model *model, const struct direction *direction,
		       struct error *err)
{
	for (uint32_t v = 0; v < direction->count; v++)
		if (direction->weight[v])
			TRY(variables_require_on(&model->loggps.variables, v, err));
	return 0;
}

/* --------------------------------------------------------------- question */

/* Smallest power of two above a value: scaling by it does not round. */
static double power_of_two_above(double value)
{
	int exponent;

	frexp(value, &exponent);
	return ldexp(1, exponent);
}

void lp_pose(const struct lp_model *model, const struct direction *direction, double p_ns,
	     bool fixed, double largest_ns, struct lp_question *question)
{
	const int t = lp_column_t(model);
	const double unit_bytes = power_of_two_above((double)model->most_bytes);

	question->maximise = false;
	question->objective = t;
	question->objective_name = "runtime_ns";
	question->unit = largest_ns >= 0 ? power_of_two_above(largest_ns) : 0;
	question->tie_count = 0;
	question->tight = NULL;
	question->rows = NULL;
	question->column_count = model->column_count - (int)model->graph->vertex_count + 1;
	*lp_listed(model, question, t) = (struct lp_column){.column = t,
							    .low = -INFINITY,
							    .high = INFINITY,
							    .unit = question->unit,
							    .place = LP_BASIC};
	for (uint32_t v = 0; v < model->loggps.variables.count; v++) {
		const struct variable *variable = &model->loggps.variables.of[v];
		const double value_ns = (double)direction->origin_as[v] / AS_PER_NS +
					(double)direction->weight[v] * p_ns;
		const bool stays = variable->zero_is_off && !direction->weight[v];

		if (!model->column_of[v])
			continue;
		*lp_listed(model, question, model->column_of[v]) = (struct lp_column){
			.column = model->column_of[v],
			.low = value_ns,
			.high = fixed || stays ? value_ns : INFINITY,
			.place = LP_AT_LOW,
			.unit = variable->unit == UNIT_TIME_PER_BYTE ? question->unit / unit_bytes
								     : question->unit};
	}
}

/* Tie a variable to the first one that moves. */
static void add_tie(const struct lp_model *model, const struct direction *direction, uint32_t v,
		    uint32_t first, struct lp_question *question)
{
	const int64_t weight = direction->weight[v], of_first = direction->weight[first];
	struct lp_tie *tie = &question->ties[question->tie_count++];

	tie->columns[1] = model->column_of[v];
	tie->columns[2] = model->column_of[first];
	tie->values[1] = (double)of_first;
	tie->values[2] = -(double)weight;
	tie->origin = (double)((int128)of_first * direction->origin_as[v] -
			       (int128)weight * direction->origin_as[first]) /
		      AS_PER_NS;
	snprintf(tie->name, sizeof tie->name, "%s_with_%s", lp_variable_name(model, v),
		 lp_variable_name(model, first));
}

void lp_pose_maximum(const struct lp_model *model, const struct direction *direction,
		     double most_ns, struct lp_question *question)
{
	const uint32_t first = direction_first(direction);

	question->maximise = true;
	question->objective = model->column_of[first];
	question->objective_name = "tolerance";
	lp_listed(model, question, lp_column_t(model))->high = most_ns;
	for (uint32_t v = first + 1; v < direction->count; v++)
		if (direction->weight[v])
			add_tie(model, direction, v, first, question);
}

void lp_set_tight(const struct lp_model *model, uint32_t *tight, struct lp_question *question)
{
	const struct cost_graph *graph = model->graph;
	uint32_t row = 1;

	for (uint32_t v = 0; v < graph->vertex_count; v++) {
		tight[v] += row;
		while (!cost_graph_is_last(graph, row++ - 1))
			;
	}
	question->tight = tight;
	question->tight_count = graph->vertex_count;
}

int lp_no_optimum(const struct lp_model *model, const struct lp_question *question,
		  struct error *err)
{
	return error_set(err, STATUS_LIMIT, "%s found no optimum (status %d)", model->solver->name,
			 question->code);
}
