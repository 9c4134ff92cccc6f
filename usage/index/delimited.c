#include "usage/index/delimited.h"

#include "common/array.h"

#include <string.h>
#include <strings.h>

/* Copy the next line to `text`, without its end.  False at the end of the file. */
static bool next_line(struct delimited *table, char *text)
{
	const uint8_t *const from = table->input.bytes + table->next;
	const size_t left = table->input.count - table->next;
	const uint8_t *const end = memchr(from, '\n', left);
	size_t length = end ? (size_t)(end - from) : left;

	if (!left)
		return false;
	table->next += length + (end ? 1 : 0);
	table->line++;
	if (length && from[length - 1] == '\r')
		length--;
	memcpy(text, from, length);
	text[length] = '\0';
	table->wrong = memchr(text, '\0', length) ? "a zero byte" : NULL;
	return true;
}

/* Take the quotes off a field and find its end.  NULL: the quotes do not end. */
static char *unquote(char *field)
{
	char *to = field;

	for (const char *from = field + 1;; from++) {
		if (!*from)
			return NULL;
		if (*from == '"' && *++from != '"') {
			char *const rest = (char *)from;

			*to = '\0';
			return rest;
		}
		*to++ = *from;
	}
}

/* Cut a line into fields.  Returns their number, or -1 with table->wrong set. */
static int split(struct delimited *table, char *line, char **fields)
{
	int count = 0;

	for (char *field = line;; count++) {
		char *end = field;

		if (count == DELIMITED_MOST) {
			table->wrong = "too many fields";
			return -1;
		}
		if (table->separator == ',' && *field == '"')
			end = unquote(field);
		if (end)
			end += strcspn(end, (char[]){table->separator, '\0'});
		if (!end) {
			table->wrong = "a quote without an end";
			return -1;
		}
		fields[count] = field;
		if (!*end)
			return count + 1;
		/* What unquote has moved is ended already. */
		*end = '\0';
		field = end + 1;
	}
}

static int read_headings(struct delimited *table, struct error *err)
{
	int count;

	if (!next_line(table, table->texts[0]) || !*table->texts[0])
		return error_set(err, STATUS_DATA, "%s:1: expected a line of headings",
				 table->path);
	table->separator = strchr(table->texts[0], '|') ? '|' : ',';
	count = split(table, table->texts[0], table->headings);
	if (table->wrong)
		return error_set(err, STATUS_DATA, "%s:1: %s", table->path, table->wrong);
	table->columns = (uint32_t)count;
	return 0;
}

static size_t longest_line(const struct input *input)
{
	size_t longest = 0, start = 0;

	while (start < input->count) {
		const uint8_t *const end = memchr(input->bytes + start, '\n', input->count - start);
		const size_t length = end ? (size_t)(end - (input->bytes + start))
					  : input->count - start;

		longest = length > longest ? length : longest;
		start += length + 1;
	}
	return longest;
}

int delimited_open(struct delimited *table, const char *path, struct error *err)
{
	size_t room;
	int result = 0;

	*table = (struct delimited){.path = path};
	TRY(input_open(&table->input, path, err));
	room = longest_line(&table->input) + 1;
	for (int i = 0; i < 2 && result == 0; i++)
		result = allocate(&table->texts[i], room, 1, err);
	if (result == 0)
		result = read_headings(table, err);
	if (result < 0)
		delimited_release(table);
	return result;
}

void delimited_release(struct delimited *table)
{
	input_release(&table->input);
	free(table->texts[0]);
	free(table->texts[1]);
}

bool delimited_next(struct delimited *table)
{
	int count;

	do {
		if (!next_line(table, table->texts[1]))
			return false;
	} while (!*table->texts[1] && !table->wrong);
	if (table->wrong)
		return true;
	count = split(table, table->texts[1], table->fields);
	if (count >= 0 && count != (int)table->columns)
		table->wrong = "another number of fields than the headings have";
	return true;
}

int delimited_column(const struct delimited *table, const char *heading)
{
	for (uint32_t i = 0; i < table->columns; i++)
		if (!strcasecmp(table->headings[i], heading))
			return (int)i;
	return DELIMITED_NONE;
}

const char *delimited_field(const struct delimited *table, int column)
{
	return column == DELIMITED_NONE || table->wrong ? "" : table->fields[column];
}
