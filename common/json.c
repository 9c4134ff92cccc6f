#include "common/json.h"

#include "common/text.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* All doubles have MOST_DIGITS digits that are read back as they were, all decimal numbers of LEAST_DIGITS are kept. */
enum { LEAST_DIGITS = DBL_DIG, MOST_DIGITS = 17 };

/* ---------------------------------------------------- numbers without an exponent */

typedef unsigned __int128 wide;

/* A number of at least FIXED_LEAST and below FIXED_END: `mantissa` 2^`exponent`. */
#define FIXED_LEAST 1e-4
#define FIXED_END 9e14
struct binary {
	uint64_t mantissa; /* 53 bits */
	int exponent;
};

/* A decimal number: `digits` 10^-`places`. */
struct decimal {
	uint64_t digits;
	int places;
};

static struct binary to_binary(double value)
{
	struct binary binary;
	const double fraction = frexp(value, &binary.exponent);

	binary.mantissa = (uint64_t)ldexp(fraction, DBL_MANT_DIG);
	binary.exponent -= DBL_MANT_DIG;
	return binary;
}

/* Number of digits before the point; of 0.05 it is -1. */
static int digits_before_point(double value)
{
	int digits = 0;

	for (double power = 1; value >= power; power *= 10)
		digits++;
	for (double power = 10; digits <= 0 && value * power < 1; power *= 10)
		digits--;
	return digits;
}

/*
 * Round to a number of places, and tell whether that is read back as the same binary number.  Both numbers are compared
 * as integers, times 10^places 2^shift: below 2^101 for the numbers above.  The next binary numbers are 5^places
 * further up and down, or half of it down from a power of two.
 */
static bool round_to_places(const struct binary *binary, int places, struct decimal *rounded)
{
	const int shift = -(binary->exponent + places);
	const bool is_power = binary->mantissa == UINT64_C(1) << (DBL_MANT_DIG - 1);
	const wide half = (wide)1 << (shift - 1);
	wide step = 1, exact, near, room;

	for (int i = 0; i < places; i++)
		step *= 5;
	exact = binary->mantissa * step;
	near = (exact + half) >> shift;
	/* Halves go to even digits. */
	if ((near << shift) == exact + half)
		near &= ~(wide)1;
	*rounded = (struct decimal){(uint64_t)near, places};
	near <<= shift;
	room = near < exact ? 2 * (exact - near) : 2 * (near - exact);
	if (is_power && near < exact)
		room *= 2;
	return binary->mantissa % 2 ? room < step : room <= step;
}

static void write_decimal(struct decimal number, char text[static NUMBER_TEXT_BYTES])
{
	char digits[NUMBER_TEXT_BYTES];
	char *from = digits + sizeof digits;

	for (; number.places > 0 && number.digits % 10 == 0; number.places--)
		number.digits /= 10;
	*--from = '\0';
	for (int place = 0; number.digits > 0 || place <= number.places; place++) {
		if (place == number.places && place > 0)
			*--from = '.';
		*--from = (char)('0' + number.digits % 10);
		number.digits /= 10;
	}
	strcpy(text, from);
}

/* Write a number in the range of struct binary. */
static void write_fixed(double value, char text[static NUMBER_TEXT_BYTES])
{
	const struct binary binary = to_binary(value);
	const int before = digits_before_point(value);
	struct decimal rounded;

	for (int precision = LEAST_DIGITS; precision <= MOST_DIGITS; precision++)
		if (round_to_places(&binary, precision - before, &rounded))
			break;
	write_decimal(rounded, text);
}

/* ------------------------------------------------------------------- all numbers */

static void write_general(double value, char text[static NUMBER_TEXT_BYTES])
{
	char digits[NUMBER_TEXT_BYTES];
	char *to = text;

	for (int precision = LEAST_DIGITS; precision <= MOST_DIGITS; precision++) {
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
}

const char *number_text(double value, char text[static NUMBER_TEXT_BYTES])
{
	const double size = fabs(value);

	if (!isfinite(value))
		return strcpy(text, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
	if (value == 0)
		return strcpy(text, "0"); /* not "-0" */
	if (size < FIXED_LEAST || size >= FIXED_END) {
		write_general(value, text);
		return text;
	}
	if (value < 0)
		*text = '-';
	write_fixed(size, text + (value < 0));
	return text;
}

/* ------------------------------------------------------------------ attoseconds */

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
