/* Mapping of ranks to hosts: by rule, or read from a file. */
#include "llamp/network/parameters_read.h"

#include "common/array.h"
#include "common/input.h"
#include "common/units.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LIST_BYTES = 1 << 28 };

const char *const mapping_names[] = {
	[MAPPING_BLOCK] = "block",
	[MAPPING_CYCLIC] = "cyclic",
	[MAPPING_LIST] = "list",
	[MAPPING_TRACE] = "trace",
	NULL,
};

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
static int mapping_read_line(struct host_list *list, const uint8_t *at, const uint8_t *end,
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

static int mapping_read_lines(struct host_list *list, const struct input *input, const char *path,
			      struct error *err)
{
	const uint8_t *at = input->bytes, *end = at + input->count;

	for (size_t line = 1; at < end; line++) {
		const uint8_t *stop = memchr(at, '\n', (size_t)(end - at));
		struct error reason = {0};

		stop = stop ? stop : end;
		if (mapping_read_line(list, at, stop, &reason) < 0)
			return error_set(err,
					 reason.status == STATUS_USAGE ? STATUS_DATA
								       : reason.status,
					 "%s:%zu:1: %s", path, line, reason.text);
		at = stop + 1;
	}
	return 0;
}

/* Read the file `name` beside the file `beside`. */
static int read_hosts(struct host_list *list, const char *name, const char *beside,
		      struct error *err)
{
	const char *slash = name[0] == '/' ? NULL : strrchr(beside, '/');
	const int folder = slash ? (int)(slash - beside) + 1 : 0;
	const size_t room = (size_t)folder + strlen(name) + 1;
	struct input input;
	char *path;
	int result;

	TRY(allocate(&path, room, 1, err));
	snprintf(path, room, "%.*s%s", folder, beside, name);
	result = input_open_begin(&input, path, MOST_LIST_BYTES + 1, err);
	if (result == 0) {
		result = input.count > MOST_LIST_BYTES
				 ? error_set(err, STATUS_LIMIT, "%s: more than %d bytes", path,
					     MOST_LIST_BYTES)
				 : mapping_read_lines(list, &input, path, err);
		input_release(&input);
	}
	free(path);
	return result;
}

int mapping_parse(struct network *network, const char *text, const char *beside, struct error *err)
{
	enum mapping mapping = MAPPING_LIST;
	struct host_list list = {0};

	for (enum mapping known = MAPPING_BLOCK; known <= MAPPING_TRACE; known++)
		if (known != MAPPING_LIST && !strcmp(text, mapping_names[known]))
			mapping = known;
	if (mapping == MAPPING_LIST && read_hosts(&list, text, beside, err) < 0) {
		array_release(&list.hosts);
		return -1;
	}
	free(network->hosts);
	network->hosts = list.hosts.items;
	network->listed = (uint32_t)list.hosts.count;
	network->mapping = mapping;
	network->is_placed = true;
	return 0;
}
