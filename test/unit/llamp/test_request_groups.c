/* Requests of groups: each group's come in order, and none comes before another may be made. */
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"

#include "llamp/simulate/request_groups.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { ROUNDS = 200, GROUPS = 7, MOST_REQUESTS = 1500, WINDOW = 100 };

static struct error err;

static void begin(struct request_groups *groups, uint32_t count, uint32_t open)
{
	*groups = (struct request_groups){0};
	MUST(request_groups_init(groups, count, open, WINDOW, &err));
}

static void push(struct request_groups *groups, uint32_t group, uint64_t time, uint32_t event)
{
	MUST(request_groups_push(groups, group, (struct resource_request){time, event, group},
				 &err));
}

static void mail(struct request_groups *groups, uint32_t group, uint64_t time, uint32_t event)
{
	MUST(request_groups_mail(groups, group, (struct resource_request){time, event, group},
				 &err));
}

static void expect(struct request_groups *groups, uint32_t group, uint32_t event)
{
	struct resource_request taken;

	assert_int_equal(request_groups_take(groups, &taken, &err), 1);
	assert_int_equal(taken.data, group);
	assert_int_equal(taken.event, event);
}

static void expect_none(struct request_groups *groups)
{
	struct resource_request taken;

	assert_int_equal(request_groups_take(groups, &taken, &err), 0);
	request_groups_release(groups);
}

/* All requests that have been made, and the last one of each group that was taken. */
struct history {
	struct resource_request made[MOST_REQUESTS];
	bool gone[MOST_REQUESTS];
	uint32_t count, taken;
	uint64_t last[GROUPS];
};

/* Distance of a new request: some are at the same time, some far away. */
static uint64_t distance(uint64_t *numbers)
{
	return random_below(numbers, UINT64_C(1) << random_below(numbers, 40)) &
	       ~random_below(numbers, 64);
}

static void make(struct request_groups *groups, struct history *history, uint32_t group,
		 uint64_t time, uint64_t *numbers)
{
	/* Numbers in another order than that of the requests: 7919 is a prime. */
	const uint32_t event = (uint32_t)((history->count + 1) * 7919 % 15401);

	assert_true(time >= history->last[group]);
	history->made[history->count++] = (struct resource_request){time, event, group};
	if (random_below(numbers, 4))
		push(groups, group, time, event);
	else
		mail(groups, group, time, event | 1U << 31);
}

/* The request is the first of its group that was pushed and is left. */
static void check_taken(struct history *history, const struct resource_request *taken)
{
	uint32_t found = MOST_REQUESTS;

	for (uint32_t i = 0; i < history->count; i++) {
		const struct resource_request *made = &history->made[i];

		if (history->gone[i] || made->data != taken->data)
			continue;
		if (made->event == taken->event)
			found = i;
		else
			assert_true(made->time > taken->time ||
				    (made->time == taken->time && made->event > taken->event));
	}
	assert_true(found < MOST_REQUESTS);
	history->gone[found] = true;
	history->last[taken->data] = taken->time;
	history->taken++;
}

/* A mail becomes a request of its group. */
static void take_mail(struct request_groups *groups, struct resource_request taken)
{
	push(groups, taken.data, taken.time, taken.event & ~(1U << 31));
}

static void requests_of_a_group_come_in_order(void **unused)
{
	(void)unused;
	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		uint64_t numbers = seed;
		const uint32_t most = 1 + (uint32_t)random_below(&numbers, MOST_REQUESTS);
		static struct history history;
		struct request_groups groups;
		struct resource_request taken;

		history = (struct history){0};
		begin(&groups, GROUPS, 1);
		for (uint32_t group = 0; group < GROUPS && history.count < most; group++)
			make(&groups, &history, group, distance(&numbers), &numbers);
		while (request_groups_take(&groups, &taken, &err) == 1) {
			if (taken.event >> 31) {
				take_mail(&groups, taken);
				continue;
			}
			check_taken(&history, &taken);
			for (uint64_t i = random_below(&numbers, 4); i && history.count < most;
			     i--) {
				const uint32_t group = (uint32_t)random_below(&numbers, GROUPS);
				const uint64_t after = group == taken.data ? 0 : WINDOW;

				make(&groups, &history, group,
				     taken.time + after + distance(&numbers), &numbers);
			}
		}
		assert_int_equal(history.taken, history.count);
		expect_none(&groups);
	}
}

