#include "critpath/parts/range_code.h"

#include "critpath/parts/varint.h"

/* Decisions that a share is the mean of, at most: it follows changes within some of them. */
enum { LONGEST_MEMORY = 60 };
/* The interval is never narrower, so that each decision has a part of it. */
#define NARROW (UINT32_C(1) << 24)

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

/* ---------------------------------------------------------------------- encode */

static void put_byte(struct range_encoder *encoder, unsigned char byte)
{
	struct error err;

	if (array_push(&encoder->bytes, byte, &err) < 0)
		encoder->failed = true;
}

/* Move the highest byte of the interval out, unless a carry may still change it. */
static void shift(struct range_encoder *encoder)
{
	const unsigned char carry = encoder->low >> 32 != 0;
	const uint32_t low = (uint32_t)encoder->low;

	if (carry || low < UINT32_C(0xff000000) || !encoder->waiting) {
		for (uint64_t i = 0; i < encoder->waiting; i++)
			put_byte(encoder, (unsigned char)((i ? 0xff : encoder->first) + carry));
		encoder->waiting = 0;
		encoder->first = (unsigned char)(low >> 24);
	}
	encoder->waiting++;
	encoder->low = (uint64_t)(low & 0xffffff) << 8;
}

static void narrow(struct range_encoder *encoder, uint32_t from, uint32_t width)
{
	encoder->low += from;
	for (; width < NARROW; width <<= 8)
		shift(encoder);
	encoder->width = width - UINT32_MAX;
}

void range_put_bit(struct range_encoder *encoder, struct range_bit *context, bool bit)
{
	const uint32_t width = encoder->width + UINT32_MAX, part = part_of(context, width);

	narrow(encoder, bit ? 0 : part, bit ? part : width - part);
	learn(context, bit);
}

void range_put_bits(struct range_encoder *encoder, struct range_bit *context, uint64_t number,
		    unsigned count)
{
	size_t node = 1;

	while (count--) {
		const bool bit = number >> count & 1;

		range_put_bit(encoder, &context[node], bit);
		node = 2 * node + bit;
	}
}

void range_put(struct range_encoder *encoder, struct range_number *context, uint64_t number)
{
	const unsigned width = bits_of(number);
	unsigned low = width ? width - 1 : 0, high = low;

	range_put_bits(encoder, context->widths, width, 7);
	if (high > RANGE_HIGH_BITS)
		high = RANGE_HIGH_BITS;
	low -= high;
	range_put_bits(encoder, context->high[width], number >> low, high);
	while (low--) {
		struct range_bit even = {0};

		range_put_bit(encoder, &even, number >> low & 1);
	}
}

int range_end(struct range_encoder *encoder, struct error *err)
{
	/* The number of the interval with the most zero bytes at its end, which are left out. */
	encoder->low = (encoder->low + (NARROW - 1)) & ~(uint64_t)(NARROW - 1);
	for (int i = 0; i < 5; i++)
		shift(encoder);
	if (encoder->failed)
		return error_set(err, STATUS_SYSTEM, "out of memory");
	while (encoder->bytes.count && !encoder->bytes.items[encoder->bytes.count - 1])
		encoder->bytes.count--;
	return 0;
}

void range_release(struct range_encoder *encoder)
{
	array_release(&encoder->bytes);
	*encoder = (struct range_encoder){0};
}

/* ---------------------------------------------------------------------- decode */

/* Left out at the end of the code: zeros. */
static uint32_t next_byte(struct range_decoder *decoder)
{
	return decoder->at < decoder->end ? *decoder->at++ : 0;
}

struct range_decoder range_begin(const unsigned char *code, size_t bytes)
{
	struct range_decoder decoder = {code, code + bytes, 0, UINT32_MAX};

	for (int i = 0; i < 4; i++)
		decoder.code = decoder.code << 8 | next_byte(&decoder);
	return decoder;
}

bool range_take_bit(struct range_decoder *decoder, struct range_bit *context)
{
	const uint32_t part = part_of(context, decoder->width);
	const bool bit = decoder->code < part;

	if (bit) {
		decoder->width = part;
	} else {
		decoder->code -= part;
		decoder->width -= part;
	}
	for (; decoder->width < NARROW; decoder->width <<= 8)
		decoder->code = decoder->code << 8 | next_byte(decoder);
	learn(context, bit);
	return bit;
}

uint64_t range_take_bits(struct range_decoder *decoder, struct range_bit *context, unsigned count)
{
	uint64_t number = 0;
	size_t node = 1;

	while (count--) {
		const bool bit = range_take_bit(decoder, &context[node]);

		node = 2 * node + bit;
		number = number << 1 | bit;
	}
	return number;
}

uint64_t range_take(struct range_decoder *decoder, struct range_number *context)
{
	const unsigned width = (unsigned)range_take_bits(decoder, context->widths, 7);
	unsigned low = width ? width - 1 : 0, high = low;
	uint64_t number = width != 0;

	if (width > 64)
		return UINT64_MAX;
	if (high > RANGE_HIGH_BITS)
		high = RANGE_HIGH_BITS;
	low -= high;
	number = number << high | range_take_bits(decoder, context->high[width], high);
	while (low--) {
		struct range_bit even = {0};

		number = number << 1 | range_take_bit(decoder, &even);
	}
	return number;
}
