#include "common/draw/palette.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

const char palette_fonts[] =
	"'Helvetica Neue',Helvetica,Arial,'Liberation Sans','DejaVu Sans',sans-serif";

static const struct {
	const char *name, *light, *dark;
} colours[] = {
	{"ink", "#1c2126", "#e4e8ec"},	 {"muted", "#59636e", "#9aa5b1"},
	{"grid", "#e4e7eb", "#2d343c"},	 {"edge", "#aab2bb", "#56606b"},
	{"paper", "#ffffff", "#14181c"}, {"panel", "#f6f7f9", "#1c2228"},
	{"s0", "#0072b2", "#4aa8e0"},	 {"s1", "#d55e00", "#ff8f4d"},
	{"s2", "#009e73", "#35c79b"},	 {"s3", "#cc79a7", "#e8a0c8"},
	{"s4", "#e69f00", "#f3c04f"},	 {"s5", "#56b4e9", "#3f7396"},
	{"s6", "#4d4d4d", "#b4bcc4"},	 {"z1", "#009e73", "#35c79b"},
	{"z2", "#e69f00", "#f3c04f"},	 {"z3", "#d55e00", "#ff7a45"},
	{"empty", "#e4e7eb", "#515b66"},
	{"h0", "#b5d0e8", "#2f5878"},	 {"h1", "#9cc1e0", "#376789"},
	{"h2", "#82b1d7", "#41779b"},	 {"h3", "#649fcc", "#4f89ae"},
	{"h4", "#448bbf", "#629cc1"},	 {"h5", "#2a74ab", "#7fb2d3"},
	{"h6", "#16588e", "#a3cae5"},	 {"h7", "#083a66", "#c9e3f5"},
};
enum { COLOUR_COUNT = sizeof colours / sizeof *colours };

/* Of solid, dashed, dotted ... lines. */
static const char *const dashes[PALETTE_SERIES] = {
	"none", "7 3", "2 2.5", "9 3 2 3", "4 2", "12 3 2 3 2 3", "1 3",
};

/* $NAME is a colour. */
static const char rules[] =
	".d text{fill:$ink;font-size:12px}.d .small{font-size:11px}.d .muted{fill:$muted}"
	".d .strong{font-weight:600}.d .index{font-size:9px}"
	".d .grid{stroke:$grid;stroke-width:1}.d .axis,.d .tick{stroke:$edge;stroke-width:1}"
	".d .back{fill:$paper}.d .frame{fill:none;stroke:$edge;stroke-width:1}"
	".d .cross{stroke:$ink;stroke-width:1}.d .level{stroke:$ink;stroke-width:1.2;"
	"stroke-dasharray:2 3}"
	".d .line{fill:none;stroke-width:2;stroke-linejoin:round}"
	".d .dense{stroke-width:1}"
	".d .area{fill-opacity:.3;stroke:none}"
	".d .point{stroke:$paper;stroke-width:1}.d .bar{stroke:none}"
	".d .hatch{stroke:$paper;stroke-width:1;stroke-opacity:.75;fill:none}"
	".d .cells{fill:none;stroke-width:1;shape-rendering:crispEdges}.d .arrow{fill:none}"
	".d .path{stroke:$s1;stroke-width:2;fill:none}.d .key{stroke:$edge;stroke-width:.5}"
	".d .empty{fill:$empty}.d .shade{fill:#4a4a4a}"
	".d .white{stroke:#fff;stroke-width:1.6}"
	".d .rope{stroke:#fff;stroke-width:3}.d .thread{stroke:#000;stroke-width:1.3}"
	".d .mark{fill:none;stroke:#fff;stroke-width:1;outline:1px solid #000;pointer-events:none}";

static const char *colour_value(size_t number, int page)
{
	static char text[32];

	if (!page)
		return colours[number].light;
	snprintf(text, sizeof text, "var(--%s)", colours[number].name);
	return text;
}

static size_t find_colour(const char *name, size_t length)
{
	for (size_t i = 0; i < COLOUR_COUNT; i++)
		if (strlen(colours[i].name) == length && !memcmp(colours[i].name, name, length))
			return i;
	return 0;
}

static void print_rules(FILE *stream, int page)
{
	fprintf(stream, ".d{font-family:%s}", palette_fonts);
	for (const char *at = rules; *at; at++) {
		size_t length = 0;

		if (*at != '$') {
			putc(*at, stream);
			continue;
		}
		while (isalnum((unsigned char)at[1 + length]))
			length++;
		fputs(colour_value(find_colour(at + 1, length), page), stream);
		at += length;
	}
	for (size_t i = 0; i < COLOUR_COUNT; i++) {
		const char *name = colours[i].name, *value = colour_value(i, page);

		if (!isdigit((unsigned char)name[1]))
			continue;
		fprintf(stream, ".d .%s{fill:%s}", name, value);
		if (*name == 's')
			fprintf(stream, ".d .%s.line{fill:none;stroke:%s;stroke-dasharray:%s}",
				name, value, dashes[name[1] - '0']);
		if (*name == 's')
			fprintf(stream, ".d .%s.dense{stroke-dasharray:none}", name);
		if (*name == 'h')
			fprintf(stream, ".d .c%c{stroke:%s}", name[1], value);
		if (*name == 'z')
			fprintf(stream, ".d .%s.end,.d .%s.thin{stroke:%s}", name, name, value);
	}
	fputs(".d .zone{fill-opacity:.16}.d .end{stroke-width:1.5}.d .thin{stroke-width:.8;"
	      "stroke-opacity:.35;fill:none}\n",
	      stream);
}

static void print_variables(FILE *stream, int dark)
{
	fputs(":root{", stream);
	for (size_t i = 0; i < COLOUR_COUNT; i++)
		fprintf(stream, "--%s:%s;", colours[i].name,
			dark ? colours[i].dark : colours[i].light);
	fputs("}", stream);
}

void palette_print_file_style(FILE *stream)
{
	print_rules(stream, 0);
}

void palette_print_page_style(FILE *stream)
{
	print_variables(stream, 0);
	fputs("\n@media screen and (prefers-color-scheme:dark){", stream);
	print_variables(stream, 1);
	fputs("}\n", stream);
	print_rules(stream, 1);
}
