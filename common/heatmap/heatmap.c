#include "common/heatmap/heatmap.h"

#include "common/array.h"
#include "common/draw/extent.h"
#include "common/heatmap/cells.h"
#include "common/heatmap/plane.h"
#include "common/draw/legend.h"
#include "common/draw/markup.h"
#include "common/draw/palette.h"

#include <math.h>
#include <string.h>

static const double narrow_px = 480, most_side_px = 320, gap_px = 10, right_px = 12;
/* Heights of the name of an axis, the label of a row, the title of a plane, labels of ticks. */
static const double name_px = 20, label_px = 20, title_px = 17, xtick_px = 18;
static const double bar_px = 12, bar_width_px = 240;

/* Planes that are beside each other. */
struct line {
	const struct heatmap_row *row;
	size_t first, count; /* of the row's planes */
	double top;	     /* of the planes */
};

struct layout {
	const struct heatmap *data;
	const struct svg *svg;
	size_t across;
	ARRAY(struct line) lines;
	double *margins; /* [place in a line]: for labels at the left of the plane */
	double side;	 /* of a plane */
	double bottom;	 /* of the last line with its labels */
	const struct heatmap_scale *scales[4];
	size_t scale_count;
	ARRAY(struct legend_item) legend;
	double bars_height, legend_height;
};

static const struct heatmap_plane *line_plane(const struct line *line, size_t place)
{
	return place < line->count ? &line->row->planes[line->first + place] : NULL;
}

static bool has_axes(const struct heatmap_plane *plane)
{
	return plane && plane->x.low < plane->x.high;
}

static bool same_axis(const struct heatmap_axis *one, const struct heatmap_axis *other)
{
	return one->low == other->low && one->high == other->high &&
	       one->logarithmic == other->logarithmic && one->quantity == other->quantity;
}

/* Tell whether a plane has labels at its left: the planes at its left in the line have other ones. */
static bool shows_y(const struct line *line, size_t place)
{
	if (!has_axes(line_plane(line, place)))
		return false;
	for (size_t i = place; i-- > 0;)
		if (has_axes(line_plane(line, i)))
			return !same_axis(&line_plane(line, i)->y, &line_plane(line, place)->y);
	return true;
}

/* Tell whether a plane has labels below it: the plane below it has other ones. */
static bool shows_x(const struct layout *layout, size_t number, size_t place)
{
	const struct heatmap_plane *plane = line_plane(&layout->lines.items[number], place);
	const struct heatmap_plane *below = number + 1 < layout->lines.count
						    ? line_plane(&layout->lines.items[number + 1],
								 place)
						    : NULL;

	return has_axes(plane) && !(has_axes(below) && same_axis(&plane->x, &below->x));
}

static double margin_of(const struct heatmap_plane *plane, double side)
{
	struct ticks ticks;
	double widest = 0;

	heatmap_y_ticks(&plane->y, side, &ticks);
	for (int i = 0; i < ticks.count; i++)
		widest = fmax(widest, text_extent(ticks.texts[i], PALETTE_SMALL_PX));
	return ceil(widest) + HEATMAP_TICK_PX + 3;
}

/* ---------------------------------------------------------------- layout */

static int add_legend(struct layout *layout, const char *label, enum legend_kind kind,
		      unsigned style, struct error *err)
{
	const struct legend_item item = {label, kind, style};

	for (size_t i = 0; i < layout->legend.count; i++)
		if (!strcmp(layout->legend.items[i].label, label))
			return 0;
	return array_push(&layout->legend, item, err);
}

static void add_scale(struct layout *layout, const struct heatmap_scale *scale)
{
	for (size_t i = 0; i < layout->scale_count; i++)
		if (layout->scales[i] == scale)
			return;
	if (layout->scale_count < sizeof layout->scales / sizeof *layout->scales)
		layout->scales[layout->scale_count++] = scale;
}

/* Add what a plane has to the colour bars and the legend. */
static int add_plane_keys(struct layout *layout, const struct heatmap_plane *plane,
			  struct error *err)
{
	bool uncertain = false, empty = false;

