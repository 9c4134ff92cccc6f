#include "llamp/timeline/timeline_svg.h"

#include "common/draw/axis.h"
#include "common/draw/extent.h"
#include "common/draw/palette.h"

#include <math.h>

/* All further rows of a cpu take at most further_px; the last ones of many are thin. */
static const double margin_px = 8, main_px = 16, further_px = 36, further_row_px = 12, space_px = 3,
		    rank_space_px = 7, call_label_px = 13, axis_label_px = 34, tick_px = 4,
		    arrow_px = 4;

struct layout {
	const struct svg *svg;
	const struct timeline_picture *picture;
	struct axis axis;
	double top, bottom, height; /* of the rows; of the picture */
};

static const double key_px = 20, legend_px = 24;

/* ------------------------------------------------------------------ layout */

static const char *row_label(const struct timeline_lane *lane, char text[static 48])
{
	if (!lane->is_main)
		return NULL;
	if (lane->cpu_count == 1)
		snprintf(text, 48, "rank %u", lane->rank);
	else
		snprintf(text, 48, "rank %u, cpu %u", lane->rank, lane->cpu);
	return text;
}

static const struct picture_row *row_of(const struct layout *layout, const struct picture_bar *bar)
{
	return &layout->picture->rows.items[bar->row];
}

/* Height of a row with the space below it. */
static double row_height(const struct timeline_picture *picture, const struct picture_row *row)
{
	return row->lane.is_main
		       ? main_px + space_px
		       : fmin(further_row_px, further_px / picture->rows.items[row->main].further);
}

/* Set y and height of the rows.  Returns the end of the last one. */
static double place_rows(struct timeline_picture *picture, double y)
{
	for (size_t i = 0; i < picture->rows.count; i++) {
		struct picture_row *row = &picture->rows.items[i];
		const double height = row_height(picture, row);

		if (row->lane.is_main)
			y += rank_space_px + (picture->has_calls ? call_label_px : 0);
		row->y = y;
		row->height = height - fmin(space_px, height / 3);
		y += height;
	}
	return y;
}

static double label_width(const struct timeline_picture *picture)
{
	double width = 0;

	for (size_t i = 0; i < picture->rows.count; i++) {
		char text[48];
		const char *label = row_label(&picture->rows.items[i].lane, text);

		if (label)
			width = fmax(width, text_extent(label, PALETTE_FONT_PX));
	}
	return width;
}

static struct layout lay_out(const struct svg *svg, struct timeline_picture *picture)
{
	struct layout layout = {
		.svg = svg,
		.picture = picture,
		.axis = {(double)picture->start_ns, (double)picture->end_ns,
			 2 * margin_px + label_width(picture), svg->width - 2 * margin_px},
		.top = margin_px + legend_px,
	};

	layout.bottom = place_rows(picture, layout.top) + rank_space_px;
	layout.height = layout.bottom + axis_label_px + margin_px;
	return layout;
}

static double x_of(const struct layout *layout, uint64_t ns)
{
	return axis_px(&layout->axis, (double)ns);
}

/* -------------------------------------------------------------------- frame */

static void draw_axis(const struct layout *layout)
{
	const struct svg *svg = layout->svg;
	const struct axis_unit unit = axis_unit(QUANTITY_TIME, layout->axis.high);
	const double width = layout->axis.high_px - layout->axis.low_px;
	char title[AXIS_TITLE_BYTES];
	struct ticks ticks;

	ticks_find(&ticks, QUANTITY_TIME, unit, layout->axis.low, layout->axis.high, 8);
	for (int i = 0; i < ticks.count; i++) {
		const double x = axis_px(&layout->axis, ticks.values[i]);

		svg_line(svg, "grid", x, layout->top, x, layout->bottom);
		svg_line(svg, "tick", x, layout->bottom, x, layout->bottom + tick_px);
		svg_text(svg, "small", x, layout->bottom + tick_px + 12, SVG_MIDDLE,
			 ticks.texts[i]);
	}
	svg_line(svg, "axis", layout->axis.low_px, layout->bottom, layout->axis.high_px,
		 layout->bottom);
	svg_text(svg, "muted", (layout->axis.low_px + layout->axis.high_px) / 2,
		 layout->bottom + axis_label_px, SVG_MIDDLE,
		 axis_title("time in the modelled run", unit, width, title));
}

