#include "common/array.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE_BYTES = 4096, LARGE_BYTES = 1 << 20 };

/* Giving back fewer bytes is not worth a call of the system. */
enum { LEAST_DISCARDED = 1 << 16 };

/*
 * Ask for large pages for large arrays.  Filling small pages for the first time would take longer
 * than most work on the array.
 */
static void advise(void *items, size_t bytes)
{
	/* Include all of the first and last page: otherwise realloc would have to copy. */
	const uintptr_t first = (uintptr_t)items / PAGE_BYTES * PAGE_BYTES;
	const uintptr_t end = ((uintptr_t)items + bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;

	if (bytes >= LARGE_BYTES)
		madvise((void *)first, end - first, MADV_HUGEPAGE);
}

int array_grow_(void **items, size_t *capacity, size_t count, size_t extra, size_t item_bytes,
		struct error *err)
{
	const size_t most = SIZE_MAX / 2 / item_bytes;
	size_t wanted = 2 * *capacity;
	void *grown;

	if (extra > most || count > most - extra)
		return error_set_memory(err, ~0ULL);
	if (wanted < 16)
		wanted = 16;
	if (wanted < count + extra)
		wanted = count + extra;
	grown = realloc(*items, wanted * item_bytes);
	if (!grown)
		return error_set_memory(err, (unsigned long long)wanted * item_bytes);
	advise(grown, wanted * item_bytes);
	*items = grown;
	*capacity = wanted;
	return 0;
}

void array_fit_(void **items, size_t *capacity, size_t count, size_t item_bytes)
{
	void *fitting = count && count < *capacity ? realloc(*items, count * item_bytes) : NULL;

	if (!fitting)
		return;
	*items = fitting;
	*capacity = count;
}

void array_discard_(void *first, void *end)
{
	const uintptr_t from = ((uintptr_t)first + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	const uintptr_t to = (uintptr_t)end / PAGE_BYTES * PAGE_BYTES;

	if (from < to && to - from >= LEAST_DISCARDED)
		madvise((void *)from, to - from, MADV_DONTNEED);
}

int allocate(void *pointer, size_t count, size_t item_bytes, struct error *err)
{
	void *block;

	if (count > SIZE_MAX / 2 / item_bytes)
		return error_set_memory(err, ~0ULL);
	block = calloc(count ? count : 1, item_bytes);
	if (!block)
		return error_set_memory(err, (unsigned long long)count * item_bytes);
	advise(block, count * item_bytes);
	memcpy(pointer, &block, sizeof block);
	return 0;
}
