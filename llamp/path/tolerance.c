#include "llamp/path/tolerance.h"

#include "common/units.h"
#include "llamp/path/evaluate.h"

#include <math.h>

static int tolerance_too_long(double percent, struct error *err)
{
	return error_set(err, STATUS_LIMIT, "times are too long for the exact tolerance at %g %%",
			 percent);
}

int tolerance_factor(double percent, struct rational *factor, struct error *err)
{
	const int128 unit = 100000000000; /* 100 % */

	if (!(percent >= 0 && percent <= 1e9))
		return error_set(err, STATUS_USAGE,
				 "a tolerance must be from 0 to 1e9 percent, not %g", percent);
	*factor = rational_reduced(unit + llround(percent * 1e9), unit);
	return 0;
}

/* Find the point at which `line` reaches `runtime` times `factor`.  Returns -1 on overflow. */
static int tolerance_reach(struct line line, int128 runtime, struct rational factor,
			   struct rational *at)
{
	int128 bound, constant, denominator;

	if (__builtin_mul_overflow(runtime, factor.numerator, &bound) ||
	    __builtin_mul_overflow(line.constant, factor.denominator, &constant) ||
	    __builtin_sub_overflow(bound, constant, &bound) ||
	    __builtin_mul_overflow(line.slope, factor.denominator, &denominator))
		return -1;
	*at = rational_reduced(bound, denominator);
	return 0;
}

/* Whether a < b.  False if the comparison needs more than 128 bits. */
static bool rational_less(struct rational a, struct rational b)
{
	int128 left, right;

	return !__builtin_mul_overflow(a.numerator, b.denominator, &left) &&
	       !__builtin_mul_overflow(b.numerator, a.denominator, &right) && left < right;
}

/* Search for one tolerance. */
struct newton {
	struct rational factor, at;
	struct line line;
	double slope; /* of the line that gave `at` */
	bool done;    /* `at` is found, or the tolerance is unbounded or none */
	bool bends;   /* T bends between the points on both sides of `at` */
	bool between; /* this step evaluates the points on both sides of `at` */
};

/* Search for all tolerances, with room for two points of each. */
struct search {
	const struct cost_graph *graph;
	const struct direction *direction;
	struct tolerance *tolerances;
	struct newton *newtons;
	struct path_point *points;
	struct line *lines;
	size_t count;
	int128 runtime, grain; /* the baseline, in as */
};

/*
 * Choose points that tell the line of T to the left of `at`.  Returns their number, 1 or 2, or -1.
 * Mostly `at` needs a wide key, and the two multiples of the grain next to it need narrow keys.  If
 * T follows the same line at both multiples, it follows this line at `at`, too.
 */
static int choose_points(const struct search *search, struct newton *newton,
			 struct path_point *points, struct error *err)
{
	const struct path_point at = {search->direction, newton->at, SIDE_LEFT};
	const int128 low = newton->at.numerator / newton->at.denominator / search->grain *
			   search->grain;
	struct lexicographic_key key;
	struct error none;

	TRY(key_init(&key, search->graph, &at, err));
	points[0] = (struct path_point){search->direction, {low, 1}, SIDE_RIGHT};
	points[1] = (struct path_point){search->direction, {low + search->grain, 1}, SIDE_LEFT};
	newton->between = !key.narrow && !newton->bends &&
			  key_init(&key, search->graph, &points[1], &none) == 0 && key.narrow;
	if (newton->between)
		return 2;
	points[0] = at;
	return 1;
}

/*
 * Move `at` to the point at which the line reaches the bound.  The tolerance is none if the line,
 * which T is not below, is above the bound for all p >= 0.
 */
static int move(const struct search *search, struct newton *newton, struct tolerance *tolerance,
		struct error *err)
{
	tolerance->none = newton->line.slope == 0;
	if (!tolerance->none &&
	    tolerance_reach(newton->line, search->runtime, newton->factor, &newton->at) < 0)
		return tolerance_too_long(tolerance->percent, err);
	tolerance->none |= newton->at.numerator < 0;
	newton->done = tolerance->none;
	newton->slope = (double)newton->line.slope;
	return 0;
}

/* Choose points for the tolerances that are not done, and set *count to the number of points. */
static int tolerance_find_points(struct search *search, size_t *count, struct error *err)
{
	*count = 0;
	for (size_t i = 0; i < search->count; i++) {
		struct newton *newton = &search->newtons[i];
		int added;

		if (!newton->done)
			TRY(move(search, newton, &search->tolerances[i], err));
		if (newton->done)
			continue;
		added = choose_points(search, newton, &search->points[*count], err);
		TRY(added);
		*count += (size_t)added;
	}
	return 0;
}

/*
 * Step of Newton's method.  At `at` the line reaches the bound, and T is not below the line.  If T
 * is above it, T reaches the bound farther left, on a flatter line.
 */
