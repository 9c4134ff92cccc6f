#include "common/draw/svg.h"

#include "common/draw/markup.h"
#include "common/draw/palette.h"

#include <math.h>

/* Lines of the hatching of bars and zones in a square of 6 px. */
static const struct {
	const char *class, *lines;
} hatches[] = {
	{"hatch", ""}, /* of series 0 to 6: */
	{"hatch", "M-1 1l2-2M0 6l6-6M5 7l2-2"},
	{"hatch", "M-1-1l8 8M5-1l2 2M-1 5l2 2"},
	{"hatch", "M0 3h6"},
	{"hatch", "M3 0v6"},
	{"hatch", ""},
	{"hatch", "M0 6l6-6M0 0l6 6"},
	{"z2 thin", "M-1 1l2-2M0 6l6-6M5 7l2-2"},
	{"z3 thin", "M0 6l6-6M0 0l6 6"},
};
static const unsigned zone_hatches[PALETTE_ZONES + 1] = {0, 0, 7, 8};

static void attribute(FILE *stream, const char *name, double px)
{
	fprintf(stream, " %s=\"", name);
	markup_px(stream, px);
	putc('"', stream);
}

static void class_attribute(FILE *stream, const char *class)
{
	if (!class)
		return;
	fputs(" class=\"", stream);
	markup_print(stream, class);
	putc('"', stream);
}

static void print_hatches(const struct svg *svg)
{
	fputs("<defs>", svg->stream);
	for (unsigned i = 1; i < sizeof hatches / sizeof *hatches; i++)
		fprintf(svg->stream,
			"<pattern id=\"p%u-%u\" width=\"6\" height=\"6\" "
			"patternUnits=\"userSpaceOnUse\"><path class=\"%s\" d=\"%s\"/>"
			"</pattern>",
			svg->number, i, hatches[i].class, hatches[i].lines);
	fputs("</defs>\n", svg->stream);
}

