/* The available memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "common/memory.h"

/* The number after the key in a file of /proc, in bytes. */
static uint64_t stated(const char *path, const char *key)
{
	FILE *file = fopen(path, "r");
	unsigned long long kib = 0;
	char line[200];

	assert_non_null(file);
	while (fgets(line, sizeof line, file))
		if (!strncmp(line, key, strlen(key)))
			sscanf(line + strlen(key), "%llu", &kib);
	fclose(file);
	return (uint64_t)kib * 1024;
}

static void no_more_is_available_than_the_system_has(void **state)
{
	(void)state;
	assert_true(memory_available() > 0);
	assert_true(memory_available() <= stated("/proc/meminfo", "MemTotal:"));
}

static void a_limit_of_the_process_is_respected(void **state)
{
	const rlim_t room = (rlim_t)1 << 30;
	struct rlimit old, lower;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_DATA, &old), 0);
	lower = old;
	lower.rlim_cur = stated("/proc/self/status", "VmData:") + room;
	assert_int_equal(setrlimit(RLIMIT_DATA, &lower), 0);
	assert_int_equal(getrlimit(RLIMIT_DATA, &lower), 0);
	if (lower.rlim_cur == old.rlim_cur)
		skip();		/* qemu takes no limit: it would be its own, too */
	assert_true(memory_available() <= room);
	assert_int_equal(setrlimit(RLIMIT_DATA, &old), 0);
}

static void work_that_does_not_fit_is_refused_with_both_figures(void **state)
{
	struct error err = {0};

	(void)state;
	assert_int_equal(memory_require(0, "nothing", &err), 0);
	assert_int_equal(memory_require((uint64_t)1 << 60, "the analysis", &err), -1);
	assert_int_equal(err.status, STATUS_LIMIT);
	assert_non_null(strstr(err.text, "the analysis takes about "));
	assert_non_null(strstr(err.text, " are available"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_more_is_available_than_the_system_has),
		cmocka_unit_test(a_limit_of_the_process_is_respected),
		cmocka_unit_test(work_that_does_not_fit_is_refused_with_both_figures),
	};

	return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
