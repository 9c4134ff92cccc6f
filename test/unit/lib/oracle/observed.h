/*
 * Messages of a collective call, seen or generated, as a few numbers.  This header is complete, so
 * that test/observe/observe.c needs nothing else.
 */
#ifndef TEST_OBSERVED_H
#define TEST_OBSERVED_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { OBSERVED_RANKS = 256 };

struct observed_message {
	uint32_t from, to;
	uint64_t bytes;
};

struct observed {
	uint64_t messages, bytes;
	uint32_t pairs;	/* hash of the multiset of (from, to, bytes) */
	uint32_t shape;	/* hash of the sizes sent and received by each rank, without its number */
};

/* The finalizer of splitmix64 (Steele, Lea, Flood 2014). */
static inline uint64_t observed_mix(uint64_t value)
{
	value += UINT64_C(0x9e3779b97f4a7c15);
	value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
	return value ^ value >> 31;
}

/* Sum up the messages, except those of a rank to itself. */
static inline struct observed observed_sum(const struct observed_message *messages, size_t count,
					   uint32_t size)
{
	uint64_t *ranks = calloc(size, sizeof *ranks), pairs = 0, shape = 0;
	struct observed sum = {0};

	if (!ranks)
		abort();
	/* Sums of hashes do not depend on the order. */
	for (size_t i = 0; i < count; i++) {
		const struct observed_message *m = &messages[i];

		if (m->from == m->to || m->from >= size || m->to >= size)
			continue;
		sum.messages++;
		sum.bytes += m->bytes;
		pairs += observed_mix(observed_mix((uint64_t)m->from << 32 | m->to) ^ m->bytes);
		ranks[m->from] += observed_mix(2 * m->bytes);
		ranks[m->to] += observed_mix(2 * m->bytes + 1);
	}
	for (uint32_t i = 0; i < size; i++)
		shape += observed_mix(ranks[i]);
	free(ranks);
	sum.pairs = (uint32_t)observed_mix(pairs);
	sum.shape = (uint32_t)observed_mix(shape);
	return sum;
}

#endif
