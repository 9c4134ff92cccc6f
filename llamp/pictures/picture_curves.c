/* Pictures of runtime and sensitivity as curves. */
#include "llamp/pictures/pictures.h"

#include "common/draw/lines.h"
#include "llamp/pictures/picture_text.h"
#include "llamp/report/report.h"

#include <math.h>
#include <stdio.h>

enum { MOST_ZONES = 8, LABEL_BYTES = 128, PANEL_COUNT = 3 };
static const double runtime_px = 240, slope_px = 84;

/* All that a picture of curves refers to. */
struct drawing {
	const struct curve *const *curves;
	size_t count;		     /* of curves */
	struct lines_series *series; /* T of all curves, measurements, other orders, lambda, rho */
	struct lines_point *points;  /* of all series */
	struct lines_zone zones[MOST_ZONES];
	size_t zone_count;
	struct lines_level traced;
	struct lines_mark marks[3];	/* p0; both ends of the order range */
	size_t mark_count;
	char zone_labels[MOST_ZONES][LABEL_BYTES];
	char traced_label[LABEL_BYTES], mark_label[LABEL_BYTES], order_labels[2][LABEL_BYTES];
	char measured_label[LABEL_BYTES];
};

static size_t curve_points(const struct curve *curve)
{
	return curve->runtime.count + curve->measured.points.count + curve->orders.count +
	       curve->steps.count + 1 + curve->rhos.count;
}

/* ----------------------------------------------------------------- series */

/* Copy the points of a curve to `at` and make its series of them.  Returns the end of the points. */
static struct lines_point *add_runtime(struct drawing *drawing, size_t number,
				       struct lines_point *at)
{
	const struct curve *curve = drawing->curves[number];
	const bool alone = drawing->count == 1;

	drawing->series[number] = (struct lines_series){alone ? "modelled" : curve->label,
							LINES_STRAIGHT, (unsigned)number, at,
							curve->runtime.count};
	for (size_t i = 0; i < curve->runtime.count; i++)
		*at++ = (struct lines_point){curve->runtime.items[i].value_ns,
					     curve->runtime.items[i].runtime_ns};
	/* The points of one curve have another colour than its line. */
	drawing->series[drawing->count + number] = (struct lines_series){
		drawing->measured_label, LINES_POINTS, alone ? 1 : (unsigned)number, at,
		curve->measured.points.count};
	for (size_t i = 0; i < curve->measured.points.count; i++)
		*at++ = (struct lines_point){(double)curve->measured.points.items[i].value_as /
						     (double)AS_PER_NS,
					     curve->measured.points.items[i].mean_ns};
	return at;
}

/* Add T where the order of service is another one than that of the curve. */
static struct lines_point *add_orders(struct drawing *drawing, size_t number,
				      struct lines_point *at)
{
	const struct curve *curve = drawing->curves[number];
	const struct lines_point *begin = at;

	for (size_t i = 0; i < curve->orders.count; i++)
		if (curve->orders.items[i].other)
			*at++ = (struct lines_point){curve->orders.items[i].value_ns,
						     curve->orders.items[i].runtime_ns};
	drawing->series[2 * drawing->count + number] = (struct lines_series){
		"in another order of service", LINES_POINTS,
		drawing->count == 1 ? 2 : (unsigned)number, begin, (size_t)(at - begin)};
	return at;
}

static struct lines_point *add_slopes(struct drawing *drawing, size_t number,
				      struct lines_point *at)
{
	const struct curve *curve = drawing->curves[number];
	const struct lines_point *begin = at;

	for (size_t i = 0; i < curve->steps.count; i++)
		*at++ = (struct lines_point){curve->steps.items[i].value_ns,
					     curve->steps.items[i].lambda};
	if (at > begin)
		*at = (struct lines_point){curve->to_ns, at[-1].y}, at++;
	drawing->series[3 * drawing->count + number] = (struct lines_series){NULL, LINES_STEPS,
									     (unsigned)number,
									     begin,
									     (size_t)(at - begin)};
	drawing->series[4 * drawing->count + number] = (struct lines_series){NULL, LINES_STRAIGHT,
									     (unsigned)number, at,
									     curve->rhos.count};
	for (size_t i = 0; i < curve->rhos.count; i++)
		*at++ = (struct lines_point){curve->rhos.items[i].value_ns,
					     100 * curve->rhos.items[i].rho};
	return at;
}

static int add_series(struct drawing *drawing, struct error *err)
{
	const struct observations *measured = &drawing->curves[0]->measured;
	struct lines_point *at;
	size_t point_count = 0;
	char text[UNIT_TEXT_BYTES];

	for (size_t i = 0; i < drawing->count; i++)
		point_count += curve_points(drawing->curves[i]);
	TRY(allocate(&drawing->points, point_count, sizeof *drawing->points, err));
	TRY(allocate(&drawing->series, 5 * drawing->count, sizeof *drawing->series, err));
	snprintf(drawing->measured_label, LABEL_BYTES, "measured");
	if (drawing->count == 1 && measured->compared)
		snprintf(drawing->measured_label, LABEL_BYTES, "measured, RRMSE %s",
			 axis_value(QUANTITY_PERCENT, 100 * measured->rrmse, 2, text));
	at = drawing->points;
	for (size_t i = 0; i < drawing->count; i++)
		at = add_slopes(drawing, i, add_orders(drawing, i, add_runtime(drawing, i, at)));
	return 0;
}

/* ------------------------------------------------------------------ zones */

