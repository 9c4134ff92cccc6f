/* The hash table from strings to numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/string_map.h"

enum { STRINGS = 5000, TEXT_BYTES = 8 };

static void every_string_has_its_value_until_the_map_is_cleared(void **state)
{
	static char texts[STRINGS][TEXT_BYTES];
	struct string_map map = {0};
	struct error err;

	(void)state;
	for (int round = 0; round < 3; round++) {
		/* A round with few strings follows one with many. */
		const uint32_t count = round == 1 ? 3 : STRINGS;

		for (uint32_t i = 0; i < count; i++) {
			const uint32_t bytes = (uint32_t)snprintf(texts[i], TEXT_BYTES, "%u", i);

			assert_int_equal(string_map_get(&map, texts[i], bytes), STRING_MAP_EMPTY);
			assert_int_equal(string_map_add(&map, texts[i], bytes, i + 7, &err), 0);
		}
		for (uint32_t i = 0; i < count; i++) {
			char text[TEXT_BYTES];

			memcpy(text, texts[i], TEXT_BYTES);
			assert_int_equal(string_map_get(&map, text, (uint32_t)strlen(text)), i + 7);
		}
		assert_int_equal(string_map_get(&map, "12a", 3), STRING_MAP_EMPTY);
		assert_int_equal(string_map_get(&map, "12a", 2), count > 12 ? 19 : STRING_MAP_EMPTY);
		string_map_clear(&map);
	}
	string_map_release(&map);
}

static void the_empty_string_is_a_string(void **state)
{
	struct string_map map = {0};
	struct error err;

	(void)state;
	assert_int_equal(string_map_get(&map, "", 0), STRING_MAP_EMPTY);
	assert_int_equal(string_map_add(&map, "", 0, 5, &err), 0);
	assert_int_equal(string_map_get(&map, "x", 0), 5);
	string_map_release(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_string_has_its_value_until_the_map_is_cleared),
		cmocka_unit_test(the_empty_string_is_a_string),
	};

	return cmocka_run_group_tests_name("string_map", tests, NULL, NULL);
}
