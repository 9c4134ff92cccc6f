#include "trace/call/string_table.h"

#include <string.h>

/* Store a copy of the string, numbered by the strings so far. */
static int add_copy(struct string_table *table, const char *string, size_t bytes,
		    struct error *err)
{
	const uint32_t number = (uint32_t)table->starts.count;
	char *copy;

	TRY(array_reserve(&table->starts, 1, err));
	TRY(allocate(&copy, bytes + 1, 1, err));
	memcpy(copy, string, bytes);
	if (string_map_add(&table->numbers, copy, (uint32_t)bytes, number, err) < 0) {
		free(copy);
		return -1;
	}
	table->starts.items[table->starts.count++] = copy;
	return 0;
}

int string_table_add(struct string_table *table, const char *string, size_t bytes,
		     uint32_t *number, struct error *err)
{
	if (bytes > UINT32_MAX)
		return error_set(err, STATUS_LIMIT, "a string of more than %u bytes", UINT32_MAX);
	*number = string_map_get(&table->numbers, string, (uint32_t)bytes);
	if (*number != STRING_MAP_EMPTY)
		return 0;
	*number = (uint32_t)table->starts.count;
	if (*number == STRING_MAP_EMPTY)
		return error_set(err, STATUS_LIMIT, "more than %u strings", UINT32_MAX);
	return add_copy(table, string, bytes, err);
}

const char *string_table_get(const struct string_table *table, uint32_t number)
{
	return table->starts.items[number];
}

void string_table_release(struct string_table *table)
{
	for (size_t i = 0; i < table->starts.count; i++)
		free(table->starts.items[i]);
	array_release(&table->starts);
	string_map_release(&table->numbers);
}
