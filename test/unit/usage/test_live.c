/* What jobs do at this moment: the function of each rank, and which ranks live. */
#include "test/unit/lib/must.h"
#include "test/unit/lib/node_ranks.h"
#include "test/unit/lib/scratch_folder.h"
#include "trace/call/mpi_functions.h"
#include "usage/show/live.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct error err;

static int set_up(void **state)
{
	return scratch_make(state) < 0 || setenv("LLAMP_USAGE_PARTIAL", scratch, 1) < 0;
}

static int clean(void **state)
{
	(void)state;
	scratch_empty();
	return 0;
}

/* The report of the jobs, of the one with an id if it is given.  To be freed. */
static char *report_of(const char *job)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	struct report report = {stream, .format = REPORT_CSV, .file = "x", .rows = "ranks"};
	struct live live = {0};

	MUST(live_find(&live, job, &err));
	live_write(&report, &live);
	live_release(&live);
	fclose(stream);
	return text;
}

/* The line of a rank, cut off, without the columns of times. */
static void must_have(const char *report, const char *line)
{
	if (!strstr(report, line))
		fail_msg("no '%s' in\n%s", line, report);
}

static void each_rank_shows_the_function_it_is_in(void **state)
{
	struct node_file *node = node_joined(scratch, 2, &err);
	struct node_thread *thread = node_file_thread(node, &err);
	const pid_t child = start_node_rank(7, 30, 3);
	char line[100], *report;

	(void)state;
	thread->inside = 1 + CALL_Recv;
	thread->stamp_ticks = 1000;
	report = report_of("4711");
	snprintf(line, sizeof line, "\nx,2,%d,running,MPI_Recv,", (int)getpid());
	must_have(report, line);
	snprintf(line, sizeof line, "\nx,7,%d,running,,", (int)child);
	must_have(report, line);
	must_have(report, ",1,30,");
	free(report);
	kill_node_rank(child);
	node_file_state(node, NODE_FINALIZING);
	report = report_of(NULL);
	snprintf(line, sizeof line, "\nx,2,%d,finalizing,MPI_Recv,", (int)getpid());
	must_have(report, line);
	snprintf(line, sizeof line, "\nx,7,%d,dead,,", (int)child);
	must_have(report, line);
	free(report);
	node_file_leave(node, true);
}

/* A thread that is in its call longest is the one that hangs. */
static void of_several_threads_the_longest_call_is_shown(void **state)
{
	struct node_file *node = node_joined(scratch, 0, &err);
	char *report;

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct node_thread *thread = node_file_thread(node, &err);

		thread->inside = 1 + (i == 1 ? CALL_Barrier : CALL_Send);
		thread->stamp_ticks = i == 1 ? 2000 : 300000;
	}
	report = report_of("4711.0");
	must_have(report, ",running,MPI_Barrier,");
	must_have(report, ",3,0,");
	free(report);
	node_file_leave(node, true);
}

static void jobs_that_are_not_here_are_an_error(void **state)
{
	struct live live = {0};

	(void)state;
	kill_node_rank(start_node_rank(0, 1, 1));
	assert_int_equal(live_find(&live, NULL, &err), -1);
	assert_true(strstr(err.text, scratch) != NULL);
	live_release(&live);
	assert_int_equal(live_find(&live, "4712", &err), -1);
	assert_int_equal(err.status, STATUS_DATA);
	live_release(&live);
	/* A dead one is shown if it is asked for. */
	MUST(live_find(&live, "4711", &err));
	live_release(&live);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(each_rank_shows_the_function_it_is_in, clean),
		cmocka_unit_test_teardown(of_several_threads_the_longest_call_is_shown, clean),
		cmocka_unit_test_teardown(jobs_that_are_not_here_are_an_error, clean),
	};

	return cmocka_run_group_tests_name("usage/show/live.h", tests, set_up, scratch_remove);
}
