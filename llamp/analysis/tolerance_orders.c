#include "llamp/analysis/tolerance_orders.h"

#include "common/array.h"
#include "common/parallel/parallel.h"
#include "common/progress.h"
#include "common/units.h"
#include "llamp/analysis/order_range.h"
#include "llamp/graph/common_divisor.h"

#include <math.h>
#include <string.h>

/* Operations that are visited before the search for a jump ends at a millionth. */
enum { MOST_VISITS = 1 << 20 };

/* Relative error of values that are found in doubles. */
#define ROUNDING 1e-12

/* Value of p at which T is known. */
struct sample {
	int64_t p_as;
	bool too_long; /* times do not fit: T is above all bounds */
	int128 runtime_as;
};

/* Search for all tolerances: they share the samples. */
struct search {
	const struct model *model;
	const struct direction *direction;
	int128 baseline_as, start_as; /* what bounds are relative to; T at the start */
	int64_t least_as;	      /* smallest p */
	ARRAY(struct sample) samples; /* by ascending p */
	uint32_t simulations;
	struct error *err;
};

/* Search for one tolerance. */
struct bracket {
	struct rational bound;		/* in as */
	int64_t grain_as;		/* simulated values are multiples of it */
	const struct tolerance *frozen; /* the tolerance of the order at the start */
	int64_t guess_as;		/* the last multiple up to there; or 0 */
	/* A sample within the bound.  The next one, if there is one, is the smallest beyond it. */
	size_t low;
	uint32_t steps;
	bool low_replaced, again; /* end that the last step replaced, as did the step before */
	int64_t width_as;	  /* when it had last become half */
	uint32_t slow_steps;	  /* since then */
};

/* ------------------------------------------------------------------------- samples */

/* Find T of a sample by a simulation. */
static int simulate(const struct search *search, struct sample *sample, struct error *err)
{
	if (order_runtime(&sample->runtime_as, search->model, search->direction, sample->p_as,
			  err) == 0)
		return 0;
	sample->too_long = err->status == STATUS_LIMIT;
	return sample->too_long ? 0 : -1;
}

/* Simulate at a value, and insert the sample in the order of p; *at becomes its place. */
static int simulate_at(struct search *search, int64_t p_as, size_t *at)
{
	const size_t count = search->samples.count;
	struct sample sample = {.p_as = p_as}, *samples;

	search->simulations++;
	TRY(simulate(search, &sample, search->err));
	TRY(array_push(&search->samples, sample, search->err));
	samples = search->samples.items;
	*at = 0;
	while (*at < count && samples[*at].p_as < p_as)
		++*at;
	memmove(&samples[*at + 1], &samples[*at], (count - *at) * sizeof *samples);
	samples[*at] = sample;
	return 0;
}

/* Whether T of a sample is above the bound. */
static bool is_beyond(const struct sample *sample, struct rational bound)
{
	int128 scaled;

	return sample->too_long ||
	       __builtin_mul_overflow(sample->runtime_as, bound.denominator, &scaled) ||
	       scaled > bound.numerator;
}

/* How far T of a sample is above the bound, in as. */
static double excess(const struct sample *sample, struct rational bound)
{
	const int128 whole = bound.numerator / bound.denominator;
	const double rest = (double)(bound.numerator % bound.denominator) /
			    (double)bound.denominator;

	return (double)(sample->runtime_as - whole) - rest;
}

/* ------------------------------------------------------------------------ a bracket */

static const struct sample *low_of(const struct search *search, const struct bracket *bracket)
{
	return &search->samples.items[bracket->low];
}

/* The smallest sample beyond the bound, or NULL. */
static const struct sample *high_of(const struct search *search, const struct bracket *bracket)
{
	return bracket->low + 1 < search->samples.count ? low_of(search, bracket) + 1 : NULL;
}

/* Begin the bracket at a sample within the bound, or at the last one before one beyond it. */
static void begin_at(const struct search *search, struct bracket *bracket, size_t from)
{
	bracket->low = from;
	while (high_of(search, bracket) && !is_beyond(high_of(search, bracket), bracket->bound))
		bracket->low++;
	bracket->width_as = INT64_MAX;
}

/*
 * Whether T at the lower end is the bound.  If it is T at the start, which may be level, the tolerance is
 * where it ends to be so.
 */
