#include "common/string_map.h"

#include "common/array.h"
#include "common/hash.h"

#include <string.h>

/* Find the entry of a string, or the free entry for it.  The capacity must not be 0. */
static struct string_map_entry *string_map_find(const struct string_map *map, const char *text,
						uint32_t bytes)
{
	const size_t mask = map->capacity - 1;
	const uint64_t hash = hash_bytes(text, bytes);
	size_t at = (size_t)(hash ^ hash >> 32) & mask;

	while (map->entries[at].text && (map->entries[at].bytes != bytes ||
					 memcmp(map->entries[at].text, text, bytes) != 0))
		at = (at + 1) & mask;
	return &map->entries[at];
}

uint32_t string_map_get(const struct string_map *map, const char *text, uint32_t bytes)
{
	const struct string_map_entry *entry;

	if (map->count == 0)
		return STRING_MAP_EMPTY;
	entry = string_map_find(map, text, bytes);
	return entry->text ? entry->value : STRING_MAP_EMPTY;
}

static int string_map_grow(struct string_map *map, struct error *err)
{
	struct string_map larger = {
		.count = map->count, .capacity = map->capacity ? 2 * map->capacity : 16,
	};

	TRY(allocate(&larger.entries, larger.capacity, sizeof *larger.entries, err));
	for (size_t i = 0; i < map->capacity; i++) {
		const struct string_map_entry *entry = &map->entries[i];

		if (entry->text)
			*string_map_find(&larger, entry->text, entry->bytes) = *entry;
	}
	free(map->entries);
	*map = larger;
	return 0;
}

int string_map_add(struct string_map *map, const char *text, uint32_t bytes, uint32_t value,
		   struct error *err)
{
	if (2 * (map->count + 1) > map->capacity)
		TRY(string_map_grow(map, err));
	*string_map_find(map, text, bytes) = (struct string_map_entry){text, bytes, value};
	map->count++;
	return 0;
}

void string_map_clear(struct string_map *map)
{
	/* Clearing a map that is mostly empty would take longer than filling it has taken. */
	if (map->count < map->capacity / 8)
		string_map_release(map);
	else if (map->count)
		memset(map->entries, 0, map->capacity * sizeof *map->entries);
	map->count = 0;
}

void string_map_release(struct string_map *map)
{
	free(map->entries);
	*map = (struct string_map){0};
}
