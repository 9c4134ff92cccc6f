#include "llamp/path/breakpoints.h"

#include "llamp/path/evaluate.h"
#include "llamp/path/prune.h"

/* Interval to search in a graph, and the lines of T at its ends, which are different. */
struct search {
	const struct cost_graph *graph;
	const struct direction *direction;
	struct rational from, to;
	struct line first, last;
};

/* Upper bound of the number of slopes from that of `flatter`, excluded, to that of `steeper`. */
static int128 slope_steps(const struct search *search, struct line flatter, struct line steeper)
{
	return (steeper.slope - flatter.slope) / key_slope_unit(search->graph, search->direction);
}

/* ------------------------------------------------------------------- halving */

/* Stretch of T between two of its lines, which meet at `at`.  If done, `at` is a breakpoint. */
struct stretch {
	struct line begin, end;
	struct rational at;
	bool done;
};

struct halving {
	const struct search *search;
	/* Stretches from left to right, and the points where the lines of open ones meet. */
	ARRAY(struct stretch) stretches, halves;
	ARRAY(struct path_point) points;
	ARRAY(struct line) lines;
};

/* Add a stretch.  It is done if no slope fits between those of its lines. */
static int add_half(struct halving *halving, struct line begin, struct line end, bool done,
		    struct error *err)
{
	const struct stretch half = {
		begin, end, lines_meet(begin, end),
		done || slope_steps(halving->search, begin, end) == 1,
	};

	return array_push(&halving->halves, half, err);
}

/*
 * Halve a stretch.  `line` is the line of T where the lines of the stretch meet.  If T passes
 * through that point, the point is a breakpoint.  Otherwise `line` cuts the stretch in two.
 */
static int halve(struct halving *halving, const struct stretch *stretch, struct line line,
		 struct error *err)
{
	if (lines_equal_at(line, stretch->begin, stretch->at))
		return add_half(halving, stretch->begin, stretch->end, true, err);
	TRY(add_half(halving, stretch->begin, line, false, err));
	return add_half(halving, line, stretch->end, false, err);
}

static int halve_all(struct halving *halving, struct error *err)
{
	const struct line *line = halving->lines.items;

	halving->stretches.count = 0;
	TRY(array_reserve(&halving->stretches, halving->halves.count, err));
	for (size_t i = 0; i < halving->halves.count; i++)
		halving->stretches.items[halving->stretches.count++] = halving->halves.items[i];
	halving->halves.count = 0;
	for (size_t i = 0; i < halving->stretches.count; i++) {
		const struct stretch *stretch = &halving->stretches.items[i];

		if (stretch->done)
			TRY(add_half(halving, stretch->begin, stretch->end, true, err));
		else
			TRY(halve(halving, stretch, *line++, err));
	}
	return 0;
}

static int halving_points(struct halving *halving, struct error *err)
{
	halving->points.count = 0;
	for (size_t i = 0; i < halving->halves.count; i++) {
		const struct path_point point = {halving->search->direction,
						 halving->halves.items[i].at, SIDE_RIGHT};

		if (!halving->halves.items[i].done)
			TRY(array_push(&halving->points, point, err));
	}
	return array_reserve(&halving->lines, halving->points.count, err);
}

static int halve_until_done(struct halving *halving, struct error *err)
{
	const struct search *search = halving->search;

	TRY(add_half(halving, search->first, search->last, false, err));
	for (;;) {
		TRY(halving_points(halving, err));
		if (halving->points.count == 0)
			return 0;
		TRY(path_evaluate_all(search->graph, halving->points.items,
				      halving->points.count, halving->lines.items, err));
		TRY(halve_all(halving, err));
	}
}

static int find_by_halving(const struct search *search, struct breakpoints *found,
			   struct error *err)
{
	struct halving halving = {.search = search};
	int result = halve_until_done(&halving, err);

	found->first = search->first;
	found->last = search->last;
	found->list.count = 0;
	for (size_t i = 0; result == 0 && i < halving.halves.count; i++) {
		const struct stretch *half = &halving.halves.items[i];

		result = array_push(&found->list,
				    ((struct breakpoint){half->at, half->begin, half->end}), err);
	}
	array_release(&halving.stretches);
	array_release(&halving.halves);
	array_release(&halving.points);
	array_release(&halving.lines);
	return result;
}

/* ------------------------------------------------------------------- pruning */

/* Do not prune a graph of fewer edges. */
enum { LEAST_EDGES = 10000 };

/*
 * Prune again with more points only if there may be at least so many slopes per point.  If T has
 * all of these slopes, halving takes much longer than one more attempt.  Since T may have few of
 * them, the number of points is limited, too.
 */
enum { SLOPES_PER_POINT = 4, MOST_POINTS = 128 };

/* Whether pruning with `points` points may make finding all slopes faster. */
static bool worth_pruning(const struct search *search, size_t points)
{
	const double from = rational_value(search->from), to = rational_value(search->to);

	return search->graph->edge_count >= LEAST_EDGES && to - from > to * 1e-6 &&
	       slope_steps(search, search->first, search->last) >= (int128)points / 2 &&
	       prune_fits(search->graph, points);
}

