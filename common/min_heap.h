/*
 * Binary heap of numbers with keys.  The least key comes out first, and of equal keys the least
 * number.  Zero bytes are a valid empty heap.
 */
#ifndef COMMON_MIN_HEAP_H
#define COMMON_MIN_HEAP_H

#include "common/array.h"

#include <stdint.h>

struct min_heap_entry {
	uint64_t key;
	uint32_t number;
};

struct min_heap {
	ARRAY(struct min_heap_entry) entries;
};

int min_heap_push(struct min_heap *heap, uint64_t key, uint32_t number, struct error *err);

/* Take the first entry out of a heap that is not empty.  Returns its number. */
uint32_t min_heap_pop(struct min_heap *heap);

void min_heap_release(struct min_heap *heap);

#endif
