/*
 * Text for people: no control characters, lines that fit the terminal.
 *
 * File names, region names and other text from outside may hold escape sequences.  They are
 * shown: ESC as \x1b, a new line as \n, a byte that is not UTF-8 as \xff.
 */
#ifndef COMMON_TEXT_H
#define COMMON_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Bytes of the UTF-8 character at `text`, which is not empty.  0 if it is not UTF-8 (RFC 3629). */
int text_character_bytes(const char *text);

/* Write `text` with its control characters shown. */
void text_print(FILE *stream, const char *text);

/* Write `text` so as a field of a CSV line, quoted if necessary (RFC 4180). */
void text_print_csv(FILE *stream, const char *text);

/* Write `word` so that a shell reads it as one word, in quotes if necessary. */
void text_print_word(FILE *stream, const char *word);

/* Write the shown text into `shown`, cut to its size.  Returns `shown`. */
const char *text_show(const char *text, char *shown, size_t room);

/* Number of columns of a text without control characters: characters, not bytes. */
int text_width(const char *text);

/*
 * Maximum number of columns of a text on `stream`: COLUMNS of the environment, else the width of
 * the terminal, else 80, and at least 40.
 */
int text_columns(FILE *stream);

/* The same for lines and tables of reports: in a file each row stays one line, so there is no limit (INT_MAX). */
int text_table_columns(FILE *stream);

/*
 * Write lines of a message, each wrapped if the width is known: by COLUMNS or from a terminal.  In a
 * file every line stays one line.  `indent` is of the lines that go on.  The text has no control
 * characters, and ends with a line end.
 */
void text_print_lines(FILE *stream, const char *text, int indent);

/*
 * Number of bytes of the first line of `text`, wrapped at spaces to `columns` columns.  *next
 * becomes the begin of the next line, or NULL after the last.  If `cut`, a word that does not fit
 * a line is cut, after a comma, slash or dash if it has one.  Otherwise it is a line of its own.
 */
size_t text_line(const char *text, int columns, int cut, const char **next);

/*
 * Write paragraphs wrapped to `columns`, with all lines but the first indented by `indent`
 * columns.  An empty line separates paragraphs.  Lines that begin with a space are written as they
 * are.  Other line ends count as spaces.  Ends with a line end.
 */
void text_wrap(FILE *stream, const char *text, int indent, int columns);

/* Text that grows, zeroed at first, and is cut if it is too long. */
struct sentence {
	char text[2048];
	size_t length;
};

void sentence_add(struct sentence *sentence, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
