#include "common/draw/strip.h"

#include "common/array.h"
#include "common/draw/extent.h"
#include "common/draw/markup.h"
#include "common/draw/palette.h"

#include <math.h>

/* Spaces between a line and its label, and between two labels. */
static const double line_px = 4, space_px = 8;

static bool overlaps(const struct strip_label *one, const struct strip_label *other)
{
	return one->from < other->to + space_px && other->from < one->to + space_px;
}

/* Is x in the text of the label? */
static bool cuts(double x, const struct strip_label *label)
{
	return x > label->from - 2 && x < label->to + 2;
}

/* May the label be where it is, beside those placed before it? */
static bool is_free(const struct strip_label *const *placed, size_t count,
		    const struct strip_label *label)
{
	for (size_t i = 0; i < count; i++) {
		if (placed[i]->row == label->row && overlaps(placed[i], label))
			return false;
		if (placed[i]->row > label->row && placed[i]->leader && cuts(placed[i]->x, label))
			return false;
	}
	return true;
}

/* Does the line of the label reach it without crossing those placed before it? */
static bool reaches(const struct strip_label *const *placed, size_t count,
		    const struct strip_label *label)
{
	for (size_t i = 0; i < count; i++)
		if (placed[i]->row < label->row && cuts(label->x, placed[i]))
			return false;
	return !cuts(label->x, label);
}

/* Put the text beside its line, on the preferred side if it has room there. */
static void choose_side(struct strip_label *label, double left, double right, bool prefer_right)
{
	const double width = fmin(text_extent(label->text, PALETTE_SMALL_PX), right - left);
	const bool fits_left = label->x - line_px - width >= left;
	const bool fits_right = label->x + line_px + width <= right;

	label->right = prefer_right ? fits_right || !fits_left : !fits_left;
	label->from = label->right ? label->x + line_px : label->x - line_px - width;
	if (label->from + width > right)
		label->from = right - width > left ? right - width : left;
	label->to = label->from + width;
}

/*
 * Place all labels on one side: labels to the left of their lines as stairs that ascend to the
 * right, the others as stairs that descend.  Returns the number of lines that do not reach theirs.
 */
static size_t place_all(struct strip_label *labels, const struct strip_label **placed, size_t count,
			double left, double right, bool prefer_right)
{
	size_t missing = 0;

	for (size_t i = 0; i < count; i++) {
		struct strip_label *label = &labels[prefer_right ? count - 1 - i : i];

		choose_side(label, left, right, prefer_right);
		for (label->row = 0; !is_free(placed, i, label);)
			label->row++;
		label->leader = reaches(placed, i, label);
		missing += !label->leader;
		placed[i] = label;
	}
	return missing;
}

int strip_place(struct strip_label *labels, size_t count, double left, double right, int *rows,
		struct error *err)
{
	const struct strip_label **placed;
	size_t missing;

	TRY(allocate(&placed, count, sizeof *placed, err));
	missing = place_all(labels, placed, count, left, right, false);
	if (missing && place_all(labels, placed, count, left, right, true) >= missing)
		place_all(labels, placed, count, left, right, false);
	free(placed);
	*rows = 0;
	for (size_t i = 0; i < count; i++)
		if (labels[i].row >= *rows)
			*rows = labels[i].row + 1;
	return 0;
}

void strip_draw(const struct svg *svg, const struct strip_label *labels, size_t count, double y)
{
	for (size_t i = 0; i < count; i++) {
		const struct strip_label *label = &labels[i];
		const double bottom = y - label->row * STRIP_ROW_PX;
		char text[256];

		/* The script of a page moves it with its line. */
		fputs("<g data-x=\"", svg->stream);
		markup_px(svg->stream, label->x);
		fputs("\">", svg->stream);
		if (label->leader)
			svg_line(svg, "cross", label->x, bottom - STRIP_ROW_PX + 3, label->x, y);
		svg_text(svg, "small", label->right ? label->from : label->to, bottom - 4,
			 label->right ? SVG_START : SVG_END,
			 text_fit(label->text, PALETTE_SMALL_PX, label->to - label->from + 0.01,
				  text, sizeof text));
		svg_group_end(svg);
	}
}