	if (plane->note)
		return 0;
	for (size_t i = 0; i < plane->curve_count; i++)
		TRY(add_legend(layout, plane->curves[i].label,
			       plane->values ? LEGEND_WHITE : LEGEND_LINE, (unsigned)i, err));
	if (!plane->values)
		return 0;
	add_scale(layout, plane->scale);
	for (size_t i = 0; i < plane->columns * plane->rows; i++) {
		empty |= isnan(plane->values[i]);
		uncertain |= plane->uncertain && plane->uncertain[i] && !isnan(plane->values[i]);
	}
	if (uncertain)
		TRY(add_legend(layout, "uncertain", LEGEND_UNCERTAIN, 0, err));
	return empty ? add_legend(layout, "not measured", LEGEND_EMPTY, 0, err) : 0;
}

static int find_lines(struct layout *layout, struct error *err)
{
	for (size_t i = 0; i < layout->data->row_count; i++) {
		const struct heatmap_row *row = &layout->data->rows[i];

		for (size_t j = 0; j < row->plane_count; j += layout->across) {
			const size_t rest = row->plane_count - j;
			const struct line line = {row, j,
						  rest < layout->across ? rest : layout->across, 0};

			TRY(array_push(&layout->lines, line, err));
		}
		for (size_t j = 0; j < row->plane_count; j++)
			TRY(add_plane_keys(layout, &row->planes[j], err));
	}
	return 0;
}

static int find_side(struct layout *layout, struct error *err)
{
	const double guess = layout->svg->width / (double)layout->across - 2 * gap_px;
	double room = layout->svg->width - right_px + gap_px;

	TRY(allocate(&layout->margins, layout->across, sizeof *layout->margins, err));
	for (size_t place = 0; place < layout->across; place++) {
		for (size_t i = 0; i < layout->lines.count; i++)
			if (shows_y(&layout->lines.items[i], place))
				layout->margins[place] =
					fmax(layout->margins[place],
					     margin_of(line_plane(&layout->lines.items[i], place),
						       guess));
		room -= layout->margins[place] + gap_px;
	}
	layout->side = floor(fmin(room / (double)layout->across, most_side_px));
	return 0;
}

/* Rows of colour bars: they are beside each other where there is room. */
static size_t bar_rows(const struct layout *layout)
{
	return layout->svg->width < narrow_px ? layout->scale_count : layout->scale_count > 0;
}

static int heatmap_lay_out(struct layout *layout, struct error *err)
{
	double y = name_px;

	layout->across = layout->data->across;
	if (layout->svg->width < narrow_px && layout->across > 2)
		layout->across = 2;
	TRY(find_lines(layout, err));
	TRY(find_side(layout, err));
	for (size_t i = 0; i < layout->lines.count; i++) {
		struct line *line = &layout->lines.items[i];
		bool labels = false;

		for (size_t j = 0; j < line->count; j++)
			labels |= shows_x(layout, i, j);
		y += (line->first == 0 && line->row->label ? label_px : 0) + title_px;
		line->top = y;
		y += layout->side + (labels ? xtick_px : HEATMAP_TICK_PX);
	}
	layout->bottom = y;
	layout->bars_height = (name_px + bar_px + xtick_px) * (double)bar_rows(layout);
	layout->legend_height = legend_height(layout->legend.items, layout->legend.count,
					      layout->svg->width);
	return 0;
}

/* Left edge of a plane. */
static double place_px(const struct layout *layout, size_t place)
{
	double x = 0;

	for (size_t i = 0; i <= place; i++)
		x += layout->margins[i] + (i ? layout->side + gap_px : 0);
	return x;
}

static void draw_plane(const struct layout *layout, size_t number, size_t place)
{
	const struct line *line = &layout->lines.items[number];
	const struct heatmap_pen pen = {
		.svg = layout->svg,
		.plane = line_plane(line, place),
		.palette = layout->data->palette,
		.row_label = line->row->label,
		.number = (unsigned)(number * layout->across + place),
		.left = place_px(layout, place),
		.top = line->top,
		.side = layout->side,
		.shows_x = shows_x(layout, number, place),
		.shows_y = shows_y(line, place),
	};

	heatmap_draw_plane(&pen);
}

/* ---------------------------------------------------------------- keys */

