/*
 * Size of text in pictures.
 *
 * A picture is laid out before anybody knows the font.  The advance widths are the larger ones of
 * DejaVu Sans and Liberation Sans (which has those of Arial and Helvetica), so a text in a common
 * sans-serif is at most as wide as computed here, by up to 12 % less.
 */
#ifndef COMMON_DRAW_EXTENT_H
#define COMMON_DRAW_EXTENT_H

#include <stddef.h>

/* Width in px of `text` in a font of `size` px. */
double text_extent(const char *text, double size);

/*
 * Write `text` into `fitted`, shortened in its middle with an ellipsis if it is wider than `width`
 * px.  Both ends of a name tell it apart from others.  Returns `fitted`.
 */
const char *text_fit(const char *text, double size, double width, char *fitted, size_t room);

#endif
