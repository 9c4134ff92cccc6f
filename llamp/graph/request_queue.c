#include "llamp/graph/request_queue.h"

static inline bool is_before(const struct request *a, const struct request *b)
{
	return a->time != b->time ? a->time < b->time : a->event < b->event;
}

int request_queue_push_heap_(struct request_queue *queue, struct request request, struct error *err)
{
	struct request_list *heap = &queue->heap;
	struct request *items;
	size_t at;

	TRY(array_push(heap, request, err));
	items = heap->items;
	for (at = heap->count - 1; at && is_before(&request, &items[(at - 1) / 2]);
	     at = (at - 1) / 2)
		items[at] = items[(at - 1) / 2];
	items[at] = request;
	return 0;
}

static struct request pop_heap(struct request_list *heap)
{
	struct request *items = heap->items;
	const size_t count = --heap->count;
	const struct request first = items[0], moved = items[count];
	size_t at = 0, child;

	for (; (child = 2 * at + 1) < count; at = child) {
		child += child + 1 < count && is_before(&items[child + 1], &items[child]);
		if (!is_before(&items[child], &moved))
			break;
		items[at] = items[child];
	}
	items[at] = moved;
	return first;
}

/* Sort a short list into the next requests. */
static void sort_next(struct request_queue *queue, const struct request_list *list)
{
	struct request *next = queue->next;

	for (uint32_t i = 0; i < list->count; i++) {
		const struct request *added = &list->items[i];
		uint32_t at = i;

		for (; at && is_before(&next[at - 1], added); at--)
			next[at] = next[at - 1];
		next[at] = *added;
	}
	queue->next_count = (uint32_t)list->count;
}

static uint64_t least_time(const struct request_list *list)
{
	uint64_t least = list->items[0].time;

	for (size_t i = 1; i < list->count; i++)
		least = list->items[i].time < least ? list->items[i].time : least;
	return least;
}

/* Make the first list, at a level, the next requests; or spread it over lower levels. */
static int open_list(struct request_queue *queue, int level, struct error *err)
{
	const int shift = level * REQUEST_DIGIT_BITS, digit = __builtin_ctz(queue->filled[level]);
	struct request_list *list = &queue->lists[level][digit];
	const size_t count = list->count;

	queue->filled[level] &= queue->filled[level] - 1;
	queue->base = least_time(list);
	if (count <= REQUESTS_NEXT) {
		queue->limit = ((queue->base >> shift) + 1) << shift;
		sort_next(queue, list);
		list->count = 0;
		return 0;
	}
	/* Requests at the least time cannot be spread. */
	queue->limit = queue->base + 1;
	list->count = 0;
	for (size_t i = 0; i < count; i++)
		TRY(request_queue_push(queue, list->items[i], err));
	return 0;
}

/* Find the next requests when there are none. */
static int find_next(struct request_queue *queue, struct error *err)
{
	for (int level = 0; level < REQUEST_LEVELS; level++)
		if (queue->filled[level])
			return open_list(queue, level, err);
	return 0;
}

int request_queue_take(struct request_queue *queue, struct request *first, struct error *err)
{
	const struct request_list *heap = &queue->heap;
	const struct request *next;

	if (!queue->next_count && !heap->count)
		TRY(find_next(queue, err));
	next = queue->next_count ? &queue->next[queue->next_count - 1] : NULL;
	if (heap->count && (!next || is_before(&heap->items[0], next))) {
		*first = pop_heap(&queue->heap);
		return 1;
	}
	if (!next)
		return 0;
	*first = *next;
	queue->next_count--;
	return 1;
}

void request_queue_release(struct request_queue *queue)
{
	array_release(&queue->heap);
	for (int level = 0; level < REQUEST_LEVELS; level++)
		for (int digit = 0; digit < REQUEST_DIGITS; digit++)
			array_release(&queue->lists[level][digit]);
}