static void draw_labels(const struct layout *layout)
{
	for (uint32_t i = 0; i < layout->picture->rows.count; i++) {
		char text[48];
		const char *label = row_label(&layout->picture->rows.items[i].lane, text);

		if (label)
			svg_text(layout->svg, NULL, layout->axis.low_px - margin_px,
				 layout->picture->rows.items[i].y + main_px - 4, SVG_END, label);
	}
}

/* --------------------------------------------------------------------- bars */

static void timeline_svg_describe(const struct picture_bar *bar, char text[static 256])
{
	const struct timeline_slice *slice = &bar->slice;
	char start[UNIT_TEXT_BYTES], end[UNIT_TEXT_BYTES], what[160];

	if (slice->kind == TIMELINE_CALL)
		snprintf(what, sizeof what, "%.100s, call %llu", bar->call.function,
			 (unsigned long long)bar->call.number);
	else if (slice->kind == TIMELINE_COMPUTE)
		snprintf(what, sizeof what, "computation, operation %u", slice->operation);
	else
		snprintf(what, sizeof what, "%s %llu B %s rank %u, operation %u",
			 slice->kind == TIMELINE_SEND ? "send" : "receive",
			 (unsigned long long)slice->bytes,
			 slice->kind == TIMELINE_SEND ? "to" : "from", slice->peer,
			 slice->operation);
	snprintf(text, 256, "rank %u: %s; %s to %s", bar->rank, what,
		 axis_value(QUANTITY_TIME, (double)slice->start_ns, 7, start),
		 axis_value(QUANTITY_TIME, (double)slice->end_ns, 7, end));
}

/* Name a call above its frame if the name fits. */
static void draw_call_label(const struct layout *layout, const struct picture_bar *bar)
{
	const double x = fmax(x_of(layout, bar->slice.start_ns), layout->axis.low_px);
	const double end = fmin(x_of(layout, bar->slice.end_ns), layout->axis.high_px);

	if (row_of(layout, bar)->lane.is_main &&
	    text_extent(bar->call.function, PALETTE_SMALL_PX) <= end - x)
		svg_text(layout->svg, "small muted", x, row_of(layout, bar)->y - 4, SVG_START,
			 bar->call.function);
}

static void draw_bar(const struct layout *layout, const struct picture_bar *bar,
		     enum timeline_kind of)
{
	const double y = row_of(layout, bar)->y, height = row_of(layout, bar)->height;
	const double x = x_of(layout, bar->slice.start_ns);
	const double width = x_of(layout, bar->slice.end_ns) - x;

	if (bar->slice.kind == TIMELINE_CALL)
		svg_rect(layout->svg, "frame", x, y - 2, width, height + 4);
	else if (of == TIMELINE_COMPUTE)
		svg_rect(layout->svg, "s6 area", x, y, width, height);
	else if (bar->has_overhead)
		svg_rect(layout->svg, of == TIMELINE_SEND ? "s0 area" : "s2 area", x, y, width,
			 height);
	else
		svg_bar(layout->svg, of == TIMELINE_SEND ? 0 : 2, x, y, width, height);
}

static void draw_bars(const struct layout *layout, bool calls)
{
	const struct timeline_picture *picture = layout->picture;

	for (size_t i = 0; i < picture->bars.count; i++) {
		const struct picture_bar *bar = &picture->bars.items[i];
		char text[256];

		if ((bar->slice.kind == TIMELINE_CALL) != calls)
			continue;
		timeline_svg_describe(bar, text);
		svg_group(layout->svg, NULL, text);
		draw_bar(layout, bar, bar->slice.kind);
		if (bar->has_overhead)
			draw_bar(layout, &picture->bars.items[++i], bar->slice.kind);
		svg_group_end(layout->svg);
	}
}

/* ---------------------------------------------------- messages and the path */

