#include "eventflow/generate/free_tags.h"

#include <stdlib.h>

int free_tags_note(struct free_tags *tags, const struct mpi_event *event, uint32_t world,
		   struct error *err)
{
	switch (event->kind) {
	case EVENT_SEND:
	case EVENT_RECV:
	case EVENT_ISEND:
	case EVENT_IRECV:
		break;
	default:
		return 0;
	}
	if (event->comm != world || number_map_get(&tags->known, event->tag, 0) != NUMBER_MAP_EMPTY)
		return 0;
	TRY(number_map_add(&tags->known, event->tag, 0, 0, err));
	return array_push(&tags->used, event->tag, err);
}

static int compare_tags(const void *left, const void *right)
{
	const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

int free_tags_find(struct free_tags *tags, uint32_t count, uint32_t *first, struct error *err)
{
	size_t i = 0;

	if (tags->used.count)
		qsort(tags->used.items, tags->used.count, sizeof *tags->used.items, compare_tags);
	*first = 0;
	while (i < tags->used.count && tags->used.items[i] - *first < count)
		*first = tags->used.items[i++] + 1;
	return (uint64_t)*first + count <= (uint64_t)INT32_MAX + 1
		       ? 0
		       : error_set(err, STATUS_LIMIT,
				   "messages on MPI_COMM_WORLD leave no %u tags in a row for the "
				   "communicators: no program can be generated",
				   count);
}

void free_tags_release(struct free_tags *tags)
{
	number_map_release(&tags->known);
	array_release(&tags->used);
}