/* Zones of a curve that is alone, by ascending tolerance. */
static void add_zones(struct drawing *drawing)
{
	const struct curve *curve = drawing->curves[0];
	const enum quantity quantity = picture_quantity(&curve->varied);
	char text[UNIT_TEXT_BYTES], percent[UNIT_TEXT_BYTES];
	double from = curve->value_ns;

	for (size_t i = 0; i < curve->tolerance.count && drawing->zone_count < MOST_ZONES; i++) {
		const struct tolerance *tolerance = &curve->tolerance.items[i];
		char *label = drawing->zone_labels[drawing->zone_count];

		if (tolerance->value_ns < from)
			continue;
		snprintf(label, LABEL_BYTES, "%s: %s", report_percent(tolerance->percent, percent),
			 axis_value(quantity, tolerance->value_ns, 3, text));
		drawing->zones[drawing->zone_count] = (struct lines_zone){
			from, tolerance->value_ns,
			drawing->zone_count < 3 ? (unsigned)drawing->zone_count + 1 : 3, label};
		drawing->zone_count++;
		from = tolerance->value_ns;
	}
}

/* Can a chart show this runtime without making the curve flat? */
static bool is_near(const struct curve *curve, double runtime_ns)
{
	const struct curve_point *points = curve->runtime.items;
	const double low = points[0].runtime_ns;
	const double high = points[curve->runtime.count - 1].runtime_ns;
	const double room = fmax(2 * (high - low), 0.02 * high);

	return runtime_ns > low - room && runtime_ns < high + room;
}

/* Mark an end of the order range. */
static void add_order_mark(struct drawing *drawing, double value_ns, const char *name, int end)
{
	char text[UNIT_TEXT_BYTES];

	snprintf(drawing->order_labels[end], LABEL_BYTES, "%s %s", name,
		 axis_value(picture_quantity(&drawing->curves[0]->varied), value_ns, 4, text));
	drawing->marks[drawing->mark_count++] =
		(struct lines_mark){value_ns, drawing->order_labels[end]};
}

static void add_marks(struct drawing *drawing)
{
	const struct curve *curve = drawing->curves[0];
	const enum quantity quantity = picture_quantity(&curve->varied);
	const bool shown = is_near(curve, curve->traced_ns);
	const bool above = curve->traced_ns > curve->runtime_ns;
	char text[UNIT_TEXT_BYTES];

	snprintf(drawing->traced_label, LABEL_BYTES, "traced run, %s%s",
		 axis_value(QUANTITY_TIME, curve->traced_ns, 4, text),
		 shown	 ? ""
		 : above ? " (above the chart)"
			 : " (below the chart)");
	drawing->traced = (struct lines_level){drawing->traced_label,
					       shown ? curve->traced_ns : NAN};
	snprintf(drawing->mark_label, LABEL_BYTES, "%s = %s", curve->varied.name,
		 axis_value(quantity, curve->value_ns, 4, text));
	drawing->marks[drawing->mark_count++] =
		(struct lines_mark){curve->value_ns, drawing->mark_label};
	if (!curve->one_order)
		return;
	if (curve->order.low > curve->from_ns)
		add_order_mark(drawing, curve->order.low, "order known from", 0);
	if (curve->order.high < curve->to_ns)
		add_order_mark(drawing, curve->order.high, "order known to", 1);
}

/* ---------------------------------------------------------------- drawing */

static int picture_curves_draw(struct drawing *drawing, const struct svg *svg, struct error *err)
{
	const struct curve *first = drawing->curves[0];
	const bool alone = drawing->count == 1;
	char lambda[LABEL_BYTES], rho[LABEL_BYTES], name[LABEL_BYTES], title[2 * LABEL_BYTES];
	const struct lines_panel panels[PANEL_COUNT] = {
		{first->one_order ? "runtime T, for one order of service" : "runtime T",
		 QUANTITY_TIME, false, runtime_px, drawing->series, 3 * drawing->count,
		 &drawing->traced, alone && first->traced_ns > 0},
		{lambda, QUANTITY_NUMBER, true, slope_px, drawing->series + 3 * drawing->count,
		 drawing->count, NULL, 0},
		{rho, QUANTITY_PERCENT, true, slope_px, drawing->series + 4 * drawing->count,
		 drawing->count, NULL, 0},
	};
	struct lines lines = {
		.title = title,
		.name = name,
		.quantity = picture_quantity(&first->varied),
		.low = first->from_ns,
		.high = first->to_ns,
		.zones = drawing->zones,
		.zone_count = drawing->zone_count,
		.marks = drawing->marks,
		.mark_count = drawing->mark_count,
		.panels = panels,
		.panel_count = PANEL_COUNT,
	};

	for (size_t i = 1; i < drawing->count; i++) {
		lines.low = fmin(lines.low, drawing->curves[i]->from_ns);
		lines.high = fmax(lines.high, drawing->curves[i]->to_ns);
	}
	picture_variable_name(&first->varied, name, sizeof name);
	snprintf(lambda, sizeof lambda, "\xce\xbb_%s, %s on the critical path", first->varied.name,
		 first->varied.counted);
	snprintf(rho, sizeof rho, "\xcf\x81_%s, share of T", first->varied.name);
	snprintf(title, sizeof title, "runtime T over %s, with its slope and share", name);
	return lines_draw(&lines, svg, err);
}

int picture_curves(const struct svg *svg, const struct curve *const *curves, size_t count,
		   struct error *err)
{
	struct drawing drawing = {.curves = curves, .count = count};
	int status = add_series(&drawing, err);

	if (status == 0 && count == 1) {
		add_zones(&drawing);
		add_marks(&drawing);
	}
	if (status == 0)
		status = picture_curves_draw(&drawing, svg, err);
	free(drawing.series);
	free(drawing.points);
	return status;
}
