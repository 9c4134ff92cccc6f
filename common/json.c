#include "common/json.h"

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
	/* What is neither digit, sign nor exponent is the locale's decimal point. */
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
		/* No zeros at the end of the decimal places. */
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

/* Write what stands before a value: comma, white space and key. */
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

/* Bytes of the UTF-8 character at `text`, 0 if it is none (RFC 3629). */
static int character_bytes(const unsigned char *text)
{
	static const struct {
		unsigned char first_low, first_high, second_low, second_high, bytes;
	} forms[] = {
		{0x01, 0x7f, 0x00, 0xff, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2},
		{0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
		{0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
		{0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4},
		{0xf4, 0xf4, 0x80, 0x8f, 4},
	};

	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		if (text[0] < forms[i].first_low || text[0] > forms[i].first_high)
			continue;
		if (forms[i].bytes > 1 &&
		    (text[1] < forms[i].second_low || text[1] > forms[i].second_high))
			continue;
		for (int at = 2; at < forms[i].bytes; at++)
			if ((text[at] & 0xc0) != 0x80)
				return 0;
		return forms[i].bytes;
	}
	return 0;
}

static void write_string(FILE *stream, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	putc('"', stream);
	while (*at) {
		int bytes = character_bytes(at);

		if (bytes == 0)
			fputs("\\ufffd", stream);
		else if (*at == '"' || *at == '\\')
			fprintf(stream, "\\%c", *at);
		else if (*at < 0x20 || *at == 0x7f)
			fprintf(stream, "\\u%04x", *at);
		else
			fwrite(at, 1, (size_t)bytes, stream);
		at += bytes ? bytes : 1;
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
