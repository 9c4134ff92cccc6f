/*
 * Colours, line patterns and markers of all pictures, as a style sheet.
 *
 * The colours of series are those of Okabe and Ito ("Color Universal Design", 2008), which people
 * with any kind of colour vision tell apart.  Series also differ by dashes, markers or hatching, so
 * pictures survive a grey-scale printer.  A page has light and dark colours, as its reader prefers,
 * and prints light ones.  A file has light ones.
 *
 * Classes of elements:
 *
 *	text: muted, small, strong	grid, axis, tick, cross (a vertical mark), level (horizontal)
 *	s0 ... s6 with line (dense: thin), area, bar, point	series
 *	z1 z2 z3			zones: harmless, noticeable, severe
 *	h0 ... h7, c0 ... c7 cells	levels of a heat map, from little to much, as areas and lines
 *	plane, empty, white, shade, rope, thread, mark
 *					heat maps, whose cells have colours of their own
 */
#ifndef COMMON_DRAW_PALETTE_H
#define COMMON_DRAW_PALETTE_H

#include <stdio.h>

enum { PALETTE_SERIES = 7, PALETTE_ZONES = 3, PALETTE_HEAT = 8 };

/* Font sizes in px of a picture, and the fonts. */
#define PALETTE_FONT_PX 12.0
#define PALETTE_SMALL_PX 11.0
extern const char palette_fonts[];

/* Write the style sheet of a file with one picture: light colours. */
void palette_print_file_style(FILE *stream);

/* Write the style sheet of all pictures of a page, and its colours as variables (--ink, --paper). */
void palette_print_page_style(FILE *stream);

#endif
