/*
 * Hash table from pairs of numbers to numbers, with open addressing: one array and no allocation
 * per entry.  Zero bytes are a valid empty map.
 */
#ifndef COMMON_NUMBER_MAP_H
#define COMMON_NUMBER_MAP_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct number_map_entry {
	uint64_t key;
	uint32_t second;	/* second part of the key */
	uint32_t value;		/* NUMBER_MAP_EMPTY if the place is free */
};

#define NUMBER_MAP_EMPTY UINT32_MAX	/* no value */

struct number_map {
	struct number_map_entry *entries;
	size_t count, capacity;		/* capacity is 0 or a power of two */
};

/* Find the value of a key, or NUMBER_MAP_EMPTY. */
uint32_t number_map_get(const struct number_map *map, uint64_t key, uint32_t second);

/* Add a key that the map does not have. */
int number_map_add(struct number_map *map, uint64_t key, uint32_t second, uint32_t value,
		   struct error *err);

/*
 * Set the value of a key, which the map may have.  *before becomes its value so far, or
 * NUMBER_MAP_EMPTY.
 */
int number_map_set(struct number_map *map, uint64_t key, uint32_t second, uint32_t value,
		   uint32_t *before, struct error *err);

/* Remove a key.  Returns its value, or NUMBER_MAP_EMPTY. */
uint32_t number_map_remove(struct number_map *map, uint64_t key, uint32_t second);

/* Add 1 to the value of a key, or add the key with 1.  *value becomes the sum. */
int number_map_increment(struct number_map *map, uint64_t key, uint32_t second, uint32_t *value,
			 struct error *err);

/* Remove all keys, in time proportional to their number. */
void number_map_clear(struct number_map *map);
void number_map_release(struct number_map *map);

#endif
