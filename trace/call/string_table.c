#include "trace/call/string_table.h"

#include <string.h>

static uint64_t hash_string(const char *string, size_t bytes)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < bytes; i++)
		hash = (hash ^ (unsigned char)string[i]) * UINT64_C(0x100000001b3);
	return hash ^ hash >> 32;
}

/* The slot that holds the string, or the free one where it belongs. */
static uint32_t *find_slot(struct string_table *table, const char *string, size_t bytes)
{
	size_t mask = table->slots.count - 1;
	size_t at = hash_string(string, bytes) & mask;

	while (table->slots.items[at]) {
		const char *other = string_table_get(table, table->slots.items[at] - 1);

		if (strncmp(other, string, bytes) == 0 && other[bytes] == 0)
			break;
		at = (at + 1) & mask;
	}
	return &table->slots.items[at];
}

/* Make the slots at least twice as many as the strings. */
static int grow_slots(struct string_table *table, struct error *err)
{
	size_t count = table->slots.count ? 2 * table->slots.count : 64;

	table->slots.count = 0;
	TRY(array_reserve(&table->slots, count, err));
	table->slots.count = count;
	memset(table->slots.items, 0, count * sizeof *table->slots.items);
	for (size_t i = 0; i < table->starts.count; i++) {
		const char *string = string_table_get(table, (uint32_t)i);

		*find_slot(table, string, strlen(string)) = (uint32_t)i + 1;
	}
	return 0;
}

int string_table_add(struct string_table *table, const char *string, size_t bytes,
		     uint32_t *number, struct error *err)
{
	uint32_t *slot;

	if (2 * (table->starts.count + 1) > table->slots.count)
		TRY(grow_slots(table, err));
	slot = find_slot(table, string, bytes);
	if (!*slot) {
		if (table->starts.count >= UINT32_MAX - 1)
			return error_set(err, STATUS_LIMIT, "more than %u strings", UINT32_MAX - 1);
		TRY(array_reserve(&table->text, bytes + 1, err));
		TRY(array_push(&table->starts, table->text.count, err));
		memcpy(table->text.items + table->text.count, string, bytes);
		table->text.items[table->text.count + bytes] = 0;
		table->text.count += bytes + 1;
		*slot = (uint32_t)table->starts.count;
	}
	*number = *slot - 1;
	return 0;
}

const char *string_table_get(const struct string_table *table, uint32_t number)
{
	return table->text.items + table->starts.items[number];
}

void string_table_release(struct string_table *table)
{
	array_release(&table->text);
	array_release(&table->starts);
	array_release(&table->slots);
}