static bool meets_bound(const struct search *search, const struct bracket *bracket)
{
	const struct sample *low = low_of(search, bracket);

	return -excess(low, bracket->bound) <=
		       TOLERANCE_ACCURACY * rational_value(bracket->bound) &&
	       (low->runtime_as != search->start_as || low->p_as == bracket->guess_as);
}

/* Multiple of the grain that is not above a value. */
static int64_t multiple_to(const struct bracket *bracket, double value_as)
{
	const int64_t value = value_as < 0x1p62 ? (int64_t)value_as : INT64_C(1) << 62;

	return value / bracket->grain_as * bracket->grain_as;
}

/* Multiple of the grain between two values that is near another value; 0 if there is none. */
static int64_t multiple_between(const struct bracket *bracket, double value_as, int64_t low_as,
				int64_t high_as)
{
	const int64_t grain = bracket->grain_as;
	const int64_t first = (low_as / grain + 1) * grain, last = (high_as - 1) / grain * grain;
	const int64_t value = multiple_to(bracket, value_as);

	if (first > last)
		return 0;
	return value < first ? first : value > last ? last : value;
}

/* Whether T of a sample is known, and larger than T of the sample before it. */
static bool grows_to(const struct search *search, size_t at)
{
	const struct sample *samples = search->samples.items;

	return at < search->samples.count && !samples[at].too_long &&
	       samples[at].runtime_as > samples[at - 1].runtime_as;
}

/*
 * Where T meets the bound: Neville's interpolation of p as a polynomial in T, through `count` samples.
 * T grows from each to the next.
 */
static double meeting_of(const struct sample *samples, size_t count, struct rational bound)
{
	enum { MOST = 4 };
	double above[MOST], distance[MOST];

	for (size_t i = 0; i < count; i++) {
		above[i] = excess(&samples[i], bound);
		distance[i] = (double)(samples[i].p_as - samples[0].p_as);
	}
	for (size_t k = 1; k < count; k++)
		for (size_t i = 0; i + k < count; i++)
			distance[i] = (above[i + k] * distance[i] - above[i] * distance[i + 1]) /
				      (above[i + k] - above[i]);
	return (double)samples[0].p_as + distance[0];
}

/*
 * Where T meets the bound if it is convex: above where the chord of the bracket does, and below where
 * the chords of each end and the sample beside it do.
 */
struct range_of_convex {
	double low_as, high_as;
};

static struct range_of_convex range_of_convex(const struct search *search,
					      const struct bracket *bracket)
{
	const struct sample *low = low_of(search, bracket);
	struct range_of_convex range = {meeting_of(low, 2, bracket->bound),
					(double)high_of(search, bracket)->p_as};

	if (bracket->low > 0 && grows_to(search, bracket->low))
		range.high_as = fmin(range.high_as, meeting_of(low - 1, 2, bracket->bound));
	if (grows_to(search, bracket->low + 2))
		range.high_as = fmin(range.high_as, meeting_of(low + 1, 2, bracket->bound));
	return range;
}

/*
 * The value where T seems to be the bound, by both ends of the bracket and the samples beside them.
 * After two steps from one side the value is twice as far away, so that the other end comes near.
 */
static double interpolated(const struct search *search, const struct bracket *bracket)
{
	const struct sample *samples = search->samples.items;
	const size_t low = bracket->low, high = low + 1;
	const size_t first = low > 0 && grows_to(search, low) ? low - 1 : low;
	const size_t last = grows_to(search, high + 1) ? high + 1 : high;
	const double low_as = (double)samples[low].p_as, high_as = (double)samples[high].p_as;
	const struct range_of_convex range = range_of_convex(search, bracket);
	double value_as = meeting_of(&samples[first], last + 1 - first, bracket->bound);

	if (!(value_as > low_as && value_as < high_as))
		value_as = range.low_as;
	if (bracket->again)
		value_as += value_as - (bracket->low_replaced ? low_as : high_as);
	if (range.low_as > range.high_as * (1 + ROUNDING))
		return value_as; /* T is not convex */
	return fmax(fmin(value_as, range.high_as), range.low_as);
}

