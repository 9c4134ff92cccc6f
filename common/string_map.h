/*
 * Hash table from strings to numbers, with open addressing: one array and no allocation per
 * entry.  It refers to the strings, which must outlive it.  Zero bytes are a valid empty map.
 */
#ifndef COMMON_STRING_MAP_H
#define COMMON_STRING_MAP_H

#include "common/error.h"

#include <stddef.h>
#include <stdint.h>

struct string_map_entry {
	const char *text;	/* not owned, NULL if the place is free */
	uint32_t bytes;
	uint32_t value;
};

#define STRING_MAP_EMPTY UINT32_MAX	/* no value */

struct string_map {
	struct string_map_entry *entries;
	size_t count, capacity;		/* capacity is 0 or a power of two */
};

/* Find the value of the string of `bytes` bytes, or STRING_MAP_EMPTY. */
uint32_t string_map_get(const struct string_map *map, const char *text, uint32_t bytes);

/* Add a string that the map does not have. */
int string_map_add(struct string_map *map, const char *text, uint32_t bytes, uint32_t value,
		   struct error *err);

/* Remove all strings, in time proportional to their number. */
void string_map_clear(struct string_map *map);
void string_map_release(struct string_map *map);

#endif
