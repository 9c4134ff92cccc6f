/* Output files: files that they must not overwrite. */
#include "common/output.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void make(const char *path)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fclose(file);
}

/* Into a directory of its own: files in and beside an archive, and links to them. */
static int prepare(void **state)
{
	static char folder[] = "/tmp/test_output.XXXXXX";

	*state = mkdtemp(folder);
	assert_non_null(*state);
	assert_int_equal(chdir(folder), 0);
	assert_int_equal(mkdir("archive", 0700), 0);
	assert_int_equal(mkdir("archive/deep", 0700), 0);
	assert_int_equal(mkdir("archive2", 0700), 0);
	make("archive/data");
	make("input");
	make("other");
	assert_int_equal(symlink("input", "symbolic"), 0);
	assert_int_equal(link("input", "hard"), 0);
	assert_int_equal(symlink("archive/deep", "shortcut"), 0);
	return 0;
}

static int tidy(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof command, "rm -rf '%s'", (char *)*state);
	assert_int_equal(chdir("/"), 0);
	return system(command);
}

static bool is_refused(const char *path, const char *input)
{
	struct error err = {0};
	const int result = output_refuse_input(path, input, &err);

	if (result == 0)
		return false;
	assert_int_equal(err.status, STATUS_USAGE);
	assert_non_null(strstr(err.text, path));
	return true;
}

static void a_file_is_no_output_of_its_own_under_any_name(void **state)
{
	(void)state;
	assert_true(is_refused("input", "input"));
	assert_true(is_refused("./input", "input"));
	assert_true(is_refused("archive/../input", "input"));
	assert_true(is_refused("symbolic", "input"));
	assert_true(is_refused("input", "symbolic"));
	assert_true(is_refused("hard", "input"));
	assert_false(is_refused("other", "input"));
	assert_false(is_refused("new", "input"));
	assert_false(is_refused("archive/data", "input"));
}

static void nothing_is_written_inside_an_input_directory(void **state)
{
	(void)state;
	assert_true(is_refused("archive/data", "archive"));
	assert_true(is_refused("archive/new", "archive/"));
	assert_true(is_refused("archive/deep/new", "archive"));
	assert_true(is_refused("shortcut/new", "archive"));
	assert_true(is_refused("archive2/../archive/new", "./archive"));
	assert_true(is_refused("new", "."));
	assert_false(is_refused("archive2/new", "archive"));
	assert_false(is_refused("new", "archive"));
	assert_false(is_refused("nowhere/new", "archive"));
}

static void streams_and_missing_inputs_are_accepted(void **state)
{
	(void)state;
	assert_false(is_refused("-", "input"));
	assert_false(is_refused("input", "-"));
	assert_false(is_refused("/dev/null", "/dev/null"));
	assert_false(is_refused("/dev/null", "/"));
	assert_false(is_refused("input", "missing"));
	assert_false(is_refused("input", NULL));
	assert_false(is_refused(NULL, "input"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_no_output_of_its_own_under_any_name),
		cmocka_unit_test(nothing_is_written_inside_an_input_directory),
		cmocka_unit_test(streams_and_missing_inputs_are_accepted),
	};

	return cmocka_run_group_tests(tests, prepare, tidy);
}
