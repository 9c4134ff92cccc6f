#include "critpath/report/run_table.h"

#include "common/text.h"

#include <inttypes.h>
#include <string.h>

enum { FIELD_BYTES = 64 };

/* Begin the next value: its comma in CSV, its name for JSON. */
static const char *next_field(struct run_record *record, char name[static FIELD_BYTES])
{
	const size_t length = strcspn(record->fields, ",");

	snprintf(name, FIELD_BYTES, "%.*s", (int)length, record->fields);
	record->fields += length + (record->fields[length] == ',');
	if (!record->json)
		fputc(',', record->stream);
	return name;
}

void record_integer(struct run_record *record, uint64_t value)
{
	char name[FIELD_BYTES];

	next_field(record, name);
	if (record->json)
		json_integer(record->json, name, value);
	else
		fprintf(record->stream, "%" PRIu64, value);
}

void record_number(struct run_record *record, double value)
{
	char name[FIELD_BYTES], text[NUMBER_TEXT_BYTES];

	next_field(record, name);
	if (record->json)
		json_number(record->json, name, value);
	else
		fputs(number_text(value, text), record->stream);
}

void record_text(struct run_record *record, const char *text)
{
	char name[FIELD_BYTES];

	next_field(record, name);
	if (record->json)
		json_text(record->json, name, text);
	else
		text_print_csv(record->stream, text);
}

void record_none(struct run_record *record)
{
	char name[FIELD_BYTES];

	next_field(record, name);
	if (record->json)
		json_null(record->json, name);
}

void record_text_or_none(struct run_record *record, const char *text)
{
	if (text)
		record_text(record, text);
	else
		record_none(record);
}

void run_table_json(struct json *json, const struct run_table *table)
{
	json_begin(json, table->name, '[', JSON_LINES);
	for (size_t i = 0; i < table->count; i++) {
		struct run_record record = {.json = json, .fields = table->fields};

		json_begin(json, NULL, '{', JSON_INLINE);
		table->row(&record, table->data, i);
		json_end(json);
	}
	json_end(json);
}

void run_table_csv(FILE *stream, const char *path, const struct run_table *table)
{
	fprintf(stream, "file,%s\n", table->fields);
	for (size_t i = 0; i < table->count; i++) {
		struct run_record record = {.stream = stream, .fields = table->fields};

		text_print_csv(stream, path);
		table->row(&record, table->data, i);
		fputc('\n', stream);
	}
}

size_t run_largest(size_t count, uint64_t (*value)(const void *data, size_t number),
		   const void *data, size_t chosen[static RUN_MOST_ROWS])
{
	uint64_t values[RUN_MOST_ROWS];
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		const uint64_t own = value(data, i);
		size_t at = found;

		if (!own || (found == RUN_MOST_ROWS && values[found - 1] >= own))
			continue;
		at = found == RUN_MOST_ROWS ? found - 1 : found++;
		for (; at > 0 && values[at - 1] < own; at--) {
			chosen[at] = chosen[at - 1];
			values[at] = values[at - 1];
		}
		chosen[at] = i;
		values[at] = own;
	}
	return found;
}