static void a_group_that_awaits_nothing_goes_ahead(void **unused)
{
	struct request_groups groups;

	(void)unused;
	begin(&groups, 2, 0);
	push(&groups, 0, 5, 50);
	push(&groups, 1, 4, 40);
	push(&groups, 0, 5000, 51);
	expect(&groups, 0, 50);
	expect(&groups, 0, 51);
	expect(&groups, 1, 40);
	expect_none(&groups);
}

static void a_group_that_awaits_something_is_not_served_after_the_first_window(void **unused)
{
	struct request_groups groups;

	(void)unused;
	begin(&groups, 2, 1);
	push(&groups, 0, 5, 50);
	push(&groups, 0, WINDOW, 51);
	push(&groups, 1, WINDOW - 1, 40);
	expect(&groups, 0, 50);
	expect(&groups, 1, 40);
	expect(&groups, 0, 51);
	/* Now it awaits nothing. */
	push(&groups, 0, 10 * WINDOW, 52);
	push(&groups, 1, 3 * WINDOW, 41);
	MUST(request_groups_close(&groups, 0, 1, &err));
	expect(&groups, 0, 52);
	expect(&groups, 1, 41);
	expect_none(&groups);
}

static void mails_come_when_they_may_be_all_that_is_awaited(void **unused)
{
	struct request_groups groups;

	(void)unused;
	begin(&groups, 2, 2);
	mail(&groups, 0, 7 * WINDOW, 70);
	push(&groups, 1, 3 * WINDOW, 30);
	push(&groups, 1, 4 * WINDOW, 31);
	expect(&groups, 1, 30);
	mail(&groups, 0, 8 * WINDOW, 80);
	expect(&groups, 0, 80);
	expect(&groups, 0, 70);
	expect(&groups, 1, 31);
	expect_none(&groups);
}

static void mails_come_with_their_window(void **unused)
{
	struct request_groups groups;

	(void)unused;
	begin(&groups, 2, 2);
	push(&groups, 1, 9 * WINDOW, 90);
	push(&groups, 1, 11 * WINDOW, 91);
	mail(&groups, 0, 10 * WINDOW, 100);
	expect(&groups, 1, 90);
	expect(&groups, 0, 100);
	expect(&groups, 1, 91);
	expect_none(&groups);
}

static void times_may_be_as_large_as_they_can(void **unused)
{
	struct request_groups groups = {0};

	(void)unused;
	MUST(request_groups_init(&groups, 2, 1, 1, &err));
	push(&groups, 0, INT64_MAX, 1);
	push(&groups, 1, INT64_MAX - 1, 2);
	push(&groups, 0, 0, 3);
	expect(&groups, 0, 3);
	expect(&groups, 1, 2);
	push(&groups, 0, INT64_MAX, 0);
	expect(&groups, 0, 0);
	expect(&groups, 0, 1);
	expect_none(&groups);
}

/* Count the visits of groups that are still to be made. */
static size_t visits_left(const struct request_groups *groups)
{
	size_t count = 0;

	for (int level = 0; level < WINDOW_LEVELS; level++)
		for (int digit = 0; digit < WINDOW_DIGITS; digit++)
			count += groups->windows.lists[level][digit].count;
	return count;
}

static void visits_of_a_group_do_not_multiply(void **unused)
{
	enum { FEW = 8 };
	struct request_groups groups;

	(void)unused;
	begin(&groups, 2, 2);
	push(&groups, 0, 8 * WINDOW, 80);
	for (uint32_t round = 0; round < ROUNDS; round++) {
		const uint64_t first = (uint64_t)round * 10 * WINDOW;

		/* The group, which is in a later window, is added to an earlier one. */
		push(&groups, 0, first + 3 * WINDOW, 30);
		push(&groups, 0, first + 18 * WINDOW, 80);
		push(&groups, 1, first + 9 * WINDOW, 90);
		expect(&groups, 0, 30);
		expect(&groups, 0, 80);
		expect(&groups, 1, 90);
		assert_true(visits_left(&groups) <= FEW);
	}
	expect(&groups, 0, 80);
	expect_none(&groups);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_of_a_group_come_in_order),
		cmocka_unit_test(a_group_that_awaits_nothing_goes_ahead),
		cmocka_unit_test(
			a_group_that_awaits_something_is_not_served_after_the_first_window),
		cmocka_unit_test(mails_come_when_they_may_be_all_that_is_awaited),
		cmocka_unit_test(mails_come_with_their_window),
		cmocka_unit_test(times_may_be_as_large_as_they_can),
		cmocka_unit_test(visits_of_a_group_do_not_multiply),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
