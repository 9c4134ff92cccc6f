#include "common/draw/bars.h"

#include "common/array.h"
#include "common/draw/extent.h"
#include "common/draw/legend.h"
#include "common/draw/palette.h"

#include <math.h>

/* Below this width labels are above their bars. */
static const double narrow_px = 480;
static const double heading_px = 26, bar_px = 13, row_px = 20, label_row_px = 15;
static const double axis_text_px = 42, gap_px = 8, tick_px = 5;
/* Room at the right for a font that is a bit wider than it should be. */
static const double edge_px = 2;
/* Largest share of the width that labels take. */
static const double label_share = 0.38;
enum { LABEL_BYTES = 256 };

struct layout {
	const struct bars *data;
	const struct svg *svg;
	bool above; /* labels are above their bars */
	struct axis axis;
	struct axis_unit unit;
	struct ticks ticks;
	double legend_px, bottom;
};

static double bar_sum(const struct bars *bars, const struct bar *bar)
{
	double sum = 0;

	for (size_t i = 0; i < bars->part_count; i++)
		sum += isnan(bar->values[i]) ? 0 : bar->values[i];
	return sum;
}

static double row_height(const struct layout *layout)
{
	return layout->above ? row_px + label_row_px : row_px;
}

/* Widths of the widest label and text, the shortest bar with a length, and the longest bar that ends. */
static void find_widths(const struct bars *bars, double *label, double *text, double *least,
			double *most)
{
	*label = *text = *most = 0;
	*least = INFINITY;
	for (size_t i = 0; i < bars->group_count; i++)
		for (size_t j = 0; j < bars->groups[i].count; j++) {
			const struct bar *bar = &bars->groups[i].bars[j];
			const double sum = bar_sum(bars, bar);

			*label = fmax(*label, text_extent(bar->label, PALETTE_FONT_PX));
			if (bar->text)
				*text = fmax(*text, text_extent(bar->text, PALETTE_SMALL_PX));
			if (sum > 0)
				*least = fmin(*least, sum);
			if (isfinite(sum))
				*most = fmax(*most, sum);
			if (bar->range)
				*most = fmax(*most, bar->range[1]);
		}
}

/* Middle of the label of a tick, moved to be inside the picture. */
static double tick_middle(const struct layout *layout, int tick)
{
	const double half = text_extent(layout->ticks.texts[tick], PALETTE_SMALL_PX) / 2;
	const double at = axis_px(&layout->axis, layout->ticks.values[tick]);

	return fmax(fmin(at, layout->svg->width - half), half);
}

static bool ticks_fit(const struct layout *layout)
{
	double end = -INFINITY;

	for (int i = 0; i < layout->ticks.count; i++) {
		const double half = text_extent(layout->ticks.texts[i], PALETTE_SMALL_PX) / 2;

		if (tick_middle(layout, i) - half < end + 10)
			return false;
		end = tick_middle(layout, i) + half;
	}
	return true;
}

/* Set the range of a logarithmic axis, on which the shortest bar has a length, too. */
static void find_log_range(struct layout *layout, double least, double most)
{
	layout->axis.low = isfinite(least) ? 0.9 * least : 1;
	layout->axis.high = fmax(most, layout->axis.low);
	layout->axis.logarithmic = true;
	axis_range_log(layout->data->quantity, &layout->axis.low, &layout->axis.high);
	layout->unit = (struct axis_unit){"", 1};
}

static void find_ticks(struct layout *layout, int count)
{
	do
		if (layout->data->logarithmic)
			ticks_find_log(&layout->ticks, layout->data->quantity, layout->axis.low,
				       layout->axis.high, count);
		else
			ticks_find(&layout->ticks, layout->data->quantity, layout->unit, 0,
				   layout->axis.high, count);
	while (!ticks_fit(layout) && count-- > 2);
}

static void find_axis(struct layout *layout)
{
	const double width = layout->svg->width;
	double label, text, least, most;

	find_widths(layout->data, &label, &text, &least, &most);
	layout->above = width < narrow_px;
	label = layout->above ? 8 : fmin(label, label_share * width) + gap_px;
	layout->axis = (struct axis){
		.high = most > 0 ? 1.02 * most : 1,
		.low_px = label,
		.high_px = width - fmax(text + gap_px + edge_px, 16),
	};
	layout->unit = axis_unit(layout->data->quantity, most);
	if (layout->data->logarithmic)
		find_log_range(layout, least, most);
	find_ticks(layout, (int)(width / 90));
}

/* Has any bar this part? */
static bool has_part(const struct bars *bars, size_t part)
{
	for (size_t i = 0; i < bars->group_count; i++)
		for (size_t j = 0; j < bars->groups[i].count; j++)
			if (bars->groups[i].bars[j].values[part] > 0)
				return true;
	return false;
}

/* Find the height of the legend if the parts have names, and draw it if `svg` is not NULL. */
static int draw_legend(struct layout *layout, const struct svg *svg, struct error *err)
{
	const struct bars *bars = layout->data;
	struct legend_item *items;
	size_t count = 0;

	if (!bars->parts)
		return 0;
	TRY(allocate(&items, bars->part_count, sizeof *items, err));
	for (size_t i = 0; i < bars->part_count; i++)
		if (has_part(bars, i))
			items[count++] = (struct legend_item){bars->parts[i], LEGEND_BAR,
							      bars->styles ? bars->styles[i]
									   : (unsigned)i};
	layout->legend_px = legend_height(items, count, layout->svg->width) + 6;
	if (svg)
		legend_draw(svg, items, count, 0, 0, svg->width);
	free(items);
	return 0;
}

