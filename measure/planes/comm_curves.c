#include "measure/planes/comm_curves.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Tell whether T_comm of a kind is that of plain contiguous messages between two ranks. */
static bool is_contiguous(const struct cell_spec *kind)
{
	return (kind->bench == BENCH_SENDER || kind->bench == BENCH_RECEIVER ||
		kind->bench == BENCH_BOTH) &&
	       kind->pending == 1;
}

/* Find the axes: x is that of all planes with times. */
static void find_axes(struct comm_curves *curves, const struct planes *planes)
{
	struct heatmap_plane *all = &curves->plane;
	double low = INFINITY, high = 0;

	for (size_t i = 0; i < planes->file_count * planes->kinds.count; i++) {
		const struct heatmap_plane *plane = &planes->planes[i];

		if (!plane->curve_count)
			continue;
		all->x = plane->x;
		all->columns = plane->columns;
		for (size_t j = 0; j < plane->columns; j++)
			if (plane->curves->values[j] > 0) {
				low = fmin(low, plane->curves->values[j]);
				high = fmax(high, plane->curves->values[j]);
			}
	}
	all->y = (struct heatmap_axis){"time", QUANTITY_TIME, true, low / 1.5, high * 1.5};
}

static int add_label(struct comm_curves *curves, const char *name,
		     const struct cells_header *header, struct error *err)
{
	const uint64_t S = header->S_high == UINT64_MAX ? 0 : header->S_high;
	const size_t room = strlen(name) + 48;
	char *label = NULL;

	TRY(allocate(&label, room, 1, err));
	if (S)
		snprintf(label, room, "%s, S %" PRIu64 " B", name, S - 1);
	else
		snprintf(label, room, "%s", name);
	if (array_push(&curves->labels, label, err) == 0)
		return 0;
	free(label);
	return -1;
}

static int add_curve(struct comm_curves *curves, const struct heatmap_plane *plane,
		     const char *name, const struct cells_header *header, struct error *err)
{
	const bool has_S = header->S_high && header->S_high != UINT64_MAX;
	struct heatmap_curve curve = {.mark = has_S ? (double)header->S_high : NAN};

	TRY(add_label(curves, name, header, err));
	curve.label = curves->labels.items[curves->labels.count - 1];
	curve.values = plane->curves->values;
	return array_push(&curves->curves, curve, err);
}

static int add_file(struct comm_curves *curves, const struct planes *planes, size_t file,
		    const struct cells_header *header, struct error *err)
{
	const struct heatmap_plane *row = &planes->planes[file * planes->kinds.count];
	bool has_contiguous = false;

	for (size_t i = 0; i < planes->kinds.count; i++) {
		const bool contiguous = is_contiguous(&planes->kinds.items[i]);

		if (!row[i].curve_count || (contiguous && has_contiguous) ||
		    (!contiguous && planes->file_count > 1))
			continue;
		has_contiguous |= contiguous;
		TRY(add_curve(curves, &row[i],
			      planes->file_count > 1 ? planes->labels[file]
			      : contiguous	     ? "contiguous messages"
						     : row[i].title,
			      header, err));
	}
	return 0;
}

int comm_curves_build(struct comm_curves *curves, const struct planes *planes,
		      const struct cells_file *const *files, struct error *err)
{
	*curves = (struct comm_curves){.plane = {.title = "T_comm by message size"}};
	find_axes(curves, planes);
	for (size_t i = 0; i < planes->file_count; i++)
		if (add_file(curves, planes, i, &files[i]->header, err) < 0) {
			comm_curves_release(curves);
			return -1;
		}
	curves->plane.curves = curves->curves.items;
	curves->plane.curve_count = curves->curves.count;
	curves->row = (struct heatmap_row){NULL, &curves->plane, 1};
	return 0;
}

void comm_curves_release(struct comm_curves *curves)
{
	for (size_t i = 0; i < curves->labels.count; i++)
		free(curves->labels.items[i]);
	array_release(&curves->curves);
	array_release(&curves->labels);
}
