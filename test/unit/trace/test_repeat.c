/* Tests of runs whose iterations are repeated: calls and sums of the run, times of the windows, bounds of the error. */
#include "test/unit/lib/make/make_flow.h"
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"
#include "trace/flow/call/flow_call.h"
#include "trace/repeat/repeat_rank.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct flow_options stats = {.times = FLOW_TIMES_STATS, .level = FLOW_BY_CALL};

static struct mpi_call *call_of(struct flow_feed *feed, uint32_t rank, size_t number)
{
	return &feed->ranks[rank].calls.items[number].call;
}

/* Set the time before a call, and its own; the calls before it have theirs. */
static void set_time(struct flow_feed *feed, uint32_t rank, size_t number, uint64_t gap_ns,
		     uint64_t duration_ns)
{
	struct mpi_call *call = call_of(feed, rank, number);

	call->enter_ns = number ? call_of(feed, rank, number - 1)->leave_ns + gap_ns : 100;
	call->leave_ns = call->enter_ns + duration_ns;
}

/* Calls of a window as the archive has them. */
static void take_calls(struct flow_feed *feed, uint32_t rank, size_t first, size_t count,
		       struct repeat_calls *taken)
{
	struct error err;

	for (size_t i = first; i < first + count; i++) {
		const struct mpi_call *call = call_of(feed, rank, i);
		const struct repeat_call made = {
			.function = call->function,
			.gap_ns = i ? call->enter_ns - call_of(feed, rank, i - 1)->leave_ns
				    : REPEAT_NO_TIME,
			.duration_ns = call->leave_ns - call->enter_ns};

		MUST(array_push(&taken->items, made, &err));
	}
}

/* What was delivered of a rank. */
struct taken {
	struct flow_feed *feed;
	uint32_t rank;
	size_t calls, equal;		/* and how many have the times of the run */
	uint64_t first_call, last_call; /* that must have them */
	uint64_t last_ns;
};

static int take(void *data, const struct mpi_call *call, struct error *err)
{
	struct taken *taken = data;
	const struct mpi_call *expected = call_of(taken->feed, taken->rank, taken->calls);
	const uint64_t gap_ns = call->enter_ns - taken->last_ns;
	const uint64_t expected_gap_ns =
		taken->calls ? expected->enter_ns -
				       call_of(taken->feed, taken->rank, taken->calls - 1)->leave_ns
			     : gap_ns;
	const bool equal = gap_ns == expected_gap_ns &&
			   call->leave_ns - call->enter_ns ==
				   expected->leave_ns - expected->enter_ns;

	(void)err;
	assert_string_equal(call->function, expected->function);
	assert_true(call->enter_ns >= taken->last_ns && call->leave_ns >= call->enter_ns);
	if (taken->calls >= taken->first_call && taken->calls < taken->last_call)
		assert_true(equal);
	taken->equal += equal;
	taken->last_ns = call->leave_ns;
	taken->calls++;
	return 0;
}

/* Deliver a rank whose windows are set, and check what must always hold. */
static size_t deliver(struct flow_feed *feed, const struct flow *flow, uint32_t rank,
		      struct repeat_figures *figures)
{
	const struct flow_rank *own = &flow->ranks[rank];
	struct taken taken = {.feed = feed, .rank = rank};
	struct repeat_calls calls = {0};
	struct error err;

	for (size_t i = 0; i < own->recorded.count; i++)
		take_calls(feed, rank, own->recorded.items[i].first_call,
			   own->recorded.items[i].calls, &calls);
	if (own->recorded.count) {
		taken.first_call = own->recorded.items[0].first_call;
		taken.last_call = taken.first_call + own->recorded.items[0].calls;
	}
	MUST(repeat_rank_deliver(flow, rank, &calls, take, &taken, figures, &err));
	assert_int_equal(taken.calls, feed->ranks[rank].calls.count);
	/* All times add up to those of the run. */
	assert_int_equal(taken.last_ns, call_of(feed, rank, taken.calls - 1)->leave_ns);
	array_release(&calls.items);
	return taken.equal;
}

/* Node of the first call of a function. */
static uint32_t node_of(const struct flow *flow, uint32_t rank, const char *function)
{
	const struct flow_graph *graph =
		&flow->graphs.items[flow->ranks[rank].threads.items[0].graph];

	for (uint32_t n = 0; n < graph->nodes.count; n++)
		if (!strcmp(flow_signature_label(flow, graph->nodes.items[n].signature).function,
			    function))
			return n;
	fail();
	return 0;
}

