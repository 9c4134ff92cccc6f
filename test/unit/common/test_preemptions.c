/* How often a process was preempted and how long it waited for a core: from Linux, as text, and between two readings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "common/machine/now.h"
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
	assert_true(read.count == UINT64_MAX && read.ns == UINT64_MAX &&
		    read.waited_ns == UINT64_MAX - 1);
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
	static const char *const texts[] = {"",
					    "3",
					    "3/",
					    "/2",
					    "3/2/",
					    "3/2/x",
					    "3/2/1 ",
					    "3/2/1/0",
					    "3/2/-1",
					    "3/2/18446744073709551615",
					    "3/2/18446744073709551616"};
	struct preemptions read;

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		assert_false(preemptions_read(&read, texts[i]));
		assert_true(preemptions_waited(&read) < 0);
	}
}

/* Make a reading with three threads, which are not to be released. */
static struct preemptions_reading reading(uint64_t ns, uint64_t cpu_ns,
					  struct preempted_thread threads[3])
{
	struct preemptions_reading made = {.count = ns / 1000, .ns = ns, .cpu_ns = cpu_ns};

	made.threads = threads;
	made.thread_count = 3;
	return made;
}

static void waiting_is_that_of_the_thread_that_waited_longest_in_between(void **state)
{
	struct preempted_thread first[] = {{7, 1000, 900}, {8, 1000, 100}, {9, 5000, 5000}},
				later[] = {{7, 2000, 1000}, {8, 3000, 400}, {9, 10, 200}};
	const struct preemptions_reading from = reading(1000, 7000, first),
					 to = reading(3000, 10000, later);
	const struct preemptions between = preemptions_between(&from, &to);

	(void)state;
	assert_true(between.count == 2 && between.ns == 2000 && between.waited_ns == 300);
}

static void waiting_is_not_known_where_ended_threads_have_run_for_a_tenth_of_the_time(void **state)
{
	struct preempted_thread first[] = {{7, 1000, 0}, {8, 1000, 0}, {9, 1000, 0}},
				later[] = {{7, 2000, 10}, {8, 3000, 20}, {9, 7000, 30}};
	const struct preemptions_reading from = reading(1000, 3000, first),
					 most = reading(9000, 13000, later),
					 some = reading(9000, 13010, later);

	(void)state;
	assert_true(preemptions_between(&from, &most).waited_ns == 30);
	assert_true(preemptions_between(&from, &some).waited_ns == WAITED_NOT_KNOWN);
	assert_true(preemptions_between(&from, &some).count == 8);
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

	if (sched_getaffinity(0, sizeof cpus, &cpus) != 0)
		skip(); /* more CPUs than the set has */
	while (!CPU_ISSET(first, &cpus))
		first++;
	CPU_ZERO(&cpus);
	CPU_SET(first, &cpus);
	assert_int_equal(sched_setaffinity(0, sizeof cpus, &cpus), 0);
}

static void of_two_threads_on_a_core_one_waits_while_the_other_runs(void **state)
{
	const uint64_t start_ns = now_ns();
	struct preemptions_reading before, after;
	struct preemptions between;
	pthread_t threads[2];
	uint64_t passed;
	bool known;

	(void)state;
	bind_to_one();
	pthread_barrier_init(&begin, NULL, 3);
	pthread_barrier_init(&burnt, NULL, 3);
	pthread_barrier_init(&end, NULL, 3);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, burn, NULL), 0);
	preemptions_own(&before);
	known = before.thread_count > 0;
	pthread_barrier_wait(&begin);
	pthread_barrier_wait(&burnt);
	preemptions_own(&after);
	passed = passed_ns(start_ns, now_ns());
	pthread_barrier_wait(&end);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	between = preemptions_between(&before, &after);
	preemptions_release(&before);
	preemptions_release(&after);
	if (!known)
		skip();
	/* The one that ends first has run for BURNT_NS, less what it ran before the other one began. */
	assert_true(between.waited_ns > BURNT_NS / 2);
	/* A thread may have waited for its first turn since it was made. */
	assert_true(between.waited_ns < 2 * passed);
}

static void *burn_alone(void *unused)
{
	struct timespec now;

	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while (now.tv_sec == 0 && now.tv_nsec < BURNT_NS);
	return unused;
}

static void of_threads_that_have_ended_it_is_not_known_how_long_they_waited(void **state)
{
	struct preemptions_reading before, after;
	struct preemptions between;
	pthread_t threads[2];

	(void)state;
	preemptions_own(&before);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, burn_alone, NULL), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	/* A thread that was joined may be there for a moment more. */
	for (preemptions_own(&after); after.thread_count > before.thread_count;
	     preemptions_own(&after)) {
		preemptions_release(&after);
		sched_yield();
	}
	between = preemptions_between(&before, &after);
	preemptions_release(&before);
	preemptions_release(&after);
	assert_true(between.ns > BURNT_NS && preemptions_waited(&between) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_has_waiting_if_it_is_known),
		cmocka_unit_test(the_longest_text_has_space),
		cmocka_unit_test(text_is_read_with_and_without_waiting),
		cmocka_unit_test(other_texts_are_not_read),
		cmocka_unit_test(waiting_is_that_of_the_thread_that_waited_longest_in_between),
		cmocka_unit_test(
			waiting_is_not_known_where_ended_threads_have_run_for_a_tenth_of_the_time),
		cmocka_unit_test(of_two_threads_on_a_core_one_waits_while_the_other_runs),
		cmocka_unit_test(of_threads_that_have_ended_it_is_not_known_how_long_they_waited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
