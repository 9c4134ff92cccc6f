/*
 * The path engine where keys and graphs are large: keys of 64 and 128 bits, lanes,
 * long paths, times near the largest numbers, ties.
 */
#include "test/unit/lib/make/make_goal.h"
#include "test/unit/lib/must.h"
#include "test/unit/lib/oracle/brute_force.h"

#include "common/units.h"
#include "llamp/analysis/analysis.h"
#include "llamp/path/line.h"
#include "llamp/path/longest_path.h"
#include "llamp/simulate/build.h"
#include "test/unit/lib/along.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct error err;

/* LARGE_STEPS on 64 ranks are a million operations. */
#ifdef __SANITIZE_ADDRESS__
enum { STEPS = 40, KINK_STEPS = 200, LARGE_STEPS = 60, LARGE_TO_NS = 100000 };
#else
enum { STEPS = 200, KINK_STEPS = 2000, LARGE_STEPS = 5300, LARGE_TO_NS = 2000 };
#endif

static void build(struct cost_graph *graph, struct goal *goal, const char *text,
		  const struct loggps *loggps)
{
	MUST(make_goal(goal, text, &err));
	MUST(cost_graph_build(graph, goal, loggps, &err));
}

static void release(struct cost_graph *graph, struct goal *goal)
{
	cost_graph_release(graph);
	goal_release(goal);
}

static struct line line_at(const struct cost_graph *graph, const struct loggps *loggps,
			   uint32_t parameter, struct rational at, enum side side)
{
	struct line line = {0};

	MUST(path_evaluate(graph, ALONG(loggps, parameter), at, side, &line, NULL, &err));
	return line;
}

static void must_be(struct line line, int128 constant, int128 slope)
{
	assert_true(line.constant == constant);
	assert_true(line.slope == slope);
}

static bool is_narrow(const struct cost_graph *graph, const struct path_point *point)
{
	struct lexicographic_key key;

	MUST(key_init(&key, graph, point, &err));
	return key.narrow;
}

/* GLPK needs no pivot from the longest path, and agrees, whatever is varied. */
static void certify(const struct cost_graph *graph, const struct loggps *loggps)
{
	static const double percents[] = {0, 1, 5};
	const struct model model = {.path = "made", .loggps = *loggps, .graph = *graph};

	for (uint32_t varied = 0; varied < LOGGPS_COUNT; varied++) {
		struct analysis analysis;

		if (!variable_is_on(&loggps->variables.of[varied]))
			continue;
		MUST(analysis_run(&analysis, &model,
				  &(struct analysis_request){
					  .engine = ENGINE_LP, .varied = varied,
					  .percents = percents, .percent_count = 3,
				  }, &err));
		assert_int_equal(analysis.pivots, 0);
		analysis_release(&analysis);
	}
}

/*
 * T = max(9 + c, L + B + c) for a calc of c ns before a message of 4 bytes and
 * 9 ns afterwards, for all sizes of c: keys have 64 bits up to a size, and 128 above.
 */