/* Say that a rank has iterations first ... first + count - 1 recorded, each `round` visits of a function. */
static void record(struct flow_feed *feed, struct flow *flow, uint32_t rank, const char *function,
		   uint32_t round, uint64_t first, uint64_t count)
{
	struct flow_window window = {.header = node_of(flow, rank, function),
				     .round = round,
				     .first_visit = first * round,
				     .visits = count * round};
	uint64_t visit = 0, end = feed->ranks[rank].calls.count;
	struct error err;

	for (size_t i = 0; i < feed->ranks[rank].calls.count; i++) {
		if (strcmp(call_of(feed, rank, i)->function, function) != 0)
			continue;
		if (visit == first * round)
			window.first_call = i;
		if (visit == (first + count) * round)
			end = i;
		visit++;
	}
	window.calls = end - window.first_call;
	MUST(array_push(&flow->ranks[rank].recorded, window, &err));
}

/* ------------------------------------------------------------------------- times */

static void a_regular_run_is_exact_from_one_iteration(void **state)
{
	struct flow_feed feed;
	struct flow *flow;
	struct repeat_figures figures;

	(void)state;
	flow_feed_begin(&feed, 1);
	flow_feed_letters(&feed, 0, "xyABCABCABCABCABCz");
	for (size_t i = 0; i < feed.ranks[0].calls.count; i++)
		set_time(&feed, 0, i, i >= 3 && i < 17 ? 10 * (1 + i % 3) : i, 7);
	flow = flow_feed_build(&feed, &stats);
	record(&feed, flow, 0, "A", 1, 2, 1);
	assert_int_equal(deliver(&feed, flow, 0, &figures), feed.ranks[0].calls.count);
	assert_int_equal(figures.iterations, 5);
	assert_int_equal(figures.recorded, 1);
	assert_int_equal(figures.unlike, 0); /* the last one has z, too */
	repeat_figures_release(&figures);
	flow_release(flow);
	flow_feed_release(&feed);
}

/* A random program: loops in loops, conditions; random times. */
static void random_steps(struct flow_feed *feed, uint32_t rank, uint64_t *numbers,
			 uint32_t iterations)
{
	const uint32_t inner = 1 + random_below(numbers, 4), every = 1 + random_below(numbers, 4);

	flow_feed_letters(feed, rank, "sABt");
	for (uint32_t i = 0; i < iterations; i++) {
		flow_feed_letters(feed, rank, "H");
		if (i % every == 0)
			flow_feed_letters(feed, rank, "E");
		for (uint32_t j = 0; j < inner + random_below(numbers, 2); j++)
			flow_feed_letters(feed, rank, random_below(numbers, 9) ? "AB" : "ACB");
		flow_feed_letters(feed, rank, "G");
	}
	flow_feed_letters(feed, rank, "ABABz");
	for (size_t i = 0; i < feed->ranks[rank].calls.count; i++)
		set_time(feed, rank, i, random_below(numbers, 3) ? random_below(numbers, 1000) : 0,
			 random_below(numbers, 50));
}

static void sums_are_those_of_the_run_and_windows_have_their_times(void **state)
{
	uint64_t numbers = 5;

	(void)state;
	for (int round = 0; round < 500; round++) {
		const uint32_t iterations = 1 + random_below(&numbers, 40);
		const uint32_t first = random_below(&numbers, iterations);
		const uint32_t count = 1 + random_below(&numbers, iterations - first);
		struct flow_feed feed;
		struct flow *flow;
		struct repeat_figures figures;

		flow_feed_begin(&feed, 1);
		random_steps(&feed, 0, &numbers, iterations);
		flow = flow_feed_build(&feed, &stats);
		record(&feed, flow, 0, "H", 1, first, count);
		deliver(&feed, flow, 0, &figures);
		assert_int_equal(figures.iterations, iterations);
		/* The last one has the rest of the run, so there it may be one more or less. */
		assert_int_equal(figures.recorded, count);
		repeat_figures_release(&figures);
		flow_release(flow);
		flow_feed_release(&feed);
	}
}

