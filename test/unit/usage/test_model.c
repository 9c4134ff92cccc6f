/* Estimates of the exposure of jobs to latency, of a fleet's tolerance, and which jobs to trace. */
#include "usage/model/exposure.h"
#include "usage/model/fleet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

static void collectives_are_as_deep_as_the_logarithm_of_their_ranks(void **state)
{
	static const struct {
		uint32_t ranks;
		double steps;
	} cases[] = {{1, 0}, {2, 1}, {3, 2}, {4, 2}, {5, 3}, {64, 6}, {65, 7}, {1u << 20, 20}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_true(exposure_depth(CALL_Allreduce, cases[i].ranks) == cases[i].steps);
		assert_true(exposure_depth(CALL_Iallreduce_c, cases[i].ranks) == cases[i].steps);
		assert_true(exposure_depth(CALL_Barrier, cases[i].ranks) == cases[i].steps);
		assert_true(exposure_depth(CALL_Comm_split, cases[i].ranks) == cases[i].steps);
		assert_true(exposure_depth(CALL_Alltoallv, cases[i].ranks) ==
			    (cases[i].ranks > 1 ? 1 : 0));
	}
	assert_true(exposure_depth(CALL_Allreduce_init, 64) == 0);
	assert_true(exposure_depth(CALL_Comm_free, 64) == 0);
	assert_true(exposure_depth(CALL_Send, 64) == 0 && exposure_depth(CALL_Isend, 64) == 0);
	assert_true(exposure_depth(CALL_Recv, 64) == 1 && exposure_depth(CALL_Irecv, 64) == 0);
	assert_true(exposure_depth(CALL_Ssend, 64) == 2 && exposure_depth(CALL_Issend, 64) == 0);
	assert_true(exposure_depth(CALL_Win_fence, 64) == 6 &&
		    exposure_depth(CALL_Win_unlock, 64) == 1);
	assert_true(exposure_depth(CALL_Comm_rank, 64) == 0 && exposure_depth(USAGE_REST, 64) == 0);
}

/* Log of `ranks` ranks that each make these calls on MPI_COMM_WORLD; rank 1 all of them `factor` times. */
static struct job_exposure exposure_of(uint32_t ranks, const struct job_calls *calls, size_t count,
				       uint64_t factor)
{
	struct job_log log = {.ranks = ranks};
	struct job_exposure exposure;
	struct error err;

	for (size_t i = 0; i < count; i++) {
		struct job_cell cell = {.cell = {.calls = calls[i].calls * (ranks - 1 + factor)}};

		cell.cell.key = (struct usage_key){.function = calls[i].function,
						   .comm_class = usage_comm_class(ranks)};
		assert_int_equal(array_push(&log.cells, cell, &err), 0);
	}
	for (uint32_t r = 0; r < 2; r++) {
		struct job_rank rank = {.rank = r, .roles = r == 0 ? JOB_AVERAGE : JOB_MOST};

		for (size_t i = 0; i < count; i++) {
			struct job_calls own = calls[i];

			own.calls *= r == 1 ? factor : 1;
			assert_int_equal(array_push(&rank.calls, own, &err), 0);
		}
		assert_int_equal(array_push(&log.rank_list, rank, &err), 0);
	}
	exposure = exposure_of_log(&log);
	job_log_release(&log);
	return exposure;
}

static void n_allreduces_wait_n_times_log_p_latencies(void **state)
{
	const struct job_calls calls[] = {{.function = CALL_Allreduce, .calls = 100}};
	struct job_exposure exposure = exposure_of(64, calls, 1, 1);

	(void)state;
	assert_true(exposure.average == 600 && exposure.most == 600);
	exposure = exposure_of(1000, calls, 1, 3);
	assert_true(exposure.average == 1000 && exposure.most == 3000);
}

static void completions_wait_at_most_once_for_each_receive(void **state)
{
	const struct job_calls exchange[] = {{.function = CALL_Isend, .calls = 60},
					     {.function = CALL_Irecv, .calls = 60},
					     {.function = CALL_Waitall, .calls = 10}};
	const struct job_calls sends[] = {{.function = CALL_Isend, .calls = 60},
					  {.function = CALL_Wait, .calls = 60}};
	const struct job_calls single[] = {{.function = CALL_Irecv, .calls = 5},
					   {.function = CALL_Test, .calls = 900},
					   {.function = CALL_Recv, .calls = 7}};

	(void)state;
	assert_true(exposure_of(4, exchange, 3, 1).average == 10);
	assert_true(exposure_of(4, sends, 2, 1).average == 0);
	assert_true(exposure_of(4, single, 3, 1).average == 12);
}