static void keys_of_both_sizes_give_the_same_lines(void **state)
{
	struct loggps loggps = loggps_of(1, 0, 1);
	int narrow_count = 0, wide_count = 0;

	(void)state;
	for (int size = 0; size < 64; size++) {
		const uint64_t cost = UINT64_C(1) << size;
		const struct path_point point = {ALONG(&loggps, VARIABLE_L), {7, 3}, SIDE_RIGHT};
		struct cost_graph graph;
		struct goal goal;
		char text[400];

		snprintf(text, sizeof text,
			 "num_ranks 2\nrank 0 {\na: calc %llu\nb: send 4b to 1\nb requires a\n"
			 "c: calc 9\nc requires a\n}\nrank 1 {\na: recv 4b from 0\n}\n",
			 (unsigned long long)cost);
		build(&graph, &goal, text, &loggps);
		is_narrow(&graph, &point) ? narrow_count++ : wide_count++;
		must_be(line_at(&graph, &loggps, VARIABLE_L, point.at, SIDE_RIGHT),
			((int128)cost + 9) * AS_PER_NS, 0);
		must_be(line_at(&graph, &loggps, VARIABLE_L, rational_from(20 * AS_PER_NS),
				SIDE_LEFT), (int128)cost * AS_PER_NS + 3, 1);
		must_be(line_at(&graph, &loggps, VARIABLE_L, RATIONAL_INFINITY, SIDE_RIGHT),
			(int128)cost * AS_PER_NS + 3, 1);
		/* Both meet at L = 9 ns - B. */
		must_be(line_at(&graph, &loggps, VARIABLE_L, rational_from(9 * AS_PER_NS - 3),
				SIDE_LEFT), ((int128)cost + 9) * AS_PER_NS, 0);
		must_be(line_at(&graph, &loggps, VARIABLE_L, rational_from(9 * AS_PER_NS - 3),
				SIDE_RIGHT), (int128)cost * AS_PER_NS + 3, 1);
		certify(&graph, &loggps);
		release(&graph, &goal);
	}
	assert_true(narrow_count > 20 && wide_count > 20);
}

/* ----------------------------------------------------------- large programs */

static void finish(struct goal *goal, struct goal_builder *ranks, uint32_t count)
{
	struct goal_writer writer;
	struct input image;

	MUST(goal_writer_open_memory(&writer, count, &err));
	for (uint32_t rank = 0; rank < count; rank++) {
		MUST(goal_writer_rank(&writer, &ranks[rank], &err));
		goal_builder_release(&ranks[rank]);
	}
	MUST(goal_writer_finish(&writer, &image, &err));
	MUST(goal_from_image(goal, &image, "made", &err));
}

/*
 * Every rank computes, exchanges a message with the rank whose number differs in one
 * bit, another one in every step, and goes on when both are over.
 */
static void make_butterfly(struct goal *goal, uint32_t bits, uint32_t steps, uint64_t most_ns)
{
	struct goal_builder ranks[64] = {0};
	uint64_t numbers = bits + 64 * steps;

	for (uint32_t rank = 0; rank < UINT32_C(1) << bits; rank++) {
		struct goal_builder *builder = &ranks[rank];
		uint32_t before[2] = {0};

		for (uint32_t step = 0; step < steps; step++) {
			const uint32_t peer = rank ^ UINT32_C(1) << step % bits;
			const uint64_t bytes = 1 + random_below(&numbers, 1000);
			uint32_t calc, message[2];

			MUST(goal_builder_calc(builder, random_below(&numbers, most_ns + 1), &calc,
					       &err));
			for (int i = 0; i < 2 && step > 0; i++)
				MUST(goal_builder_requires(builder, calc, before[i], &err));
			MUST(goal_builder_send(builder, bytes, peer, 0, &message[0], &err));
			MUST(goal_builder_recv(builder, bytes, peer, 0, &message[1], &err));
			for (int i = 0; i < 2; i++) {
				MUST(goal_builder_requires(builder, message[i], calc, &err));
				before[i] = message[i];
			}
		}
	}
	finish(goal, ranks, UINT32_C(1) << bits);
}