void svg_begin(const struct svg *svg, double height, const char *title)
{
	FILE *stream = svg->stream;

	fputs("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"d", stream);
	if (svg->class)
		fprintf(stream, " %s", svg->class);
	fputs("\" viewBox=\"0 0 ", stream);
	markup_px(stream, svg->width);
	putc(' ', stream);
	markup_px(stream, height);
	if (svg->place == SVG_FILE) {
		fputs("\" width=\"", stream);
		markup_px(stream, svg->width / 4);
		fputs("mm\" height=\"", stream);
		markup_px(stream, height / 4);
		fputs("mm", stream);
	}
	fputs("\" role=\"img\">\n<title>", stream);
	markup_print(stream, title);
	fputs("</title>\n", stream);
	if (svg->place == SVG_FILE) {
		fputs("<style>", stream);
		palette_print_file_style(stream);
		fputs("</style>\n", stream);
	}
	print_hatches(svg);
	svg_rect(svg, "back", 0, 0, svg->width, height);
}

void svg_end(const struct svg *svg)
{
	fputs("</svg>\n", svg->stream);
}

void svg_group(const struct svg *svg, const char *class, const char *hover)
{
	fputs("<g", svg->stream);
	class_attribute(svg->stream, class);
	putc('>', svg->stream);
	if (!hover)
		return;
	fputs("<title>", svg->stream);
	markup_print(svg->stream, hover);
	fputs("</title>", svg->stream);
}

void svg_group_end(const struct svg *svg)
{
	fputs("</g>\n", svg->stream);
}

void svg_clip(const struct svg *svg, unsigned region, double x, double y, double width,
	      double height)
{
	fprintf(svg->stream, "<clipPath id=\"c%u-%u\">", svg->number, region);
	svg_rect(svg, NULL, x, y, width, height);
	fprintf(svg->stream, "</clipPath><g clip-path=\"url(#c%u-%u)\">\n", svg->number, region);
}

void svg_line(const struct svg *svg, const char *class, double x1, double y1, double x2, double y2)
{
	fputs("<line", svg->stream);
	class_attribute(svg->stream, class);
	attribute(svg->stream, "x1", x1);
	attribute(svg->stream, "y1", y1);
	attribute(svg->stream, "x2", x2);
	attribute(svg->stream, "y2", y2);
	fputs("/>\n", svg->stream);
}

static void print_rect(const struct svg *svg, double x, double y, double width, double height)
{
	attribute(svg->stream, "x", x);
	attribute(svg->stream, "y", y);
	attribute(svg->stream, "width", fmax(width, 0));
	attribute(svg->stream, "height", fmax(height, 0));
	fputs("/>\n", svg->stream);
}

void svg_rect(const struct svg *svg, const char *class, double x, double y, double width,
	      double height)
{
	fputs("<rect", svg->stream);
	class_attribute(svg->stream, class);
	print_rect(svg, x, y, width, height);
}

/* Write text with its indices below the base line. */
static void print_text(FILE *stream, const char *text)
{
	int raised = 0;

	while (*text) {
		const size_t index = markup_index(text);

		text += markup_print_character(stream, text);
		if (!index)
			continue;
		fprintf(stream, "<tspan class=\"index\" dy=\"3\">%.*s</tspan>", (int)index - 1,
			text + 1);
		text += index;
		if (*text && ++raised)
			fputs("<tspan dy=\"-3\">", stream);
	}
	for (; raised > 0; raised--)
		fputs("</tspan>", stream);
}

void svg_text(const struct svg *svg, const char *class, double x, double y, enum svg_anchor anchor,
	      const char *text)
{
	static const char *const anchors[] = {"", " text-anchor=\"middle\"",
					      " text-anchor=\"end\""};

	fputs("<text", svg->stream);
	class_attribute(svg->stream, class);
	attribute(svg->stream, "x", x);
	attribute(svg->stream, "y", y);
	fprintf(svg->stream, "%s>", anchors[anchor]);
	print_text(svg->stream, text);
	fputs("</text>\n", svg->stream);
}

void svg_path(const struct svg *svg, const char *class)
{
	fputs("<path", svg->stream);
	class_attribute(svg->stream, class);
	fputs(" d=\"", svg->stream);
}

void svg_path_to(const struct svg *svg, bool first, double x, double y)
{
	putc(first ? 'M' : 'L', svg->stream);
	markup_px(svg->stream, x);
	putc(' ', svg->stream);
	markup_px(svg->stream, y);
}

void svg_path_end(const struct svg *svg, bool closed)
{
	fputs(closed ? "Z\"/>\n" : "\"/>\n", svg->stream);
}

/* Corners of markers around (0, 0), in halves of their size. */
static const struct {
	int count;
	double x[8], y[8];
} shapes[] = {
	{0, {0}, {0}},						  /* a circle */
	{4, {-.9, .9, .9, -.9}, {-.9, -.9, .9, .9}},		  /* a square */
	{3, {0, 1.1, -1.1}, {-1.1, .9, .9}},			  /* a triangle */
	{4, {0, 1.25, 0, -1.25}, {-1.25, 0, 1.25, 0}},		  /* a diamond */
	{3, {0, 1.1, -1.1}, {1.1, -.9, -.9}},			  /* a triangle upside down */
	{6, {-.6, .6, 1.2, .6, -.6, -1.2}, {-1, -1, 0, 1, 1, 0}}, /* a hexagon */
	{8, {-1, 0, 1, .4, 1, 0, -1, -.4}, {-1, -.4, -1, 0, 1, .4, 1, 0}}, /* a cross */
};

void svg_point(const struct svg *svg, unsigned series, double x, double y, double size)
{
	const unsigned shape = series % (sizeof shapes / sizeof *shapes);
	char class[32];

	snprintf(class, sizeof class, "s%u point", series % PALETTE_SERIES);
	if (shapes[shape].count == 0) {
		fputs("<circle", svg->stream);
		class_attribute(svg->stream, class);
		attribute(svg->stream, "cx", x);
		attribute(svg->stream, "cy", y);
		attribute(svg->stream, "r", size / 2);
		fputs("/>\n", svg->stream);
		return;
	}
	svg_path(svg, class);
	for (int i = 0; i < shapes[shape].count; i++)
		svg_path_to(svg, i == 0, x + shapes[shape].x[i] * size / 2,
			    y + shapes[shape].y[i] * size / 2);
	svg_path_end(svg, true);
}

static void print_hatched(const struct svg *svg, unsigned hatch, double x, double y, double width,
			  double height)
{
	if (hatch == 0)
		return;
	fprintf(svg->stream, "<rect fill=\"url(#p%u-%u)\"", svg->number, hatch);
	print_rect(svg, x, y, width, height);
}

void svg_bar(const struct svg *svg, unsigned series, double x, double y, double width,
	     double height)
{
	char class[32];

	snprintf(class, sizeof class, "s%u bar", series % PALETTE_SERIES);
	svg_rect(svg, class, x, y, width, height);
	print_hatched(svg, *hatches[series % PALETTE_SERIES].lines ? series % PALETTE_SERIES : 0, x,
		      y, width, height);
}

void svg_zone(const struct svg *svg, unsigned zone, double x, double y, double width, double height,
	      bool hatched)
{
	char class[32];

	snprintf(class, sizeof class, "z%u zone", zone);
	svg_rect(svg, class, x, y, width, height);
	if (hatched)
		print_hatched(svg, zone_hatches[zone % (PALETTE_ZONES + 1)], x, y, width, height);
}