static void a_window_of_the_whole_run_gives_the_run(void **state)
{
	uint64_t numbers = 6;

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct flow_feed feed;
		struct flow *flow;
		struct repeat_figures figures;

		flow_feed_begin(&feed, 1);
		random_steps(&feed, 0, &numbers, 1 + random_below(&numbers, 40));
		flow = flow_feed_build(&feed, &stats);
		record(&feed, flow, 0, "s", 1, 0, 1);
		assert_int_equal(deliver(&feed, flow, 0, &figures), feed.ranks[0].calls.count);
		repeat_figures_release(&figures);
		flow_release(flow);
		flow_feed_release(&feed);
	}
}

static void iterations_take_those_with_equal_calls(void **state)
{
	struct flow_feed feed;
	struct flow *flow;
	struct repeat_figures figures;

	(void)state;
	flow_feed_begin(&feed, 1);
	flow_feed_letters(&feed, 0, "x");
	/* Every third iteration has an E and takes ten times as long; 4 of 12 are recorded. */
	for (int i = 0; i < 12; i++)
		flow_feed_letters(&feed, 0, i % 3 ? "ABC" : "ABEC");
	for (size_t i = 0, k = 0; i < feed.ranks[0].calls.count; i++) {
		k += *call_of(&feed, 0, i)->function == 'A';
		set_time(&feed, 0, i, k % 3 == 1 ? 100 : 10, 1);
	}
	flow = flow_feed_build(&feed, &stats);
	record(&feed, flow, 0, "A", 1, 2, 4);
	/* But for x, whose gap to A is one of a kind, all times are found. */
	assert_int_equal(deliver(&feed, flow, 0, &figures), feed.ranks[0].calls.count);
	assert_int_equal(figures.unlike, 0);
	repeat_figures_release(&figures);
	flow_release(flow);
	flow_feed_release(&feed);
}

static void windows_are_of_their_phases(void **state)
{
	struct flow_feed feed;
	struct flow *flow;
	struct repeat_figures figures;

	(void)state;
	flow_feed_begin(&feed, 1);
	flow_feed_letters(&feed, 0, "xABABABABABABCDCDCDCDCDy");
	for (size_t i = 0; i < feed.ranks[0].calls.count; i++)
		set_time(&feed, 0, i, 10 + (i * i) % 7 * (i > 12), 3);
	flow = flow_feed_build(&feed, &stats);
	record(&feed, flow, 0, "A", 1, 2, 1);
	record(&feed, flow, 0, "C", 1, 2, 2);
	deliver(&feed, flow, 0, &figures);
	assert_int_equal(figures.iterations, 6 + 5);
	assert_int_equal(figures.recorded, 3);
	repeat_figures_release(&figures);
	flow_release(flow);
	flow_feed_release(&feed);
}

static void an_archive_of_another_run_is_refused(void **state)
{
	struct flow_feed feed;
	struct flow *flow;
	struct repeat_figures figures;
	struct repeat_calls calls = {0};
	struct taken taken = {.feed = &feed};
	struct error err;

	(void)state;
	flow_feed_begin(&feed, 1);
	flow_feed_letters(&feed, 0, "xABABABy");
	flow = flow_feed_build(&feed, &stats);
	record(&feed, flow, 0, "A", 1, 1, 1);
	take_calls(&feed, 0, 4, 2, &calls);
	assert_int_equal(repeat_rank_deliver(flow, 0, &calls, take, &taken, &figures, &err), -1);
	assert_non_null(strstr(err.text, "call 4 is B in the archive, and A in its flow graph"));
	repeat_figures_release(&figures);
	array_release(&calls.items);
	flow_release(flow);
	flow_feed_release(&feed);
}

/* ------------------------------------------------------------------------- errors */

enum { STEPS = 200, MOST_PLAYERS = 8 };

/* Longest time of the ranks in each step, added up, as delivered; all ranks wait for each other in A. */
struct steps {
	struct taken taken;
	double compute_ns[STEPS];
};

static int take_step(void *data, const struct mpi_call *call, struct error *err)
{
	struct steps *steps = data;
	const uint64_t last_ns = steps->taken.last_ns;

	(void)err;
	if (steps->taken.calls > 0 && steps->taken.calls <= STEPS)
		steps->compute_ns[steps->taken.calls - 1] = (double)(call->enter_ns - last_ns);
	steps->taken.last_ns = call->leave_ns;
	steps->taken.calls++;
	return 0;
}

