#include "common/json.h"

#include "common/text.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *number_text(double value, char text[static NUMBER_TEXT_BYTES])
{
	char digits[NUMBER_TEXT_BYTES];
	char *to = text;

	if (!isfinite(value))
		return strcpy(text, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
	if (value == 0)
		return strcpy(text, "0");	/* not "-0" */
	for (int precision = 15; precision <= 17; precision++) {
		snprintf(digits, sizeof digits, "%.*g", precision, value);
		if (strtod(digits, NULL) == value)
			break;
	}
	/* Any other character is the locale's decimal point. */
	for (const char *from = digits; *from;) {
		size_t length = strspn(from, "0123456789+-e");

		memcpy(to, from, length);
		to += length;
		from += length;
		length = strcspn(from, "0123456789+-e");
		if (length > 0)
			*to++ = '.';
		from += length;
	}
	*to = '\0';
	return text;
}

const char *attoseconds_text(__int128 as, char text[static NUMBER_TEXT_BYTES])
{
	unsigned __int128 rest = as < 0 ? -(unsigned __int128)as : (unsigned __int128)as;
	char digits[NUMBER_TEXT_BYTES];
	char *from = digits + sizeof digits;
	int place = 0;

	*--from = '\0';
	do {
		int digit = (int)(rest % 10);

		rest /= 10;
		/* Drop zeros at the end of the decimal places. */
		if (place >= 9 || digit != 0 || *from)
			*--from = (char)('0' + digit);
		if (++place == 9 && *from)
			*--from = '.';
	} while (rest > 0 || place < 10);
	if (as < 0)
		*--from = '-';
	return strcpy(text, from);
}

static void new_line(struct json *json)
{
	fprintf(json->stream, "\n%*s", 2 * json->depth, "");
}

static void write_string(FILE *stream, const char *text);

/* Write the comma, white space and key before a value. */
static void begin_value(struct json *json, const char *key)
{
	if (json->depth > 0) {
		int first = json->levels[json->depth - 1].count++ == 0;

		if (!first)
			putc(',', json->stream);
		if (json->levels[json->depth - 1].layout == JSON_LINES)
			new_line(json);
		else if (!first)
			putc(' ', json->stream);
	}
	if (key) {
		write_string(json->stream, key);
		fputs(": ", json->stream);
	}
}

void json_begin(struct json *json, const char *key, char kind, enum json_layout layout)
{
	begin_value(json, key);
	putc(kind, json->stream);
	assert(json->depth < JSON_MOST_DEPTH);
	json->levels[json->depth].end = kind == '{' ? '}' : ']';
	json->levels[json->depth].layout = (char)layout;
	json->levels[json->depth].count = 0;
	json->depth++;
}

void json_end(struct json *json)
{
	json->depth--;
	if (json->levels[json->depth].layout == JSON_LINES && json->levels[json->depth].count > 0)
		new_line(json);
	putc(json->levels[json->depth].end, json->stream);
	if (json->depth == 0)
		putc('\n', json->stream);
}

static void write_string(FILE *stream, const char *text)
{
	putc('"', stream);
	while (*text) {
		const unsigned char byte = (unsigned char)*text;
		const int bytes = text_character_bytes(text);

		if (bytes == 0)
			fputs("\\ufffd", stream);
		else if (byte == '"' || byte == '\\')
			fprintf(stream, "\\%c", byte);
		else if (byte < 0x20 || byte == 0x7f)
			fprintf(stream, "\\u%04x", byte);
		else
			fwrite(text, 1, (size_t)bytes, stream);
		text += bytes ? bytes : 1;
	}
	putc('"', stream);
}

void json_text(struct json *json, const char *key, const char *text)
{
	begin_value(json, key);
	write_string(json->stream, text);
}

void json_integer(struct json *json, const char *key, uint64_t value)
{
	begin_value(json, key);
	fprintf(json->stream, "%llu", (unsigned long long)value);
}

void json_number(struct json *json, const char *key, double value)
{
	char text[NUMBER_TEXT_BYTES];

	begin_value(json, key);
	fputs(isfinite(value) ? number_text(value, text) : "null", json->stream);
}

void json_attoseconds(struct json *json, const char *key, __int128 as)
{
	char text[NUMBER_TEXT_BYTES];

	begin_value(json, key);
	fputs(attoseconds_text(as, text), json->stream);
}

void json_null(struct json *json, const char *key)
{
	begin_value(json, key);
	fputs("null", json->stream);
}

void json_boolean(struct json *json, const char *key, bool value)
{
	begin_value(json, key);
	fputs(value ? "true" : "false", json->stream);
}