/*
 * A value between both ends of the bracket, or 0.  The slope at the tolerance of the order at the start
 * leads from there; then the interpolation, and where that is slow their middle, since T is jagged.
 */
static int64_t value_between(const struct search *search, const struct bracket *bracket)
{
	enum { MOST_SLOW = 3 };
	const struct sample *low = low_of(search, bracket), *high = high_of(search, bracket);
	const struct sample *guess = bracket->guess_as == low->p_as ? low : high;
	const double low_as = (double)low->p_as, high_as = (double)high->p_as;
	double value_as = (low_as + high_as) / 2;

	if (high->too_long)
		value_as = sqrt((low_as + 1) * high_as);
	else if (bracket->steps == 0 && guess->p_as == bracket->guess_as)
		value_as = (double)guess->p_as -
			   excess(guess, bracket->bound) / bracket->frozen->slope;
	else if (bracket->slow_steps < MOST_SLOW)
		value_as = interpolated(search, bracket);
	if (!(value_as > low_as && value_as < high_as))
		value_as = (low_as + high_as) / 2;
	return multiple_between(bracket, value_as, low->p_as, high->p_as);
}

/* Note which end of the bracket a step has replaced, and whether it became half as wide. */
static void note_step(const struct search *search, struct bracket *bracket, bool low)
{
	const struct sample *high = high_of(search, bracket);

	bracket->again = bracket->steps > 0 && bracket->low_replaced == low;
	bracket->low_replaced = low;
	bracket->steps++;
	bracket->slow_steps++;
	if (!high || high->p_as - low_of(search, bracket)->p_as > bracket->width_as / 2)
		return;
	bracket->width_as = high->p_as - low_of(search, bracket)->p_as;
	bracket->slow_steps = 0;
}

/* Simulate between the ends of the bracket, or above the lower one if it has no other. */
static int simulate_in(struct search *search, struct bracket *bracket, int64_t p_as)
{
	bool low;
	size_t at;

	TRY(simulate_at(search, p_as, &at));
	low = !is_beyond(&search->samples.items[at], bracket->bound);
	bracket->low = low ? at : at - 1;
	note_step(search, bracket, low);
	return 0;
}

/* Whether the bracket of a large graph is narrow enough. */
static bool is_narrow(const struct search *search, const struct bracket *bracket)
{
	const int64_t high_as = high_of(search, bracket)->p_as;

	return (uint64_t)bracket->steps * search->model->goal.op_count > MOST_VISITS &&
	       high_as - low_of(search, bracket)->p_as <= high_as / TOLERANCE_PARTS;
}

/* Narrow the bracket until T meets the bound or jumps above it. */
static int find_crossing(struct search *search, struct bracket *bracket)
{
	while (!meets_bound(search, bracket)) {
		const int64_t value_as = value_between(search, bracket);

		if (!value_as || is_narrow(search, bracket))
			return 0;
		TRY(simulate_in(search, bracket, value_as));
	}
	return 0;
}

/*
 * Where the bracket ends.  If the lower end is the tolerance of the order at the start, in whole as,
 * and T is the same, then so is the tolerance.
 */
static struct rational crossing_of(const struct search *search, const struct bracket *bracket)
{
	const struct sample *low = low_of(search, bracket);
	const struct rational at = bracket->frozen->at, bound = bracket->bound;
	const int128 slope = (int128)bracket->frozen->slope;
	int128 missing, runtime;

	if (!bracket->guess_as || low->p_as != bracket->guess_as || bracket->grain_as != 1 ||
	    __builtin_mul_overflow((at.numerator - low->p_as * at.denominator) * slope,
				   bound.denominator, &missing) ||
	    __builtin_mul_overflow(low->runtime_as, bound.denominator, &runtime) ||
	    __builtin_mul_overflow(bound.numerator - runtime, at.denominator, &runtime) ||
	    runtime != missing)
		return rational_from(low->p_as);
	return at;
}

/* ------------------------------------------------------------------- the first bracket */

/*
 * A value at which the shortest path that depends on p takes longer than the bound: if T is within the
 * bound there, it does not depend on p.
 */
