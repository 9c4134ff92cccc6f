/* Picture of the frontier of llamp tradeoff. */
#include "common/draw/lines.h"
#include "llamp/pictures/picture_text.h"
#include "llamp/pictures/pictures.h"

#include <math.h>
#include <stdio.h>

enum { LABEL_BYTES = 64 };

struct drawing {
	struct lines_series *series;
	char (*labels)[LABEL_BYTES];
	struct lines_point *points;
	double most[2];		/* largest finite values */
};

/* Find the largest values of vertices and of the network. */
static void find_extent(struct drawing *drawing, const struct tradeoffs *tradeoffs)
{
	for (int axis = 0; axis < 2; axis++) {
		double *most = &drawing->most[axis];

		*most = report_ns(loggps_value(&tradeoffs->model->loggps,
					       tradeoffs->variables[axis]));
		for (size_t i = 0; i < tradeoffs->count; i++)
			for (size_t k = 0; k < tradeoffs->items[i].vertices.count; k++)
				if (isfinite(tradeoffs->items[i].vertices.items[k].value_ns[axis]))
					*most = fmax(*most, tradeoffs->items[i]
								    .vertices.items[k]
								    .value_ns[axis]);
		*most = *most > 0 ? 1.05 * *most : 1;
	}
}

/* Add the points of a tradeoff; a line without an end goes to the edge of the picture. */
static size_t add_points(const struct drawing *drawing, const struct tradeoff *tradeoff,
			 struct lines_point *points)
{
	size_t count = 0;

	if (tradeoff->shape == TRADEOFF_ONLY_Y)
		points[count++] = (struct lines_point){0, tradeoff->vertices.items[0].value_ns[1]};
	for (size_t i = 0; i < tradeoff->vertices.count; i++)
		points[count++] = (struct lines_point){
			fmin(tradeoff->vertices.items[i].value_ns[0], drawing->most[0]),
			fmin(tradeoff->vertices.items[i].value_ns[1], drawing->most[1])};
	if (tradeoff->shape == TRADEOFF_ONLY_X)
		points[count++] = (struct lines_point){tradeoff->vertices.items[0].value_ns[0], 0};
	return count;
}

static size_t fill(struct drawing *drawing, const struct tradeoffs *tradeoffs)
{
	struct lines_point *points = drawing->points;
	size_t i;

	for (i = 0; i < tradeoffs->count; i++) {
		const size_t count = add_points(drawing, &tradeoffs->items[i], points);
		char percent[UNIT_TEXT_BYTES];

		snprintf(drawing->labels[i], LABEL_BYTES, "T longer by %s",
			 report_percent(tradeoffs->items[i].percent, percent));
		drawing->series[i] = (struct lines_series){
			.label = drawing->labels[i], .kind = LINES_STRAIGHT, .style = (unsigned)i,
			.points = points, .count = count};
		points += count;
	}
	*points = (struct lines_point){
		report_ns(loggps_value(&tradeoffs->model->loggps, tradeoffs->variables[0])),
		report_ns(loggps_value(&tradeoffs->model->loggps, tradeoffs->variables[1]))};
	drawing->series[i] = (struct lines_series){.label = "this network", .kind = LINES_POINTS,
						   .style = (unsigned)i, .points = points,
						   .count = 1};
	return i + 1;
}

static int picture_tradeoff_draw(const struct svg *svg, const struct tradeoffs *tradeoffs,
				 struct drawing *drawing, struct error *err)
{
	const struct variables *variables = &tradeoffs->model->loggps.variables;
	const struct variable *x = &variables->of[tradeoffs->variables[0]];
	const struct variable *y = &variables->of[tradeoffs->variables[1]];
	char title[2 * LABEL_BYTES], names[2][LABEL_BYTES], label[2 * LABEL_BYTES];
	struct lines_panel panel;

	find_extent(drawing, tradeoffs);
	snprintf(title, sizeof title, "%s over %s that the program tolerates", y->name, x->name);
	snprintf(label, sizeof label, "%s%s", picture_variable_name(y, names[1], LABEL_BYTES),
		 tradeoffs->model->loggps.resources ? ", for one order of service" : "");
	panel = (struct lines_panel){.name = label,
				     .quantity = picture_quantity(y),
				     .from_zero = true, .height = 300,
				     .series = drawing->series,
				     .series_count = fill(drawing, tradeoffs)};
	return lines_draw(&(struct lines){.title = title, .name = picture_variable_name(x, names[0], LABEL_BYTES),
					  .quantity = picture_quantity(x), .low = 0,
					  .high = drawing->most[0], .panels = &panel,
					  .panel_count = 1},
			  svg, err);
}

int picture_tradeoffs(const struct svg *svg, const struct tradeoffs *tradeoffs, struct error *err)
{
	struct drawing drawing = {0};
	size_t points = 1;
	int result = -1;

	for (size_t i = 0; i < tradeoffs->count; i++)
		points += tradeoffs->items[i].vertices.count + 1;
	if (allocate(&drawing.series, tradeoffs->count + 1, sizeof *drawing.series, err) == 0 &&
	    allocate(&drawing.labels, tradeoffs->count, sizeof *drawing.labels, err) == 0 &&
	    allocate(&drawing.points, points, sizeof *drawing.points, err) == 0)
		result = picture_tradeoff_draw(svg, tradeoffs, &drawing, err);
	free(drawing.series);
	free(drawing.labels);
	free(drawing.points);
	return result;
}