/*
 * Ranks that compute compute_ns[rank][step] before step's A: T of the run is known, that of the repeated one
 * is found, and the error between them is in *error.
 */
static double find_error(const double compute_ns[][STEPS], uint32_t ranks, uint64_t first,
			 uint64_t count, struct repeat_error *error)
{
	static struct steps steps[MOST_PLAYERS];
	struct repeat_figures figures[MOST_PLAYERS];
	struct flow_feed feed;
	struct flow *flow;
	struct error err;
	double run_ns = 0, repeated_ns = 0;

	flow_feed_begin(&feed, ranks);
	for (uint32_t r = 0; r < ranks; r++) {
		flow_feed_letters(&feed, r, "x");
		for (int i = 0; i < STEPS; i++) {
			flow_feed_letters(&feed, r, "A");
			set_time(&feed, r, (size_t)i + 1, (uint64_t)compute_ns[r][i], 0);
		}
	}
	flow = flow_feed_build(&feed, &stats);
	for (uint32_t r = 0; r < ranks; r++) {
		struct repeat_calls calls = {0};

		record(&feed, flow, r, "A", 1, first, count);
		take_calls(&feed, r, flow->ranks[r].recorded.items[0].first_call, count, &calls);
		memset(&steps[r], 0, sizeof steps[r]);
		MUST(repeat_rank_deliver(flow, r, &calls, take_step, &steps[r], &figures[r], &err));
		array_release(&calls.items);
	}
	*error = repeat_error_find(figures, ranks);
	for (int i = 0; i < STEPS; i++) {
		double most = 0, repeated = 0;

		for (uint32_t r = 0; r < ranks; r++) {
			most = (uint64_t)compute_ns[r][i] > most ? (uint64_t)compute_ns[r][i]
								 : most;
			repeated = steps[r].compute_ns[i] > repeated ? steps[r].compute_ns[i]
								     : repeated;
		}
		run_ns += most;
		repeated_ns += repeated;
	}
	for (uint32_t r = 0; r < ranks; r++)
		repeat_figures_release(&figures[r]);
	flow_release(flow);
	flow_feed_release(&feed);
	return repeated_ns - run_ns;
}

/* Step i computes i us, on rank r shifted by r / ranks of all steps. */
static void the_error_contains_a_run_whose_steps_grow(void **state)
{
	static double compute_ns[MOST_PLAYERS][STEPS];

	(void)state;
	for (uint32_t ranks = 1; ranks <= MOST_PLAYERS; ranks++)
		for (int shifted = 0; shifted < 2; shifted++)
			for (uint64_t first = 0; first < STEPS - 10; first += 23) {
				struct repeat_error error;
				double difference_ns;

				for (uint32_t r = 0; r < ranks; r++)
					for (uint32_t i = 0; i < STEPS; i++)
						compute_ns[r][i] =
							1000. *
							((i + shifted * r * STEPS / ranks) % STEPS);
				difference_ns = find_error(compute_ns, ranks, first, 1 + first % 10,
							   &error);
				assert_true(fabs(difference_ns) <= error.estimate_ns + STEPS);
				assert_true(error.estimate_ns <= error.bound_ns);
				/* Alone, or in step, ranks have the time of the closed form. */
				if (!shifted)
					assert_true(fabs(difference_ns) <= STEPS);
			}
}

static void without_recorded_iterations_only_the_bound_is_known(void **state)
{
	const struct repeat_figures ranks[2] = {
		{.iterations = 10, .threads = 1, .bound = {7, 5}, .unseen = {1, 1}},
		{.iterations = 10, .threads = 1, .bound = {3, 2}, .unseen = {1, 1}},
	};
	const struct repeat_error error = repeat_error_find(ranks, 2);

	(void)state;
	assert_true(error.bound_ns == 17);
	assert_true(error.estimate_ns == 17);
}

/* A random time about 100 us: in a tenth, or with rare long ones, or drifting. */
static double random_compute(uint64_t *numbers, int kind, uint32_t rank, int step)
{
	double ns = 1000. * (95 + random_below(numbers, 10));

	if (kind == 1 && !random_below(numbers, 50))
		ns *= 20;
	if (kind == 2)
		ns += 500. * step * (rank % 2 ? 1 : -.2);
	return ns + 2000. * rank;
}

