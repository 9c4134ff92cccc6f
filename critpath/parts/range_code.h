/*
 * Numbers in few bits: an adaptive binary range coder.  Each decision, a bit, is coded in about
 * -log2(p) bits, where p is its share among the decisions before it in the same context.  So numbers
 * that repeat, or differ in few bits, take a fraction of a bit, without tables ahead of them, and
 * blocks of some dozen numbers are short.  See Martin, "Range encoding", 1979.
 *
 * Zero bytes are a valid context and a valid encoder.  Contexts are arrays of struct range_bit.
 */
#ifndef CRITPATH_RANGE_CODE_H
#define CRITPATH_RANGE_CODE_H

#include "common/array.h"

#include <stdbool.h>
#include <stdint.h>

/* How often a decision was 1. */
struct range_bit {
	uint16_t ones;	 /* share of 2^16, less a half */
	uint16_t number; /* of decisions, up to a limit: old ones count less */
};

/* Context of numbers: how many bits they have, then the highest of these. */
enum { RANGE_HIGH_BITS = 6 };

struct range_number {
	struct range_bit widths[128];
	struct range_bit high[65][1 << RANGE_HIGH_BITS];
};

struct range_encoder {
	ARRAY(unsigned char) bytes;
	uint64_t low;	  /* of the interval; a carry is in bit 32 */
	uint32_t width;	  /* of the interval, less 2^32 - 1 */
	uint64_t waiting; /* bytes that a carry may change: `first`, then 0xff */
	unsigned char first;
	bool failed; /* no memory */
};

void range_put_bit(struct range_encoder *encoder, struct range_bit *context, bool bit);
/* Put the `count` lowest bits of a number; a context of 2^count bits. */
void range_put_bits(struct range_encoder *encoder, struct range_bit *context, uint64_t number,
		    unsigned count);
void range_put(struct range_encoder *encoder, struct range_number *context, uint64_t number);

/* End the code, which is encoder->bytes; it may be empty.  Returns -1 without memory. */
int range_end(struct range_encoder *encoder, struct error *err);
void range_release(struct range_encoder *encoder);

struct range_decoder {
	const unsigned char *at, *end;
	uint32_t code, width;
};

/* Take what was put, in the same order and contexts.  Damaged code gives other numbers, at no cost. */
struct range_decoder range_begin(const unsigned char *code, size_t bytes);
bool range_take_bit(struct range_decoder *decoder, struct range_bit *context);
uint64_t range_take_bits(struct range_decoder *decoder, struct range_bit *context, unsigned count);
uint64_t range_take(struct range_decoder *decoder, struct range_number *context);

#endif
