/* The hash table from numbers to numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/number_map.h"
#include "test/unit/lib/make/random_graph.h"

enum { KEYS = 300 };

/* Key i: close numbers and numbers that differ in high bits only. */
static uint64_t key_of(uint32_t i)
{
	return i % 2 ? i / 4 : (uint64_t)(i / 4) << 60 | (uint64_t)(i / 4) << 20;
}

static void map_agrees_with_an_array_under_random_changes(void **state)
{
	struct number_map map = {0};
	uint32_t expected[KEYS];
	uint64_t numbers = 3;
	struct error err;

	(void)state;
	for (uint32_t i = 0; i < KEYS; i++)
		expected[i] = NUMBER_MAP_EMPTY;
	for (uint32_t round = 0; round < 200000; round++) {
		uint32_t i = (uint32_t)random_below(&numbers, KEYS);

		assert_int_equal(number_map_get(&map, key_of(i), i), expected[i]);
		if (expected[i] == NUMBER_MAP_EMPTY) {
			assert_int_equal(number_map_add(&map, key_of(i), i, round, &err), 0);
			expected[i] = round;
		} else if (random_below(&numbers, 3) == 0) {
			uint32_t before;

			assert_int_equal(number_map_set(&map, key_of(i), i, round, &before, &err),
					 0);
			assert_int_equal(before, expected[i]);
			expected[i] = round;
		} else {
			assert_int_equal(number_map_remove(&map, key_of(i), i), expected[i]);
			expected[i] = NUMBER_MAP_EMPTY;
		}
		if (round % 50000 == 49999) {
			number_map_clear(&map);
			for (i = 0; i < KEYS; i++)
				expected[i] = NUMBER_MAP_EMPTY;
		}
	}
	number_map_release(&map);
	assert_int_equal(number_map_get(&map, 1, 1), NUMBER_MAP_EMPTY);
	assert_int_equal(number_map_remove(&map, 1, 1), NUMBER_MAP_EMPTY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(map_agrees_with_an_array_under_random_changes),
	};

	return cmocka_run_group_tests_name("number_map", tests, NULL, NULL);
}
