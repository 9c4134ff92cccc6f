/* Tradeoffs of two variables: the worked example, and laws on random graphs. */
#include "test/unit/lib/along.h"
#include "test/unit/lib/make_goal.h"
#include "test/unit/lib/must.h"

#include "common/units.h"
#include "llamp/analysis/tradeoff.h"
#include "llamp/graph/build.h"
#include "llamp/path/path_engine.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#ifdef __SANITIZE_ADDRESS__
enum { GRAPHS = 100 };
#else
enum { GRAPHS = 600 };
#endif

/* T at values of two variables, in ns. */
static double runtime_at(const struct model *model, const uint32_t variables[2], double x_ns,
			 double y_ns)
{
	struct direction direction = direction_fixed(&model->loggps.variables);
	struct error err = {0};
	struct line line;

	direction.origin_as[variables[0]] = llround(x_ns * AS_PER_NS);
	direction.origin_as[variables[1]] = llround(y_ns * AS_PER_NS);
	MUST(path_evaluate(&model->graph, &direction, rational_from(0), SIDE_RIGHT, &line, NULL,
			   &err));
	return (double)line.constant / AS_PER_NS;
}

static void open_model(struct model *model, const char *text)
{
	struct error err = {0};

	*model = (struct model){.path = "text", .loggps = loggps_of(0, 0, 0)};
	MUST(make_goal(&model->goal, text, &err));
	MUST(graphs_build(&model->execution, &model->graph, &model->goal, &model->loggps, &err));
}

/* T = max(1000, L + 10 G, 3 L): limits of L and G for T <= 1200. */
static void the_tradeoff_of_a_small_program_is_known(void **state)
{
	static const char text[] = "num_ranks 2\nrank 0 {\na: calc 1000\nb: send 11b to 1 tag 1\n"
				   "c: send 0b to 1 tag 2\nd: recv 0b from 1 tag 3\n"
				   "e: send 0b to 1 tag 4\ne requires d\n}\n"
				   "rank 1 {\na: recv 11b from 0 tag 1\nb: recv 0b from 0 tag 2\n"
				   "c: send 0b to 0 tag 3\nc requires b\nd: recv 0b from 0 tag 4\n}\n";
	const uint32_t variables[2] = {VARIABLE_L, VARIABLE_G};
	struct tradeoff tradeoff;
	struct error err = {0};
	struct model model;

	(void)state;
	open_model(&model, text);
	MUST(tradeoff_find(&tradeoff, &model, variables, 20, &err));
	assert_int_equal(tradeoff.shape, TRADEOFF_LINE);
	assert_true(tradeoff.bound_ns == 1200);
	assert_int_equal(tradeoff.corners.count, 3);
	assert_true(tradeoff.corners.items[0].value_ns[0] == 0);
	assert_true(tradeoff.corners.items[0].value_ns[1] == 120);
	assert_true(tradeoff.corners.items[0].lambda[0] == 1);
	assert_true(tradeoff.corners.items[0].lambda[1] == 10);
	assert_true(tradeoff.corners.items[1].value_ns[0] == 400);
	assert_true(tradeoff.corners.items[1].value_ns[1] == 80);
	assert_true(tradeoff.corners.items[1].lambda[0] == 3);
	assert_true(tradeoff.corners.items[1].lambda[1] == 0);
	assert_true(tradeoff.corners.items[2].value_ns[0] == 400);
	assert_true(tradeoff.corners.items[2].value_ns[1] == 0);
	tradeoff_release(&tradeoff);
	model_release(&model);
}