/* T at every breakpoint is the same on both lines, and is what both sides say there. */
static uint32_t check_breakpoints(const struct cost_graph *graph, const struct loggps *loggps,
				  uint32_t parameter, int64_t to_as)
{
	const struct direction direction = direction_of(&loggps->variables, parameter);
	struct breakpoints found;
	struct path_point *points;
	struct line *lines;
	uint32_t count;

	MUST(path_breakpoints(graph, ALONG(loggps, parameter), rational_from(0),
			      rational_from(to_as), &found, &err));
	count = (uint32_t)found.list.count;
	MUST(allocate(&points, 2 * count, sizeof *points, &err));
	MUST(allocate(&lines, 2 * count, sizeof *lines, &err));
	for (uint32_t i = 0; i < 2 * count; i++)
		points[i] = (struct path_point){&direction, found.list.items[i / 2].at,
						i % 2 ? SIDE_RIGHT : SIDE_LEFT};
	MUST(path_evaluate_all(graph, points, 2 * count, lines, &err));
	for (uint32_t i = 0; i < count; i++) {
		const struct breakpoint *point = &found.list.items[i];

		assert_true(lines_equal_at(point->left, point->right, point->at));
		assert_true(point->left.slope < point->right.slope);
		must_be(lines[2 * i], point->left.constant, point->left.slope);
		must_be(lines[2 * i + 1], point->right.constant, point->right.slope);
		if (i > 0)
			must_be(point[-1].right, point->left.constant, point->left.slope);
	}
	free(points);
	free(lines);
	breakpoints_release(&found);
	return count;
}

static void lines_meet_exactly_at_the_breakpoints_of_a_large_program(void **state)
{
	/* A message has about 1000 bytes. */
	static const int64_t to_as[] = {
		[VARIABLE_L] = LARGE_TO_NS * AS_PER_NS,
		[VARIABLE_G] = LARGE_TO_NS * AS_PER_NS / 1000,
		[VARIABLE_o] = LARGE_TO_NS * AS_PER_NS,
	};
	uint32_t kinks = 0;
	struct cost_graph graph;
	struct goal goal;

	(void)state;
	make_butterfly(&goal, 6, LARGE_STEPS, 20000);
	assert_int_equal(goal.op_count, 64 * 3 * LARGE_STEPS);
	MUST(cost_graph_build(&graph, &goal, &loggps_default, &err));
	for (size_t v = 0; v < sizeof to_as / sizeof *to_as; v++)
		kinks += check_breakpoints(&graph, &loggps_default, (uint32_t)v, to_as[v]);
	assert_true(kinks > 2);
	release(&graph, &goal);
}

/* Test with enough breakpoints that the search prunes the graph in steps. */
static void all_breakpoints_are_found_where_there_are_many(void **state)
{
	struct cost_graph graph;
	struct goal goal;

	(void)state;
	make_butterfly(&goal, 6, KINK_STEPS, 60000);
	MUST(cost_graph_build(&graph, &goal, &loggps_default, &err));
	assert_true(check_breakpoints(&graph, &loggps_default, VARIABLE_L, 200000 * AS_PER_NS) >
		    KINK_STEPS / 20);
	release(&graph, &goal);
}

/* T at the tolerance is what is tolerated, and more above it; whether keys there are narrow. */
static bool check_tolerance(const struct cost_graph *graph, const struct loggps *loggps,
			    double percent, int128 runtime)
{
	const int128 hundred = 100000000000, most = hundred + llround(percent * 1e9);
	struct tolerance tolerance = {.percent = percent};
	struct line line;

	MUST(path_tolerances(graph, ALONG(loggps, VARIABLE_L), 0, &tolerance, 1, &err));
	assert_false(tolerance.unbounded);
	line = line_at(graph, loggps, VARIABLE_L, tolerance.at, SIDE_RIGHT);
	assert_true(line.slope > 0);
	assert_true((line.constant * hundred - most * runtime) * tolerance.at.denominator +
		    line.slope * hundred * tolerance.at.numerator == 0);
	return is_narrow(graph,
			 &(struct path_point){ALONG(loggps, VARIABLE_L), tolerance.at, SIDE_LEFT});
}

