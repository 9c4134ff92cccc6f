/*
 * Numbers packed into text: bytes as base64 (RFC 4648), numbers as varints, seven bits in each
 * byte, the lowest first, and the highest bit of all but the last byte set.
 *
 * Signed numbers are folded first: 0, -1, 1, -2 ... become 0, 1, 2, 3 ...  The writer allocates no
 * memory.  The owner of the stream checks it for errors.
 */
#ifndef CRITPATH_PACK_H
#define CRITPATH_PACK_H

#include <stdint.h>
#include <stdio.h>

struct pack {
	FILE *stream;
	/* Private. */
	uint32_t bits;
	int bytes; /* in `bits`, fewer than three */
};

void pack_byte(struct pack *pack, uint8_t byte);
void pack_number(struct pack *pack, uint64_t number);
void pack_signed(struct pack *pack, int64_t number);

/* Write what is left, with padding.  The next number begins a new text. */
void pack_end(struct pack *pack);

#endif
