/*
 * llamp-sites: names call sites for the report of llamp-trace, whose library starts it
 * (tracer/report_sites.h).
 *
 * Reads texts of call sites (common/source/call_site.h), each with its final zero, up to the end of the
 * input.  Writes the name of each, and then why files have no lines, each with its final zero.
 */
#include "common/array.h"
#include "common/source/source_lines.h"

#include <stdio.h>
#include <string.h>

struct input {
	ARRAY(char) bytes;
};

static int read_all(struct input *input, struct error *err)
{
	enum { AT_ONCE = 65536 };

	for (;;) {
		size_t got;

		TRY(array_reserve(&input->bytes, AT_ONCE, err));
		got = fread(input->bytes.items + input->bytes.count, 1, AT_ONCE, stdin);
		input->bytes.count += got;
		if (!got)
			return 0;
	}
}

static void put(const char *text)
{
	fwrite(text, 1, strlen(text) + 1, stdout);
}

static int name_all(struct source_lines *lines, const struct input *input, struct error *err)
{
	const char *name, *doubt;

	for (size_t at = 0; at < input->bytes.count; at += strlen(input->bytes.items + at) + 1) {
		TRY(source_lines_name(lines, input->bytes.items + at, &name, err));
		put(name);
		/* What is found so far is used if there is no time for the rest. */
		fflush(stdout);
	}
	for (size_t i = 0; (doubt = source_lines_doubt(lines, i)); i++)
		put(doubt);
	return 0;
}

int main(void)
{
	struct input input = {0};
	struct source_lines *lines = NULL;
	struct error err;
	int result = read_all(&input, &err);

	/* The last text ends in any case. */
	if (result == 0 && input.bytes.count)
		result = array_push(&input.bytes, 0, &err);
	if (result == 0)
		result = source_lines_open(&lines, &err);
	if (result == 0)
		input.bytes.count -= input.bytes.count > 0;
	if (result == 0)
		result = name_all(lines, &input, &err);
	source_lines_close(lines);
	array_release(&input.bytes);
	return result < 0 ? err.status : 0;
}
