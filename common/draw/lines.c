#include "common/draw/lines.h"

#include "common/array.h"
#include "common/draw/extent.h"
#include "common/draw/legend.h"
#include "common/draw/lines_series.h"
#include "common/draw/palette.h"
#include "common/draw/strip.h"

#include <math.h>
#include <string.h>

/* Heights of the title of a panel, of its tick labels and the name of the axis, between panels. */
static const double title_px = 26, axis_text_px = 40, between_px = 8;
/* Base line of the name of a panel above it: the label of a tick at its upper end is below it. */
static const double name_px = 13;
static const double right_px = 12, tick_px = 5;

struct panel {
	const struct lines_panel *data;
	struct axis axis;
	struct axis_unit unit;
	struct ticks ticks;
	double top, bottom;
};

struct layout {
	const struct lines *data;
	const struct svg *svg;
	struct axis axis;
	struct axis_unit unit;
	struct ticks ticks;
	struct panel *panels;
	ARRAY(struct legend_item) legend;
	ARRAY(struct strip_label) strip;
	double strip_bottom, height;
};

static int add_legend(struct layout *layout, const char *label, enum legend_kind kind,
		      unsigned style, struct error *err)
{
	const struct legend_item item = {label, kind, style};

	if (!label)
		return 0;
	for (size_t i = 0; i < layout->legend.count; i++)
		if (!strcmp(layout->legend.items[i].label, label))
			return 0;
	return array_push(&layout->legend, item, err);
}

static int find_legend(struct layout *layout, struct error *err)
{
	static const enum legend_kind kinds[] = {[LINES_STRAIGHT] = LEGEND_LINE,
						 [LINES_STEPS] = LEGEND_LINE,
						 [LINES_AREA] = LEGEND_AREA,
						 [LINES_POINTS] = LEGEND_POINT};

	for (size_t i = 0; i < layout->data->panel_count; i++) {
		const struct lines_panel *panel = &layout->data->panels[i];

		for (size_t j = 0; j < panel->series_count; j++)
			if (panel->series[j].count)
				TRY(add_legend(layout, panel->series[j].label,
					       kinds[panel->series[j].kind], panel->series[j].style,
					       err));
		for (size_t j = 0; j < panel->level_count; j++)
			TRY(add_legend(layout, panel->levels[j].label, LEGEND_LEVEL, 0, err));
	}
	return 0;
}

/* ------------------------------------------------------------------ axes */

static void widen(double *low, double *high, double value)
{
	if (!isfinite(value))
		return;
	*low = fmin(*low, value);
	*high = fmax(*high, value);
}

static void find_panel_axis(struct panel *panel, const struct lines *lines)
{
	const struct lines_panel *data = panel->data;
	double low = data->from_zero ? 0 : INFINITY, high = data->from_zero ? 0 : -INFINITY;

	for (size_t i = 0; i < data->series_count; i++)
		for (size_t j = 0; j < data->series[i].count; j++)
			if (data->series[i].points[j].x >= lines->low &&
			    data->series[i].points[j].x <= lines->high)
				widen(&low, &high, data->series[i].points[j].y);
	for (size_t i = 0; i < data->level_count; i++)
		widen(&low, &high, data->levels[i].value);
	if (lines->logarithmic_panels) {
		axis_range_log(data->quantity, &low, &high);
		panel->unit = (struct axis_unit){"", 1};
		panel->axis = (struct axis){.low = low, .high = high, .logarithmic = true};
		ticks_find_log(&panel->ticks, data->quantity, low, high, (int)(data->height / 28));
		return;
	}
	axis_range(&low, &high, 0.08);
	if (data->from_zero)
		low = 0;
	panel->unit = axis_unit(data->quantity, fmax(fabs(low), fabs(high)));
	panel->axis = (struct axis){.low = low, .high = high};
	ticks_find(&panel->ticks, data->quantity, panel->unit, low, high, (int)(data->height / 28));
}

/* Width of the widest tick label of all panels. */
static double tick_width(const struct layout *layout)
{
	double widest = 0;

	for (size_t i = 0; i < layout->data->panel_count; i++)
		for (int j = 0; j < layout->panels[i].ticks.count; j++)
			widest = fmax(widest, text_extent(layout->panels[i].ticks.texts[j],
							  PALETTE_SMALL_PX));
	return widest;
}

/* Middle of the label of a tick.  A logarithmic axis may end with one, whose label is moved into the picture. */
static double tick_middle(const struct ticks *ticks, int tick, const struct axis *axis,
			  double right)
{
	const double half = text_extent(ticks->texts[tick], PALETTE_SMALL_PX) / 2;
	const double at = axis_px(axis, ticks->values[tick]);

	return axis->logarithmic ? fmin(at, right - half) : at;
}

