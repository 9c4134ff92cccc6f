/*
 * Checks of pictures and pages: markup is well-formed, and no text touches another one.
 *
 * The functions fail the test (cmocka).
 */
#ifndef TEST_SVG_CHECK_H
#define TEST_SVG_CHECK_H

#include <stddef.h>

/*
 * Check that elements nest, that attributes are in quotes, and that & and < are escaped.  Elements
 * without an end that HTML knows (<meta>) are allowed if `html`.
 */
void check_markup(const char *text, int html);

/*
 * Check that the boxes of all <text> of a picture, with the widths of common/draw/extent.h, are
 * inside the picture and do not overlap.  Returns the number of texts.
 */
size_t check_texts(const char *svg);

/* Value of an attribute of the element at `element` as a number; `missing` if there is none. */
double attribute_number(const char *element, const char *name, double missing);

/* Number of times that `part` is in `text`. */
size_t count_of(const char *text, const char *part);

#endif