static void smaller_communicators_are_less_deep(void **state)
{
	struct exposure exposure = {.ranks = 1000};
	const struct job_calls calls = {.function = CALL_Bcast, .calls = 8};

	(void)state;
	exposure_add_cell(&exposure, CALL_Bcast, usage_comm_class(1000), 10);
	exposure_add_cell(&exposure, CALL_Bcast, usage_comm_class(16), 30);
	assert_true(exposure_of_calls(&exposure, &calls, 1) == 8 * (10 * 10 + 30 * 4) / 40.0);
}

static void tolerance_is_the_share_of_the_runtime_over_the_latencies(void **state)
{
	(void)state;
	assert_true(exposure_tolerance_ns(1000000, 50, 1) == 200);
	assert_true(exposure_tolerance_ns(1000000, 50, 5) == 1000);
	assert_true(isinf(exposure_tolerance_ns(1000000, 0, 1)));
	assert_true(isnan(exposure_tolerance_ns(USAGE_UNKNOWN, 50, 1)));
}

/* ----------------------------------------------------------------------- fleet */

/* Tolerances for 1 %: 10, 100, 100, none; the last one is not known. */
static const struct fleet_job jobs[] = {{1000000, 1000, 5},
					{1000000, 100, 20},
					{2000000, 200, 25},
					{1000000, 0, 50},
					{USAGE_UNKNOWN, 9, 1000}};

static void the_curve_is_the_distribution_of_core_hours(void **state)
{
	struct fleet_point points[5];

	(void)state;
	assert_int_equal(fleet_curve(jobs, 5, 1, points), 3);
	assert_true(points[0].delta_ns == 10 && points[0].share == 0.05);
	assert_true(points[1].delta_ns == 100 && points[1].share == 0.5);
	assert_true(isinf(points[2].delta_ns) && points[2].share == 1);
	assert_true(fleet_share(points, 3, 9.9) == 0 && fleet_share(points, 3, 10) == 0.05);
	assert_true(fleet_share(points, 3, 1000) == 0.5);
	assert_int_equal(fleet_curve(jobs + 4, 1, 1, points), 0);
}

static void jobs_to_trace_are_those_that_latency_costs_most(void **state)
{
	size_t chosen[3];

	(void)state;
	assert_int_equal(fleet_choose(jobs, 5, 3, chosen), 3);
	assert_int_equal(chosen[0], 0);
	assert_int_equal(chosen[1], 2);
	assert_int_equal(chosen[2], 1);
	assert_int_equal(fleet_choose(jobs, 5, 2, chosen), 2);
	assert_true(chosen[0] == 0 && chosen[1] == 2);
	assert_int_equal(fleet_choose(jobs + 3, 2, 3, chosen), 0);
}

static void the_line_to_trace_quotes_what_a_shell_would_take_apart(void **state)
{
	char line[300];

	(void)state;
	fleet_trace_line("/home/user/solver", 64, line, sizeof line);
	assert_string_equal(line, "mpiexec -n 64 llamp-trace -o solver.trace /home/user/solver");
	fleet_trace_line("/tmp/a b'$(c)", 2, line, sizeof line);
	assert_string_equal(line,
			    "mpiexec -n 2 llamp-trace -o 'a b'\\''$(c).trace' '/tmp/a b'\\''$(c)'");
	fleet_trace_line("/home/user/solver", 64, line, 20);
	assert_string_equal(line, "mpiexec -n 64 llamp");
}

static void calibration_is_the_median_of_what_traces_say(void **state)
{
	const double lambda[] = {50, 10, 300, 7}, exposure[] = {100, 100, 100, 0};

	(void)state;
	assert_true(fleet_calibration(lambda, exposure, 4) == 0.5);
	assert_true(fabs(fleet_calibration(lambda, exposure, 2) - 0.3) < 1e-12);
	assert_true(fleet_calibration(lambda + 3, exposure + 3, 1) == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(collectives_are_as_deep_as_the_logarithm_of_their_ranks),
		cmocka_unit_test(n_allreduces_wait_n_times_log_p_latencies),
		cmocka_unit_test(completions_wait_at_most_once_for_each_receive),
		cmocka_unit_test(smaller_communicators_are_less_deep),
		cmocka_unit_test(tolerance_is_the_share_of_the_runtime_over_the_latencies),
		cmocka_unit_test(the_curve_is_the_distribution_of_core_hours),
		cmocka_unit_test(jobs_to_trace_are_those_that_latency_costs_most),
		cmocka_unit_test(the_line_to_trace_quotes_what_a_shell_would_take_apart),
		cmocka_unit_test(calibration_is_the_median_of_what_traces_say),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
