/*
 * Requests in the order of their times, and of equal times in the order of their events' numbers.
 *
 * A request is never before one that was taken.  So only the next few requests are kept in
 * order.  Later ones lie unordered in lists: that of level l and digit d has those whose time,
 * written to the base 32, has d as its digit l and the digits of `base` above it (a radix heap:
 * Ahuja, Mehlhorn, Orlin, Tarjan, "Faster algorithms for the shortest path problem", 1990).
 * Zero bytes are a valid empty queue.
 */
#ifndef LLAMP_REQUEST_QUEUE_H
#define LLAMP_REQUEST_QUEUE_H

#include "common/array.h"

#include <stdbool.h>
#include <stdint.h>

struct request {
	uint64_t time; /* below 2^63 */
	uint32_t event;
	uint32_t data; /* for the caller */
};

struct request_list {
	struct request *items;
	size_t count, capacity;
};

enum { REQUEST_DIGIT_BITS = 5, REQUEST_DIGITS = 32, REQUEST_LEVELS = 13, REQUESTS_NEXT = 16 };

struct request_queue {
	struct request next[REQUESTS_NEXT]; /* the first in order is the last here */
	uint32_t next_count;
	struct request_list heap; /* more requests before `limit` */
	struct request_list lists[REQUEST_LEVELS][REQUEST_DIGITS];
	uint32_t filled[REQUEST_LEVELS]; /* bit d: the list of digit d is not empty */
	uint64_t base, limit;
};

int request_queue_push_heap_(struct request_queue *queue, struct request request,
			     struct error *err);

static inline int request_queue_push(struct request_queue *queue, struct request request,
				     struct error *err)
{
	const int bit = 63 - __builtin_clzll((request.time ^ queue->base) | 1);
	const int level = bit / REQUEST_DIGIT_BITS;
	const uint32_t digit = request.time >> level * REQUEST_DIGIT_BITS & (REQUEST_DIGITS - 1);

	if (request.time < queue->limit)
		return request_queue_push_heap_(queue, request, err);
	queue->filled[level] |= UINT32_C(1) << digit;
	return array_push(&queue->lists[level][digit], request, err);
}

/* Take the first request.  Returns 1, or 0 if there is none, or -1. */
int request_queue_take(struct request_queue *queue, struct request *first, struct error *err);

void request_queue_release(struct request_queue *queue);

#endif
