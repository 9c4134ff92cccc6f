/*
 * Pictures as SVG.
 *
 *	svg_begin(&svg, 240, "T over L");
 *	svg_line(&svg, "axis", 10, 200, 300, 200);
 *	svg_text(&svg, "muted", 10, 220, SVG_START, "latency");
 *	svg_end(&svg);
 *
 * A picture is drawn from left to right and top to bottom in px, `width` wide.  Its colours are
 * classes (common/draw/palette.h).  Functions that draw take what they draw on as their first
 * argument, so the same code draws for a page and for a paper, at any width.  The writer allocates
 * no memory.  The owner of the stream checks it for errors.
 */
#ifndef COMMON_DRAW_SVG_H
#define COMMON_DRAW_SVG_H

#include <stdbool.h>
#include <stdio.h>

enum svg_place {
	SVG_FILE, /* a file of its own with its style sheet, 0.25 mm a px: 12 px are 8.5 pt */
	SVG_PAGE, /* part of an HTML page that has the style sheet */
};

/* Widths of pictures: the text of a paper (180 mm), a column of it (88 mm) or a phone. */
#define SVG_WIDE_PX 720.0
#define SVG_NARROW_PX 352.0

struct svg {
	FILE *stream;
	enum svg_place place;
	double width;
	unsigned number;   /* of the picture in its page, so that ids differ */
	const char *class; /* further classes of the whole picture, or NULL */
};

/* Begin a picture `height` px high.  `title` says what it shows, for those who cannot see it. */
void svg_begin(const struct svg *svg, double height, const char *title);
void svg_end(const struct svg *svg);

/* Elements between these share a class and, if not NULL, a text that is shown when pointed at. */
void svg_group(const struct svg *svg, const char *class, const char *hover);
void svg_group_end(const struct svg *svg);

/* Rectangles of the region that they limit, numbered from 0: draw only inside it. */
void svg_clip(const struct svg *svg, unsigned region, double x, double y, double width,
	      double height);

void svg_line(const struct svg *svg, const char *class, double x1, double y1, double x2, double y2);
void svg_rect(const struct svg *svg, const char *class, double x, double y, double width,
	      double height);

enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END };

/* Write text with its base line at y.  The index of a Greek letter ("λ_L") is below it. */
void svg_text(const struct svg *svg, const char *class, double x, double y, enum svg_anchor anchor,
	      const char *text);

/* Begin a path, go to points (the first one without a line), end it. */
void svg_path(const struct svg *svg, const char *class);
void svg_path_to(const struct svg *svg, bool first, double x, double y);
void svg_path_end(const struct svg *svg, bool closed);

/* Draw the marker of a series: circle, square, triangle, diamond ... `size` px wide. */
void svg_point(const struct svg *svg, unsigned series, double x, double y, double size);

/* Draw a bar of a series.  Series 0 is dark, 5 is light, and the others have hatchings. */
void svg_bar(const struct svg *svg, unsigned series, double x, double y, double width,
	     double height);

/* Draw a band of the zones 1 to 3, which differ by colour and, if `hatched`, by hatching. */
void svg_zone(const struct svg *svg, unsigned zone, double x, double y, double width, double height,
	      bool hatched);

#endif
