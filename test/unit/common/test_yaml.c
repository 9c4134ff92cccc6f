/* YAML files as trees, and the JSON writer's numbers. */
#include "common/json.h"
#include "common/units.h"
#include "common/yaml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char path[] = "/tmp/test_yaml.XXXXXX";

static int create_file(void **state)
{
	int file = mkstemp(path);

	(void)state;
	return file < 0 ? -1 : close(file);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static void write_bytes(const char *bytes, size_t count)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, count, file), count);
	assert_int_equal(fclose(file), 0);
}

/* The file must be refused with this status, "path:line: " and text. */
static void refused_bytes(const char *bytes, size_t count, enum status status, int line,
			  const char *text)
{
	struct yaml_file file;
	struct error err = {0};
	char place[64];

	write_bytes(bytes, count);
	assert_int_equal(yaml_file_open(&file, path, &err), -1);
	assert_int_equal(err.status, status);
	snprintf(place, sizeof place, "%s:%d:", path, line);
	if (strncmp(err.text, place, strlen(place)) != 0 || !strstr(err.text, text))
		fail_msg("'%s' instead of '%s... %s'", err.text, place, text);
}

static void refused(const char *yaml, int line, const char *text)
{
	refused_bytes(yaml, strlen(yaml), STATUS_DATA, line, text);
}

static void entries_have_key_text_line_and_column(void **state)
{
	struct yaml_file file;
	struct yaml_entry *entry;
	struct error err = {0};
	static const char yaml[] = "# a comment\n"
				   "first: 1 us\n"
				   "list:\n"
				   "  - a\n"
				   "  - {deep: [x, 'y z'], empty: }\n"
				   "last: \"q: \\\"\"\n";

	(void)state;
	write_bytes(yaml, strlen(yaml));
	assert_int_equal(yaml_file_open(&file, path, &err), 0);
	assert_int_equal(file.root->kind, YAML_MAPPING);
	entry = file.root->first;
	assert_string_equal(entry->key, "first");
	assert_string_equal(entry->text, "1 us");
	assert_int_equal(entry->line, 2);
	entry = entry->next;
	assert_string_equal(entry->key, "list");
	assert_int_equal(entry->kind, YAML_SEQUENCE);
	assert_int_equal(entry->line, 3);
	assert_null(entry->text);
	assert_string_equal(entry->first->text, "a");
	assert_null(entry->first->key);
	assert_int_equal(entry->first->line, 4);
	assert_int_equal(entry->first->column, 5);
	assert_int_equal(entry->first->next->kind, YAML_MAPPING);
	assert_string_equal(entry->first->next->first->first->next->text, "y z");
	assert_string_equal(entry->first->next->first->next->text, "");
	assert_int_equal(entry->first->next->first->next->line, 5);
	assert_int_equal(entry->first->next->first->next->column, 24);
	assert_null(entry->first->next->next);
	assert_string_equal(entry->next->text, "q: \"");
	assert_int_equal(entry->next->line, 6);
	assert_int_equal(entry->next->column, 1);
	assert_null(entry->next->next);
	yaml_file_release(&file);
}

static void files_other_than_plain_trees_are_refused_with_the_line(void **state)
{
	(void)state;
	refused("", 1, "empty");
	refused("# only a comment\n", 1, "empty");
	refused("word\n", 1, "key: value");
	refused("a: 1\nb: 2\na: 3\n", 3, "duplicate key 'a' (first on line 1)");
	refused("a: {b: 1, b: 2}\n", 1, "duplicate key 'b' (first on line 1)");
	refused("a: 1\n---\nb: 2\n", 2, "second document");
	refused("a: &x 1\nb: *x\n", 1, "anchors");
	refused("a: &x\n  c: 1\n", 1, "anchors");
	refused("a: 1\nb: *x\n", 2, "aliases");
	refused("a: !!int 1\n", 1, "tags");
	refused("[a]: 1\n", 1, "key must be a word");
	refused("a: 1\n? {b: 1}\n: 2\n", 2, "key must be a word");
	refused("a: 1\n\tb: 2\n", 2, "");
	refused("a: 1\nb: [1, 2\n", 3, "");
	refused("a: 1\nb: 'open\n", 3, "");
	refused("a: 1\nb: \"\\0\"\n", 2, "NUL");
	refused_bytes("a: 1\nb: \xff\xfe\n", 11, STATUS_DATA, 2, "");
	refused_bytes("a: 1\nb: \0\n", 10, STATUS_DATA, 2, "");
	refused_bytes("\x7f\x45LF\2\1\1\0\0", 9, STATUS_DATA, 1, "");
}

static void deep_and_long_files_are_refused(void **state)
{
	struct yaml_file file;
	struct error err = {0};
	size_t count = YAML_MOST_BYTES + 1;
	char *text = malloc(count);

	(void)state;
	assert_non_null(text);
	memset(text, '[', count);
	refused_bytes(text, 100, STATUS_LIMIT, 1, "nested too deeply");
	for (size_t i = 0; i < count; i += 4)
		memcpy(text + i, "- a\n", count - i < 4 ? count - i : 4);
	refused_bytes(text, 4 * (YAML_MOST_ENTRIES + 1), STATUS_LIMIT, YAML_MOST_ENTRIES,
		      "too many entries");
	write_bytes(text, count);
	assert_int_equal(yaml_file_open(&file, path, &err), -1);
	assert_int_equal(err.status, STATUS_LIMIT);
	free(text);
}

static void every_beginning_of_a_file_is_read_or_refused(void **state)
{
	static const char yaml[] = "L: 3us\no: \"5 us\"\nlist: [1, {a: b}]\nmap:\n  k: |\n"
				   "    x\n  ? y\n  : 'z'\n";
	size_t read = 0;

	(void)state;
	for (size_t count = 0; count < sizeof yaml; count++) {
		struct yaml_file file;
		struct error err = {0};

		write_bytes(yaml, count);
		if (yaml_file_open(&file, path, &err) == 0) {
			yaml_file_release(&file);
			read++;
		} else {
			assert_int_equal(err.status, STATUS_DATA);
			assert_memory_equal(err.text, path, strlen(path));
		}
	}
	assert_true(read > 20);
}

static void a_device_that_never_ends_is_read_up_to_the_limit(void **state)
{
	struct yaml_file file;
	struct error err;

	(void)state;
	assert_int_equal(yaml_file_open(&file, "/dev/zero", &err), -1);
	assert_int_equal(err.status, STATUS_LIMIT);
	assert_non_null(strstr(err.text, "/dev/zero: the file has more than 1048576 bytes"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_have_key_text_line_and_column),
		cmocka_unit_test(files_other_than_plain_trees_are_refused_with_the_line),
		cmocka_unit_test(deep_and_long_files_are_refused),
		cmocka_unit_test(every_beginning_of_a_file_is_read_or_refused),
		cmocka_unit_test(a_device_that_never_ends_is_read_up_to_the_limit),
	};

	return cmocka_run_group_tests(tests, create_file, remove_file);
}
