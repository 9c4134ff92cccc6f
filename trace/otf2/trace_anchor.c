#include "trace/otf2/trace_anchor.h"

#include "common/input.h"

#include <stdbool.h>
#include <string.h>

/*
 * Layout of the file: a mark, the order of bytes, "OTF2" and a zero, five
 * bytes of versions, the sizes of chunks (two numbers of 64 bits), substrate and
 * compression (a byte each), the numbers of locations and of definitions (64 bits),
 * three strings with zeros at their ends (machine, creator, description), the
 * number of properties (32 bits), and two strings for each property.
 */
enum {
	ORDER_AT = 1, NAME_AT = 2, STRINGS_AT = 46, STRINGS = 3,
	LITTLE_ENDIAN_MARK = 0x42, BYTES_OF_PROPERTY = 2	/* at least: empty strings */
};

static uint32_t trace_anchor_number(const uint8_t *bytes, bool little)
{
	return little ? (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 |
				(uint32_t)bytes[1] << 8 | bytes[0] :
			(uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
				(uint32_t)bytes[2] << 8 | bytes[3];
}

static int check_contents(const struct input *input, const char *path, struct error *err)
{
	const uint8_t *at = input->bytes + STRINGS_AT, *end = input->bytes + input->count;
	uint32_t properties;

	if (input->count < STRINGS_AT || memcmp(input->bytes + NAME_AT, "OTF2", 5) != 0)
		return error_set(err, STATUS_DATA, "%s: not an OTF2 archive", path);
	for (int i = 0; i < STRINGS && at < end; i++) {
		const uint8_t *zero = memchr(at, 0, (size_t)(end - at));

		at = zero ? zero + 1 : end;
	}
	if (end - at < 4)
		return error_set(err, STATUS_DATA, "%s: the anchor file is truncated", path);
	properties = trace_anchor_number(at, input->bytes[ORDER_AT] == LITTLE_ENDIAN_MARK);
	if (properties > (uint64_t)(end - at) / BYTES_OF_PROPERTY)
		return error_set(err, STATUS_DATA,
				 "%s: the anchor file is damaged: %u properties in %td bytes", path,
				 properties, end - at);
	return 0;
}

int trace_anchor_check(const char *path, struct error *err)
{
	struct input input;
	int result;

	TRY(input_open(&input, path, err));
	result = check_contents(&input, path, err);
	input_release(&input);
	return result;
}
