/*
 * Text and numbers inside XML and HTML.
 *
 * Names of functions, files and communicators come from outside.  Each text of a picture or page
 * passes through markup_print, so that no name can end an element or begin one.
 */
#ifndef COMMON_DRAW_MARKUP_H
#define COMMON_DRAW_MARKUP_H

#include <stddef.h>
#include <stdio.h>

/*
 * Write `text` as content of an element or of an attribute in quotes.  The characters & < > " '
 * are escaped.  Control characters, which XML 1.0 forbids, and bytes that are not UTF-8 are shown
 * as text_show does (common/text.h).
 */
void markup_print(FILE *stream, const char *text);

/* Write the first character of `text`, which is not empty.  Returns its number of bytes. */
size_t markup_print_character(FILE *stream, const char *text);

/*
 * Length of the index after the Greek letter at `text`, with its underscore, as in "λ_L" or
 * "λ_l_tc+2*l_inter"; 0 if there is none.  An index is letters and digits, and signs between them.
 */
size_t markup_index(const char *text);

/* Write a coordinate in px: at most two decimals, a point in every locale, and no exponent. */
void markup_px(FILE *stream, double px);

#endif
