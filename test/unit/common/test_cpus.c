/* The CPUs of a process, and the limits of its control groups. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/machine/cpus.h"
#include "test/unit/lib/processors.h"

static double count_of(const char *const *texts)
{
	struct cpus cpus = {0};

	for (; *texts; texts++)
		assert_true(cpus_add(&cpus, *texts));
	return cpus_count(&cpus);
}

#define COUNT(...) count_of((const char *const[]){__VA_ARGS__, NULL})

static void a_cpu_of_several_processes_counts_once(void **state)
{
	(void)state;
	assert_true(COUNT("0") == 1);
	assert_true(COUNT("0-3", "2-5") == 6);
	assert_true(COUNT("0-3,8,63-64", "8", "8191") == 8);
}

static void a_limit_of_all_processes_counts_if_it_is_less(void **state)
{
	(void)state;
	assert_true(COUNT("0-7/1.5", "0-7/1.5") == 1.5);
	assert_true(COUNT("0-7/1.5", "0-7/2") == 2);
	assert_true(COUNT("0-7/1.5", "0-7") == 8);
	assert_true(COUNT("0-7", "0-7/1.5") == 8);
	assert_true(COUNT("0/4") == 1);
}

static void texts_that_are_no_list_are_refused(void **state)
{
	static const char *const wrong[] = {"",	   "-1",   "1-",    "3-2",    "0,",	"0,,1",
					    "a",   "0-1x", "8192",  "0-8192", "0/",	"0/0",
					    "0/x", "0 1",  "0/1,2", "0-99999999999999999999"};

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct cpus cpus = {0};

		if (cpus_add(&cpus, wrong[i]))
			fail_msg("'%s' is taken", wrong[i]);
	}
}

static void own_cpus_are_those_the_thread_is_bound_to(void **state)
{
	char text[CPUS_TEXT_BYTES];
	struct cpus one = {0}, most = {0};
	cpu_set_t all;

	(void)state;
	use_one_processor(&all);
	cpus_own(text);
	assert_true(cpus_add(&one, text));
	assert_true(cpus_count(&one) > 0 && cpus_count(&one) <= 1);
	use_all_processors(&all);
	cpus_own(text);
	assert_true(cpus_add(&most, text));
	assert_true(cpus_count(&most) <= CPU_COUNT(&all));
}

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void a_limit_of_a_group_around_the_own_one_is_found(void **state)
{
	char folder[] = "/tmp/test-cpus-XXXXXX", command[64];

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	mkdir("job", 0777);
	mkdir("job/step", 0777);
	put("groups", "1:name=systemd:/\n0::/job/step\n");
	assert_true(cpus_limit("groups", folder) == 0);
	put("job/step/cpu.max", "max 100000\n");
	assert_true(cpus_limit("groups", folder) == 0);
	put("job/cpu.max", "150000 100000\n");
	assert_true(cpus_limit("groups", folder) == 1.5);
	put("job/step/cpu.max", "50000 100000\n");
	assert_true(cpus_limit("groups", folder) == 0.5);

	mkdir("cpu", 0777);
	mkdir("cpu/job", 0777);
	put("groups", "3:cpuset:/\n2:cpuacct,cpu:/job\n");
	assert_true(cpus_limit("groups", folder) == 0);
	put("cpu/job/cpu.cfs_period_us", "100000\n");
	put("cpu/job/cpu.cfs_quota_us", "-1\n");
	assert_true(cpus_limit("groups", folder) == 0);
	put("cpu/job/cpu.cfs_quota_us", "400000\n");
	assert_true(cpus_limit("groups", folder) == 4);
	assert_true(cpus_limit("missing", folder) == 0);
	assert_int_equal(chdir("/"), 0);
	snprintf(command, sizeof command, "rm -rf %s", folder);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cpu_of_several_processes_counts_once),
		cmocka_unit_test(a_limit_of_all_processes_counts_if_it_is_less),
		cmocka_unit_test(texts_that_are_no_list_are_refused),
		cmocka_unit_test(own_cpus_are_those_the_thread_is_bound_to),
		cmocka_unit_test(a_limit_of_a_group_around_the_own_one_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
