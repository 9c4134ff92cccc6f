/* The JSON writer. */
#include "common/json.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_written(struct json *json, const char *expected, char **text)
{
	fclose(json->stream);
	assert_string_equal(*text, expected);
	free(*text);
}

static struct json open_json(char **text, size_t *count)
{
	struct json json = {.stream = open_memstream(text, count)};

	assert_non_null(json.stream);
	return json;
}

static void containers_are_laid_out_in_lines_or_inline(void **state)
{
	char *text;
	size_t count;
	struct json json = open_json(&text, &count);

	(void)state;
	json_begin(&json, NULL, '{', JSON_LINES);
	json_integer(&json, "big", UINT64_MAX);
	json_begin(&json, "list", '[', JSON_INLINE);
	json_number(&json, NULL, 0.1);
	json_null(&json, NULL);
	json_end(&json);
	json_begin(&json, "none", '[', JSON_LINES);
	json_end(&json);
	json_begin(&json, "lines", '[', JSON_LINES);
	json_attoseconds(&json, NULL, 1500000000);
	json_number(&json, NULL, INFINITY);
	json_end(&json);
	json_end(&json);
	assert_written(&json,
		       "{\n  \"big\": 18446744073709551615,\n  \"list\": [0.1, null],\n"
		       "  \"none\": [],\n  \"lines\": [\n    1.5,\n    null\n  ]\n}\n",
		       &text);
}

static void strings_are_escaped_and_always_utf8(void **state)
{
	static const struct {
		const char *text, *json;
	} cases[] = {
		{"plain", "\"plain\""},
		{"a\"b\\c", "\"a\\\"b\\\\c\""},
		{"\n\t\x01\x7f", "\"\\u000a\\u0009\\u0001\\u007f\""},
		{"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
		 "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\""},
		{"\xff", "\"\\ufffd\""},
		{"\xc3", "\"\\ufffd\""}, /* cut */
		{"\xe2\x82", "\"\\ufffd\\ufffd\""},
		{"\xc0\xaf", "\"\\ufffd\\ufffd\""},	       /* overlong */
		{"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""}, /* surrogate */
		{"\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *text;
		size_t count;
		struct json json = open_json(&text, &count);

		json_text(&json, NULL, cases[i].text);
		assert_written(&json, cases[i].json, &text);
	}
}

static void numbers_are_short_and_read_back_as_they_were(void **state)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {
		{0, "0"},
		{-0.0, "0"},
		{1615, "1615"},
		{0.1, "0.1"},
		{-2.5, "-2.5"},
		{1e300, "1e+300"},
		{0.1 + 0.2, "0.30000000000000004"},
		{INFINITY, "inf"},
		{-INFINITY, "-inf"},
		{NAN, "nan"},
	};
	char text[NUMBER_TEXT_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_string_equal(number_text(cases[i].value, text), cases[i].text);
}

/* Try 15, 16, 17 digits. */
static const char *tried_text(double value, char text[static NUMBER_TEXT_BYTES])
{
	for (int precision = 15; precision <= 17; precision++) {
		snprintf(text, NUMBER_TEXT_BYTES, "%.*g", precision, value);
		if (strtod(text, NULL) == value)
			break;
	}
	return text;
}

static uint64_t next_bits(uint64_t *bits) /* xorshift */
{
	*bits ^= *bits << 13;
	*bits ^= *bits >> 7;
	*bits ^= *bits << 17;
	return *bits;
}

static void assert_shortest(double value)
{
	char text[NUMBER_TEXT_BYTES], tried[NUMBER_TEXT_BYTES];

	if (isfinite(value) && value != 0)
		assert_string_equal(number_text(value, text), tried_text(value, tried));
}

static void numbers_have_as_few_digits_as_give_them_back(void **state)
{
	uint64_t bits = 88172645463325252;
	double value;

	(void)state;
	for (int i = 0; i < 50000; i++) {
		const uint64_t some = next_bits(&bits);

		memcpy(&value, &some, sizeof value);
		assert_shortest(value);
		/* The parameters of distributions, decimal numbers, and what is next to them. */
		assert_shortest((double)(some >> 40) / (double)(some & 0xffffff));
		value = (double)(some >> 13) / pow(10, (double)(some % 22));
		assert_shortest(value);
		assert_shortest(nextafter(value, 0));
	}
	for (int exponent = -1074; exponent < 1024; exponent++) {
		assert_shortest(-ldexp(1, exponent));
		assert_shortest(nextafter(ldexp(1, exponent), 0));
		assert_shortest(nextafter(ldexp(1, exponent), INFINITY));
	}
	for (int exponent = -323; exponent < 309; exponent++) {
		assert_shortest(pow(10, exponent));
		assert_shortest(nextafter(pow(10, exponent), 0));
		assert_shortest(nextafter(pow(10, exponent), INFINITY));
		assert_shortest(9 * pow(10, exponent));
		assert_shortest(nextafter(9 * pow(10, exponent), 0));
	}
}

static void attoseconds_are_written_with_all_digits(void **state)
{
	char text[NUMBER_TEXT_BYTES];
	const __int128 ns = 1000000000;

	(void)state;
	assert_string_equal(attoseconds_text(0, text), "0");
	assert_string_equal(attoseconds_text(1, text), "0.000000001");
	assert_string_equal(attoseconds_text(-1, text), "-0.000000001");
	assert_string_equal(attoseconds_text(ns / 4, text), "0.25");
	assert_string_equal(attoseconds_text(10 * ns, text), "10");
	assert_string_equal(attoseconds_text(100 * ns + 10, text), "100.00000001");
	assert_string_equal(attoseconds_text(((__int128)1 << 126) - 1, text),
			    "85070591730234615865843651857.942052863");
	assert_string_equal(attoseconds_text((__int128)((unsigned __int128)1 << 127), text),
			    "-170141183460469231731687303715.884105728");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(containers_are_laid_out_in_lines_or_inline),
		cmocka_unit_test(strings_are_escaped_and_always_utf8),
		cmocka_unit_test(numbers_are_short_and_read_back_as_they_were),
		cmocka_unit_test(numbers_have_as_few_digits_as_give_them_back),
		cmocka_unit_test(attoseconds_are_written_with_all_digits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
