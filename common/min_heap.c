#include "common/min_heap.h"

#include <stdbool.h>

static bool before(const struct min_heap_entry *a, const struct min_heap_entry *b)
{
	return a->key != b->key ? a->key < b->key : a->number < b->number;
}

int min_heap_push(struct min_heap *heap, uint64_t key, uint32_t number, struct error *err)
{
	struct min_heap_entry entry = {.key = key, .number = number}, *entries;
	size_t at;

	TRY(array_push(&heap->entries, entry, err));
	entries = heap->entries.items;
	for (at = heap->entries.count - 1; at && before(&entry, &entries[(at - 1) / 2]);
	     at = (at - 1) / 2)
		entries[at] = entries[(at - 1) / 2];
	entries[at] = entry;
	return 0;
}

uint32_t min_heap_pop(struct min_heap *heap)
{
	struct min_heap_entry *entries = heap->entries.items;
	size_t count = --heap->entries.count, at = 0, child;
	struct min_heap_entry moved = entries[count];
	uint32_t first = entries[0].number;

	for (; (child = 2 * at + 1) < count; at = child) {
		child += child + 1 < count && before(&entries[child + 1], &entries[child]);
		if (!before(&entries[child], &moved))
			break;
		entries[at] = entries[child];
	}
	entries[at] = moved;
	return first;
}

void min_heap_release(struct min_heap *heap)
{
	array_release(&heap->entries);
}
