/* Results of analyze, sweep and path: the worked example, and laws on random graphs. */
#include "test/unit/lib/make/make_goal.h"
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"

#include "common/units.h"
#include "llamp/analysis/analysis.h"
#include "llamp/analysis/critical_path.h"
#include "llamp/analysis/sweep.h"
#include "llamp/graph/event_times.h"
#include "llamp/lp/lp_engine.h"
#include "llamp/simulate/build.h"
#include "test/unit/lib/along.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#ifdef __SANITIZE_ADDRESS__
enum { GRAPHS = 150 };
#else
enum { GRAPHS = 1500 };
#endif

/* LLAMP, figure 4: rank 1 waits for rank 0 if rank 0 computes long enough. */
static const char long_first[] = "num_ranks 2\nrank 0 {\na: calc 1000\nb: send 4b to 1\n"
				 "c: calc 1000\nb requires a\nc requires b\n}\n"
				 "rank 1 {\na: calc 500\nb: recv 4b from 0\nc: calc 1000\n"
				 "b requires a\nc requires b\n}\n";
static const char short_first[] = "num_ranks 2\nrank 0 {\na: calc 100\nb: send 4b to 1\n"
				  "c: calc 1000\nb requires a\nc requires b\n}\n"
				  "rank 1 {\na: calc 500\nb: recv 4b from 0\nc: calc 1000\n"
				  "b requires a\nc requires b\n}\n";

static void open_text(struct model *model, const char *text, int64_t latency_ns)
{
	struct error err = {0};

	*model = (struct model){.path = "text", .loggps = loggps_default};
	loggps_set(&model->loggps, VARIABLE_L, latency_ns * AS_PER_NS);
	loggps_set(&model->loggps, VARIABLE_o, 0);
	loggps_set(&model->loggps, VARIABLE_G, 5 * AS_PER_NS);
	MUST(make_goal(&model->goal, text, &err));
	MUST(graphs_build(&model->execution, &model->graph, &model->goal, &model->loggps, &err));
}

static void assert_near(double value, double expected)
{
	if (!(value == expected || fabs(value - expected) <= 1e-9 * fmax(fabs(expected), 1)))
		fail_msg("%.17g instead of %.17g", value, expected);
}