/* Next to the breakpoints T may bend between any points near to the tolerance. */
static void tolerances_are_exact_next_to_breakpoints(void **state)
{
	const struct loggps *loggps = &loggps_default;
	struct breakpoints found;
	int narrow_count = 0, wide_count = 0;
	struct cost_graph graph;
	struct goal goal;
	struct line line;
	double runtime;

	(void)state;
	make_butterfly(&goal, 6, KINK_STEPS, 60000);
	MUST(cost_graph_build(&graph, &goal, loggps, &err));
	MUST(path_breakpoints(&graph, ALONG(loggps, VARIABLE_L),
			      rational_from(loggps_value(loggps, VARIABLE_L)),
			      rational_from(200000 * AS_PER_NS), &found, &err));
	line = line_at(&graph, loggps, VARIABLE_L, rational_from(loggps_value(loggps, VARIABLE_L)),
		       SIDE_RIGHT);
	runtime = (double)line.constant +
		  (double)line.slope * (double)loggps_value(loggps, VARIABLE_L);
	for (size_t i = 0; i < 2 * found.list.count && i < 80; i++) {
		const struct breakpoint *point = &found.list.items[i / 2];
		const double there = (double)point->left.constant +
				     (double)point->left.slope * rational_value(point->at);
		const double percent = (there / runtime - 1) * 100 + (i % 2 ? 0.01 : 0);

		check_tolerance(&graph, loggps, percent,
				line.constant + line.slope * loggps_value(loggps, VARIABLE_L))
			? narrow_count++
			: wide_count++;
	}
	assert_true(narrow_count + wide_count > 10 && wide_count > 0);
	breakpoints_release(&found);
	release(&graph, &goal);
}

/* Every implementation of the lanes, every point alone, and all of them as a batch. */
static void points_in_lanes_are_as_points_alone(void **state)
{
	enum { POINTS = 3 * BATCH_LANES + 5 };
	struct direction directions[LOGGPS_COUNT];
	uint32_t varied[POINTS];
	struct path_point points[POINTS];
	struct line lines[POINTS];
	struct cost_graph graph;
	struct goal goal;
	uint64_t numbers = 7;
	int narrow_count = 0, halves_count = 0;

	(void)state;
	make_butterfly(&goal, 5, STEPS, 50000);
	MUST(cost_graph_build(&graph, &goal, &loggps_default, &err));
	for (uint32_t v = 0; v < LOGGPS_COUNT; v++)
		directions[v] = direction_of(&loggps_default.variables, v);
	for (int i = 0; i < POINTS; i++) {
		varied[i] = (uint32_t)random_below(&numbers, LOGGPS_COUNT);
		points[i] = (struct path_point){
			&directions[varied[i]],
			{(int64_t)random_below(&numbers, 100000) * 1000000000,
			 1 + (int64_t)random_below(&numbers, i % 3 ? 5 : 1000000000)},
			(enum side)random_below(&numbers, 2),
		};
		if (i % 16 == 15)
			points[i].at = RATIONAL_INFINITY;
	}
	MUST(path_evaluate_all(&graph, points, POINTS, lines, &err));
	for (int i = 0; i < POINTS; i++) {
		const struct line line = line_at(&graph, &loggps_default, varied[i],
						 points[i].at, points[i].side);
		const struct lexicographic_key *keys[BATCH_LANES];
		int128 longest[BATCH_LANES];
		struct lexicographic_key key;

		must_be(line, lines[i].constant, lines[i].slope);
		MUST(key_init(&key, &graph, &points[i], &err));
		MUST(longest_path_wide(&graph, &key, longest, NULL, &err));
		must_be(key_line(&key, longest[0]), line.constant, line.slope);
		if (!key.narrow)
			continue;
		narrow_count++;
		halves_count += key.key.ns <= UINT32_MAX;
		for (int lane = 0; lane < BATCH_LANES; lane++)
			keys[lane] = &key;
		for (int k = 0; k <= batch_best(); k++) {
			MUST(longest_path_batch(&graph, keys, k, longest, &err));
			for (int lane = 0; lane < BATCH_LANES; lane++)
				must_be(key_line(&key, longest[lane]), line.constant,
					line.slope);
		}
	}
	assert_true(narrow_count > BATCH_LANES && narrow_count < POINTS);
	assert_true(halves_count > 0 && halves_count < narrow_count);
	release(&graph, &goal);
}