static bool ticks_fit(const struct ticks *ticks, const struct axis *axis, double right)
{
	double end = -INFINITY;

	for (int i = 0; i < ticks->count; i++) {
		const double half = text_extent(ticks->texts[i], PALETTE_SMALL_PX) / 2;
		const double at = tick_middle(ticks, i, axis, right);

		if (at - half < end + 10 || at + half > right)
			return false;
		end = at + half;
	}
	return true;
}

/* Find the horizontal axis right of the tick labels, with as many ticks as have room. */
static void find_axis(struct layout *layout)
{
	const struct lines *data = layout->data;
	int most = (int)(layout->svg->width / 60);

	layout->axis = (struct axis){
		.low = data->low,
		.high = data->high,
		.low_px = ceil(tick_width(layout)) + tick_px + 4,
		.high_px = layout->svg->width - right_px,
		.logarithmic = data->logarithmic,
	};
	/* Ticks of a logarithmic axis have units of their own. */
	layout->unit = data->logarithmic
			       ? (struct axis_unit){"", 1}
			       : axis_unit(data->quantity, fmax(fabs(data->low), fabs(data->high)));
	do
		if (data->logarithmic)
			ticks_find_log(&layout->ticks, data->quantity, data->low, data->high, most);
		else
			ticks_find(&layout->ticks, data->quantity, layout->unit, data->low,
				   data->high, most);
	while (!ticks_fit(&layout->ticks, &layout->axis, layout->svg->width) && most-- > 2);
}

/* ------------------------------------------------------------ zones, marks */

static int compare_labels(const void *one, const void *other)
{
	const double a = ((const struct strip_label *)one)->x;
	const double b = ((const struct strip_label *)other)->x;

	return (a > b) - (a < b);
}

static int add_label(struct layout *layout, const char *text, double value, struct error *err)
{
	const struct strip_label label = {.text = text, .x = axis_px(&layout->axis, value)};

	if (!text || value < layout->data->low || value > layout->data->high)
		return 0;
	return array_push(&layout->strip, label, err);
}

static int find_labels(struct layout *layout, struct error *err)
{
	for (size_t i = 0; i < layout->data->zone_count; i++)
		TRY(add_label(layout, layout->data->zones[i].label, layout->data->zones[i].to,
			      err));
	for (size_t i = 0; i < layout->data->mark_count; i++)
		TRY(add_label(layout, layout->data->marks[i].label, layout->data->marks[i].value,
			      err));
	if (layout->strip.count)
		qsort(layout->strip.items, layout->strip.count, sizeof *layout->strip.items,
		      compare_labels);
	return 0;
}

static int lay_out(struct layout *layout, struct error *err)
{
	const struct lines *data = layout->data;
	double y;
	int rows;

	TRY(allocate(&layout->panels, data->panel_count, sizeof *layout->panels, err));
	TRY(find_legend(layout, err));
	for (size_t i = 0; i < data->panel_count; i++) {
		layout->panels[i].data = &data->panels[i];
		find_panel_axis(&layout->panels[i], data);
	}
	find_axis(layout);
	TRY(find_labels(layout, err));
	y = legend_height(layout->legend.items, layout->legend.count, layout->svg->width);
	TRY(strip_place(layout->strip.items, layout->strip.count, 0, layout->svg->width, &rows,
			err));
	y += title_px + STRIP_ROW_PX * rows;
	layout->strip_bottom = y;
	for (size_t i = 0; i < data->panel_count; i++) {
		struct panel *panel = &layout->panels[i];

		panel->top = y + (i ? between_px + title_px : 0);
		panel->bottom = y = panel->top + data->panels[i].height;
		panel->axis.low_px = panel->bottom;
		panel->axis.high_px = panel->top;
	}
	layout->height = y + axis_text_px;
	return 0;
}

/* ---------------------------------------------------------------- drawing */

static void draw_grid(const struct layout *layout, const struct panel *panel)
{
	const struct svg *svg = layout->svg;

	for (int i = 0; i < panel->ticks.count; i++) {
		const double y = axis_px(&panel->axis, panel->ticks.values[i]);

		svg_line(svg, "grid", layout->axis.low_px, y, layout->axis.high_px, y);
		svg_text(svg, "small muted", layout->axis.low_px - tick_px, y + 4, SVG_END,
			 panel->ticks.texts[i]);
	}
	for (int i = 0; i < layout->ticks.count; i++) {
		const double x = axis_px(&layout->axis, layout->ticks.values[i]);

		svg_line(svg, "tick", x, panel->bottom, x, panel->bottom + tick_px);
	}
}

