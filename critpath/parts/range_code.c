#include "critpath/parts/range_code.h"

#include "critpath/parts/varint.h"

/* Decisions that a share is the mean of, at most: it follows changes within some of them. */
enum { LONGEST_MEMORY = 60 };
/* The interval is never narrower, so that each decision has a part of it. */
#define NARROW (UINT32_C(1) << 24)

/* ---------------------------------------------------------------------- shares */

/* The part of the interval that is of decision 1. */
static uint32_t part_of(const struct range_bit *context, uint32_t width)
{
	const uint32_t least = 32; /* of 2^16: no decision is impossible */
	uint32_t ones = (uint16_t)(context->ones + (1 << 15));

	if (ones < least)
		ones = least;
	if (ones > (1 << 16) - least)
		ones = (1 << 16) - least;
	return (width >> 16) * ones;
}

/* The first decisions count most: the mean of them and one half. */
static void learn(struct range_bit *context, bool bit)
{
	const int ones = (uint16_t)(context->ones + (1 << 15)), aim = bit ? UINT16_MAX : 0;

	context->ones = (uint16_t)(ones + (aim - ones) * 2 / (2 * context->number + 3) - (1 << 15));
	if (context->number < LONGEST_MEMORY)
		context->number++;
}

/* ----------------------------------------------------------------------- bytes */

static void put_byte(struct range_coder *coder, unsigned char byte)
{
	struct error err;

	if (array_push(&coder->bytes, byte, &err) < 0)
		coder->failed = true;
}

/* Move the highest byte of the interval out, unless a carry may still change it. */
static void shift_out(struct range_coder *coder)
{
	const unsigned char carry = coder->low >> 32 != 0;
	const uint32_t low = (uint32_t)coder->low;

	if (carry || low < UINT32_C(0xff000000) || !coder->waiting) {
		for (uint64_t i = 0; i < coder->waiting; i++)
			put_byte(coder, (unsigned char)((i ? 0xff : coder->first) + carry));
		coder->waiting = 0;
		coder->first = (unsigned char)(low >> 24);
	}
	coder->waiting++;
	coder->low = (uint64_t)(low & 0xffffff) << 8;
}

/* Move the next byte in; zeros at the end of the code are left out. */
static void shift_in(struct range_coder *coder)
{
	coder->code = coder->code << 8 | (coder->at < coder->end ? *coder->at++ : 0);
}

struct range_coder range_put(void)
{
	return (struct range_coder){.width = UINT32_MAX};
}

struct range_coder range_take(const unsigned char *code, size_t bytes)
{
	struct range_coder coder = {.takes = true, .width = UINT32_MAX, .at = code, .size = bytes};

	coder.end = code + bytes;
	for (int i = 0; i < 4; i++)
		shift_in(&coder);
	return coder;
}

int range_end(struct range_coder *coder, struct error *err)
{
	/* The number of the interval with the most zero bytes at its end, which are left out. */
	coder->low = (coder->low + (NARROW - 1)) & ~(uint64_t)(NARROW - 1);
	for (int i = 0; i < 5; i++)
		shift_out(coder);
	if (coder->failed)
		return error_set(err, STATUS_SYSTEM, "out of memory");
	while (coder->bytes.count && !coder->bytes.items[coder->bytes.count - 1])
		coder->bytes.count--;
	return 0;
}

void range_release(struct range_coder *coder)
{
	array_release(&coder->bytes);
}

/* --------------------------------------------------------------------- numbers */

bool range_code_bit(struct range_coder *coder, struct range_bit *context, bool bit)
{
	const uint32_t part = part_of(context, coder->width);

	if (coder->takes)
		bit = coder->code < part;
	learn(context, bit);
	if (!bit) {
		coder->low += part;
		coder->code -= part;
	}
	coder->width = bit ? part : coder->width - part;
	for (; coder->width < NARROW; coder->width <<= 8)
		if (coder->takes)
			shift_in(coder);
		else
			shift_out(coder);
	return bit;
}

uint64_t range_code_bits(struct range_coder *coder, struct range_bit *context, uint64_t number,
			 unsigned count)
{
	const size_t highest = (size_t)1 << count;
	size_t node = 1;

	while (count--)
		node = 2 * node + range_code_bit(coder, &context[node], number >> count & 1);
	return node - highest;
}

uint64_t range_code(struct range_coder *coder, struct range_number *context, uint64_t number)
{
	const unsigned width = (unsigned)range_code_bits(coder, context->widths, bits_of(number),
							 7);
	unsigned low = width ? width - 1 : 0, high = low;
	uint64_t coded = width != 0;

	if (width > 64)
		return UINT64_MAX;
	if (high > RANGE_HIGH_BITS)
		high = RANGE_HIGH_BITS;
	low -= high;
	coded = coded << high | range_code_bits(coder, context->high[width], number >> low, high);
	while (low--) {
		struct range_bit even = {0};

		coded = coded << 1 | range_code_bit(coder, &even, number >> low & 1);
	}
	return coded;
}