static int64_t farthest(const struct search *search, const struct bracket *bracket)
{
	const struct direction *direction = search->direction;
	int64_t least = INT64_MAX, most = 1;
	double value_as;

	for (uint32_t v = 0; v < direction->count; v++) {
		const int64_t weight = direction->weight[v];

		least = weight && weight < least ? weight : least;
		most = weight > most ? weight : most;
	}
	value_as = fmin(rational_value(bracket->bound) / (double)least * 1.001 + 1,
			0x1p61 / (double)most);
	return multiple_to(bracket, value_as) + bracket->grain_as;
}

/* A value beyond the last sample, which is within the bound: where the chord from the start leads. */
static int64_t value_beyond(const struct search *search, const struct bracket *bracket,
			    int64_t most_as)
{
	const struct sample *low = low_of(search, bracket), *first = &search->samples.items[0];
	const double width = (double)(low->p_as - first->p_as);
	const double rise = (double)(low->runtime_as - first->runtime_as);
	double value_as = (double)most_as;

	if (low->p_as < bracket->guess_as)
		value_as = (double)bracket->guess_as;
	else if (bracket->guess_as && rise > 0)
		value_as = (double)low->p_as +
			   width * fmin(3, fmax(0.125, -1.1 * excess(low, bracket->bound) / rise));
	else if (bracket->guess_as && width > 0)
		value_as = (double)low->p_as + 3 * width;
	value_as = fmin(value_as, (double)most_as);
	return multiple_between(bracket, value_as, low->p_as, INT64_MAX);
}

/* Find a sample beyond the bound, unless T is never above it. */
static int find_beyond(struct search *search, struct bracket *bracket, bool *unbounded)
{
	const int64_t most_as = farthest(search, bracket);

	*unbounded = false;
	while (!high_of(search, bracket) && !*unbounded) {
		const struct sample *low = low_of(search, bracket);

		if (low->p_as == bracket->guess_as && meets_bound(search, bracket))
			return 0;
		*unbounded = low->p_as >= most_as;
		if (!*unbounded)
			TRY(simulate_in(search, bracket, value_beyond(search, bracket, most_as)));
	}
	return 0;
}

/* Begin at the start or, where T is beyond the bound there, at the least value; or there is no p. */
static int find_within(struct search *search, struct bracket *bracket, bool *none)
{
	const int64_t start_as = search->direction->start_as;
	size_t at = 0;

	while (search->samples.items[at].p_as < start_as)
		at++;
	*none = false;
	if (is_beyond(&search->samples.items[at], bracket->bound)) {
		if (search->samples.items[0].p_as > search->least_as)
			TRY(simulate_at(search, search->least_as, &at));
		at = 0;
		*none = is_beyond(&search->samples.items[0], bracket->bound);
	}
	begin_at(search, bracket, at);
	return 0;
}

/* The smallest power of ten with which T fits 2^60 units of all values. */
static int64_t grain_of(const struct search *search, struct rational bound)
{
	const struct direction *direction = search->direction;
	__int128 unit = AS_PER_NS;
	int64_t grain = 1;

	for (uint32_t v = 0; v < direction->count; v++)
		unit = common_divisor(unit, direction->origin_as[v]);
	while (grain < AS_PER_NS &&
	       rational_value(bound) / (double)common_divisor(unit, grain) > 0x1p60)
		grain *= 10;
	return grain;
}

/* A tolerance in whole as. */
static int64_t whole_of(struct rational at)
{
	const int128 whole = at.numerator / at.denominator;

	return whole < INT64_C(1) << 62 ? (int64_t)whole : INT64_C(1) << 62;
}

static int bracket_of(const struct search *search, const struct tolerance *tolerance,
		      struct bracket *bracket)
{
	struct rational factor;

	*bracket = (struct bracket){.frozen = tolerance};
	TRY(tolerance_factor(tolerance->percent, &factor, search->err));
	if (__builtin_mul_overflow(search->baseline_as, factor.numerator, &factor.numerator))
		return error_set(search->err, STATUS_LIMIT,
				 "times are too long for the tolerance at %g %%",
				 tolerance->percent);
	bracket->bound = factor;
	bracket->grain_as = grain_of(search, bracket->bound);
	if (!tolerance->none && !tolerance->unbounded)
		bracket->guess_as = whole_of(tolerance->at) / bracket->grain_as * bracket->grain_as;
	return 0;
}

