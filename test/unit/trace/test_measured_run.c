/* Test reading measured runs. */
#include "test/unit/lib/make/make_archive.h"
#include "test/unit/lib/make/make_ring.h"
#include "critpath/match/run_match.h"
#include "trace/call/mpi_functions.h"
#include "trace/measured/measured_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "test/unit/lib/must.h"

enum { ROOM = 16 << 20, ROUNDS = 60000 };

/* Bytes of data that this process has. */
static rlim_t data_bytes(void)
{
	FILE *file = fopen("/proc/self/status", "r");
	unsigned long long kilobytes = 0;
	char line[256];

	assert_non_null(file);
	while (fgets(line, sizeof line, file))
		if (sscanf(line, "VmData: %llu", &kilobytes) == 1)
			break;
	fclose(file);
	return (rlim_t)kilobytes * 1024;
}

static void a_run_that_does_not_fit_into_memory_is_refused_with_advice(void **state)
{
	const struct ring ring = {.ranks = 2, .rounds = ROUNDS};
	char *folder = make_folder(), path[4096];
	struct rlimit old, lower;
	struct measured_run run;
	struct error err;
	int result;

	(void)state;
#ifdef __SANITIZE_ADDRESS__
	remove_folder(folder);
	skip(); /* its allocator does without the limit's rest, or ends the process */
#endif
	make_ring(folder, "ring", &ring);
	snprintf(path, sizeof path, "%s/ring", folder);
	assert_int_equal(getrlimit(RLIMIT_DATA, &old), 0);
	lower = old;
	lower.rlim_cur = data_bytes() + ROOM;
	assert_int_equal(setrlimit(RLIMIT_DATA, &lower), 0);
	result = run_open(&run, path, dist_alone(), &err);
	assert_int_equal(setrlimit(RLIMIT_DATA, &old), 0);
	assert_int_equal(result, -1);
	assert_int_equal(err.status, STATUS_LIMIT);
	assert_non_null(strstr(err.text, "the run takes about "));
	assert_non_null(strstr(err.text, "N processes of critpath-mpi"));
	/* With the limit gone, it fits. */
	MUST(run_open(&run, path, dist_alone(), &err));
	measured_run_release(&run);
	remove_folder(folder);
}

/* As some tools name them. */
static void functions_whose_names_end_in_parentheses_are_known(void **state)
{
	const struct trace_comm self = {.defined = true, .self = true, .size = 1};
	const struct trace_world world = {.rank_count = 1, .comm_count = 1, .comms = &self};
	const struct mpi_event send = {.kind = EVENT_SEND};
	const struct mpi_call call = {.function = "MPI_Ssend()",
				      .leave_ns = 9,
				      .events = &send,
				      .event_count = 1};
	struct measured_names names = {0};
	struct measured_rank rank = {0};
	struct measured_reading reading = {.world = &world, .names = &names};
	struct error err;

	(void)state;
	measured_reading_begin(&reading, &rank);
	MUST(measured_take_call(&reading, &call, &err));
	MUST(measured_reading_end(&reading, &err));
	assert_int_equal(rank.calls.items[0].function, CALL_Ssend);
	assert_true(rank.sends.items[0].synchronous);
	measured_reading_release(&reading);
	measured_rank_release(&rank);
	measured_names_release(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_that_does_not_fit_into_memory_is_refused_with_advice),
		cmocka_unit_test(functions_whose_names_end_in_parentheses_are_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
