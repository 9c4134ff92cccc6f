#include "llamp/path/breakpoints.h"

#include "llamp/path/evaluate.h"

/*
 * Search for one end of the critical range: the breakpoint at which T leaves a line towards
 * `other`, a line of T farther away.  If T lies above the point where the two meet, the line of
 * T at this point is nearer and becomes `other`.
 */
struct range_end {
	struct line other;
	struct rational at;
	bool above; /* upper end of the range */
	bool done;
};

static void find_crossing(struct range_end *end, struct line line)
{
	end->at = end->above ? lines_meet(line, end->other) : lines_meet(end->other, line);
}

static int find_ends(struct range_end ends[2], const struct cost_graph *graph,
		     const struct direction *direction, struct line line, struct error *err)
{
	while (!ends[0].done || !ends[1].done) {
		struct path_point points[2];
		struct line nearer[2];
		size_t count = 0;

		for (int i = 0; i < 2; i++)
			if (!ends[i].done) {
				find_crossing(&ends[i], line);
				points[count++] = (struct path_point){direction, ends[i].at,
								      ends[i].above ? SIDE_LEFT
										    : SIDE_RIGHT};
			}
		TRY(path_evaluate_all(graph, points, count, nearer, err));
		count = 0;
		for (int i = 0; i < 2; i++)
			if (!ends[i].done) {
				ends[i].other = nearer[count++];
				ends[i].done = lines_equal_at(ends[i].other, line, ends[i].at);
			}
	}
	return 0;
}

int path_critical_range(const struct cost_graph *graph, const struct direction *direction,
			struct rational at, struct critical_range *range, struct error *err)
{
	const struct path_point points[] = {
		{direction, at, SIDE_RIGHT},
		{direction, rational_from(0), SIDE_RIGHT},
		{direction, RATIONAL_INFINITY, SIDE_RIGHT},
	};
	struct line lines[3];
	struct range_end ends[2];

	TRY(path_evaluate_all(graph, points, 3, lines, err));
	for (int i = 0; i < 2; i++)
		ends[i] = (struct range_end){
			.other = lines[1 + i],
			.at = {0, 1},
			.above = i == 1,
			.done = lines[1 + i].slope == lines[0].slope,
		};
	range->unbounded = ends[1].done;
	TRY(find_ends(ends, graph, direction, lines[0], err));
	range->low = ends[0].at;
	range->high = ends[1].at;
	return 0;
}