static int find_tolerance(struct search *search, struct tolerance *tolerance)
{
	const int64_t start_as = search->direction->start_as;
	const struct tolerance frozen = *tolerance;
	struct bracket bracket;

	TRY(bracket_of(search, &frozen, &bracket));
	*tolerance = (struct tolerance){.percent = frozen.percent};
	TRY(find_within(search, &bracket, &tolerance->none));
	if (!tolerance->none)
		TRY(find_beyond(search, &bracket, &tolerance->unbounded));
	if (tolerance->none || tolerance->unbounded) {
		tolerance->value_ns = tolerance->delta_ns = tolerance->none ? -INFINITY : INFINITY;
		return 0;
	}
	TRY(find_crossing(search, &bracket));
	tolerance_set(tolerance, crossing_of(search, &bracket), start_as);
	return 0;
}

/* ---------------------------------------------------------------------------- all */

static int by_percent(const void *a, const void *b)
{
	const struct tolerance *const *x = a, *const *y = b;

	return ((*x)->percent > (*y)->percent) - ((*x)->percent < (*y)->percent);
}

static int by_value(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	return (x->p_as > y->p_as) - (x->p_as < y->p_as);
}

static int simulate_guess(void *shared, void *state, uint32_t guess, struct error *err)
{
	const struct search *search = shared;

	(void)state;
	return simulate(search, &search->samples.items[1 + guess], err);
}

static bool is_known(const struct search *search, int64_t p_as)
{
	bool known = p_as <= search->least_as;

	for (size_t i = 0; i < search->samples.count; i++)
		known |= search->samples.items[i].p_as == p_as;
	return known;
}

/* Sample the tolerances of the order at the start, the only sample so far, by all processors. */
static int simulate_guesses(struct search *search, const struct tolerance *tolerances,
			    size_t tolerance_count)
{
	const struct parallel_work work = {.make = simulate_guess, .shared = search};
	uint32_t count;

	for (size_t i = 0; i < tolerance_count; i++) {
		struct bracket bracket;

		TRY(bracket_of(search, &tolerances[i], &bracket));
		if (!is_known(search, bracket.guess_as))
			TRY(array_push(&search->samples,
				       ((struct sample){.p_as = bracket.guess_as}), search->err));
	}
	count = (uint32_t)search->samples.count - 1;
	search->simulations += count;
	TRY(parallel_run(&work, count,
			 parallel_threads((uint64_t)count * search->model->goal.op_count),
			 search->err));
	qsort(search->samples.items, search->samples.count, sizeof *search->samples.items,
	      by_value);
	return 0;
}

/* Find the tolerances from the smallest to the largest, so that they grow with the percentage. */
static int find_sorted(struct search *search, struct tolerance *tolerances, size_t count)
{
	struct tolerance **sorted;
	int result = 0;

	TRY(allocate(&sorted, count, sizeof *sorted, search->err));
	for (size_t i = 0; i < count; i++)
		sorted[i] = &tolerances[i];
	if (count)
		qsort(sorted, count, sizeof *sorted, by_percent);
	for (size_t i = 0; i < count && result == 0; i++)
		result = find_tolerance(search, sorted[i]);
	free(sorted);
	return result;
}

int tolerance_orders(struct tolerance *tolerances, size_t count, const struct model *model,
		     const struct direction *direction, uint64_t baseline_ns, int128 runtime_as,
		     uint32_t *simulations, struct error *err)
{
	const uint32_t first = direction_first(direction);
	struct search search = {
		.model = model,
		.direction = direction,
		.baseline_as = baseline_ns ? (int128)baseline_ns * AS_PER_NS : runtime_as,
		.start_as = runtime_as,
		/* Without g sends have no gaps. */
		.least_as = model->loggps.variables.of[first].zero_is_off &&
			    !direction->origin_as[first],
		.err = err,
	};
	const struct sample given = {.p_as = direction->start_as, .runtime_as = runtime_as};
	int result;

	progress_phase("deciding the order of service again");
	result = array_push(&search.samples, given, err);
	if (result == 0)
		result = simulate_guesses(&search, tolerances, count);
	if (result == 0)
		result = find_sorted(&search, tolerances, count);
	*simulations = search.simulations;
	array_release(&search.samples);
	return result;
}