static int tolerance_step(struct search *search, size_t count, struct error *err)
{
	const struct line *line = search->lines;

	TRY(path_evaluate_all(search->graph, search->points, count, search->lines, err));
	for (size_t i = 0; i < search->count; i++) {
		struct newton *newton = &search->newtons[i];
		const struct line *right = &line[newton->between];

		if (newton->done)
			continue;
		newton->bends = line->slope != right->slope;
		if (!newton->bends) {
			newton->done = lines_equal_at(*line, newton->line, newton->at);
			newton->line = *line;
		}
		line = right + 1;
	}
	return 0;
}

/*
 * The line to start with, of those at p0 and towards infinity.  T is not below either of them, so
 * the line that reaches the bound first is nearer to the point where T does.
 */
static struct line nearer_line(const struct newton *newton, int128 runtime,
			       const struct line lines[2])
{
	struct rational first, second;

	if (lines[0].slope > 0 && tolerance_reach(lines[0], runtime, newton->factor, &first) == 0 &&
	    tolerance_reach(lines[1], runtime, newton->factor, &second) == 0 &&
	    rational_less(first, second))
		return lines[0];
	return lines[1];
}

/* Is a T that does not depend on p above the bound?  Returns -1 on overflow. */
static int is_above(int128 runtime, const struct search *search, struct rational factor)
{
	int128 bound, scaled;

	if (__builtin_mul_overflow(search->runtime, factor.numerator, &bound) ||
	    __builtin_mul_overflow(runtime, factor.denominator, &scaled))
		return -1;
	return scaled > bound;
}

/* Choose the first line, of those at p0 and towards infinity. */
static int begin_one(const struct search *search, const struct line lines[2], struct newton *newton,
		     struct tolerance *tolerance, struct error *err)
{
	int above = 0;

	TRY(tolerance_factor(tolerance->percent, &newton->factor, err));
	newton->line = nearer_line(newton, search->runtime, lines);
	newton->done = lines[1].slope == 0;
	if (newton->done)
		above = is_above(lines[1].constant, search, newton->factor);
	if (above < 0)
		return tolerance_too_long(tolerance->percent, err);
	tolerance->none = above;
	tolerance->unbounded = newton->done && !above;
	return 0;
}

/* Set the baseline, T at p0 unless it is given, and choose the first lines. */
static int tolerance_begin(struct search *search, const struct line lines[2], uint64_t baseline_ns,
			   struct error *err)
{
	const int64_t value = search->direction->start_as;

	search->runtime = baseline_ns ? (int128)baseline_ns * AS_PER_NS
				      : lines[0].constant + lines[0].slope * value;
	for (size_t i = 0; i < search->count; i++)
		TRY(begin_one(search, lines, &search->newtons[i], &search->tolerances[i], err));
	return 0;
}

void tolerance_set(struct tolerance *tolerance, struct rational at, int64_t start_as)
{
	tolerance->at = at;
	tolerance->value_ns = rational_in_ns(at);
	tolerance->delta_ns = rational_in_ns(
		(struct rational){at.numerator - start_as * at.denominator, at.denominator});
}

static int tolerance_run(struct search *search, const struct line lines[2], uint64_t baseline_ns,
			 struct error *err)
{
	size_t open;

	TRY(tolerance_begin(search, lines, baseline_ns, err));
	for (;;) {
		TRY(tolerance_find_points(search, &open, err));
		if (open == 0)
			break;
		TRY(tolerance_step(search, open, err));
	}
	for (size_t i = 0; i < search->count; i++) {
		struct tolerance *tolerance = &search->tolerances[i];

		tolerance->value_ns = tolerance->delta_ns = tolerance->none ? -INFINITY : INFINITY;
		if (tolerance->unbounded || tolerance->none)
			continue;
		tolerance_set(tolerance, search->newtons[i].at, search->direction->start_as);
		tolerance->slope = search->newtons[i].slope;
	}
	return 0;
}

int path_tolerances_from(const struct cost_graph *graph, const struct direction *direction,
			 const struct line lines[2], uint64_t baseline_ns,
			 struct tolerance *tolerances, size_t count, struct error *err)
{
	struct search search = {.graph = graph,
				.direction = direction,
				.tolerances = tolerances,
				.count = count,
				.grain = key_grain(graph, direction)};
	int result = -1;

	if (allocate(&search.newtons, count, sizeof *search.newtons, err) == 0 &&
	    allocate(&search.points, 2 * count, sizeof *search.points, err) == 0 &&
	    allocate(&search.lines, 2 * count, sizeof *search.lines, err) == 0)
		result = tolerance_run(&search, lines, baseline_ns, err);
	free(search.newtons);
	free(search.points);
	free(search.lines);
	return result;
}

int path_tolerances(const struct cost_graph *graph, const struct direction *direction,
		    uint64_t baseline_ns, struct tolerance *tolerances, size_t count,
		    struct error *err)
{
	const struct path_point ends[] = {
		{direction, rational_from(direction->start_as), SIDE_RIGHT},
		{direction, RATIONAL_INFINITY, SIDE_RIGHT},
	};
	struct line lines[2];

	TRY(path_evaluate_all(graph, ends, 2, lines, err));
	return path_tolerances_from(graph, direction, lines, baseline_ns, tolerances, count, err);
}