/* Two ranks that send each other the same message over and over. */
static void a_path_may_have_more_than_a_million_messages(void **state)
{
	enum { MESSAGES = 1000002 };
	const struct loggps *loggps = &loggps_default;
	struct tolerance tolerance = {.percent = 1};
	struct goal_builder ranks[2] = {0};
	struct critical_range range;
	struct cost_graph graph;
	struct goal goal;
	struct line line;
	int128 runtime;

	(void)state;
	for (uint32_t i = 0; i < MESSAGES; i++)
		for (uint32_t rank = 0; rank < 2; rank++) {
			uint32_t op;

			if (rank == i % 2)
				MUST(goal_builder_send(&ranks[rank], 11, 1 - rank, 0, &op, &err));
			else
				MUST(goal_builder_recv(&ranks[rank], 11, 1 - rank, 0, &op, &err));
			if (i > 0)
				MUST(goal_builder_requires(&ranks[rank], op, op - 1, &err));
		}
	finish(&goal, ranks, 2);
	MUST(cost_graph_build(&graph, &goal, loggps, &err));
	for (int side = SIDE_LEFT; side <= SIDE_RIGHT; side++) {
		line = line_at(&graph, loggps, VARIABLE_L,
			       rational_from(loggps_value(loggps, VARIABLE_L)), (enum side)side);
		must_be(line,
			(int128)MESSAGES * (2 * loggps_value(loggps, VARIABLE_o) +
					    10 * loggps_value(loggps, VARIABLE_G)),
			MESSAGES);
	}
	runtime = line.constant + line.slope * loggps_value(loggps, VARIABLE_L);
	line = line_at(&graph, loggps, VARIABLE_G, rational_from(loggps_value(loggps, VARIABLE_G)),
		       SIDE_RIGHT);
	assert_true(line.slope == (int128)10 * MESSAGES);
	MUST(path_critical_range(&graph, ALONG(loggps, VARIABLE_L),
				 rational_from(loggps_value(loggps, VARIABLE_L)), &range, &err));
	assert_true(range.unbounded && range.low.numerator == 0);
	MUST(path_tolerances(&graph, ALONG(loggps, VARIABLE_L), 0, &tolerance, 1, &err));
	/* One percent of the time of a message on top of L. */
	assert_true(rational_value(tolerance.at) ==
		    (double)(loggps_value(loggps, VARIABLE_L) + runtime / MESSAGES / 100));
	certify(&graph, loggps);
	release(&graph, &goal);
}

static void latencies_near_the_largest_number_stay_exact(void **state)
{
	static const char text[] =
		"num_ranks 2\nrank 0 {\na: send 1b to 1\nb: recv 1b from 1\nb requires a\n"
		"c: calc 9223372036854775807\n}\n"
		"rank 1 {\na: recv 1b from 0\nb: send 1b to 0\nb requires a\n}\n";
	struct loggps loggps = loggps_of(0, INT64_MAX, 0);
	const int128 calc = (int128)INT64_MAX * AS_PER_NS;
	struct cost_graph graph;
	struct goal goal;

	(void)state;
	build(&graph, &goal, text, &loggps);
	must_be(line_at(&graph, &loggps, VARIABLE_L, rational_from(INT64_MAX), SIDE_RIGHT), calc,
		0);
	must_be(line_at(&graph, &loggps, VARIABLE_L, RATIONAL_INFINITY, SIDE_RIGHT),
		(int128)INT64_MAX * 4, 2);
	/* 2 L + 4 o = calc */
	must_be(line_at(&graph, &loggps, VARIABLE_L,
			(struct rational){calc - (int128)INT64_MAX * 4, 2}, SIDE_RIGHT),
		(int128)INT64_MAX * 4, 2);
	must_be(line_at(&graph, &loggps, VARIABLE_L,
			(struct rational){calc - (int128)INT64_MAX * 4, 2}, SIDE_LEFT), calc, 0);
	loggps_set(&loggps, VARIABLE_L, INT64_MAX);
	certify(&graph, &loggps);
	release(&graph, &goal);
}