static double find_bottom(const struct layout *layout)
{
	double y = layout->legend_px;

	for (size_t i = 0; i < layout->data->group_count; i++)
		y += (layout->data->groups[i].heading ? heading_px
		      : i			      ? gap_px
						      : 0) +
		     (double)layout->data->groups[i].count * row_height(layout);
	return y + 4;
}

/* ---------------------------------------------------------------- drawing */

/* Draw the grid behind a bar only, so that no line crosses a label. */
static void draw_grid(const struct layout *layout, double y)
{
	const double room = layout->above ? 2 : (row_px - bar_px) / 2;

	for (int i = 0; i < layout->ticks.count; i++) {
		const double x = axis_px(&layout->axis, layout->ticks.values[i]);

		svg_line(layout->svg, "grid", x, y - room, x, y + bar_px + room);
	}
}

/* Show that a bar goes on beyond the axis. */
static void draw_arrow(const struct layout *layout, double y)
{
	const double x = layout->axis.high_px;

	svg_path(layout->svg, "cross arrow");
	svg_path_to(layout->svg, true, x - 5, y + 1);
	svg_path_to(layout->svg, false, x, y + bar_px / 2);
	svg_path_to(layout->svg, false, x - 5, y + bar_px - 1);
	svg_path_end(layout->svg, false);
}

static void draw_parts(const struct layout *layout, const struct bar *bar, double y)
{
	const struct bars *bars = layout->data;
	double sum = 0;

	for (size_t i = 0; i < bars->part_count && sum < layout->axis.high; i++) {
		const double value = isnan(bar->values[i]) ? 0 : bar->values[i];
		const double from = axis_px(&layout->axis, fmax(sum, layout->axis.low));
		const double to = axis_px(&layout->axis, fmin(sum + value, layout->axis.high));

		if (value > 0)
			svg_bar(layout->svg, bars->styles ? bars->styles[i] : (unsigned)i, from, y,
				to - from, bar_px);
		sum += value;
	}
	if (isinf(sum))
		draw_arrow(layout, y);
}

/* Draw a range as a line with ends across the bar. */
static void draw_range(const struct layout *layout, const double *range, double y)
{
	const double from = axis_px(&layout->axis, range[0]), to = axis_px(&layout->axis, range[1]);
	const double middle = y + bar_px / 2;

	svg_line(layout->svg, "cross", from, middle, to, middle);
	svg_line(layout->svg, "cross", from, middle - 3, from, middle + 3);
	svg_line(layout->svg, "cross", to, middle - 3, to, middle + 3);
}

static void draw_bar(const struct layout *layout, const struct bar *bar, double y)
{
	const struct svg *svg = layout->svg;
	const double label_width = layout->above ? svg->width - layout->axis.low_px
						 : layout->axis.low_px - gap_px;
	const double bar_y = layout->above ? y + label_row_px + 2 : y + (row_px - bar_px) / 2;
	char label[LABEL_BYTES];

	text_fit(bar->label, PALETTE_FONT_PX, label_width + 0.01, label, sizeof label);
	svg_group(svg, "row", bar->label);
	if (layout->above)
		svg_text(svg, NULL, layout->axis.low_px, y + 12, SVG_START, label);
	else
		svg_text(svg, NULL, label_width, bar_y + 11, SVG_END, label);
	draw_grid(layout, bar_y);
	draw_parts(layout, bar, bar_y);
	if (bar->range)
		draw_range(layout, bar->range, bar_y);
	if (bar->text)
		svg_text(svg, "small muted", svg->width - edge_px, bar_y + 10.5, SVG_END,
			 bar->text);
	svg_group_end(svg);
}

static void draw_axis(const struct layout *layout)
{
	const double bottom = layout->bottom, width = layout->svg->width;
	const double centre = (layout->axis.low_px + layout->axis.high_px) / 2;
	char title[AXIS_TITLE_BYTES];

	for (int i = 0; i < layout->ticks.count; i++) {
		const double x = axis_px(&layout->axis, layout->ticks.values[i]);

		svg_line(layout->svg, "tick", x, bottom, x, bottom + tick_px);
		svg_text(layout->svg, "small muted xtick", tick_middle(layout, i),
			 bottom + tick_px + 12, SVG_MIDDLE, layout->ticks.texts[i]);
	}
	svg_line(layout->svg, "axis", layout->axis.low_px, bottom, layout->axis.high_px, bottom);
	axis_title(layout->data->name, layout->unit, 2 * fmin(centre, width - centre), title);
	svg_text(layout->svg, "name", centre, bottom + 36, SVG_MIDDLE, title);
}

static void draw_groups(const struct layout *layout)
{
	double y = layout->legend_px;

	for (size_t i = 0; i < layout->data->group_count; i++) {
		const struct bar_group *group = &layout->data->groups[i];
		char heading[LABEL_BYTES];

		y += group->heading ? heading_px : i ? gap_px : 0;
		if (group->heading)
			svg_text(layout->svg, "strong", 0, y - 8, SVG_START,
				 text_fit(group->heading, PALETTE_FONT_PX, 0.9 * layout->svg->width,
					  heading, sizeof heading));
		for (size_t j = 0; j < group->count; j++, y += row_height(layout))
			draw_bar(layout, &group->bars[j], y);
	}
}

int bars_draw(const struct bars *bars, const struct svg *svg, struct error *err)
{
	struct layout layout = {.data = bars, .svg = svg};

	TRY(draw_legend(&layout, NULL, err));
	find_axis(&layout);
	layout.bottom = find_bottom(&layout);
	svg_begin(svg, layout.bottom + axis_text_px, bars->title);
	TRY(draw_legend(&layout, svg, err));
	draw_axis(&layout);
	draw_groups(&layout);
	svg_end(svg);
	return 0;
}
