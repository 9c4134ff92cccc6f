/* Loops found in sequences of calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace/sequence/repeats.h"

#include <string.h>

/* Count the iterations of the outermost pattern.  Each letter is a call, at 0, 1, 2, ... */
static size_t iterations(struct repeats *repeats, const char *calls)
{
	const struct repeat_item *found;
	struct error err;

	repeats_clear(repeats);
	for (size_t i = 0; calls[i]; i++)
		assert_int_equal(repeats_add(repeats, (uint64_t)calls[i], i, i + 1, &err), 0);
	found = repeats_outermost(repeats);
	return found ? found->starts.count : 0;
}

static void starts_are(struct repeats *repeats, const char *calls, size_t count,
		       const uint64_t *starts)
{
	assert_int_equal(iterations(repeats, calls), count);
	assert_memory_equal(repeats_outermost(repeats)->starts.items, starts,
			    count * sizeof *starts);
}

static void repeated_patterns_are_found(void **state)
{
	struct repeats repeats = {0};

	(void)state;
	assert_int_equal(iterations(&repeats, ""), 0);
	assert_int_equal(iterations(&repeats, "abcdef"), 0);
	assert_int_equal(iterations(&repeats, "aaaaa"), 5);
	assert_int_equal(iterations(&repeats, "abab"), 2);
	starts_are(&repeats, "xyabcabcabcz", 3, (const uint64_t[]){2, 5, 8});
	repeats_release(&repeats);
}

static void the_outermost_pattern_counts(void **state)
{
	struct repeats repeats = {0};

	(void)state;
	starts_are(&repeats, "iabbbbcabbbbcabbbbcf", 3, (const uint64_t[]){1, 7, 13});
	starts_are(&repeats, "ibcbcbcabcbcbcabcbcbcaf", 3, (const uint64_t[]){1, 8, 15});
	repeats_release(&repeats);
}

static void repeats_within_iterations_may_differ_in_number(void **state)
{
	struct repeats repeats = {0};

	(void)state;
	starts_are(&repeats, "iabbcabbbbbcabbbc", 3, (const uint64_t[]){1, 5, 12});
	starts_are(&repeats, "iabcbcabcbcbcbcabcbcbce", 3, (const uint64_t[]){1, 6, 15});
	starts_are(&repeats, "abbbabbabbbbb", 3, (const uint64_t[]){0, 4, 7});
	repeats_release(&repeats);
}

static void three_levels_are_found(void **state)
{
	char calls[2000] = "p", *to = calls + 1;
	struct repeats repeats = {0};

	(void)state;
	for (int i = 0; i < 5; i++) {
		*to++ = 'a';
		for (int j = 0; j < 4 + i; j++) {
			*to++ = 'b';
			for (int k = 0; k < 2 + (i + j) % 5; k++)
				*to++ = 'c';
			*to++ = 'd';
		}
		*to++ = 'e';
	}
	assert_int_equal(iterations(&repeats, calls), 5);
	repeats_release(&repeats);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(repeated_patterns_are_found),
		cmocka_unit_test(the_outermost_pattern_counts),
		cmocka_unit_test(repeats_within_iterations_may_differ_in_number),
		cmocka_unit_test(three_levels_are_found),
	};

	return cmocka_run_group_tests_name("repeats", tests, NULL, NULL);
}