/* No computation, no costs: all paths of all lengths tie at 0. */
static void symmetric_programs_without_costs_are_nothing_but_ties(void **state)
{
	(void)state;
	for (uint32_t bits = 1; bits < 4; bits++) {
		struct loggps loggps = loggps_of(0, 0, 0);
		struct goal goal;
		uint32_t steps = 3 * bits;

		make_butterfly(&goal, bits, steps, 0);
		for (int parameter = 0; parameter < LOGGPS_COUNT; parameter++) {
			struct cost_graph graph;
			struct envelope truth;
			struct line line;

			MUST(cost_graph_build(&graph, &goal, &loggps, &err));
			assert_true(brute_force(&truth, &goal, &loggps, (uint32_t)parameter));
			assert_int_equal(check_breakpoints(&graph, &loggps,
							   (uint32_t)parameter,
							   100000 * AS_PER_NS), 0);
			line = line_at(&graph, &loggps, (uint32_t)parameter,
				       rational_from(0), SIDE_RIGHT);
			must_be(line, 0, truth.lines.items[truth.lines.count - 1].slope);
			if (parameter == VARIABLE_L)
				assert_true(line.slope == steps);
			line = line_at(&graph, &loggps, (uint32_t)parameter,
				       rational_from(1), SIDE_LEFT);
			must_be(line, 0, truth.lines.items[truth.lines.count - 1].slope);
			certify(&graph, &loggps);
			envelope_release(&truth);
			cost_graph_release(&graph);
		}
		goal_release(&goal);
	}
}

static void one_operation_is_a_program(void **state)
{
	static const struct {
		const char *text;
		int128 constant;
	} cases[] = {
		{"num_ranks 1\nrank 0 {\na: calc 7\n}\n", 7 * (int128)AS_PER_NS},
		{"num_ranks 1\nrank 0 {\na: calc 0\n}\n", 0},
		{"num_ranks 3\nrank 0 {\n}\nrank 1 {\na: calc 5\n}\nrank 2 {\n}\n",
		 5 * (int128)AS_PER_NS},
		{"num_ranks 2\nrank 0 {\na: calc 6\n}\nrank 1 {\na: calc 5\nb: calc 1\n}\n",
		 6 * (int128)AS_PER_NS},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct cost_graph graph;
		struct goal goal;

		build(&graph, &goal, cases[i].text, &loggps_default);
		must_be(line_at(&graph, &loggps_default, VARIABLE_L, rational_from(3), SIDE_LEFT),
			cases[i].constant, 0);
		must_be(line_at(&graph, &loggps_default, VARIABLE_L, RATIONAL_INFINITY, SIDE_RIGHT),
			cases[i].constant, 0);
		assert_int_equal(check_breakpoints(&graph, &loggps_default, VARIABLE_L,
						   100000 * AS_PER_NS), 0);
		certify(&graph, &loggps_default);
		release(&graph, &goal);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_of_both_sizes_give_the_same_lines),
		cmocka_unit_test(lines_meet_exactly_at_the_breakpoints_of_a_large_program),
		cmocka_unit_test(all_breakpoints_are_found_where_there_are_many),
		cmocka_unit_test(tolerances_are_exact_next_to_breakpoints),
		cmocka_unit_test(points_in_lanes_are_as_points_alone),
		cmocka_unit_test(a_path_may_have_more_than_a_million_messages),
		cmocka_unit_test(latencies_near_the_largest_number_stay_exact),
		cmocka_unit_test(symmetric_programs_without_costs_are_nothing_but_ties),
		cmocka_unit_test(one_operation_is_a_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
