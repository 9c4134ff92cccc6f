/*
 * Numbers in few bits: an adaptive binary range coder.  Each decision, a bit, is coded in about
 * -log2(p) bits, where p is its share among the decisions before it in the same context.  So numbers
 * that repeat, or differ in few bits, take a fraction of a bit, without tables ahead of them, and
 * blocks of some dozen numbers are short.  See Martin, "Range encoding", 1979.
 *
 * One function both puts a number into a code and takes it out again, so writer and reader of a code
 * cannot differ: the same calls in the same order, with contexts that begin as zero bytes.
 */
#ifndef CRITPATH_RANGE_CODE_H
#define CRITPATH_RANGE_CODE_H

#include "common/array.h"

#include <stdbool.h>
#include <stddef.h>
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

struct range_coder {
	bool takes;	/* numbers out of a code */
	uint32_t width; /* of the interval */
	/* Code that is read. */
	const unsigned char *at, *end;
	size_t size;   /* bytes of it */
	uint32_t code; /* less the begin of the interval */
	/* Code that is written. */
	ARRAY(unsigned char) bytes;
	uint64_t low;	  /* begin of the interval; a carry is in bit 32 */
	uint64_t waiting; /* bytes that a carry may change: `first`, then 0xff */
	unsigned char first;
	bool failed; /* no memory */
};

/* Begin to write a code, which range_end completes; end with range_release. */
struct range_coder range_put(void);
int range_end(struct range_coder *coder, struct error *err);
void range_release(struct range_coder *coder);

/* Begin to read a code.  A damaged one gives other numbers, and does no harm. */
struct range_coder range_take(const unsigned char *code, size_t bytes);

/*
 * Put a number, or take one, whatever the parameter is; returns it.  range_code_bits has the `count`
 * lowest bits of a number; its context is an array of 2^count.
 */
bool range_code_bit(struct range_coder *coder, struct range_bit *context, bool bit);
uint64_t range_code_bits(struct range_coder *coder, struct range_bit *context, uint64_t number,
			 unsigned count);
uint64_t range_code(struct range_coder *coder, struct range_number *context, uint64_t number);

#endif
