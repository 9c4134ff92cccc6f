/*
 * Growable arrays.
 *
 *	ARRAY(uint32_t) numbers = {0};
 *
 *	TRY(array_push(&numbers, 7, err));
 *	for (size_t i = 0; i < numbers.count; i++)
 *		use(numbers.items[i]);
 *	array_release(&numbers);
 *
 * Zero bytes are a valid empty array.  An array owns its items.  Growth
 * at least doubles the capacity, so that pushing n items costs O(n).
 */
#ifndef COMMON_ARRAY_H
#define COMMON_ARRAY_H

#include "common/error.h"

#include <stddef.h>
#include <stdlib.h>

#define ARRAY(type)              \
	struct {                 \
		type *items;     \
		size_t count;    \
		size_t capacity; \
	}

/* Make room for `extra` more items, which are not set.  Returns 0 or -1. */
#define array_reserve(array, extra, err)                                                     \
	((array)->capacity - (array)->count >= (size_t)(extra)                               \
		 ? 0                                                                         \
		 : array_grow_((void **)&(array)->items, &(array)->capacity, (array)->count, \
			       (extra), sizeof *(array)->items, (err)))

/* Append one item.  Returns 0 or -1. */
#define array_push(array, value, err)              \
	(array_reserve((array), 1, (err)) < 0 ? -1 \
					      : ((array)->items[(array)->count++] = (value), 0))

/* Give back the room that is not used. */
#define array_fit(array)                                                         \
	array_fit_((void **)&(array)->items, &(array)->capacity, (array)->count, \
		   sizeof *(array)->items)

/* Give back the memory of the items from `first` up to `end`, which must not be read any more. */
#define array_discard(array, first, end) \
	array_discard_((array)->items + (first), (array)->items + (end))

/* Free the items and leave an empty array. */
#define array_release(array) \
	(free((array)->items), (array)->items = NULL, (array)->count = (array)->capacity = 0)

/* Used by array_reserve. */
int array_grow_(void **items, size_t *capacity, size_t count, size_t extra, size_t item_bytes,
		struct error *err);

/* Used by array_fit. */
void array_fit_(void **items, size_t *capacity, size_t count, size_t item_bytes);

/* Used by array_discard. */
void array_discard_(void *first, void *end);

/*
 * Allocate `count` zeroed items of `item_bytes` each into *pointer, which is never NULL on success
 * and is to be given to free.  Returns 0 or -1.
 */
int allocate(void *pointer, size_t count, size_t item_bytes, struct error *err);

#endif
