/* Text for people, and tables of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/table.h"
#include "common/text.h"

static void control_characters_are_shown(void **state)
{
	char shown[64];

	(void)state;
	assert_string_equal(text_show("a\x1b[31mb", shown, sizeof shown), "a\\x1b[31mb");
	assert_string_equal(text_show("a\nb\tc\rd\x7f", shown, sizeof shown), "a\\nb\\tc\\rd\\x7f");
	assert_string_equal(text_show("\xc3\xa4 \xc2\x9b \xff", shown, sizeof shown),
			    "\xc3\xa4 \\xc2\\x9b \\xff");
	/* Text that does not fit is cut between characters. */
	assert_string_equal(text_show("ab\x1b", shown, 5), "ab");
	assert_int_equal(text_width("\xc3\xa4 b"), 3);
}

/* The output of `print` with this many columns, which is valid until the next call. */
static const char *printed(const char *columns, void (*print)(FILE *stream))
{
	static char *text;
	size_t bytes;
	FILE *stream;

	free(text);
	stream = open_memstream(&text, &bytes);
	assert_non_null(stream);
	assert_int_equal(setenv("COLUMNS", columns, 1), 0);
	print(stream);
	fclose(stream);
	unsetenv("COLUMNS");
	return text;
}

static const char *csv_text;

static void print_csv_text(FILE *stream)
{
	text_print_csv(stream, csv_text);
}

static void csv_has_quotes_where_it_needs_them_and_no_control_characters(void **state)
{
	static const char *const cases[][2] = {
		{"", ""},
		{"MPI_Bcast", "MPI_Bcast"},
		{"a, b", "\"a, b\""},
		{"\"", "\"\"\"\""},
		{"say \"no\", twice", "\"say \"\"no\"\", twice\""},
		{"two\nlines\t~", "two\\nlines\\t~"},
		{"\x1b[31mred\x7f", "\\x1b[31mred\\x7f"},
		{"\xc3\xa9t\xc3\xa9", "\xc3\xa9t\xc3\xa9"},
		{"half \xc3", "half \\xc3"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		csv_text = cases[i][0];
		assert_string_equal(printed("80", print_csv_text), cases[i][1]);
	}
}

static void print_paragraphs(FILE *stream)
{
	text_wrap(stream,
		  "one two three four five six seven eight nine ten\neleven\n\n"
		  "  as it is, however long it may be and for ever\n"
		  "a-word-that-does-not-fit-a-line-of-forty-columns end",
		  2, text_columns(stream));
}

static void paragraphs_are_wrapped_and_lines_with_a_space_are_not(void **state)
{
	(void)state;
	assert_string_equal(printed("40", print_paragraphs),
			    "one two three four five six seven\n"
			    "  eight nine ten eleven\n"
			    "\n"
			    "  as it is, however long it may be and for ever\n"
			    "a-word-that-does-not-fit-a-line-of-forty-columns\n"
			    "  end\n");
}

static void long_words_are_cut_after_commas_slashes_and_dashes(void **state)
{
	const char *next;

	(void)state;
	assert_int_equal(text_line("tensor=2,pipeline=3", 12, 1, &next), 9);
	assert_string_equal(next, "pipeline=3");
	assert_int_equal(text_line("abcdefghijklmnop q", 12, 1, &next), 12);
	assert_string_equal(next, "mnop q");
	assert_int_equal(text_line("abcdefghijklmnop q", 12, 0, &next), 16);
	assert_string_equal(next, "q");
}

/* A shell has the last word on what it reads. */
static void a_shell_reads_words_as_they_were(void **state)
{
	static const char *const words[] = {"",	 "plain-1.0", "two words", "it's",
					    "'", "$HOME",     "a;b",	   "\"{site: \\\"x\\\"}\"",
					    "*", "line\nend"};

	(void)state;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		char *command, read[64] = "";
		size_t bytes;
		FILE *stream = open_memstream(&command, &bytes);
		FILE *shell;

		fputs("printf %s ", stream);
		text_print_word(stream, words[i]);
		fclose(stream);
		shell = popen(command, "r");
		assert_non_null(shell);
		read[fread(read, 1, sizeof read - 1, shell)] = '\0';
		assert_int_equal(pclose(shell), 0);
		assert_string_equal(read, words[i]);
		free(command);
	}
}

static void name_and_sentence(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	(void)data;
	snprintf(cells[0], TABLE_CELL_BYTES, "%zu", number * 1000);
	snprintf(cells[1], TABLE_CELL_BYTES, number ? "a name" : "\x1b");
	snprintf(cells[2], TABLE_CELL_BYTES,
		 number ? "a sentence of many words that goes on" : "short");
}

static void print_sentences(FILE *stream)
{
	const struct table_column columns[] = {
		{"count", TABLE_RIGHT, 0},
		{"name", TABLE_LEFT, 0},
		{"meaning", TABLE_LEFT, 0},
	};

	table_print(stream, columns, 3, 2, name_and_sentence, NULL);
}

static void cells_of_a_table_are_aligned(void **state)
{
	(void)state;
	assert_string_equal(printed("80", print_sentences),
			    "count  name    meaning\n"
			    "    0  \\x1b    short\n"
			    " 1000  a name  a sentence of many words that goes on\n");
}

static void a_table_is_wrapped_to_the_columns(void **state)
{
	(void)state;
	assert_string_equal(printed("42", print_sentences),
			    "count  name    meaning\n"
			    "    0  \\x1b    short\n"
			    " 1000  a name  a sentence of many words\n"
			    "               that goes on\n");
}

static void numbers(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	(void)data;
	for (int i = 0; i < 4; i++)
		snprintf(cells[i], TABLE_CELL_BYTES, "%d", i ? 1000000 + (int)number : (int)number);
}

static void print_numbers(FILE *stream)
{
	const struct table_column columns[] = {
		{"rank", TABLE_RIGHT, 0},
		{"a", TABLE_RIGHT, 0},
		{"b", TABLE_RIGHT, 12},
		{"c", TABLE_RIGHT, 20},
	};

	table_print(stream, columns, 4, 2, numbers, NULL);
}

static void a_table_of_numbers_that_does_not_fit_is_printed_in_parts(void **state)
{
	(void)state;
	assert_string_equal(printed("40", print_numbers), "rank        a             b\n"
							  "   0  1000000       1000000\n"
							  "   1  1000001       1000001\n"
							  "\n"
							  "rank                     c\n"
							  "   0               1000000\n"
							  "   1               1000001\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(control_characters_are_shown),
		cmocka_unit_test(csv_has_quotes_where_it_needs_them_and_no_control_characters),
		cmocka_unit_test(paragraphs_are_wrapped_and_lines_with_a_space_are_not),
		cmocka_unit_test(long_words_are_cut_after_commas_slashes_and_dashes),
		cmocka_unit_test(a_shell_reads_words_as_they_were),
		cmocka_unit_test(cells_of_a_table_are_aligned),
		cmocka_unit_test(a_table_is_wrapped_to_the_columns),
		cmocka_unit_test(a_table_of_numbers_that_does_not_fit_is_printed_in_parts),
	};

	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
