#include "llamp/path/breakpoints.h"

#include "llamp/path/evaluate.h"
#include "llamp/path/halving.h"
#include "llamp/path/prune.h"

/* Find the lines of T at the ends, and start without breakpoints. */
static int evaluate_ends(struct search *search, struct breakpoints *found, struct error *err)
{
	const struct path_point ends[] = {
		{search->direction, search->from, search->side},
		{search->direction, search->to, SIDE_RIGHT},
	};
	struct line lines[2];

	TRY(path_evaluate_all(search->graph, ends, 2, lines, err));
	search->first = found->first = lines[0];
	search->last = found->last = lines[1];
	found->list.count = 0;
	found->steps += 2 * search->graph->edge_count;
	return 0;
}

/* Whether floats tell lengths at the ends of the interval apart. */
static bool interval_is_wide(const struct search *search)
{
	const double from = rational_value(search->from), to = rational_value(search->to);

	return to - from > to * 1e-6;
}

/* ------------------------------------------------------------------ division */

/*
 * An evaluation passes the whole graph, so halving alone takes a time that grows with the number
 * of breakpoints times the number of edges.  When many stretches are open, the interval is
 * therefore cut into PIECES.  Each is pruned by itself, since few of the breakpoints of a piece
 * need edges that those of another piece need, and searched in the same way.  A piece whose
 * subgraph is not half as large is searched in the whole graph.  It is cut again when PIECES times
 * as many stretches are open, so that attempts in vain take a small part of the time.
 */
enum { PIECES = 8, PIECE_POINTS = 16, FIRST_OPEN = 256, OPEN_IN_PIECE = 64 };

/* Do not divide a graph of fewer edges. */
enum { LEAST_DIVIDED = 1000 };

static int find_between_stretches(const struct search *search, struct stretches *stretches,
				  size_t most_open, struct breakpoints *found, struct error *err);

/* Find breakpoints by halving and division.  The ends have been found. */
static int find_by_halving(const struct search *search, size_t most_open, struct breakpoints *found,
			   struct error *err)
{
	const struct stretch all = {
		.from = search->from,
		.to = search->to,
		.begin = search->first,
		.end = search->last,
	};
	struct stretches stretches = {0};
	int result;

	found->first = search->first;
	found->last = search->last;
	found->list.count = 0;
	result = stretches_add(&stretches, search, &all, err);
	if (result == 0)
		result = find_between_stretches(search, &stretches, most_open, found, err);
	array_release(&stretches.list);
	return result;
}

static int add_breakpoints(struct breakpoints *found, const struct breakpoints *part,
			   struct error *err)
{
	TRY(array_reserve(&found->list, part->list.count, err));
	for (size_t i = 0; i < part->list.count; i++)
		found->list.items[found->list.count++] = part->list.items[i];
	return 0;
}

static int add_done(struct breakpoints *found, const struct stretches *stretches, struct error *err)
{
	TRY(array_reserve(&found->list, stretches->list.count, err));
	for (size_t i = 0; i < stretches->list.count; i++) {
		const struct stretch *done = &stretches->list.items[i];

		found->list.items[found->list.count++] = (struct breakpoint){done->at, done->begin,
									     done->end};
	}
	return 0;
}

/* Find the breakpoints of a piece in its subgraph, and whether they are those of the graph. */
static int find_in_piece(const struct search *piece, const struct bounds *bounds,
			 const struct cost_graph *subgraph, struct breakpoints *found,
			 bool *certain, struct error *err)
{
	struct search inner = *piece;

	inner.graph = subgraph;
	TRY(evaluate_ends(&inner, found, err));
	if (inner.first.slope != inner.last.slope)
		TRY(find_by_halving(&inner, OPEN_IN_PIECE, found, err));
	*certain = bounds_hold(bounds, found);
	return 0;
}

/* Prune a piece and find its breakpoints.  *certain is false if they are not found. */
static int prune_piece(const struct search *piece, struct bounds *bounds, struct breakpoints *found,
		       bool *certain, struct error *err)
{
	struct cost_graph subgraph;
	bool pruned;
	int result;

	*certain = false;
	found->steps += bounds->count * piece->graph->edge_count;
	TRY(prune_graph(&subgraph, piece->graph, piece->direction, bounds,
			piece->graph->edge_count / 2, err));
	pruned = subgraph.edge_count > 0;
	result = pruned ? find_in_piece(piece, bounds, &subgraph, found, certain, err) : 0;
	cost_graph_release(&subgraph);
	if (result < 0 || *certain || !pruned || bounds->cautious)
		return result;
	bounds->cautious = true;
	return prune_piece(piece, bounds, found, certain, err);
}

