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

/* Bytes of the UTF-8 character at `text`, which is not empty; 0 if it is not UTF-8 (RFC 3629). */
int text_character_bytes(const char *text);

/* Write `text` with its control characters shown. */
void text_print(FILE *stream, const char *text);

/* The same as a field of a CSV line, quoted where it must be (RFC 4180). */
void text_print_csv(FILE *stream, const char *text);

/* Write the shown text into `shown`, cut to its room; returns `shown`. */
const char *text_show(const char *text, char *shown, size_t room);

/* Columns that a text without control characters takes: characters, not bytes. */
int text_width(const char *text);

/*
 * Most columns of a text on `stream`: COLUMNS of the environment, else the width of the
 * terminal, else 80; at least 40.
 */
int text_columns(FILE *stream);

/*
 * The first line of `text` when it is wrapped at spaces to `columns` columns: its
 * bytes.  *next is where the next line begins, NULL after the last.  A word that does
 * not fit a line is cut if `cut`, after a comma, slash or dash if it has one; otherwise
 * it is a line of its own.
 */
size_t text_line(const char *text, int columns, int cut, const char **next);

/*
 * Write paragraphs wrapped to `columns`, all lines but the first indented by
 * `indent` columns.  An empty line separates paragraphs; lines that begin with a space
 * are written as they are; other line ends are spaces.  Ends with a line end.
 */
void text_wrap(FILE *stream, const char *text, int indent, int columns);

#endif