static void draw_head(const struct svg *svg, const char *class, double x, double y, double dx,
		      double dy)
{
	const double length = hypot(dx, dy);

	if (length < 2 * arrow_px)
		return;
	dx *= arrow_px / length;
	dy *= arrow_px / length;
	svg_path(svg, class);
	svg_path_to(svg, true, x, y);
	svg_path_to(svg, false, x - 1.6 * dx - 0.7 * dy, y - 1.6 * dy + 0.7 * dx);
	svg_path_to(svg, false, x - 1.6 * dx + 0.7 * dy, y - 1.6 * dy - 0.7 * dx);
	svg_path_end(svg, true);
}

static void draw_arrows(const struct layout *layout, bool critical)
{
	const struct timeline_picture *picture = layout->picture;

	for (size_t i = 0; i < picture->arrows.count; i++) {
		const struct picture_arrow *arrow = &picture->arrows.items[i];
		const struct picture_bar *from = &picture->bars.items[arrow->from];
		const struct picture_bar *to = &picture->bars.items[arrow->to];
		const struct picture_row *from_row = row_of(layout, from),
					 *to_row = row_of(layout, to);
		const bool down = to_row->y > from_row->y;
		const double x1 = x_of(layout, from->slice.end_ns);
		const double x2 = x_of(layout, to->slice.start_ns);
		const double y1 = from_row->y + (down ? from_row->height : 0);
		const double y2 = to_row->y + (down ? 0 : to_row->height);

		if (arrow->critical != critical)
			continue;
		svg_line(layout->svg, critical ? "path" : "tick", x1, y1, x2, y2);
		draw_head(layout->svg, critical ? "s1" : "muted", x2, y2, x2 - x1, y2 - y1);
	}
}

static void draw_stretches(const struct layout *layout)
{
	const struct timeline_picture *picture = layout->picture;

	for (size_t i = 0; i < picture->stretches.count; i++) {
		const struct picture_stretch *stretch = &picture->stretches.items[i];
		const struct picture_row *row = row_of(layout, &picture->bars.items[stretch->bar]);
		const double y = row->y + row->height - 1;

		svg_line(layout->svg, "path", x_of(layout, stretch->start_ns), y,
			 x_of(layout, stretch->end_ns), y);
	}
}

/* ------------------------------------------------------------------- legend */

static void draw_key(const struct svg *svg, int number, double x)
{
	const double y = margin_px + 3, height = 9, width = key_px - 6;

	if (number == 0)
		svg_rect(svg, "s6 area", x, y, width, height);
	else if (number == 2)
		svg_rect(svg, "s2 area", x, y, width, height);
	else if (number == 4)
		svg_line(svg, "path", x, y + height / 2, x + width, y + height / 2);
	else
		svg_bar(svg, number == 1 ? 0 : 2, x, y, width, height);
}

static void draw_legend(const struct layout *layout)
{
	static const char *const labels[] = {"computation", "send", "receive waits",
					     "receive completes", "critical path"};
	double x = layout->axis.low_px;

	for (int i = 0; i < 5; i++) {
		draw_key(layout->svg, i, x);
		svg_text(layout->svg, "small", x + key_px, margin_px + 11, SVG_START, labels[i]);
		x += key_px + text_extent(labels[i], PALETTE_SMALL_PX) + 2 * margin_px;
	}
}

void timeline_svg(const struct svg *svg, struct timeline_picture *picture)
{
	const struct layout layout = lay_out(svg, picture);

	svg_begin(svg, layout.height, "Operations of the modelled run, by rank and time");
	draw_axis(&layout);
	draw_labels(&layout);
	svg_clip(svg, 0, layout.axis.low_px, layout.top, layout.axis.high_px - layout.axis.low_px,
		 layout.bottom - layout.top);
	draw_bars(&layout, true);
	draw_bars(&layout, false);
	draw_arrows(&layout, false);
	draw_stretches(&layout);
	draw_arrows(&layout, true);
	for (size_t i = 0; i < picture->bars.count; i++)
		if (picture->bars.items[i].slice.kind == TIMELINE_CALL)
			draw_call_label(&layout, &picture->bars.items[i]);
	svg_group_end(svg);
	draw_legend(&layout);
	svg_end(svg);
}