static void the_estimate_contains_random_runs(void **state)
{
	static double compute_ns[MOST_PLAYERS][STEPS];
	uint64_t numbers = 77;
	int outside = 0;
	double share = 0;

	(void)state;
	for (int round = 0; round < 300; round++) {
		const uint32_t ranks = 2 + random_below(&numbers, MOST_PLAYERS - 1);
		struct repeat_error error;
		double difference_ns, all_ns = 0;

		for (uint32_t r = 0; r < ranks; r++)
			for (int i = 0; i < STEPS; i++)
				all_ns += compute_ns[r][i] = random_compute(&numbers, round % 3, r,
									    i);
		difference_ns = fabs(find_error(compute_ns, ranks,
						random_below(&numbers, STEPS - 10), 10, &error));
		assert_true(difference_ns <= error.bound_ns + STEPS);
		outside += difference_ns > error.estimate_ns + STEPS;
		if (round % 3 == 0)
			share += error.estimate_ns / (all_ns / ranks) / 100;
	}
	/* One of twenty may be outside; where times vary by a tenth, the estimate is below that. */
	assert_true(outside <= 15);
	assert_true(share < .05);
}

/* Other work on the machine disturbs each rank for a while, about ten steps, and then leaves it for twice as long. */
static void the_estimate_contains_runs_that_are_disturbed_for_several_steps(void **state)
{
	static double compute_ns[MOST_PLAYERS][STEPS];
	uint64_t numbers = 79;
	int outside = 0;

	(void)state;
	for (int round = 0; round < 300; round++) {
		const uint32_t ranks = 2 + random_below(&numbers, MOST_PLAYERS - 1);
		struct repeat_error error;
		double difference_ns;

		for (uint32_t r = 0; r < ranks; r++) {
			bool disturbed = false;

			for (int i = 0; i < STEPS; i++) {
				disturbed = disturbed ? random_below(&numbers, 10) != 0
						      : random_below(&numbers, 20) == 0;
				compute_ns[r][i] = 1000. * (95 + random_below(&numbers, 10) +
							    (disturbed ? 50 : 0));
			}
		}
		difference_ns = fabs(find_error(compute_ns, ranks,
						random_below(&numbers, STEPS - 20), 20, &error));
		outside += difference_ns > error.estimate_ns + STEPS;
	}
	/* One of twenty, or some more by chance: with steps taken for independent ones there are 49. */
	assert_true(outside <= 22);
}

/* Other work on the machine holds up most ranks in the same step, which takes several times as long then. */
static void the_estimate_contains_runs_whose_ranks_are_held_up_together(void **state)
{
	static double compute_ns[MOST_PLAYERS][STEPS];
	uint64_t numbers = 81;
	int outside = 0;

	(void)state;
	for (int round = 0; round < 300; round++) {
		const uint32_t ranks = 2 + random_below(&numbers, MOST_PLAYERS - 1);
		struct repeat_error error;
		double difference_ns;

		for (int i = 0; i < STEPS; i++) {
			const bool held_up = random_below(&numbers, 40) == 0;

			for (uint32_t r = 0; r < ranks; r++)
				compute_ns[r][i] = 1000. * (95 + random_below(&numbers, 10)) *
						   (held_up && random_below(&numbers, 4)
							    ? 2 + random_below(&numbers, 6)
							    : 1);
		}
		difference_ns = fabs(find_error(compute_ns, ranks,
						random_below(&numbers, STEPS - 30), 30, &error));
		outside += difference_ns > error.estimate_ns + STEPS;
	}
	/* One of twenty may be outside. */
	assert_true(outside <= 15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_regular_run_is_exact_from_one_iteration),
		cmocka_unit_test(sums_are_those_of_the_run_and_windows_have_their_times),
		cmocka_unit_test(a_window_of_the_whole_run_gives_the_run),
		cmocka_unit_test(iterations_take_those_with_equal_calls),
		cmocka_unit_test(windows_are_of_their_phases),
		cmocka_unit_test(an_archive_of_another_run_is_refused),
		cmocka_unit_test(the_error_contains_a_run_whose_steps_grow),
		cmocka_unit_test(without_recorded_iterations_only_the_bound_is_known),
		cmocka_unit_test(the_estimate_contains_random_runs),
		cmocka_unit_test(the_estimate_contains_runs_that_are_disturbed_for_several_steps),
		cmocka_unit_test(the_estimate_contains_runs_whose_ranks_are_held_up_together),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