/* Label a colour bar.  Its ends stand for all values beyond them. */
static void draw_bar_labels(const struct svg *svg, const struct heatmap_axis *axis, double x,
			    double y)
{
	const double width = bar_width_px * (HEATMAP_LEVELS - 1) / HEATMAP_LEVELS;
	struct ticks ticks;

	heatmap_y_ticks(axis, 100, &ticks);
	for (int i = 0; i < ticks.count; i++) {
		const double place = heatmap_axis_place(axis, ticks.values[i]);
		char text[TICK_TEXT_BYTES + 4];

		snprintf(text, sizeof text, "%s%s",
			 place < 1e-6	    ? "\xe2\x89\xa4"
			 : place > 1 - 1e-6 ? "\xe2\x89\xa5"
					    : "",
			 ticks.texts[i]);
		svg_text(svg, "small muted", x + width * place, y, SVG_MIDDLE, text);
	}
}

/* Draw a colour bar as one rectangle per level. */
static void draw_bar(const struct layout *layout, const struct heatmap_scale *scale, double x,
		     double y)
{
	const struct heatmap_axis axis = {scale->name, QUANTITY_NUMBER, scale->logarithmic,
					  scale->low, scale->high};
	const double step = bar_width_px / HEATMAP_LEVELS;
	FILE *stream = layout->svg->stream;

	svg_text(layout->svg, NULL, x, y - 5, SVG_START, scale->name);
	fputs("<g transform=\"translate(", stream);
	markup_px(stream, x);
	putc(' ', stream);
	markup_px(stream, y + bar_px / 2);
	fprintf(stream, ")scale(%.5g %g)\" shape-rendering=\"crispEdges\">\n", step, bar_px);
	for (int level = 0; level < HEATMAP_LEVELS; level++)
		fprintf(stream, "<path stroke=\"#%06x\" d=\"M%d 0h1\"/>\n",
			(unsigned)heatmap_colour(layout->data->palette, level), level);
	fputs("</g>\n", stream);
	draw_bar_labels(layout->svg, &axis, x + step / 2, y + bar_px + 13);
}

static void draw_names(const struct layout *layout)
{
	for (size_t i = 0; i < layout->lines.count; i++)
		for (size_t j = 0; j < layout->lines.items[i].count; j++) {
			const struct heatmap_plane *plane = line_plane(&layout->lines.items[i], j);

			if (!has_axes(plane))
				continue;
			svg_text(layout->svg, "name muted", 0, 13, SVG_START, plane->y.name);
			svg_text(layout->svg, "name muted", layout->margins[0], layout->bottom + 12,
				 SVG_START, plane->x.name);
			return;
		}
}

static void draw_row_label(const struct layout *layout, const struct line *line)
{
	char label[AXIS_TITLE_BYTES];

	if (line->first == 0 && line->row->label)
		svg_text(layout->svg, "strong", 0, line->top - title_px - 5, SVG_START,
			 /* Bold letters are wider. */
			 text_fit(line->row->label, PALETTE_FONT_PX, layout->svg->width / 1.15,
				  label, sizeof label));
}

static void heatmap_draw_all(const struct layout *layout)
{
	const double keys = layout->bottom + name_px;

	svg_begin(layout->svg, keys + layout->bars_height + layout->legend_height,
		  layout->data->title);
	draw_names(layout);
	for (size_t i = 0; i < layout->lines.count; i++) {
		draw_row_label(layout, &layout->lines.items[i]);
		for (size_t j = 0; j < layout->lines.items[i].count; j++)
			draw_plane(layout, i, j);
	}
	for (size_t i = 0; i < layout->scale_count; i++) {
		const double row = bar_rows(layout) > 1 ? (double)i : 0;

		draw_bar(layout, layout->scales[i], 16 + (bar_width_px + 40) * ((double)i - row),
			 keys + name_px + (name_px + bar_px + xtick_px) * row);
	}
	legend_draw(layout->svg, layout->legend.items, layout->legend.count, 0,
		    keys + layout->bars_height, layout->svg->width);
	svg_end(layout->svg);
}

int heatmap_draw(const struct heatmap *heatmap, const struct svg *svg, struct error *err)
{
	struct layout layout = {.data = heatmap, .svg = svg};
	const int result = heatmap_lay_out(&layout, err);

	if (result == 0)
		heatmap_draw_all(&layout);
	array_release(&layout.lines);
	array_release(&layout.legend);
	free(layout.margins);
	return result;
}