static void a_variable_that_does_not_matter_has_no_limit(void **state)
{
	static const char message[] = "num_ranks 2\nrank 0 {\nsend 0b to 1\n}\n"
				      "rank 1 {\nrecv 0b from 0\ncalc 10\n}\n";
	const uint32_t variables[2] = {VARIABLE_L, VARIABLE_G}, swapped[2] = {VARIABLE_G, VARIABLE_L};
	struct tradeoff tradeoff;
	struct error err = {0};
	struct model model;

	(void)state;
	open_model(&model, message);
	MUST(tradeoff_find(&tradeoff, &model, variables, 100, &err));
	assert_int_equal(tradeoff.shape, TRADEOFF_ONLY_X);
	assert_true(tradeoff.corners.items[0].value_ns[0] == 20);
	assert_true(isinf(tradeoff.corners.items[0].value_ns[1]));
	tradeoff_release(&tradeoff);
	MUST(tradeoff_find(&tradeoff, &model, swapped, 100, &err));
	assert_int_equal(tradeoff.shape, TRADEOFF_ONLY_Y);
	assert_true(tradeoff.corners.items[0].value_ns[1] == 20);
	tradeoff_release(&tradeoff);
	assert_int_equal(tradeoff_find(&tradeoff, &model, (uint32_t[]){0, 0}, 1, &err), -1);
	assert_int_equal(err.status, STATUS_USAGE);
	model_release(&model);
	open_model(&model, "num_ranks 1\nrank 0 {\ncalc 10\n}\n");
	MUST(tradeoff_find(&tradeoff, &model, variables, 1, &err));
	assert_int_equal(tradeoff.shape, TRADEOFF_ALL);
	tradeoff_release(&tradeoff);
	model_release(&model);
}

/* T is the bound at corners and half way between them, and above it beyond. */
static void check_tradeoff(const struct model *model, const uint32_t variables[2],
			   const struct tradeoff *tradeoff)
{
	const double margin = tradeoff->bound_ns * 1e-7 + 1e-3;

	for (size_t i = 0; i < tradeoff->corners.count; i++) {
		const struct tradeoff_corner *corner = &tradeoff->corners.items[i];

		if (fabs(runtime_at(model, variables, corner->value_ns[0], corner->value_ns[1]) -
			 tradeoff->bound_ns) > margin)
			fail_msg("T(%.9g, %.9g) is %.9g, not %.9g", corner->value_ns[0],
				 corner->value_ns[1],
				 runtime_at(model, variables, corner->value_ns[0],
					    corner->value_ns[1]),
				 tradeoff->bound_ns);
		if (i + 1 == tradeoff->corners.count)
			break;
		assert_true(corner[0].value_ns[0] <= corner[1].value_ns[0]);
		assert_true(corner[0].value_ns[1] >= corner[1].value_ns[1]);
		const double x = (corner[0].value_ns[0] + corner[1].value_ns[0]) / 2;
		const double y = (corner[0].value_ns[1] + corner[1].value_ns[1]) / 2;

		assert_true(fabs(runtime_at(model, variables, x, y) - tradeoff->bound_ns) <= margin);
		/* The slopes are those of a path that touches T there. */
		assert_true(fabs(corner->lambda[0] * (corner[1].value_ns[0] - corner[0].value_ns[0]) +
				 corner->lambda[1] * (corner[1].value_ns[1] - corner[0].value_ns[1])) <=
			    margin);
	}
}

static void t_is_the_bound_on_tradeoffs_of_random_graphs(void **state)
{
	uint64_t numbers = 7;
	int lines = 0, corners = 0;

	(void)state;
	for (int i = 0; i < GRAPHS; i++) {
		const uint32_t variables[2] = {VARIABLE_L, i % 3 ? VARIABLE_G : VARIABLE_o};
		const double percent = (double)random_below(&numbers, 20000) / 100;
		struct tradeoff tradeoff;
		struct error err = {0};
		struct model model = {.path = "random"};

		random_graph(&model.goal, &numbers, 8, 120);
		random_loggps(&model.loggps, &numbers);
		if (graphs_build(&model.execution, &model.graph, &model.goal, &model.loggps,
				 &err) < 0) {
			goal_release(&model.goal);
			continue;
		}
		MUST(tradeoff_find(&tradeoff, &model, variables, percent, &err));
		if (tradeoff.shape == TRADEOFF_LINE) {
			check_tradeoff(&model, variables, &tradeoff);
			lines++;
			corners += tradeoff.corners.count > 2;
		}
		tradeoff_release(&tradeoff);
		model_release(&model);
	}
	assert_true(lines > GRAPHS / 4);
	assert_true(corners > GRAPHS / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_tradeoff_of_a_small_program_is_known),
		cmocka_unit_test(a_variable_that_does_not_matter_has_no_limit),
		cmocka_unit_test(t_is_the_bound_on_tradeoffs_of_random_graphs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
