#include "trace/otf2/trace_vector.h"

#include "common/units.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

static bool parse_digits(const char **text, uint64_t *number)
{
	char *end;

	if (!isdigit((unsigned char)**text))
		return false;
	errno = 0;
	*number = strtoull(*text, &end, 10);
	*text = end;
	return errno == 0;
}

int trace_vector_parse(const char *text, uint32_t size, uint64_t *items, struct error *err)
{
	const char *at = text;
	uint32_t count = 0;

	if (!size && !*text)
		return 0;
	for (;;) {
		uint64_t bytes, repeat = 1;

		if (!parse_digits(&at, &bytes) ||
		    (*at == '*' && (at++, !parse_digits(&at, &repeat))) ||
		    (*at && *at != ','))
			return error_set(err, STATUS_DATA,
					 "\"%.40s\" is not a list of byte counts (byte %td)", text,
					 at - text);
		if (repeat > size - count)
			return error_set(err, STATUS_DATA,
					 "\"%.40s\" has more than %u byte count%s", text, size,
					 plural(size));
		while (repeat--)
			items[count++] = bytes;
		if (!*at)
			break;
		at++;
	}
	if (count != size)
		return error_set(err, STATUS_DATA, "\"%.40s\" has %u byte count%s instead of %u",
				 text, count, plural(count), size);
	return 0;
}
