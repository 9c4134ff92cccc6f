/* The queue of requests gives them out in order. */
#include "test/unit/lib/must.h"
#include "test/unit/lib/random_graph.h"

#include "llamp/graph/request_queue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { ROUNDS = 200, MOST_REQUESTS = 2000 };

static void push(struct request_queue *queue, uint64_t time, uint32_t event)
{
	struct error err;

	MUST(request_queue_push(queue, (struct request){time, event, ~event}, &err));
}

/* Take a request, which is not before *last and has the data of its event. */
static void take(struct request_queue *queue, struct request *last)
{
	struct request first;
	struct error err;

	assert_int_equal(request_queue_take(queue, &first, &err), 1);
	assert_true(first.time >= last->time);
	assert_int_equal(first.data, ~first.event);
	*last = first;
}

/* Distance of a new request: some are at the same time, some far away. */
static uint64_t distance(uint64_t *numbers)
{
	return random_below(numbers, UINT64_C(1) << random_below(numbers, 40)) &
	       ~random_below(numbers, 64);
}

static void requests_come_in_the_order_of_their_times(void **unused)
{
	(void)unused;
	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		const uint64_t count = 1 + random_below(&(uint64_t){seed}, MOST_REQUESTS);
		struct request_queue queue = {0};
		struct request last = {0};
		uint64_t numbers = seed, pushed = 0, taken = 0;
		struct error err;

		while (taken < count) {
			const uint64_t more = random_below(&numbers, 5);

			for (uint64_t i = 0; i < more && pushed < count; i++)
				push(&queue, last.time + distance(&numbers), (uint32_t)pushed++);
			if (taken < pushed) {
				take(&queue, &last);
				taken++;
			}
		}
		assert_int_equal(request_queue_take(&queue, &last, &err), 0);
		request_queue_release(&queue);
	}
}

static void requests_of_one_time_come_in_the_order_of_their_numbers(void **unused)
{
	struct request_queue queue = {0};
	struct request last = {0};

	(void)unused;
	/* Numbers from 1 on, in another order: 7919 is a prime. */
	for (uint32_t i = 1; i <= MOST_REQUESTS; i++)
		push(&queue, 1000, i * 7919 % 7927);
	for (uint32_t i = 1; i <= MOST_REQUESTS; i++) {
		const uint32_t before = last.event;

		take(&queue, &last);
		assert_true(last.event > before);
	}
	/* One that is pushed late, at the time of the last. */
	push(&queue, 1000, 5);
	push(&queue, 1000, 3);
	take(&queue, &last);
	assert_int_equal(last.event, 3);
	request_queue_release(&queue);
}

static void times_may_be_as_large_as_they_can(void **unused)
{
	struct request_queue queue = {0};
	struct request last = {0};

	(void)unused;
	push(&queue, INT64_MAX, 1);
	push(&queue, INT64_MAX - 1, 2);
	push(&queue, 0, 3);
	take(&queue, &last);
	assert_int_equal(last.event, 3);
	take(&queue, &last);
	assert_int_equal(last.event, 2);
	push(&queue, INT64_MAX, 0);
	take(&queue, &last);
	assert_int_equal(last.event, 0);
	take(&queue, &last);
	assert_int_equal(last.event, 1);
	request_queue_release(&queue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_come_in_the_order_of_their_times),
		cmocka_unit_test(requests_of_one_time_come_in_the_order_of_their_numbers),
		cmocka_unit_test(times_may_be_as_large_as_they_can),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
