#include "llamp/path_line.h"

/* A stretch of T that begins with one line and ends with another. */
struct stretch {
	struct line begin, end;
	struct rational at;	/* where they meet, if it is a breakpoint */
	bool done;
};

/* Stretches from left to right, and a point in each that is not done. */
struct search {
	ARRAY(struct stretch) stretches, halves;
	ARRAY(struct path_point) points;
	ARRAY(struct line) lines;
};

static int find_points(struct search *search, enum parameter parameter, struct error *err)
{
	search->points.count = 0;
	for (size_t i = 0; i < search->stretches.count; i++) {
		struct stretch *stretch = &search->stretches.items[i];

		if (stretch->done)
			continue;
		stretch->at = lines_meet(stretch->begin, stretch->end);
		TRY(array_push(&search->points,
			       ((struct path_point){parameter, stretch->at, SIDE_RIGHT}), err));
	}
	return array_reserve(&search->lines, search->points.count, err);
}

/*
 * T between two of its lines lies on or above both.  Where it passes through
 * the point at which they meet there is nothing in between: the point is a
 * breakpoint.  Otherwise the line that T follows there, whose slope lies
 * strictly between, halves the stretch.
 */
static int halve(struct search *search, struct error *err)
{
	const struct line *line = search->lines.items;

	search->halves.count = 0;
	for (size_t i = 0; i < search->stretches.count; i++) {
		struct stretch stretch = search->stretches.items[i];
		struct stretch right = stretch;

		if (stretch.done || lines_equal_at(*line, stretch.begin, stretch.at)) {
			line += !stretch.done;
			stretch.done = true;
			TRY(array_push(&search->halves, stretch, err));
			continue;
		}
		stretch.end = right.begin = *line++;
		TRY(array_push(&search->halves, stretch, err));
		TRY(array_push(&search->halves, right, err));
	}
	return 0;
}

static int run(struct search *search, const struct cost_graph *graph,
	       const struct loggps *loggps, enum parameter parameter, struct error *err)
{
	for (;;) {
		TRY(find_points(search, parameter, err));
		if (search->points.count == 0)
			return 0;
		TRY(path_evaluate_all(graph, loggps, search->points.items, search->points.count,
				      search->lines.items, err));
		TRY(halve(search, err));
		search->stretches.count = 0;
		for (size_t i = 0; i < search->halves.count; i++)
			TRY(array_push(&search->stretches, search->halves.items[i], err));
	}
}

static int find_all(struct search *search, const struct cost_graph *graph,
		    const struct loggps *loggps, enum parameter parameter, struct rational from,
		    struct rational to, struct breakpoints *breakpoints, struct error *err)
{
	const struct path_point ends[] = {
		{parameter, from, from.numerator > 0 ? SIDE_LEFT : SIDE_RIGHT},
		{parameter, to, SIDE_RIGHT},
	};
	struct stretch whole = {0};
	struct line lines[2];

	TRY(path_evaluate_all(graph, loggps, ends, 2, lines, err));
	breakpoints->first = whole.begin = lines[0];
	breakpoints->last = whole.end = lines[1];
	if (whole.begin.slope == whole.end.slope)
		return 0;
	TRY(array_push(&search->stretches, whole, err));
	TRY(run(search, graph, loggps, parameter, err));
	for (size_t i = 0; i < search->stretches.count; i++) {
		const struct stretch *stretch = &search->stretches.items[i];

		TRY(array_push(&breakpoints->list,
			       ((struct breakpoint){stretch->at, stretch->begin, stretch->end}),
			       err));
	}
	return 0;
}

int path_breakpoints(const struct cost_graph *graph, const struct loggps *loggps,
		     enum parameter parameter, struct rational from, struct rational to,
		     struct breakpoints *breakpoints, struct error *err)
{
	struct search search = {0};
	int result;

	*breakpoints = (struct breakpoints){0};
	result = find_all(&search, graph, loggps, parameter, from, to, breakpoints, err);
	array_release(&search.stretches);
	array_release(&search.halves);
	array_release(&search.points);
	array_release(&search.lines);
	if (result < 0)
		breakpoints_release(breakpoints);
	return result;
}

void breakpoints_release(struct breakpoints *breakpoints)
{
	array_release(&breakpoints->list);
}

/*
 * One end of the critical range: the breakpoint at which T leaves `line` on the
 * way to `other`, a line of T farther away.  Wherever T lies above the point at
 * which they meet, the line it follows there is nearer.
 */
struct range_end {
	struct line other;
	struct rational at;
	bool above;		/* the end above the line's points */
	bool done;
};

static void find_meeting(struct range_end *end, struct line line)
{
	end->at = end->above ? lines_meet(line, end->other) : lines_meet(end->other, line);
}

static int find_ends(struct range_end ends[2], const struct cost_graph *graph,
		     const struct loggps *loggps, enum parameter parameter, struct line line,
		     struct error *err)
{
	while (!ends[0].done || !ends[1].done) {
		struct path_point points[2];
		struct line nearer[2];
		size_t count = 0;

		for (int i = 0; i < 2; i++)
			if (!ends[i].done) {
				find_meeting(&ends[i], line);
				points[count++] = (struct path_point){
					parameter, ends[i].at,
					ends[i].above ? SIDE_LEFT : SIDE_RIGHT};
			}
		TRY(path_evaluate_all(graph, loggps, points, count, nearer, err));
		count = 0;
		for (int i = 0; i < 2; i++)
			if (!ends[i].done) {
				ends[i].other = nearer[count++];
				ends[i].done = lines_equal_at(ends[i].other, line, ends[i].at);
			}
	}
	return 0;
}

int path_critical_range(const struct cost_graph *graph, const struct loggps *loggps,
			enum parameter parameter, struct rational at,
			struct critical_range *range, struct error *err)
{
	const struct path_point points[] = {
		{parameter, at, SIDE_RIGHT},
		{parameter, rational_from(0), SIDE_RIGHT},
		{parameter, PATH_INFINITY, SIDE_RIGHT},
	};
	struct line lines[3];
	struct range_end ends[2];

	TRY(path_evaluate_all(graph, loggps, points, 3, lines, err));
	for (int i = 0; i < 2; i++)
		ends[i] = (struct range_end){
			.other = lines[1 + i], .at = {0, 1}, .above = i == 1,
			.done = lines[1 + i].slope == lines[0].slope,
		};
	range->unbounded = ends[1].done;
	TRY(find_ends(ends, graph, loggps, parameter, lines[0], err));
	range->low = ends[0].at;
	range->high = ends[1].at;
	return 0;
}
