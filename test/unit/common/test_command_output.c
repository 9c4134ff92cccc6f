/* Options -o and --format: one rule for the name of a file and its format. */
#include "common/command_output.h"

#include "common/output.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

enum { TEXT, JSON, SCHEMA, REFUSED = -1 };

static const struct output_format formats[] = {
	[TEXT] = {"text", ".txt .text", NULL},
	[JSON] = {"json", ".json", "a tree"},
	[SCHEMA] = {"schema", "", NULL},
	{0},
};

/* Format that is written to the path with --format NAME; either may be NULL. */
static int format_of(const char *path, const char *name, bool needs_suffix)
{
	struct command_output output = {.formats = formats, .needs_suffix = needs_suffix};
	struct error err = {0};

	output_watch();
	if ((!path || option_output_path(path, &output, &err) == 0) &&
	    (!name || option_output_format(name, &output, &err) == 0) &&
	    command_output_settle(&output, &err) == 0) {
		assert_string_equal(output.path, path ? path : "-");
		return output.format;
	}
	assert_int_equal(err.status, STATUS_USAGE);
	return REFUSED;
}

static void the_suffix_chooses_the_format(void **state)
{
	(void)state;
	assert_int_equal(format_of("a.json", NULL, false), JSON);
	assert_int_equal(format_of("a.JSON", NULL, false), JSON);
	assert_int_equal(format_of("a.json.txt", NULL, false), TEXT);
	assert_int_equal(format_of("a.json/text", NULL, false), TEXT);
	assert_int_equal(format_of("a.text", NULL, true), TEXT);
}

static void a_name_without_suffix_and_stdout_get_the_first_format(void **state)
{
	(void)state;
	assert_int_equal(format_of(NULL, NULL, false), TEXT);
	assert_int_equal(format_of("-", NULL, false), TEXT);
	assert_int_equal(format_of("a", NULL, false), TEXT);
	assert_int_equal(format_of(".json", NULL, false), TEXT);
	assert_int_equal(format_of("L1.5us", NULL, false), TEXT);
	assert_int_equal(format_of("/dev/fd.json", NULL, false), TEXT);
	assert_int_equal(format_of("a", NULL, true), REFUSED);
	assert_int_equal(format_of("-", NULL, true), REFUSED);
}

static void the_option_decides_unless_the_suffix_contradicts_it(void **state)
{
	(void)state;
	assert_int_equal(format_of("-", "json", true), JSON);
	assert_int_equal(format_of("a", "json", false), JSON);
	assert_int_equal(format_of("a.json", "json", false), JSON);
	assert_int_equal(format_of("a.pdf", "json", false), JSON);
	assert_int_equal(format_of("a.json", "text", false), REFUSED);
	assert_int_equal(format_of("a.txt", "json", false), REFUSED);
	assert_int_equal(format_of("a.json", "schema", false), SCHEMA);
}

static void unknown_suffixes_and_formats_are_refused(void **state)
{
	(void)state;
	assert_int_equal(format_of("a.pdf", NULL, false), REFUSED);
	assert_int_equal(format_of("a.csv", NULL, false), REFUSED);
	assert_int_equal(format_of("a.j", NULL, false), REFUSED);
	assert_int_equal(format_of("a", "xml", false), REFUSED);
	assert_int_equal(format_of("", NULL, false), REFUSED);
}

static void the_help_names_all_formats(void **state)
{
	const struct command_output output = {.formats = formats};
	char text[OUTPUT_HELP_BYTES];

	(void)state;
	assert_string_equal(command_output_format_help(&output, text, sizeof text),
			    "text (default), json or schema; without this option the name of FILE says it: "
			    ".txt or .json");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_suffix_chooses_the_format),
		cmocka_unit_test(a_name_without_suffix_and_stdout_get_the_first_format),
		cmocka_unit_test(the_option_decides_unless_the_suffix_contradicts_it),
		cmocka_unit_test(unknown_suffixes_and_formats_are_refused),
		cmocka_unit_test(the_help_names_all_formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
