/* Cells of a usage profile: each call is in one cell, whatever the order and the number of keys. */
#include "usage/log/cell.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

static struct usage_table table, other;

static int set_up(void **state)
{
	(void)state;
	memset(&table, 0, sizeof table);
	memset(&other, 0, sizeof other);
	usage_table_init(&table);
	usage_table_init(&other);
	return 0;
}

static struct usage_key key_of(unsigned number)
{
	return (struct usage_key){.function = (uint16_t)(number % 50),
				  .size_class = (uint8_t)(number / 50 % 20),
				  .comm_class = (uint8_t)(number / 1000 % 3)};
}

static void each_key_has_a_cell_of_its_own(void **state)
{
	enum { KEYS = 2000 };
	uint64_t calls[KEYS] = {0}, bytes[KEYS] = {0};

	(void)state;
	srand(1);
	for (unsigned i = 0; i < 100000; i++) {
		const unsigned number = (unsigned)rand() % KEYS;

		usage_add(usage_cell(&table, key_of(number)), i, 2 * i, 3, 0);
		calls[number]++, bytes[number] += i;
	}
	assert_int_equal(table.count, KEYS);
	for (unsigned number = 0; number < KEYS; number++) {
		const struct usage_cell *cell = usage_cell(&table, key_of(number));

		assert_int_equal(cell->calls, calls[number]);
		assert_int_equal(cell->bytes, bytes[number]);
		assert_int_equal(cell->moved, 2 * bytes[number]);
		assert_int_equal(cell->ticks, 3 * calls[number]);
	}
	assert_false(table.overflow);
}

static void a_full_table_counts_the_rest_together(void **state)
{
	const struct usage_cell *cells[USAGE_CELLS];

	(void)state;
	table.room = 10;
	for (unsigned number = 0; number < 30; number++)
		usage_add(usage_cell(&table, key_of(number)), 1, 0, 1, 0);
	assert_int_equal(table.count, 10);
	assert_true(table.overflow);
	assert_int_equal(usage_table_sorted(&table, cells), 11);
	assert_int_equal(cells[10]->key.function, USAGE_REST);
	assert_int_equal(cells[10]->calls, 20);
	/* With more room new keys have cells again, and old ones are found. */
	table.room = 12;
	usage_add(usage_cell(&table, key_of(0)), 1, 0, 1, 0);
	usage_add(usage_cell(&table, key_of(40)), 1, 0, 1, 0);
	assert_int_equal(usage_cell(&table, key_of(0))->calls, 2);
	assert_int_equal(table.count, 11);
}

static void merged_tables_have_the_sums_of_both(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		usage_add(usage_cell(i % 3 ? &table : &other, key_of(i % 77)), i, 0, i + 1, i % 8);
	usage_table_merge(&table, &other);
	for (unsigned number = 0; number < 77; number++) {
		const struct usage_cell *cell = usage_cell(&table, key_of(number));
		uint64_t calls = 0, bytes = 0, bins = 0, most = 0;

		for (unsigned i = number; i < 1000; i += 77)
			calls++, bytes += i, most = i + 1;
		for (unsigned bin = 0; bin < USAGE_TIME_BINS; bin++)
			bins += cell->bins[bin];
		assert_int_equal(cell->calls, calls);
		assert_int_equal(cell->bytes, bytes);
		assert_int_equal(bins, calls);
		assert_int_equal(cell->least, number + 1);
		assert_int_equal(cell->most, most);
	}
}

static void sorted_cells_are_in_the_order_of_their_keys(void **state)
{
	const struct usage_cell *cells[USAGE_CELLS];
	unsigned count;

	(void)state;
	for (unsigned i = 0; i < 500; i++)
		usage_cell(&table, key_of(i * 7919 % 3000));
	count = usage_table_sorted(&table, cells);
	assert_int_equal(count, table.count);
	for (unsigned i = 1; i < count; i++)
		assert_true(usage_compare_keys(&cells[i - 1]->key, &cells[i]->key) < 0);
}

static void classes_hold_the_sizes_between_their_bounds(void **state)
{
	static const uint64_t sizes[] = {0, 1, 2, 3, 4, 255, 256, 257, 524287, 524288, 524289};

	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		const uint8_t class = usage_size_class(sizes[i]);

		assert_true(usage_class_least(class) <= sizes[i]);
		assert_true(usage_class_most(class) >= sizes[i]);
	}
	assert_int_equal(usage_class_most(usage_size_class(256)), 256);
	assert_int_equal(usage_class_least(usage_size_class(524288)), 524288);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(each_key_has_a_cell_of_its_own, set_up),
		cmocka_unit_test_setup(a_full_table_counts_the_rest_together, set_up),
		cmocka_unit_test_setup(merged_tables_have_the_sums_of_both, set_up),
		cmocka_unit_test_setup(sorted_cells_are_in_the_order_of_their_keys, set_up),
		cmocka_unit_test(classes_hold_the_sizes_between_their_bounds),
	};

	return cmocka_run_group_tests_name("usage/log/cell.h", tests, NULL, NULL);
}