static int breakpoints_find(struct search *search, const struct bounds *known,
			    struct breakpoints *found, struct error *err);

/* Outcome of pruning: no small subgraph, one that may lack edges, one that has all it needs. */
enum outcome { NOT_PRUNED, UNCERTAIN, CERTAIN };

static int find_in_subgraph(const struct search *search, struct bounds *bounds,
			    struct breakpoints *found, enum outcome *outcome, struct error *err)
{
	struct search inner = *search;
	struct cost_graph subgraph;
	int result = 0;

	*outcome = NOT_PRUNED;
	TRY(prune_graph(&subgraph, search->graph, search->direction, bounds,
			search->graph->edge_count / 2, err));
	if (subgraph.edge_count > 0) {
		inner.graph = &subgraph;
		result = breakpoints_find(&inner, bounds, found, err);
		if (result == 0)
			*outcome = bounds_hold(bounds, found) ? CERTAIN : UNCERTAIN;
	}
	cost_graph_release(&subgraph);
	return result;
}

/*
 * Find the breakpoints of an interval, by pruning if it may help.  A subgraph has at most half of
 * the edges and is searched at most twice, so all searches together take at most a logarithmic
 * factor longer than one.
 */
static int find_between(const struct search *search, struct bounds *bounds,
			struct breakpoints *found, struct error *err)
{
	const int128 slopes = slope_steps(search, search->first, search->last);
	enum outcome outcome;
	struct bounds more;
	int result;

	if (!worth_pruning(search, bounds->count))
		return find_by_halving(search, found, err);
	TRY(find_in_subgraph(search, bounds, found, &outcome, err));
	if (outcome == CERTAIN)
		return 0;
	if (outcome == UNCERTAIN && !bounds->cautious) {
		bounds->cautious = true;
		return find_between(search, bounds, found, err);
	}
	/* If the subgraph is uncertain, rounding errors are larger than likely: no more points. */
	if (outcome == UNCERTAIN || bounds->count >= MOST_POINTS ||
	    slopes < SLOPES_PER_POINT * (int128)bounds->count)
		return find_by_halving(search, found, err);
	TRY(bounds_refine(&more, bounds, err));
	result = find_between(search, &more, found, err);
	bounds_release(&more);
	return result;
}

/* Find breakpoints.  `known` are bounds of the graph that this is a subgraph of, or NULL. */
static int breakpoints_find(struct search *search, const struct bounds *known,
			    struct breakpoints *found, struct error *err)
{
	const struct rational from = search->from, to = search->to;
	const struct path_point ends[] = {
		{search->direction, from, from.numerator > 0 ? SIDE_LEFT : SIDE_RIGHT},
		{search->direction, to, SIDE_RIGHT},
	};
	struct bounds bounds;
	struct line lines[2];
	int result;

	TRY(path_evaluate_all(search->graph, ends, 2, lines, err));
	search->first = found->first = lines[0];
	search->last = found->last = lines[1];
	found->list.count = 0;
	if (lines[0].slope == lines[1].slope)
		return 0;
	TRY(known ? bounds_refine(&bounds, known, err)
		  : bounds_init(&bounds, from, to, lines[0], lines[1], err));
	result = find_between(search, &bounds, found, err);
	bounds_release(&bounds);
	return result;
}

int path_breakpoints(const struct cost_graph *graph, const struct direction *direction,
		     struct rational from, struct rational to, struct breakpoints *breakpoints,
		     struct error *err)
{
	struct search search = {
		.graph = graph, .direction = direction, .from = from, .to = to,
	};

	*breakpoints = (struct breakpoints){0};
	if (breakpoints_find(&search, NULL, breakpoints, err) == 0)
		return 0;
	breakpoints_release(breakpoints);
	return -1;
}

/*
 * Search for one end of the critical range: the breakpoint at which T leaves a line towards
 * `other`, a line of T farther away.  If T lies above the point where the two meet, the line of
 * T at this point is nearer and becomes `other`.
 */
struct range_end {
	struct line other;
	struct rational at;
	bool above;		/* upper end of the range */
	bool done;
};

static void find_crossing(struct range_end *end, struct line line)
{
	end->at = end->above ? lines_meet(line, end->other) : lines_meet(end->other, line);
}

static int find_ends(struct range_end ends[2], const struct cost_graph *graph,
		     const struct direction *direction, struct line line,
		     struct error *err)
{
	while (!ends[0].done || !ends[1].done) {
		struct path_point points[2];
		struct line nearer[2];
		size_t count = 0;

		for (int i = 0; i < 2; i++)
			if (!ends[i].done) {
				find_crossing(&ends[i], line);
				points[count++] = (struct path_point){
					direction, ends[i].at,
					ends[i].above ? SIDE_LEFT : SIDE_RIGHT};
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
			.other = lines[1 + i], .at = {0, 1}, .above = i == 1,
			.done = lines[1 + i].slope == lines[0].slope,
		};
	range->unbounded = ends[1].done;
	TRY(find_ends(ends, graph, direction, lines[0], err));
	range->low = ends[0].at;
	range->high = ends[1].at;
	return 0;
}