/* Find the breakpoints of a piece by pruning.  *certain is false if they are not found. */
static int try_piece(const struct search *piece, struct breakpoints *found, bool *certain,
		     struct error *err)
{
	struct bounds bounds;
	int result;

	*certain = false;
	if (!interval_is_wide(piece))
		return 0;
	TRY(bounds_init(&bounds, PIECE_POINTS, piece->from, piece->to, piece->first, piece->last,
			err));
	result = prune_piece(piece, &bounds, found, certain, err);
	bounds_release(&bounds);
	return result;
}

/* Search a piece in the whole graph. */
static int find_without_pruning(const struct search *search, const struct stretch *stretches,
				size_t count, size_t most_open, struct breakpoints *found,
				struct error *err)
{
	struct stretches copy = {0};
	int result = 0;

	for (size_t i = 0; result == 0 && i < count; i++)
		result = stretches_add(&copy, search, &stretches[i], err);
	if (result == 0)
		result = find_between_stretches(search, &copy, most_open, found, err);
	array_release(&copy.list);
	return result;
}

/* Find the breakpoints of a piece of `count` stretches. */
static int find_piece(const struct search *search, const struct stretch *stretches, size_t count,
		      size_t most_open, struct breakpoints *found, struct error *err)
{
	const struct stretch *last = &stretches[count - 1];
	const struct search piece = {
		.graph = search->graph,
		.direction = search->direction,
		.from = stretches->from,
		.to = last->to,
		.side = SIDE_RIGHT,
		.first = stretches->begin,
		.last = last->end,
	};
	struct breakpoints part = {0};
	bool certain;
	int result = try_piece(&piece, &part, &certain, err);

	if (result == 0)
		result = certain ? add_breakpoints(found, &part, err)
				 : find_without_pruning(search, stretches, count,
							PIECES * most_open, found, err);
	found->steps += part.steps;
	breakpoints_release(&part);
	return result;
}

/* Find the breakpoints of stretches.  Divide when more than `most_open` are open. */
static int find_between_stretches(const struct search *search, struct stretches *stretches,
				  size_t most_open, struct breakpoints *found, struct error *err)
{
	const bool divisible = search->graph->edge_count >= LEAST_DIVIDED &&
			       prune_fits(search->graph, PIECE_POINTS);
	size_t first = 0;

	TRY(stretches_halve(stretches, search, divisible ? most_open : SIZE_MAX, &found->steps,
			    err));
	if (stretches->open == 0)
		return add_done(found, stretches, err);
	for (size_t piece = 1; piece <= PIECES; piece++) {
		const size_t end = stretches->list.count * piece / PIECES;

		TRY(find_piece(search, &stretches->list.items[first], end - first, most_open, found,
			       err));
		first = end;
	}
	return 0;
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
	return search->graph->edge_count >= LEAST_EDGES && interval_is_wide(search) &&
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
	found->steps += bounds->count * search->graph->edge_count;
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
		return find_by_halving(search, FIRST_OPEN, found, err);
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
		return find_by_halving(search, FIRST_OPEN, found, err);
	TRY(bounds_refine(&more, bounds, err));
	result = find_between(search, &more, found, err);
	bounds_release(&more);
	return result;
}

/* Find breakpoints.  `known` are bounds of the graph that this is a subgraph of, or NULL. */
static int breakpoints_find(struct search *search, const struct bounds *known,
			    struct breakpoints *found, struct error *err)
{
	struct bounds bounds;
	int result;

	TRY(evaluate_ends(search, found, err));
	if (search->first.slope == search->last.slope)
		return 0;
	TRY(known ? bounds_refine(&bounds, known, err)
		  : bounds_init(&bounds, BOUNDS_FIRST, search->from, search->to, search->first,
				search->last, err));
	result = find_between(search, &bounds, found, err);
	bounds_release(&bounds);
	return result;
}

int path_breakpoints(const struct cost_graph *graph, const struct direction *direction,
		     struct rational from, struct rational to, struct breakpoints *breakpoints,
		     struct error *err)
{
	struct search search = {
		.graph = graph,
		.direction = direction,
		.from = from,
		.to = to,
		.side = from.numerator > 0 ? SIDE_LEFT : SIDE_RIGHT,
	};

	*breakpoints = (struct breakpoints){0};
	if (breakpoints_find(&search, NULL, breakpoints, err) == 0)
		return 0;
	breakpoints_release(breakpoints);
	return -1;
}
