#include "llamp/network/parameters_read.h"

#include "common/array.h"
#include "common/input.h"
#include "common/units.h"

#include <ctype.h>
#include <string.h>

/* The list of a mapping while it is read. */
struct host_list {
	ARRAY(uint32_t) hosts;
};

/* Read the number in bytes [begin, end) of a line. */
static int add_host(struct host_list *list, const uint8_t *begin, const uint8_t *end,
		    struct error *err)
{
	char text[32];
	uint64_t host;

	if (end - begin >= (ptrdiff_t)sizeof text)
		return error_set(err, STATUS_DATA, "expected the number of a host");
	memcpy(text, begin, (size_t)(end - begin));
	text[end - begin] = '\0';
	TRY(parse_count(text, 0, UINT32_MAX - 1, &host, err));
	return array_push(&list->hosts, (uint32_t)host, err);
}

/* Read a line without its end: blanks, the number of a host, a comment. */
static int read_line(struct host_list *list, const uint8_t *at, const uint8_t *end,
		     struct error *err)
{
	const uint8_t *comment = memchr(at, '#', (size_t)(end - at));

	end = comment ? comment : end;
	while (at < end && isspace(*at))
		at++;
	while (at < end && isspace(end[-1]))
		end--;
	return at < end ? add_host(list, at, end, err) : 0;
}

static int read_lines(struct host_list *list, const struct input *input, const char *path,
		      struct error *err)
{
	const uint8_t *at = input->bytes, *end = at + input->count;

	for (size_t line = 1; at < end; line++) {
		const uint8_t *stop = memchr(at, '\n', (size_t)(end - at));
		struct error reason = {0};

		stop = stop ? stop : end;
		if (read_line(list, at, stop, &reason) < 0)
			return error_set(err,
					 reason.status == STATUS_USAGE ? STATUS_DATA
								       : reason.status,
					 "%s:%zu:1: %s", path, line, reason.text);
		at = stop + 1;
	}
	return 0;
}

int mapping_parse(struct network *network, const char *text, struct error *err)
{
	const bool block = !strcmp(text, "block"), cyclic = !strcmp(text, "cyclic");
	struct host_list list = {0};
	struct input input;

	if (!block && !cyclic) {
		int result;

		TRY(input_open(&input, text, err));
		result = read_lines(&list, &input, text, err);
		input_release(&input);
		if (result < 0) {
			array_release(&list.hosts);
			return -1;
		}
	}
	free(network->hosts);
	network->hosts = list.hosts.items;
	network->listed = (uint32_t)list.hosts.count;
	network->mapping = block ? MAPPING_BLOCK : cyclic ? MAPPING_CYCLIC : MAPPING_LIST;
	return 0;
}
