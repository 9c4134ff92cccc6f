/* Numbered items made by several threads and taken in order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "common/array.h"
#include "common/parallel/parallel.h"

enum { NEVER = UINT32_MAX };

struct items {
	uint32_t taken;			/* items taken, in order */
	uint32_t make_fails, take_fails;	/* from this item on, or NEVER */
	uint64_t sum;
};

struct state {
	uint64_t made;
	char *text;			/* something to release */
};

static int make(void *shared, void *state_of_thread, uint32_t item, struct error *err)
{
	const struct items *items = shared;
	struct state *state = state_of_thread;

	if (!state->text)
		TRY(allocate(&state->text, 10, 1, err));
	if (item >= items->make_fails)
		return error_set(err, STATUS_DATA, "item %u", item);
	state->made = (uint64_t)item * item;
	return 0;
}

static int take(void *shared, void *state_of_thread, uint32_t item, struct error *err)
{
	struct items *items = shared;
	const struct state *state = state_of_thread;

	assert_int_equal(item, items->taken);
	if (item >= items->take_fails)
		return error_set(err, STATUS_LIMIT, "item %u", item);
	items->taken++;
	items->sum += state->made;
	return 0;
}

static void release(void *state_of_thread)
{
	struct state *state = state_of_thread;

	free(state->text);
}

static int run(struct items *items, uint32_t count, unsigned threads, struct error *err)
{
	const struct parallel_work work = {
		.make = make, .take = take, .shared = items,
		.state_bytes = sizeof(struct state), .release = release,
	};

	return parallel_run(&work, count, threads, err);
}

static void items_are_taken_in_order_by_any_number_of_threads(void **unused)
{
	(void)unused;
	for (unsigned threads = 1; threads <= 8; threads++) {
		for (uint32_t count = 0; count < 300; count = 2 * count + 1) {
			struct items items = {.make_fails = NEVER, .take_fails = NEVER};
			struct error err;
			uint64_t sum = 0;

			assert_int_equal(run(&items, count, threads, &err), 0);
			for (uint32_t i = 0; i < count; i++)
				sum += (uint64_t)i * i;
			assert_int_equal(items.taken, count);
			assert_int_equal(items.sum, sum);
		}
	}
}

static void the_first_item_that_fails_is_the_error_and_all_before_are_taken(void **unused)
{
	(void)unused;
	for (unsigned threads = 1; threads <= 8; threads++) {
		for (uint32_t bad = 0; bad < 20; bad++) {
			struct items items = {.make_fails = bad, .take_fails = NEVER};
			struct error err;
			char text[20];

			snprintf(text, sizeof text, "item %u", bad);
			assert_int_equal(run(&items, 40, threads, &err), -1);
			assert_int_equal(err.status, STATUS_DATA);
			assert_string_equal(err.text, text);
			assert_int_equal(items.taken, bad);

			items = (struct items){.make_fails = bad + 1, .take_fails = bad};
			assert_int_equal(run(&items, 40, threads, &err), -1);
			assert_int_equal(err.status, STATUS_LIMIT);
			assert_string_equal(err.text, text);
			assert_int_equal(items.taken, bad);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(items_are_taken_in_order_by_any_number_of_threads),
		cmocka_unit_test(the_first_item_that_fails_is_the_error_and_all_before_are_taken),
	};

	return cmocka_run_group_tests_name("parallel", tests, NULL, NULL);
}
