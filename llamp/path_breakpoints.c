#include "llamp/path_line.h"
#include "llamp/path_pass.h"
#include "llamp/path_prune.h"

#include <math.h>

/*
 * A stretch of T between points at which its lines are known.  `at` is where they meet,
 * if that is a breakpoint.
 */
struct stretch {
	struct path_interval between;
	struct rational at;
	bool done;
	size_t asked;		/* points in it that are evaluated next */
	double gap;		/* by how much T may lie above its lines, in as */
};

/*
 * Stretches from left to right, and points in those that are not done.  In a large graph
 * a survey comes first, of points that fill the lanes and have narrow keys if any have:
 * what of the graph matters between them is often a small part, in which the search goes on.
 */
struct search {
	const struct loggps *loggps;
	enum parameter parameter;
	const struct cost_graph *graph;		/* the whole graph or the part */
	struct cost_graph part;
	int128 slope_unit, grain;
	size_t evaluated, enough;	/* points since the part was made; until the next one is */
	ARRAY(struct stretch) stretches, halves;
	ARRAY(struct path_point) points;
	ARRAY(struct line) lines;
	ARRAY(struct path_interval) intervals;
};

/* Graphs of fewer edges, and searches of fewer points or stretches, are done as they are. */
enum { SURVEY_EDGES = 10000, SURVEY_POINTS = 2 * PATH_LANES, PRUNE_STRETCHES = PATH_LANES / 2 };

/* A stretch takes as long to prune as so many points take, 8 passes being for 15 stretches. */
enum { PRUNE_POINTS = 6 };

static int128 slope_steps(const struct search *search, const struct stretch *stretch)
{
	return (stretch->between.end.slope - stretch->between.begin.slope) / search->slope_unit;
}

/* How many stretches are open, and how many more points they may take at most. */
static size_t count_open(const struct search *search, double *points)
{
	size_t open = 0;

	*points = 0;
	for (size_t i = 0; i < search->stretches.count; i++) {
		if (search->stretches.items[i].done)
			continue;
		*points += (double)(slope_steps(search, &search->stretches.items[i]) - 1);
		open++;
	}
	return open;
}

/* -------------------------------------------------------------------- points */

static int ask(struct search *search, struct stretch *stretch, struct rational at,
	       struct error *err)
{
	stretch->asked++;
	return array_push(&search->points,
			  ((struct path_point){search->parameter, at, SIDE_RIGHT}), err);
}

static int ask_meetings(struct search *search, struct error *err)
{
	for (size_t i = 0; i < search->stretches.count; i++) {
		struct stretch *stretch = &search->stretches.items[i];

		stretch->asked = 0;
		if (!stretch->done)
			TRY(ask(search, stretch, stretch->at, err));
	}
	return 0;
}

/* Points for each stretch by its gap, which shrinks with their number's square. */
static void share_points(struct search *search)
{
	for (size_t i = 0; i < search->stretches.count; i++) {
		struct stretch *stretch = &search->stretches.items[i];
		const struct path_interval *between = &stretch->between;
		const double below = lines_distance_at(between->begin, between->end, between->low);
		const double above = lines_distance_at(between->end, between->begin, between->high);

		stretch->asked = 0;
		stretch->gap = stretch->done ? 0 : below / (below + above) * above;
	}
	for (int count = 0; count < PATH_LANES; count++) {
		struct stretch *widest = NULL;
		double most = 0;

		for (size_t i = 0; i < search->stretches.count; i++) {
			struct stretch *stretch = &search->stretches.items[i];
			const double parts = (double)stretch->asked + 1;

			if (stretch->gap > most * parts * parts &&
			    slope_steps(search, stretch) > (int128)stretch->asked + 1) {
				most = stretch->gap / (parts * parts);
				widest = stretch;
			}
		}
		if (widest)
			widest->asked++;
	}
}

/* Evenly on either side of where the lines meet, at multiples of the grain. */
static int ask_evenly(struct search *search, struct stretch *stretch, struct error *err)
{
	const size_t count = stretch->asked;
	const struct rational low = stretch->between.low, high = stretch->between.high;
	const double left = rational_value(low), right = rational_value(high);
	const double grain = (double)search->grain, middle = rational_value(stretch->at);
	int128 last = -1;

	stretch->asked = 0;
	for (size_t i = 1; i <= count; i++) {
		const double place = 2 * (double)i / (double)(count + 1);
		const double at = place < 1 ? left * (1 - place) + middle * place
					    : middle * (2 - place) + right * (place - 1);
		const int128 grains = (int128)rint(at / grain), as = grains * search->grain;

		if (as <= last || as * low.denominator <= low.numerator ||
		    as * high.denominator >= high.numerator)
			continue;
		last = as;
		TRY(ask(search, stretch, (struct rational){as, 1}, err));
	}
	return 0;
}

static int ask_survey(struct search *search, struct error *err)
{
	share_points(search);
	for (size_t i = 0; i < search->stretches.count; i++)
		TRY(ask_evenly(search, &search->stretches.items[i], err));
	return 0;
}

static int find_points(struct search *search, struct error *err)
{
	double most;

	search->points.count = 0;
	if (count_open(search, &most) == 0)
		return 0;
	if (search->graph->edge_count >= SURVEY_EDGES && most >= PATH_LANES / 2 &&
	    search->evaluated < search->enough)
		TRY(ask_survey(search, err));
	if (search->points.count == 0)
		TRY(ask_meetings(search, err));
	return array_reserve(&search->lines, search->points.count, err);
}

