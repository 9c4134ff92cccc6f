/* How often a process was preempted and how long it waited for a core: from Linux, as text, and between two readings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "common/machine/preemptions.h"

static void text_has_waiting_if_it_is_known(void **state)
{
	const struct preemptions known = {412, 7351000000, 250000000},
				 count_only = {412, 7351000000, WAITED_NOT_KNOWN}, none = {0};
	char text[PREEMPTIONS_TEXT_BYTES];

	(void)state;
	preemptions_write(&known, text);
	assert_string_equal(text, "412/7351000000/250000000");
	preemptions_write(&count_only, text);
	assert_string_equal(text, "412/7351000000");
	preemptions_write(&none, text);
	assert_string_equal(text, "");
}

static void the_longest_text_has_space(void **state)
{
	const struct preemptions most = {UINT64_MAX, UINT64_MAX, UINT64_MAX - 1};
	struct preemptions read;
	char text[PREEMPTIONS_TEXT_BYTES];

	(void)state;
	preemptions_write(&most, text);
	assert_true(preemptions_read(&read, text));
	assert_true(read.count == UINT64_MAX && read.ns == UINT64_MAX && read.waited_ns == UINT64_MAX - 1);
}

static void text_is_read_with_and_without_waiting(void **state)
{
	struct preemptions read;

	(void)state;
	assert_true(preemptions_read(&read, "3/2000000000/500000000"));
	assert_true(read.count == 3 && preemptions_waited(&read) == 0.25);
	assert_true(preemptions_read(&read, "3/2000000000"));
	assert_true(read.count == 3 && preemptions_waited(&read) < 0);
	assert_true(preemptions_read(&read, "3/2000000000/0"));
	assert_true(preemptions_waited(&read) == 0);
}

static void other_texts_are_not_read(void **state)
{
	static const char *const texts[] = {"",	     "3",	"3/",	   "/2",     "3/2/",
					    "3/2/x", "3/2/1 ", "3/2/1/0", "3/2/-1", "3/2/18446744073709551615",
					    "3/2/18446744073709551616"};
	struct preemptions read;

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		assert_false(preemptions_read(&read, texts[i]));
		assert_true(preemptions_waited(&read) < 0);
	}
}

static void waiting_that_shrinks_as_threads_end_is_not_known(void **state)
{
	const struct preemptions from = {1, 1000, 500}, to = {4, 3000, 400}, later = {4, 3000, 600};
	struct preemptions between = preemptions_between(&from, &to);

	(void)state;
	assert_true(between.count == 3 && between.ns == 2000 && preemptions_waited(&between) < 0);
	between = preemptions_between(&from, &later);
	assert_true(between.waited_ns == 100);
}

/* Two threads on one core, each of which needs the core for this time. */
enum { BURNT_NS = 50000000 };
static pthread_barrier_t begin, burnt, end;

static void *burn(void *unused)
{
	struct timespec now;

	pthread_barrier_wait(&begin);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while (now.tv_sec == 0 && now.tv_nsec < BURNT_NS);
	pthread_barrier_wait(&burnt);
	pthread_barrier_wait(&end);
	return unused;
}

/* Use the first of the CPUs that this process may use. */
static void bind_to_one(void)
{
	cpu_set_t cpus;
	int first = 0;

	assert_int_equal(sched_getaffinity(0, sizeof cpus, &cpus), 0);
	while (!CPU_ISSET(first, &cpus))
		first++;
	CPU_ZERO(&cpus);
	CPU_SET(first, &cpus);
	assert_int_equal(sched_setaffinity(0, sizeof cpus, &cpus), 0);
}

static void of_two_threads_on_a_core_one_waits_while_the_other_runs(void **state)
{
	struct preemptions before, after, between;
	pthread_t threads[2];

	(void)state;
	bind_to_one();
	pthread_barrier_init(&begin, NULL, 3);
	pthread_barrier_init(&burnt, NULL, 3);
	pthread_barrier_init(&end, NULL, 3);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, burn, NULL), 0);
	before = preemptions_own();
	pthread_barrier_wait(&begin);
	pthread_barrier_wait(&burnt);
	after = preemptions_own();
	pthread_barrier_wait(&end);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	if (before.waited_ns == WAITED_NOT_KNOWN)
		skip();
	between = preemptions_between(&before, &after);
	/* The one that ends first has run for BURNT_NS, less what it ran before the other one began. */
	assert_true(between.waited_ns > BURNT_NS / 2);
	assert_true(between.waited_ns < 3 * between.ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_has_waiting_if_it_is_known),
		cmocka_unit_test(the_longest_text_has_space),
		cmocka_unit_test(text_is_read_with_and_without_waiting),
		cmocka_unit_test(other_texts_are_not_read),
		cmocka_unit_test(waiting_that_shrinks_as_threads_end_is_not_known),
		cmocka_unit_test(of_two_threads_on_a_core_one_waits_while_the_other_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
