#include "common/draw/legend.h"

#include "common/draw/extent.h"
#include "common/draw/palette.h"

/* Widths of a key and of the spaces after it and after its label, height of a row. */
static const double key_px = 24, gap_px = 6, space_px = 18, row_px = 20;
enum { LABEL_BYTES = 256 };

/* Place of an item, and its label as it fits. */
struct place {
	double x, y;
	char label[LABEL_BYTES];
};

/* Place an item after the previous one, which ends at *right. */
static void place_next(struct place *place, const struct legend_item *item, double *right,
		       double width)
{
	double label_px;

	text_fit(item->label, PALETTE_FONT_PX, width - key_px - gap_px, place->label, LABEL_BYTES);
	label_px = key_px + gap_px + text_extent(place->label, PALETTE_FONT_PX);
	if (*right > 0 && *right + label_px > width) {
		*right = 0;
		place->y += row_px;
	}
	place->x = *right;
	*right += label_px + space_px;
}

double legend_height(const struct legend_item *items, size_t count, double width)
{
	struct place place = {0};
	double right = 0;

	for (size_t i = 0; i < count; i++)
		place_next(&place, &items[i], &right, width);
	return count ? place.y + row_px : 0;
}

/* Draw a key of a heat map. */
static void draw_cell_key(const struct svg *svg, enum legend_kind kind, double x, double y)
{
	svg_rect(svg, kind == LEGEND_WHITE ? "shade" : "empty", x, y - 6, key_px, 12);
	if (kind == LEGEND_WHITE)
		svg_line(svg, "white", x, y + 3, x + key_px, y - 3);
	for (int i = 0; kind == LEGEND_UNCERTAIN && i < 4; i++)
		svg_line(svg, i % 2 ? "thread" : "rope", x + 12 * (i / 2), y + 6, x + 12 * (i / 2 + 1),
			 y - 6);
}

static void draw_key(const struct svg *svg, const struct legend_item *item, double x, double y)
{
	char class[32];

	snprintf(class, sizeof class, "s%u line%s", item->style % PALETTE_SERIES,
		 item->kind == LEGEND_THIN ? " dense" : "");
	if (item->kind == LEGEND_LINE || item->kind == LEGEND_THIN)
		svg_line(svg, class, x, y, x + key_px, y);
	else if (item->kind == LEGEND_LEVEL)
		svg_line(svg, "level", x, y, x + key_px, y);
	else if (item->kind == LEGEND_POINT)
		svg_point(svg, item->style, x + key_px / 2, y, 8);
	else if (item->kind == LEGEND_BAR)
		svg_bar(svg, item->style, x, y - 5, key_px, 10);
	else if (item->kind >= LEGEND_WHITE)
		draw_cell_key(svg, item->kind, x, y);
	if (item->kind != LEGEND_AREA)
		return;
	snprintf(class, sizeof class, "s%u area", item->style % PALETTE_SERIES);
	svg_rect(svg, class, x, y - 5, key_px, 10);
	snprintf(class, sizeof class, "s%u line", item->style % PALETTE_SERIES);
	svg_line(svg, class, x, y - 5, x + key_px, y - 5);
}

void legend_draw(const struct svg *svg, const struct legend_item *items, size_t count, double x,
		 double y, double width)
{
	struct place place = {0};
	double right = 0;

	svg_group(svg, "legend", NULL);
	for (size_t i = 0; i < count; i++) {
		place_next(&place, &items[i], &right, width);
		draw_key(svg, &items[i], x + place.x, y + place.y + row_px / 2 - 2);
		svg_text(svg, NULL, x + place.x + key_px + gap_px, y + place.y + row_px / 2 + 2,
			 SVG_START, place.label);
	}
	svg_group_end(svg);
}
