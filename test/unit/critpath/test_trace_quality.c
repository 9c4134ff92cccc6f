/* What a trace lacks, and how many messages may contradict the clocks. */
#include "critpath/path/trace_quality.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "test/unit/lib/make/feed.h"
#include "test/unit/lib/make/make_run.h"

static void a_hundredth_of_the_messages_may_contradict_the_clocks(void **state)
{
	struct measured_run run = {
		.violations = {
			.count = 1, .messages = 100, .most_ns = 2500, .sender = 3, .receiver = 4}};
	struct error err = {0};

	(void)state;
	assert_int_equal(trace_quality_check_clocks(&run, &err), 0);
	run.violations.messages = 99;
	assert_int_equal(trace_quality_check_clocks(&run, &err), -1);
	assert_int_equal(err.status, STATUS_DATA);
	assert_non_null(strstr(err.text, "1 of 99 messages"));
	assert_non_null(strstr(err.text, "2.5 us (rank 3 to 4)"));
	run.violations = (struct clock_violations){0};
	assert_int_equal(trace_quality_check_clocks(&run, &err), 0);
}

static void each_thing_that_is_missing_is_named(void **state)
{
	const struct {
		struct trace_quality quality;
		const char *text;
	} cases[] = {
		{{.unmatched = 7}, "7 sends or receives"},
		{{.incomplete_requests = 7}, "7 requests"},
		{{.unfinished_calls = 7}, "7 calls"},
		{{.lacking = 7}, "7 collectives"},
		{{.gaps = 7}, "7 times"},
		{{.miscounted = 7}, "7 ranks or threads"},
		{{.violations = 7}, "7 messages"},
		{{.ended_early = true}, "some ranks ended"},
	};
	const struct trace_quality none = {0}, all = {1, 2, 3, 4, 5, 6, 7, true};
	struct error err = {0};

	(void)state;
	assert_int_equal(trace_quality_refuse(&none, &err), 0);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_int_equal(trace_quality_refuse(&cases[i].quality, &err), -1);
		assert_int_equal(err.status, STATUS_DATA);
		assert_non_null(strstr(err.text, cases[i].text));
	}
	assert_int_equal(trace_quality_refuse(&all, &err), -1);
	for (char number[] = "1 "; *number <= '7'; ++*number)
		assert_non_null(strstr(err.text, number));
	assert_non_null(strstr(err.text, "some ranks ended"));
}

static void halves_members_and_gaps_of_a_run_are_counted(void **state)
{
	struct trace_quality quality;
	struct made_run made;

	(void)state;
	made_begin(&made, 2);
	made_call(&made, 0, "MPI_Send", 10, 20, (struct mpi_event)SEND(0, 1, 5, 8));
	made_call(&made, 0, "MPI_Barrier", 30, 40, (struct mpi_event)COLLECTIVE(COLL_BARRIER, 0));
	made_plain(&made, 0, "(recording off)", 50, 60);
	made_plain(&made, 0, "MPI_Finalize", 70, 80);
	made_plain(&made, 1, "MPI_Finalize", 70, 80);
	made_end(&made);
	quality = trace_quality_of(&made.run);
	assert_int_equal(quality.unmatched, 1);
	assert_int_equal(quality.lacking, 1);
	assert_int_equal(quality.gaps, 1);
	assert_int_equal(quality.incomplete_requests + quality.unfinished_calls +
				 quality.violations,
			 0);
	made_release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hundredth_of_the_messages_may_contradict_the_clocks),
		cmocka_unit_test(each_thing_that_is_missing_is_named),
		cmocka_unit_test(halves_members_and_gaps_of_a_run_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
