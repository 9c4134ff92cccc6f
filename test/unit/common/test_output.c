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
	assert_int_equal(symlink("nothing", "dangling"), 0);
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

static bool is_usage(int result, const struct error *err, const char *path)
{
	if (result == 0)
		return false;
	assert_int_equal(err->status, STATUS_USAGE);
	assert_non_null(strstr(err->text, path));
	return true;
}

/* Whether the output is refused, whichever of both is noted first. */
static bool is_refused(const char *path, const char *input)
{
	struct error err = {0};
	bool refused;

	output_watch();
	assert_int_equal(output_note_input(input, &err), 0);
	refused = is_usage(output_declare(path, &err), &err, path);
	output_watch();
	assert_int_equal(output_declare(path, &err), 0);
	assert_int_equal(is_usage(output_note_input(input, &err), &err, path), refused);
	return refused;
}

static bool are_the_same(const char *path, const char *other)
{
	struct error err = {0};

	output_watch();
	assert_int_equal(output_declare(path, &err), 0);
	return is_usage(output_declare(other, &err), &err, other);
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
}

static void two_outputs_are_two_files_under_all_names(void **state)
{
	(void)state;
	assert_true(are_the_same("input", "input"));
	assert_true(are_the_same("symbolic", "input"));
	assert_true(are_the_same("input", "hard"));
	assert_true(are_the_same("new", "./new"));
	assert_true(are_the_same("archive/deep/new", "shortcut/new"));
	assert_true(are_the_same("dangling", "nothing"));
	assert_false(are_the_same("new", "archive/new"));
	assert_false(are_the_same("new", "newer"));
	assert_false(are_the_same("other", "input"));
	assert_false(are_the_same("/dev/null", "/dev/null"));
}

static void make_output(const char *path)
{
	struct error err;
	struct output output;

	assert_int_equal(output_open(&output, path, &err), 0);
	assert_int_equal(output_commit(&output, &err), 0);
}

static void an_output_that_nobody_declared_is_checked_when_it_is_opened(void **state)
{
	struct output output;
	struct error err;

	(void)state;
	output_watch();
	assert_int_equal(output_note_input("input", &err), 0);
	assert_int_equal(output_open(&output, "hard", &err), -1);
	assert_int_equal(err.status, STATUS_USAGE);
	make_output("first");
	assert_int_equal(output_open(&output, "first", &err), -1);
	assert_int_equal(err.status, STATUS_USAGE);
	assert_int_equal(output_open(&output, "third", &err), 0);
	output_discard(&output);
	make_output("third");
	/* Declared, it can be opened once. */
	assert_int_equal(output_declare("second", &err), 0);
	make_output("second");
	assert_int_equal(output_open(&output, "second", &err), -1);
}

static void of_several_outputs_none_is_made_if_one_fails(void **state)
{
	struct output outputs[3] = {{0}};
	struct error err;

	(void)state;
	output_watch();
	assert_int_equal(output_open(&outputs[0], "one", &err), 0);
	assert_int_equal(output_open(&outputs[2], "/dev/full", &err), 0);
	fputs("text", outputs[0].stream);
	fputs("text", outputs[2].stream);
	assert_int_equal(output_finish(&outputs[0], &err), 0);
	assert_int_equal(output_commit_all(outputs, 3, &err), -1);
	assert_int_equal(err.status, STATUS_SYSTEM);
	assert_int_equal(access("one", F_OK), -1);
	output_watch();
	assert_int_equal(output_open(&outputs[0], "one", &err), 0);
	assert_int_equal(output_open(&outputs[1], "two", &err), 0);
	assert_int_equal(output_commit_all(outputs, 3, &err), 0);
	assert_int_equal(access("one", F_OK), 0);
	assert_int_equal(access("two", F_OK), 0);
}

static void a_file_behind_a_link_is_made(void **state)
{
	struct stat status;

	(void)state;
	output_watch();
	make_output("dangling");
	assert_int_equal(lstat("dangling", &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	assert_int_equal(access("nothing", F_OK), 0);
	assert_int_equal(unlink("nothing"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_no_output_of_its_own_under_any_name),
		cmocka_unit_test(nothing_is_written_inside_an_input_directory),
		cmocka_unit_test(streams_and_missing_inputs_are_accepted),
		cmocka_unit_test(two_outputs_are_two_files_under_all_names),
		cmocka_unit_test(an_output_that_nobody_declared_is_checked_when_it_is_opened),
		cmocka_unit_test(of_several_outputs_none_is_made_if_one_fails),
		cmocka_unit_test(a_file_behind_a_link_is_made),
	};

	return cmocka_run_group_tests(tests, prepare, tidy);
}
