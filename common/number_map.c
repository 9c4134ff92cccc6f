#include "common/number_map.h"

#include "common/array.h"
#include "common/hash.h"

#include <stdlib.h>

static size_t number_map_hash(uint64_t key, uint32_t second)
{
	return (size_t)mix64(key ^ (uint64_t)second << 32 ^ second);
}

/* Find the place of a key, or the free place for it.  The capacity must not be 0. */
static size_t number_map_find(const struct number_map *map, uint64_t key, uint32_t second)
{
	size_t mask = map->capacity - 1;
	size_t at = number_map_hash(key, second) & mask;

	while (map->entries[at].value != NUMBER_MAP_EMPTY &&
	       (map->entries[at].key != key || map->entries[at].second != second))
		at = (at + 1) & mask;
	return at;
}

uint32_t number_map_get(const struct number_map *map, uint64_t key, uint32_t second)
{
	return map->count ? map->entries[number_map_find(map, key, second)].value : NUMBER_MAP_EMPTY;
}

static void empty(struct number_map *map)
{
	for (size_t i = 0; i < map->capacity; i++)
		map->entries[i].value = NUMBER_MAP_EMPTY;
	map->count = 0;
}

static int number_map_grow(struct number_map *map, struct error *err)
{
	struct number_map larger = {.capacity = map->capacity ? 2 * map->capacity : 64};

	TRY(allocate(&larger.entries, larger.capacity, sizeof *larger.entries, err));
	empty(&larger);
	for (size_t i = 0; i < map->capacity; i++) {
		const struct number_map_entry *entry = &map->entries[i];

		if (entry->value != NUMBER_MAP_EMPTY)
			larger.entries[number_map_find(&larger, entry->key, entry->second)] = *entry;
	}
	larger.count = map->count;
	free(map->entries);
	*map = larger;
	return 0;
}

int number_map_set(struct number_map *map, uint64_t key, uint32_t second, uint32_t value,
		   uint32_t *before, struct error *err)
{
	struct number_map_entry *entry;

	if (2 * (map->count + 1) > map->capacity)
		TRY(number_map_grow(map, err));
	entry = &map->entries[number_map_find(map, key, second)];
	*before = entry->value;
	map->count += entry->value == NUMBER_MAP_EMPTY;
	*entry = (struct number_map_entry){.key = key, .second = second, .value = value};
	return 0;
}

int number_map_add(struct number_map *map, uint64_t key, uint32_t second, uint32_t value,
		   struct error *err)
{
	uint32_t before;

	return number_map_set(map, key, second, value, &before, err);
}

int number_map_increment(struct number_map *map, uint64_t key, uint32_t second, uint32_t *value,
			 struct error *err)
{
	struct number_map_entry *entry =
		map->count ? &map->entries[number_map_find(map, key, second)] : NULL;

	*value = 1;
	if (!entry || entry->value == NUMBER_MAP_EMPTY)
		return number_map_add(map, key, second, 1, err);
	*value = ++entry->value;
	return 0;
}

uint32_t number_map_remove(struct number_map *map, uint64_t key, uint32_t second)
{
	size_t mask = map->capacity - 1;
	size_t hole, at;
	uint32_t value;

	if (!map->count)
		return NUMBER_MAP_EMPTY;
	hole = number_map_find(map, key, second);
	value = map->entries[hole].value;
	if (value == NUMBER_MAP_EMPTY)
		return value;
	map->count--;
	/* Close the hole: move entries back that would not be found behind it. */
	for (at = (hole + 1) & mask; map->entries[at].value != NUMBER_MAP_EMPTY;
	     at = (at + 1) & mask) {
		size_t home = number_map_hash(map->entries[at].key, map->entries[at].second) & mask;

		if (((at - home) & mask) >= ((at - hole) & mask)) {
			map->entries[hole] = map->entries[at];
			hole = at;
		}
	}
	map->entries[hole].value = NUMBER_MAP_EMPTY;
	return value;
}

void number_map_clear(struct number_map *map)
{
	/* Bound the cost of clearing by the number of keys, also after a far larger map. */
	if (map->capacity > 64 && map->count < map->capacity / 16)
		number_map_release(map);
	else if (map->count)
		empty(map);
}

void number_map_release(struct number_map *map)
{
	free(map->entries);
	*map = (struct number_map){0};
}