/* ------------------------------------------------------------------- halving */

/* No line's slope is strictly between those that differ by the slopes' unit. */
static int add_half(struct search *search, struct path_interval between, bool done,
		    struct error *err)
{
	struct stretch half = {.between = between, .at = lines_meet(between.begin, between.end)};

	half.done = done || slope_steps(search, &half) == 1;
	return array_push(&search->halves, half, err);
}

/*
 * T between two of its lines lies on or above both.  Where it passes through the point at
 * which they meet there is nothing in between: the point is a breakpoint.  Otherwise a line
 * that T follows somewhere in between halves the stretch, unless it is one of the two.
 */
static int halve(struct search *search, const struct stretch *stretch,
		 const struct path_point *points, const struct line *lines, struct error *err)
{
	struct path_interval rest = stretch->between;

	for (size_t i = 0; i < stretch->asked; i++) {
		const struct rational at = points[i].at;
		const bool on_begin = lines_equal_at(lines[i], rest.begin, at);
		struct path_interval half = rest;

		if (on_begin && lines_equal_at(lines[i], rest.end, at))
			return add_half(search, rest, true, err);
		if (lines_same(lines[i], rest.end)) {
			rest.high = at;
			break;
		}
		rest.low = at;
		if (lines_same(lines[i], rest.begin))
			continue;
		half.high = at;
		half.end = rest.begin = lines[i];
		TRY(add_half(search, half, on_begin, err));
	}
	return add_half(search, rest, stretch->done, err);
}

static int halve_all(struct search *search, struct error *err)
{
	size_t first = 0;

	search->halves.count = 0;
	for (size_t i = 0; i < search->stretches.count; i++) {
		const struct stretch *stretch = &search->stretches.items[i];

		TRY(halve(search, stretch, &search->points.items[first],
			  &search->lines.items[first], err));
		first += stretch->asked;
	}
	search->stretches.count = 0;
	TRY(array_reserve(&search->stretches, search->halves.count, err));
	for (size_t i = 0; i < search->halves.count; i++)
		search->stretches.items[search->stretches.count++] = search->halves.items[i];
	return 0;
}

/* ------------------------------------------------------------------- pruning */

/* Go on in what matters in the open stretches. */
static int prune(struct search *search, struct error *err)
{
	const uint64_t edges = search->graph->edge_count;
	struct cost_graph part;

	search->intervals.count = 0;
	for (size_t i = 0; i < search->stretches.count; i++)
		if (!search->stretches.items[i].done)
			TRY(array_push(&search->intervals, search->stretches.items[i].between,
				       err));
	TRY(path_prune(&part, search->graph, search->loggps, search->parameter,
		       search->intervals.items, search->intervals.count, err));
	path_prune_release(&search->part);
	search->part = part;
	search->graph = &search->part;
	search->evaluated = 0;
	/* Where it helps little there must be more points first. */
	search->enough = part.edge_count > edges / 2 ? 2 * search->enough : SURVEY_POINTS;
	return 0;
}

static bool worth_pruning(const struct search *search)
{
	double points;
	const size_t open = count_open(search, &points);

	return search->graph->edge_count >= SURVEY_EDGES && search->evaluated >= search->enough &&
	       open >= PRUNE_STRETCHES && points >= PRUNE_POINTS * (double)open &&
	       path_prune_fits(search->graph);
}

static int run(struct search *search, struct error *err)
{
	for (;;) {
		TRY(find_points(search, err));
		if (search->points.count == 0)
			return 0;
		TRY(path_evaluate_all(search->graph, search->loggps, search->points.items,
				      search->points.count, search->lines.items, err));
		search->evaluated += search->points.count;
		TRY(halve_all(search, err));
		if (worth_pruning(search))
			TRY(prune(search, err));
	}
}

static int find_all(struct search *search, struct rational from, struct rational to,
		    struct breakpoints *breakpoints, struct error *err)
{
	const struct path_point ends[] = {
		{search->parameter, from, from.numerator > 0 ? SIDE_LEFT : SIDE_RIGHT},
		{search->parameter, to, SIDE_RIGHT},
	};
	struct line lines[2];

	TRY(path_evaluate_all(search->graph, search->loggps, ends, 2, lines, err));
	breakpoints->first = lines[0];
	breakpoints->last = lines[1];
	if (lines[0].slope == lines[1].slope)
		return 0;
	TRY(add_half(search, (struct path_interval){from, to, lines[0], lines[1]}, false, err));
	TRY(array_push(&search->stretches, search->halves.items[0], err));
	TRY(run(search, err));
	for (size_t i = 0; i < search->stretches.count; i++) {
		const struct stretch *stretch = &search->stretches.items[i];

		TRY(array_push(&breakpoints->list,
			       ((struct breakpoint){stretch->at, stretch->between.begin,
						    stretch->between.end}), err));
	}
	return 0;
}

int path_breakpoints(const struct cost_graph *graph, const struct loggps *loggps,
		     enum parameter parameter, struct rational from, struct rational to,
		     struct breakpoints *breakpoints, struct error *err)
{
	const uint64_t unit = graph->form_unit[parameter];
	struct search search = {
		.graph = graph, .loggps = loggps, .parameter = parameter,
		.slope_unit = unit ? unit : 1, .grain = path_key_grain(graph, loggps, parameter),
		.enough = SURVEY_POINTS,
	};
	int result;

	*breakpoints = (struct breakpoints){0};
	result = find_all(&search, from, to, breakpoints, err);
	path_prune_release(&search.part);
	array_release(&search.intervals);
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
