#include "eventflow/generate/actions.h"

#include <stdarg.h>
#include <string.h>

static void append(struct action *action, const char *text, size_t length)
{
	if (action->length + length >= sizeof action->text) {
		action->too_large = true;
		return;
	}
	memcpy(action->text + action->length, text, length);
	action->length += length;
}

static void append_number(struct action *action, int64_t number)
{
	char hole[16];

	if (action->count == ACTION_NUMBERS || number > INT32_MAX || number < INT32_MIN) {
		action->too_large = true;
		return;
	}
	append(action, hole, (size_t)snprintf(hole, sizeof hole, "$%d$", action->count + 1));
	action->numbers[action->count++] = (int32_t)number;
}

void action_say(struct action *action, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	for (; *format; format++) {
		if (format[0] == '%' && format[1] == 's') {
			const char *text = va_arg(arguments, const char *);

			append(action, text, strlen(text));
			format++;
		} else if (*format == '$') {
			append_number(action, va_arg(arguments, int64_t));
		} else {
			append(action, format, 1);
		}
	}
	va_end(arguments);
}

int actions_add(struct actions *actions, const struct action *action, uint32_t *number,
		struct error *err)
{
	int32_t row[ACTION_NUMBERS + 1];
	const size_t before = actions->rows.starts.count;
	const uint32_t count = (uint32_t)action->count + 1;
	uint32_t form;

	TRY(string_table_add(&actions->texts, action->text, action->length, &form, err));
	row[0] = (int32_t)form;
	memcpy(row + 1, action->numbers, (size_t)action->count * sizeof *row);
	TRY(string_table_add(&actions->rows, (const char *)row, count * sizeof *row, number, err));
	return actions->rows.starts.count == before ? 0
						    : array_push(&actions->row_numbers, count, err);
}

int actions_list(struct actions *actions, const int32_t *numbers, size_t count, int64_t *start,
		 struct error *err)
{
	const size_t before = actions->lists.starts.count;
	uint32_t number;

	TRY(string_table_add(&actions->lists, (const char *)numbers, count * sizeof *numbers,
			     &number, err));
	if (actions->lists.starts.count > before) {
		TRY(array_push(&actions->list_starts, (uint32_t)actions->listed.count, err));
		for (size_t i = 0; i < count; i++)
			TRY(array_push(&actions->listed, numbers[i], err));
	}
	*start = actions->list_starts.items[number];
	return 0;
}

const int32_t *actions_row(const struct actions *actions, uint32_t number, uint32_t *count)
{
	*count = actions->row_numbers.items[number];
	return (const int32_t *)(const void *)string_table_get(&actions->rows, number);
}

void actions_write(const struct actions *actions, uint32_t form, const int32_t *row, FILE *stream)
{
	const char *text = string_table_get(&actions->texts, form);

	while (*text) {
		char *end;
		long hole;

		if (*text != '$') {
			fputc(*text++, stream);
			continue;
		}
		hole = strtol(text + 1, &end, 10);
		if (row)
			fprintf(stream, "%d", row[hole]);
		else
			fprintf(stream, "a[%ld]", hole);
		text = end + 1;
	}
}

void actions_release(struct actions *actions)
{
	string_table_release(&actions->texts);
	string_table_release(&actions->rows);
	string_table_release(&actions->lists);
	array_release(&actions->row_numbers);
	array_release(&actions->listed);
	array_release(&actions->list_starts);
}
