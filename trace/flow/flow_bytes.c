#include "trace/flow/flow_bytes.h"

#include <string.h>

enum { MOST_NUMBER_BYTES = 10 };

int flow_put(struct flow_bytes *bytes, uint64_t value, struct error *err)
{
	TRY(array_reserve(bytes, MOST_NUMBER_BYTES, err));
	for (; value >= 0x80; value >>= 7)
		bytes->items[bytes->count++] = (uint8_t)(value | 0x80);
	bytes->items[bytes->count++] = (uint8_t)value;
	return 0;
}

int flow_put_bytes(struct flow_bytes *bytes, const void *from, size_t count, struct error *err)
{
	if (!count)
		return 0;
	TRY(array_reserve(bytes, count, err));
	memcpy(bytes->items + bytes->count, from, count);
	bytes->count += count;
	return 0;
}

int flow_put_block(struct flow_bytes *bytes, const void *from, size_t count, struct error *err)
{
	TRY(flow_put(bytes, count, err));
	return flow_put_bytes(bytes, from, count, err);
}

uint64_t flow_get_long(struct flow_cursor *cursor)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64 && cursor->at < cursor->end; shift += 7) {
		const uint8_t byte = *cursor->at++;

		/* The tenth byte has room for one bit. */
		if (shift == 63 && byte > 1)
			break;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	cursor->damaged = true;
	return 0;
}

uint64_t flow_get_most(struct flow_cursor *cursor, uint64_t most)
{
	const uint64_t value = flow_get(cursor);

	if (value <= most)
		return value;
	cursor->damaged = true;
	return 0;
}

const uint8_t *flow_get_bytes(struct flow_cursor *cursor, size_t count)
{
	const uint8_t *at = cursor->at;

	if (cursor->damaged || count > flow_left(cursor)) {
		cursor->damaged = true;
		return NULL;
	}
	cursor->at += count;
	return at;
}

struct flow_cursor flow_get_block(struct flow_cursor *cursor)
{
	const uint64_t count = flow_get_most(cursor, flow_left(cursor));
	const uint8_t *at = flow_get_bytes(cursor, (size_t)count);

	return flow_cursor(at ? at : cursor->end, at ? (size_t)count : 0);
}
