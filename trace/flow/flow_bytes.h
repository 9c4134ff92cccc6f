/*
 * Bytes of an event flow file: numbers of variable length (7 bits in a byte, the lowest first),
 * texts, and a reader that never leaves its bytes.
 *
 *	flow_put(&bytes, 300, err);
 *	struct flow_cursor cursor = flow_cursor(bytes.items, bytes.count);
 *	number = flow_get(&cursor);
 *	if (cursor.damaged) ...
 */
#ifndef TRACE_FLOW_BYTES_H
#define TRACE_FLOW_BYTES_H

#include "common/array.h"

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* A growable array (common/array.h). */
struct flow_bytes {
	uint8_t *items;
	size_t count, capacity;
};

/* Append a number, a number with a sign, bytes, or the length of bytes and the bytes. */
int flow_put(struct flow_bytes *bytes, uint64_t value, struct error *err);
int flow_put_bytes(struct flow_bytes *bytes, const void *from, size_t count, struct error *err);
int flow_put_block(struct flow_bytes *bytes, const void *from, size_t count, struct error *err);

/* Open the gaps that the eighth bits of bytes leave in a number below 2^56. */
static inline uint64_t flow_split_bits(uint64_t value)
{
	value = (value & UINT64_C(0x0fffffff)) | (value & UINT64_C(0x00fffffff0000000)) << 4;
	value = (value & UINT64_C(0x00003fff00003fff)) | (value & UINT64_C(0x0fffc0000fffc000))
								 << 2;
	return (value & UINT64_C(0x007f007f007f007f)) | (value & UINT64_C(0x3f803f803f803f80)) << 1;
}

/* The same as flow_put, faster for numbers whose lengths cannot be foretold: without branches. */
static inline int flow_put_varied(struct flow_bytes *bytes, uint64_t value, struct error *err)
{
	const unsigned last = (63 - (unsigned)__builtin_clzll(value | 1)) / 7;
	uint64_t split;

	if (value >> 56 || bytes->capacity - bytes->count < sizeof split)
		return flow_put(bytes, value, err);
	/* All bytes but the last have the eighth bit. */
	split = flow_split_bits(value) |
		(UINT64_C(0x8080808080808080) & (((uint64_t)1 << 8 * last) - 1));
	split = htole64(split);
	memcpy(bytes->items + bytes->count, &split, sizeof split);
	bytes->count += last + 1;
	return 0;
}

/* Fold the sign into the lowest bit: small numbers of either sign stay small. */
static inline uint64_t flow_fold_sign(int64_t value)
{
	return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

static inline int64_t flow_unfold_sign(uint64_t folded)
{
	return (int64_t)(folded >> 1 ^ -(folded & 1));
}

/* Position in bytes that someone else owns.  damaged: something beyond the end was asked for. */
struct flow_cursor {
	const uint8_t *at, *end;
	bool damaged;
};

static inline struct flow_cursor flow_cursor(const void *bytes, size_t count)
{
	return (struct flow_cursor){.at = bytes, .end = (const uint8_t *)bytes + count};
}

/* Bytes that are left. */
static inline size_t flow_left(const struct flow_cursor *cursor)
{
	return (size_t)(cursor->end - cursor->at);
}

/* Read the next number; 0 if it is damaged. */
uint64_t flow_get_long(struct flow_cursor *cursor);

static inline uint64_t flow_get(struct flow_cursor *cursor)
{
	const uint8_t *at = cursor->at;

	if (at < cursor->end && *at < 0x80) {
		cursor->at++;
		return *at;
	}
	if (cursor->end - at > 1 && at[1] < 0x80) {
		cursor->at += 2;
		return (*at & 0x7f) | (uint64_t)at[1] << 7;
	}
	return flow_get_long(cursor);
}

/* Close the gaps that the eighth bits leave in eight bytes of a number: bits 0-6, 8-14, ... */
static inline uint64_t flow_join_bits(uint64_t bytes)
{
	bytes = (bytes & UINT64_C(0x007f007f007f007f)) |
		(bytes & UINT64_C(0x7f007f007f007f00)) >> 1;
	bytes = (bytes & UINT64_C(0x00003fff00003fff)) |
		(bytes & UINT64_C(0x3fff00003fff0000)) >> 2;
	return (bytes & UINT64_C(0x0fffffff)) | (bytes & UINT64_C(0x0fffffff00000000)) >> 4;
}

/* The same as flow_get, faster for numbers whose lengths cannot be foretold: without branches. */
static inline uint64_t flow_get_varied(struct flow_cursor *cursor)
{
	uint64_t bytes, ends;

	if (cursor->end - cursor->at < (ptrdiff_t)sizeof bytes)
		return flow_get(cursor);
	memcpy(&bytes, cursor->at, sizeof bytes);
	bytes = le64toh(bytes);
	ends = ~bytes & UINT64_C(0x8080808080808080);
	if ((uint32_t)ends) {
		/* At most four bytes, as most numbers have. */
		uint32_t low = (uint32_t)bytes & ((uint32_t)ends ^ ((uint32_t)ends - 1));

		cursor->at += (unsigned)__builtin_ctz((uint32_t)ends) / 8 + 1;
		low = (low & 0x007f007f) | (low & 0x7f007f00) >> 1;
		return (low & 0x3fff) | (low & 0x3fff0000) >> 2;
	}
	if (!ends)
		return flow_get_long(cursor);
	cursor->at += __builtin_ctzll(ends) / 8 + 1;
	return flow_join_bits(bytes & (ends ^ (ends - 1)) & UINT64_C(0x7f7f7f7f7f7f7f7f));
}

/* Read a number of at most `most`; a larger one is damage. */
uint64_t flow_get_most(struct flow_cursor *cursor, uint64_t most);

/* Read a number below `limit`, the number of a thing of so many; another one is damage, and 0. */
static inline uint32_t flow_get_below(struct flow_cursor *cursor, size_t limit)
{
	if (!limit)
		cursor->damaged = true;
	return limit ? (uint32_t)flow_get_most(cursor, limit - 1) : 0;
}

/* Read the next `count` bytes; NULL if there are fewer. */
const uint8_t *flow_get_bytes(struct flow_cursor *cursor, size_t count);

/* Read what flow_put_block has written, as a position of its own. */
struct flow_cursor flow_get_block(struct flow_cursor *cursor);

#endif
