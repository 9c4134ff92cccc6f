/* Picture of the tolerances, as zones of the curve. */
#include "llamp/pictures/pictures.h"

#include "common/draw/bars.h"
#include "llamp/pictures/picture_text.h"
#include "llamp/report/report.h"

#include <math.h>
#include <stdio.h>

enum { LABEL_BYTES = 128, PART_COUNT = 2 };

/* A bar: the tolerance of a curve for one percentage. */
struct row {
	double values[PART_COUNT];
	char label[LABEL_BYTES], text[LABEL_BYTES];
};

/* Groups of bars: percentages of one curve, or curves for each percentage. */
struct drawing {
	struct bar *bars;
	struct row *rows;
	struct bar_group *groups;
	char (*headings)[LABEL_BYTES];
};

static void fill_row(struct row *row, struct bar *bar, const struct curve *curve,
		     const struct tolerance *tolerance)
{
	const enum quantity quantity = picture_quantity(&curve->varied);
	char most[UNIT_TEXT_BYTES], more[UNIT_TEXT_BYTES];

	/* Relative to a baseline it may be below the network's value, or none. */
	row->values[0] = fmax(fmin(curve->value_ns, tolerance->value_ns), 0);
	row->values[1] = fmax(tolerance->delta_ns, 0);
	report_percent(tolerance->percent, row->label);
	if (tolerance->unbounded)
		snprintf(row->text, LABEL_BYTES, "unbounded");
	else if (tolerance->none)
		snprintf(row->text, LABEL_BYTES, "none");
	else
		snprintf(row->text, LABEL_BYTES, "%s (%s%s)",
			 axis_value(quantity, tolerance->value_ns, 3, most),
			 tolerance->delta_ns < 0 ? "\xe2\x88\x92" : "+",
			 axis_value(quantity, fabs(tolerance->delta_ns), 3, more));
	*bar = (struct bar){row->label, row->values, .text = row->text};
}

/* One group for each percentage with a bar for each curve, or one group for one curve. */
static size_t fill(struct drawing *drawing, const struct curve *const *curves, size_t count)
{
	const size_t percent_count = curves[0]->tolerance.count;
	char percent[UNIT_TEXT_BYTES];
	/* The baseline is T for all curves, or for none. */
	const bool from_T = curves[0]->baseline_ns == 0;

	for (size_t i = 0; i < percent_count; i++)
		for (size_t j = 0; j < count; j++) {
			const size_t at = i * count + j;

			fill_row(&drawing->rows[at], &drawing->bars[at], curves[j],
				 &curves[j]->tolerance.items[i]);
			if (count > 1)
				drawing->bars[at].label = curves[j]->label;
		}
	if (count == 1) {
		drawing->groups[0] = (struct bar_group){from_T ? "T longer by"
							       : "T above the baseline by", drawing->bars,
							percent_count};
		return 1;
	}
	for (size_t i = 0; i < percent_count; i++) {
		snprintf(drawing->headings[i], LABEL_BYTES, "T %s by %s",
			 from_T ? "longer" : "above the baseline",
			 report_percent(curves[0]->tolerance.items[i].percent, percent));
		drawing->groups[i] = (struct bar_group){drawing->headings[i],
							drawing->bars + i * count, count};
	}
	return percent_count;
}

static int allocate_drawing(struct drawing *drawing, size_t bar_count, size_t percent_count,
			    struct error *err)
{
	TRY(allocate(&drawing->bars, bar_count, sizeof *drawing->bars, err));
	TRY(allocate(&drawing->rows, bar_count, sizeof *drawing->rows, err));
	TRY(allocate(&drawing->groups, percent_count + 1, sizeof *drawing->groups, err));
	return allocate(&drawing->headings, percent_count, sizeof *drawing->headings, err);
}

int picture_tolerances(const struct svg *svg, const struct curve *const *curves, size_t count,
		       struct error *err)
{
	static const char *const parts[] = {"of the network", "tolerated beyond it"};
	static const unsigned styles[] = {5, 0};
	const size_t percent_count = curves[0]->tolerance.count;
	char name[LABEL_BYTES], title[2 * LABEL_BYTES];
	struct drawing drawing = {0};
	struct bars bars = {.title = title,
			    .name = name,
			    .quantity = picture_quantity(&curves[0]->varied),
			    .parts = parts,
			    .styles = styles,
			    .part_count = PART_COUNT};
	int status = allocate_drawing(&drawing, count * percent_count, percent_count, err);

	picture_variable_name(&curves[0]->varied, name, sizeof name);
	snprintf(title, sizeof title, "tolerances of the %s", name);
	if (status == 0) {
		bars.group_count = fill(&drawing, curves, count);
		bars.groups = drawing.groups;
		status = bars_draw(&bars, svg, err);
	}
	free(drawing.bars);
	free(drawing.rows);
	free(drawing.groups);
	free(drawing.headings);
	return status;
}