static void the_worked_example_comes_out_of_both_engines(void **state)
{
	static const double percents[] = {25, 0};
	static const struct {
		const char *text;
		int64_t latency_ns;
		double runtime_ns, left, right, low_ns, high_ns, tolerated_ns[2];
	} cases[] = {
		{long_first, 500, 2515, 1, 1, 0, INFINITY, {1.25 * 2515 - 2015, 500}},
		{short_first, 500, 1615, 1, 1, 385, INFINITY, {1.25 * 1615 - 1115, 500}},
		{short_first, 485, 1600, 1, 1, 385, INFINITY, {885, 485}},
		{short_first, 385, 1500, 0, 1, 385, INFINITY, {1.25 * 1500 - 1115, 385}},
		{short_first, 100, 1500, 0, 0, 0, 385, {1.25 * 1500 - 1115, 385}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		for (int engine = ENGINE_AUTO; engine <= ENGINE_PATH; engine++) {
			struct model model;
			struct analysis analysis;
			struct error err = {0};

			open_text(&model, cases[i].text, cases[i].latency_ns);
			MUST(analysis_run(&analysis, &model,
					  &(struct analysis_request){
						  .engine = (enum engine)engine, .varied = VARIABLE_L,
						  .percents = percents, .percent_count = 2,
					  }, &err));
			assert_int_equal(analysis.engine,
					 engine == ENGINE_PATH ? ENGINE_PATH : ENGINE_LP);
			assert_near(analysis.runtime_ns, cases[i].runtime_ns);
			assert_near(analysis.lambda_left, cases[i].left);
			assert_near(analysis.lambda[VARIABLE_L], cases[i].right);
			assert_near(analysis.rho, (double)cases[i].latency_ns * cases[i].right /
						    cases[i].runtime_ns);
			assert_near(analysis.critical.low, cases[i].low_ns);
			assert_near(analysis.critical.high, cases[i].high_ns);
			assert_int_equal(analysis.has_basis, engine != ENGINE_PATH);
			assert_int_equal(analysis.pivots, 0);
			for (size_t k = 0; k < 2; k++) {
				assert_near(analysis.tolerance.items[k].value_ns,
					    cases[i].tolerated_ns[k]);
				assert_near(analysis.tolerance.items[k].delta_ns,
					    cases[i].tolerated_ns[k] -
						    (double)cases[i].latency_ns);
			}
			analysis_release(&analysis);
			model_release(&model);
		}
	}
}

static void programs_without_messages_tolerate_any_latency(void **state)
{
	static const double percent = 1;
	static const char *const texts[] = {
		"num_ranks 1\nrank 0 {\n}\n",
		"num_ranks 2\nrank 0 {\ncalc 7\n}\nrank 1 {\n}\n",
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		for (int engine = ENGINE_LP; engine <= ENGINE_PATH; engine++) {
			struct model model;
			struct analysis analysis;
			struct critical_path path;
			struct error err = {0};

			open_text(&model, texts[i], 100);
			MUST(analysis_run(&analysis, &model,
					  &(struct analysis_request){
						  .engine = (enum engine)engine, .varied = VARIABLE_L,
						  .percents = &percent, .percent_count = 1,
					  }, &err));
			assert_near(analysis.runtime_ns, i == 0 ? 0 : 7);
			assert_near(analysis.rho, 0);
			assert_true(isinf(analysis.critical.high));
			assert_true(isinf(analysis.tolerance.items[0].value_ns));
			assert_true(isinf(analysis.tolerance.items[0].delta_ns));
			MUST(critical_path_find(&path, &model, &err));
			assert_int_equal(path.segments.count, i);
			critical_path_release(&path);
			analysis_release(&analysis);
			model_release(&model);
		}
	}
}

/* ----------------------------------------------------------- random graphs */

/* Number of times that each case was seen: checked to be large enough. */
static struct {
	int graphs, kinks[LOGGPS_COUNT], bends[LOGGPS_COUNT], gaps, segments, rendezvous;
} seen;

/* GLPK's range, where it ends before the critical range does. */
static void check_basis(const struct model *model, uint32_t varied,
			const struct analysis *analysis)
{
	struct lp_solution solution;
	struct lp_model *lp;
	struct error err = {0};

	MUST(lp_build(&lp, &model->graph, &model->loggps, &err));
	MUST(lp_solve(lp, LP_LONGEST_PATH, ALONG(&model->loggps, varied),
		      rational_from(loggps_value(&model->loggps, varied)), SIDE_RIGHT, &solution,
		      &err));
	if (solution.basis_high_ns < analysis->critical.high)
		assert_near(analysis->basis.high, solution.basis_high_ns);
	if (solution.basis_low_ns > analysis->critical.low)
		assert_near(analysis->basis.low, solution.basis_low_ns);
	lp_free(lp);
}

static void check_engines(const struct model *model, uint32_t varied)
{
	static const double percents[] = {0, 1, 2.5, 100};
	const double value_ns = rational_ns(rational_from(loggps_value(&model->loggps, varied)));
	struct analysis lp, path;
	struct error err = {0};

	/* The LP engine fails if its answers are not the path engine's. */
	MUST(analysis_run(&lp, model,
			  &(struct analysis_request){
				  .engine = ENGINE_LP, .varied = varied,
				  .percents = percents, .percent_count = 4,
			  }, &err));
	MUST(analysis_run(&path, model,
			  &(struct analysis_request){
				  .engine = ENGINE_PATH, .varied = varied,
				  .percents = percents, .percent_count = 4,
			  }, &err));
	assert_int_equal(lp.pivots, 0);
	/* GLPK only confirms: nothing that it has rounded is among them. */
	assert_true(lp.has_basis && !path.has_basis);
	assert_true(lp.runtime_ns == path.runtime_ns && lp.rho == path.rho);
	for (size_t i = 0; i < path.tolerance.count; i++)
		assert_true(lp.tolerance.items[i].value_ns == path.tolerance.items[i].value_ns);
	assert_true(lp.critical.low == path.critical.low && lp.critical.high == path.critical.high);
	assert_true(path.lambda_left <= path.lambda[varied]);
	/* p lies inside the basis range, and that inside the critical range. */
	assert_true(lp.critical.low <= lp.basis.low && lp.basis.low <= value_ns);
	assert_true(value_ns <= lp.basis.high && lp.basis.high <= lp.critical.high);
	check_basis(model, varied, &lp);
	assert_true(lp.tolerance.items[0].delta_ns == 0 || path.tolerance.items[0].delta_ns > 0);
	for (size_t i = 1; i < path.tolerance.count; i++)
		assert_true(path.tolerance.items[i].value_ns >=
			    path.tolerance.items[i - 1].value_ns);
	seen.kinks[varied] += path.lambda_left < path.lambda[varied];
	analysis_release(&lp);
	analysis_release(&path);
}

/* Whether the overheads of a path can be a sum of overheads of messages. */
static bool has_overheads(const struct model *model, int128 overheads)
{
	const int64_t o = loggps_value(&model->loggps, VARIABLE_o);

	if (loggps_value(&model->loggps, VARIABLE_O) > 0)
		return overheads >= 0;
	return o > 0 ? overheads % o == 0 : overheads == 0;
}

static void check_path(const struct model *model)
{
	const struct rational latency = rational_from(loggps_value(&model->loggps, VARIABLE_L));
	int128 end = 0, latencies = 0, overheads = 0;
	struct critical_path path;
	struct line line;
	struct error err = {0};

	MUST(path_evaluate(&model->graph, ALONG(&model->loggps, VARIABLE_L), latency, SIDE_RIGHT,
			   &line, NULL, &err));
	MUST(critical_path_find(&path, model, &err));
	for (size_t i = 0; i < path.segments.count; i++) {
		const struct critical_segment *segment = &path.segments.items[i];
		const int128 length = segment->end_as - segment->start_as;

		assert_true(segment->start_as == end && length > 0);
		seen.segments++;
		seen.gaps += segment->category == CATEGORY_GAP;
		end = segment->end_as;
		assert_true(segment->operation < model->goal.ranks[segment->rank].op_count);
		assert_int_equal(goal_op(&model->goal.ranks[segment->rank],
					 segment->operation).kind,
				 segment->kind);
		latencies += segment->category == CATEGORY_LATENCY ? length : 0;
		overheads += segment->category == CATEGORY_OVERHEAD ? length : 0;
		assert_int_equal(segment->category == CATEGORY_COMPUTE, segment->kind == GOAL_CALC);
		if (segment->category == CATEGORY_LATENCY ||
		    segment->category == CATEGORY_BANDWIDTH)
			assert_int_equal(segment->kind, GOAL_RECV);
		if (segment->category == CATEGORY_GAP)
			assert_int_equal(segment->kind, GOAL_SEND);
	}
	assert_true(path.runtime_as == end);
	assert_true(end == line.constant + line.slope * loggps_value(&model->loggps, VARIABLE_L));
	assert_true(latencies == line.slope * loggps_value(&model->loggps, VARIABLE_L));
	assert_true(has_overheads(model, overheads));
	assert_true(path.message_count <= (uint64_t)line.slope);
	assert_true(path.message_count > 0 || line.slope == 0);
	critical_path_release(&path);
}

/* Operations start after what they require, the program ends with the last, and that is T. */
static void check_times(const struct model *model)
{
	const struct direction direction = direction_of(&model->loggps.variables, VARIABLE_L);
	const struct cost_weights weights = event_times_weights(&model->loggps);
	struct event_times times;
	struct error err;
	struct line line;
	int128 end = 0;

	MUST(event_times_find(&times, &model->execution, &weights, &err));
	for (uint32_t number = 0; number < model->goal.op_count; number++) {
		const struct located at = execution_find(&model->execution, number);
		const int128 ends = event_times_end(&times, &at);

		assert_true(event_times_start(&times, &at) >= 0 &&
			    ends >= event_times_start(&times, &at));
		end = ends > end ? ends : end;
		for (uint32_t k = 0; k < at.op.requires_count; k++) {
			const struct located later = execution_find(
				&model->execution,
				at.block->first_op +
					goal_successor(at.block, at.op.requires_first + k));

			assert_true(event_times_start(&times, &later) >= ends);
		}
	}
	MUST(path_evaluate(&model->graph, &direction, rational_from(direction.start_as),
			   SIDE_RIGHT, &line, NULL, &err));
	assert_true(end == times.end);
	assert_true(end == line.constant + line.slope * direction.start_as);
	event_times_release(&times);
}

static double runtime_at(const struct model *model, uint32_t varied, double value_ns)
{
	struct rational at = rational_from((int64_t)llround(value_ns * 1e9));
	struct line line;
	struct error err = {0};

	MUST(path_evaluate(&model->graph, ALONG(&model->loggps, varied), at, SIDE_RIGHT, &line,
			   NULL, &err));
	return line_runtime_ns(&line, at);
}

static void check_sweep(const struct model *model, uint32_t varied)
{
	/* Some 40 samples: of a time, or of a time per byte. */
	const bool of_bytes = varied == VARIABLE_G || varied == VARIABLE_O;
	const int64_t unit = of_bytes ? AS_PER_NS / 1000 : AS_PER_NS;
	const struct sweep_range all = {.varied = varied, .to_as = 50000 * unit};
	const struct sweep_range some = {
		.varied = varied, .to_as = 50000 * unit, .step_as = 1237 * unit + 1};
	struct sweep exact, samples;
	struct error err = {0};
	size_t piece = 0;

	MUST(sweep_run(&exact, model, &all, &err));
	MUST(sweep_run(&samples, model, &some, &err));
	assert_near(exact.points.items[0].value_ns, 0);
	assert_near(exact.points.items[exact.points.count - 1].value_ns,
		    (double)all.to_as / AS_PER_NS);
	assert_int_equal(samples.points.count, some.to_as / some.step_as + 1);
	for (size_t i = 1; i + 1 < exact.points.count; i++) {
		const struct sweep_point *a = &exact.points.items[i - 1], *b = a + 1;

		/* Convex, strictly ascending, and straight in between. */
		assert_true(a->value_ns < b->value_ns && a->lambda < b->lambda);
		assert_near(a->runtime_ns + a->lambda * (b->value_ns - a->value_ns), b->runtime_ns);
	}
	for (size_t i = 0; i < samples.points.count; i++) {
		const struct sweep_point *point = &samples.points.items[i], *from;

		assert_near(point->runtime_ns, runtime_at(model, varied, point->value_ns));
		while (piece + 1 < exact.points.count &&
		       exact.points.items[piece + 1].value_ns <= point->value_ns)
			piece++;
		from = &exact.points.items[piece];
		assert_near(from->runtime_ns + from->lambda * (point->value_ns - from->value_ns),
			    point->runtime_ns);
		assert_near(point->rho * point->runtime_ns, point->value_ns * point->lambda);
	}
	seen.bends[varied] += (int)exact.points.count - 2;
	sweep_release(&exact);
	sweep_release(&samples);
}

static void random_graphs_obey_the_laws(void **state)
{
	uint64_t numbers = 0;
	int kinks = 0;

	(void)state;
	for (int i = 0; i < GRAPHS; i++) {
		struct model model = {.path = "random"};
		struct error err = {0};

		random_graph(&model.goal, &numbers, 6, 300);
		random_loggps(&model.loggps, &numbers);
		if (graphs_build(&model.execution, &model.graph, &model.goal, &model.loggps,
				 &err) < 0) {
			assert_int_equal(err.status, STATUS_DATA);
			goal_release(&model.goal);
			continue;
		}
		seen.graphs++;
		seen.rendezvous += model.loggps.S != LOGGPS_NO_RENDEZVOUS;
		check_path(&model);
		check_times(&model);
		for (uint32_t varied = 0; varied < LOGGPS_COUNT; varied++) {
			if (!variable_is_on(&model.loggps.variables.of[varied]))
				continue;
			check_engines(&model, varied);
			check_sweep(&model, varied);
		}
		model_release(&model);
	}
	assert_true(seen.graphs > GRAPHS / 3 && seen.rendezvous > seen.graphs / 4);
	assert_true(seen.gaps > 0 && seen.segments > 5 * seen.graphs);
	for (int varied = 0; varied < LOGGPS_COUNT; varied++) {
		/* O is on in a third of the graphs. */
		assert_true(seen.bends[varied] > (varied == VARIABLE_O ? 0 : seen.graphs / 3));
		kinks += seen.kinks[varied];
	}
	assert_true(kinks > 0);
}

static void too_many_samples_are_a_limit(void **state)
{
	const int64_t kink = 385 * AS_PER_NS;
	struct model model;
	struct sweep sweep;
	struct error err = {0};

	(void)state;
	open_text(&model, short_first, 500);
	assert_int_equal(sweep_run(&sweep, &model,
				   &(struct sweep_range){.varied = VARIABLE_L, .from_as = 0, .to_as = SWEEP_MOST_SAMPLES, .step_as = 1},
				   &err),
			 -1);
	assert_int_equal(err.status, STATUS_LIMIT);
	MUST(sweep_run(&sweep, &model, &(struct sweep_range){.varied = VARIABLE_L, .from_as = INT64_MAX - 1, .to_as = INT64_MAX, .step_as = INT64_MAX}, &err));
	assert_int_equal(sweep.points.count, 1);
	sweep_release(&sweep);
	MUST(sweep_run(&sweep, &model, &(struct sweep_range){.varied = VARIABLE_L, .from_as = kink, .to_as = kink, .step_as = 0}, &err));
	assert_int_equal(sweep.points.count, 1);
	assert_near(sweep.points.items[0].lambda, 1);
	sweep_release(&sweep);
	model_release(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_worked_example_comes_out_of_both_engines),
		cmocka_unit_test(programs_without_messages_tolerate_any_latency),
		cmocka_unit_test(random_graphs_obey_the_laws),
		cmocka_unit_test(too_many_samples_are_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