static void draw_zones(const struct layout *layout, const struct panel *panel)
{
	const struct lines *data = layout->data;

	for (size_t i = 0; i < data->zone_count; i++) {
		const struct lines_zone *zone = &data->zones[i];
		const double from = axis_px(&layout->axis, fmax(zone->from, data->low));
		const double to = axis_px(&layout->axis, fmin(zone->to, data->high));
		char class[32];

		if (zone->zone && to > from)
			svg_zone(layout->svg, zone->zone, from, panel->top, to - from,
				 panel->bottom - panel->top, panel == layout->panels);
		if (zone->to < data->low || zone->to > data->high)
			continue;
		snprintf(class, sizeof class, "z%u end", zone->zone);
		svg_line(layout->svg, class, to, panel->top, to, panel->bottom);
	}
}

/* Vertical marks and horizontal levels. */
static void draw_marks(const struct layout *layout, const struct panel *panel)
{
	const struct lines *data = layout->data;

	for (size_t i = 0; i < data->mark_count; i++) {
		const double x = axis_px(&layout->axis, data->marks[i].value);

		if (data->marks[i].value >= data->low && data->marks[i].value <= data->high)
			svg_line(layout->svg, "cross", x, panel->top, x, panel->bottom);
	}
	for (size_t i = 0; i < panel->data->level_count; i++) {
		const double y = axis_px(&panel->axis, panel->data->levels[i].value);

		if (isfinite(panel->data->levels[i].value))
			svg_line(layout->svg, "level", layout->axis.low_px, y, layout->axis.high_px,
				 y);
	}
}

static void draw_panel(const struct layout *layout, size_t number)
{
	const struct panel *panel = &layout->panels[number];
	const double width = layout->axis.high_px - layout->axis.low_px;
	const double height = panel->bottom - panel->top;
	static const char cut[] = ", not from 0";
	char title[AXIS_TITLE_BYTES + sizeof cut];

	svg_group(layout->svg, "panel", NULL);
	draw_grid(layout, panel);
	draw_zones(layout, panel);
	draw_marks(layout, panel);
	svg_clip(layout->svg, (unsigned)number, layout->axis.low_px, panel->top - 6, width + 6,
		 height + 12);
	for (size_t i = 0; i < panel->data->series_count; i++)
		lines_draw_series(layout->svg, &panel->data->series[i], &layout->axis,
				  &panel->axis);
	svg_group_end(layout->svg);
	svg_line(layout->svg, "axis", layout->axis.low_px, panel->bottom, layout->axis.high_px,
		 panel->bottom);
	axis_title(panel->data->name, panel->unit,
		   layout->svg->width - text_extent(cut, PALETTE_FONT_PX), title);
	/* A curve looks steeper than it is above an axis that begins near its least value. */
	if (panel->axis.low > 0 && !panel->axis.logarithmic)
		strcat(title, cut);
	svg_text(layout->svg, "name", 0,
		 number ? panel->top - name_px
			: legend_height(layout->legend.items, layout->legend.count,
					layout->svg->width) +
				  title_px - name_px,
		 SVG_START, title);
	svg_group_end(layout->svg);
}

static void draw_bottom(const struct layout *layout)
{
	const double y = layout->height - axis_text_px, width = layout->svg->width;
	const double centre = (layout->axis.low_px + layout->axis.high_px) / 2;
	char title[AXIS_TITLE_BYTES];

	for (int i = 0; i < layout->ticks.count; i++)
		svg_text(layout->svg,
			 layout->axis.logarithmic ? "small muted" : "small muted xtick",
			 tick_middle(&layout->ticks, i, &layout->axis, width), y + tick_px + 12,
			 SVG_MIDDLE, layout->ticks.texts[i]);
	axis_title(layout->data->name, layout->unit, 2 * fmin(centre, width - centre), title);
	svg_text(layout->svg, "name", centre, y + 35, SVG_MIDDLE, title);
}

static void lines_draw_all(const struct layout *layout)
{
	svg_begin(layout->svg, layout->height, layout->data->title);
	legend_draw(layout->svg, layout->legend.items, layout->legend.count, 0, 0,
		    layout->svg->width);
	for (size_t i = 0; i < layout->data->panel_count; i++)
		draw_panel(layout, i);
	strip_draw(layout->svg, layout->strip.items, layout->strip.count, layout->strip_bottom);
	draw_bottom(layout);
	svg_end(layout->svg);
}

int lines_draw(const struct lines *lines, const struct svg *svg, struct error *err)
{
	struct layout layout = {.data = lines, .svg = svg};
	const int status = lay_out(&layout, err);

	if (status == 0)
		lines_draw_all(&layout);
	free(layout.panels);
	array_release(&layout.legend);
	array_release(&layout.strip);
	return status;
}
