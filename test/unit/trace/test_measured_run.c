/* Test reading measured runs. */
#include "test/unit/lib/make/make_archive.h"
#include "test/unit/lib/make/make_ring.h"
#include "critpath/match/run_match.h"
#include "trace/measured_run.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_that_does_not_fit_into_memory_is_refused_with_advice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
