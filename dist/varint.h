/*
 * Numbers of 7 bits a byte, the lowest first.  The highest bit is set in all but the last byte.
 * Signed numbers are zigzag: 0, -1, 1, -2, ... are 0, 1, 2, 3, ...
 */
#ifndef DIST_VARINT_H
#define DIST_VARINT_H

#include "common/array.h"

#include <stdbool.h>
#include <stdint.h>

enum { VARINT_BYTES = 10 }; /* at most */

struct byte_array {
	ARRAY(unsigned char) bytes;
};

/* Append a number; room for VARINT_BYTES must have been reserved. */
static inline void varint_put(struct byte_array *array, uint64_t number)
{
	unsigned char *at = array->bytes.items + array->bytes.count;

	for (; number >= 0x80; number >>= 7)
		*at++ = (unsigned char)(number | 0x80);
	*at++ = (unsigned char)number;
	array->bytes.count = (size_t)(at - array->bytes.items);
}

static inline uint64_t zigzag(uint64_t difference)
{
	return (difference << 1) ^ -(difference >> 63);
}

static inline uint64_t unzigzag(uint64_t number)
{
	return (number >> 1) ^ -(number & 1);
}

struct varint_reader {
	const unsigned char *at, *end;
};

/* Take a number; returns false if it is cut off, or has more than 64 bits. */
static inline bool varint_take(struct varint_reader *reader, uint64_t *number)
{
	*number = 0;
	for (unsigned shift = 0; shift < 64 && reader->at < reader->end; shift += 7) {
		const unsigned char byte = *reader->at++;

		if (shift == 63 && byte > 1)
			return false;
		*number |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

#endif
