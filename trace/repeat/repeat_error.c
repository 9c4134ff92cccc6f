#include "trace/repeat/repeat_error.h"

#include "common/statistics/sampling.h"

#include <math.h>

void repeat_figures_release(struct repeat_figures *figures)
{
	array_release(&figures->recorded_ns);
}

/*
 * Largest variance of a population, as a multiple of that of `count` samples: over the quantile of
 * 2.5 % of the chi-squared distribution, after Wilson and Hilferty (1931).  0 of fewer than two:
 * they tell nothing.
 */
static double most_variance(uint64_t count)
{
	const double f = (double)count - 1;

	if (count < 2)
		return 0;
	return 1 / pow(fmax(0.1, 1 - 2 / (9 * f) - 1.959964 * sqrt(2 / (9 * f))), 3);
}

/* ------------------------------------------------------------------------- spreads */

/* What is known of the deviation of visits from their mean. */
struct deviation {
	double explained; /* variance that the windows show, where visits are in buckets up to: */
	int shown;
	double more; /* deviation of what was delivered */
};

/*
 * Sum over the visits of what they exceed the mean by, at most.  Visits in the buckets above some
 * one are rare, and count as they are.  The others exceed it by half their standard deviation about
 * it on average, and not at all if the mean is above their bucket.  The bucket is the one that
 * gives least.
 */
static struct repeat_excess find_excess(const struct repeat_spread *spread,
					const struct deviation *deviation)
{
	const struct flow_stat *rest = spread->rest;
	const double visits = (double)spread->visits, mean = (double)rest->sum / visits;
	struct repeat_excess best = {.rare_ns = 0, .common_ns = INFINITY};
	double rare = 0, squares = fmax(0, rest->squares - visits * mean * mean);

	for (int i = FLOW_BUCKETS - 1; i >= 0; i--) {
		const bool last = i == FLOW_BUCKETS - 1;
		const double most = fmin((double)rest->most, last ? INFINITY : ldexp(1, i));
		const double least = ldexp(1, i - 1), number = (double)rest->buckets[i];
		const double variance = squares / visits -
					(i >= deviation->shown ? deviation->explained : 0);
		const double exceeds = most > mean ? sqrt(fmax(0, variance)) : 0;
		const double common = visits / 2 * (exceeds + deviation->more);

		if (rare + common < best.rare_ns + best.common_ns)
			best = (struct repeat_excess){.rare_ns = rare, .common_ns = common};
		rare += number * fmax(0, most - mean);
		squares = fmax(0, squares - number * pow(fmax(0, least - mean), 2));
	}
	return best;
}

static void add_excess(struct repeat_excess *sum, struct repeat_excess more)
{
	sum->rare_ns += more.rare_ns;
	sum->common_ns += more.common_ns;
}

static double variance_of(double squares, double sum, double count)
{
	return count > 0 ? fmax(0, squares / count - sum / count * (sum / count)) : 0;
}

void repeat_figures_add(struct repeat_figures *figures, const struct repeat_spread *spread)
{
	const struct flow_stat *rest = spread->rest, *inside = spread->inside,
			       *common = spread->common;
	const struct deviation bound = {
		.more = sqrt(variance_of(spread->delivered_squares, (double)rest->sum,
					 (double)spread->visits))};
	/* Rare times of the windows are not where the others of the run are. */
	const struct deviation unseen = {
		.explained = most_variance(common->count) * variance_of(common->squares,
									(double)common->sum,
									(double)common->count),
		.shown = common->count ? (int)flow_stat_bucket(common->most) : 0};

	figures->computation_ns += rest->sum + inside->sum;
	/* A single visit has the time that is left. */
	if (spread->visits < 2)
		return;
	add_excess(&figures->bound, find_excess(spread, &bound));
	add_excess(&figures->unseen, find_excess(spread, &unseen));
}

/* --------------------------------------------------------------------------- ranks */

/* The figures of all ranks, and the most iterations that one of them has. */
struct all_ranks {
	const struct repeat_figures *figures;
	uint32_t count;
	size_t recorded;
	uint64_t iterations;
};

/* What the longest computation of a recorded iteration exceeds the mean of the ranks by. */
static double imbalance_of(const void *data, size_t iteration)
{
	const struct all_ranks *ranks = data;
	double most = 0, all = 0, number = 0;

	for (uint32_t r = 0; r < ranks->count; r++) {
		const struct repeat_figures *figures = &ranks->figures[r];

		if (figures->recorded_ns.count != ranks->recorded)
			continue;
		most = fmax(most, figures->recorded_ns.items[iteration]);
		all += figures->recorded_ns.items[iteration];
		number++;
	}
	return most - all / number;
}

/* Error of the sum of the imbalance of all iterations from that of those recorded, by chance. */
static double find_sampled(const struct repeat_figures *figures, uint32_t count)
{
	struct all_ranks ranks = {.figures = figures, .count = count};
	double more;

	for (uint32_t r = 0; r < count; r++) {
		if (figures[r].recorded_ns.count > ranks.recorded)
			ranks.recorded = figures[r].recorded_ns.count;
		if (figures[r].iterations > ranks.iterations)
			ranks.iterations = figures[r].iterations;
	}
	if (ranks.iterations <= ranks.recorded)
		return 0;
	/* Only the bound is known. */
	if (!ranks.recorded)
		return INFINITY;
	more = (double)(ranks.iterations - ranks.recorded);
	return sampling_deviation(imbalance_of, &ranks, ranks.recorded) * more *
	       sqrt(1 / (double)ranks.recorded + 1 / more);
}

/* Error by times that the windows have not shown, if all ranks meet once in each iteration. */
static double find_unseen(const struct repeat_figures *figures, uint32_t ranks)
{
	double rare = 0, rarest = 0, common = 0, most = 0;

	for (uint32_t r = 0; r < ranks; r++) {
		rare += figures[r].unseen.rare_ns;
		rarest = fmax(rarest, figures[r].unseen.rare_ns);
		common += figures[r].unseen.common_ns;
		most = fmax(most, figures[r].unseen.common_ns);
	}
	return rare - rarest + 2 * sqrt(most * fmax(0, common - most));
}

struct repeat_error repeat_error_find(const struct repeat_figures *figures, uint32_t ranks)
{
	struct repeat_error found = {0};
	uint64_t threads = 0;

	for (uint32_t r = 0; r < ranks; r++) {
		found.bound_ns += figures[r].bound.rare_ns + figures[r].bound.common_ns;
		threads += figures[r].threads;
	}
	/* One thread has all of its computation, in whatever order. */
	if (threads < 2)
		return (struct repeat_error){0};
	found.estimate_ns = fmin(found.bound_ns,
				 find_sampled(figures, ranks) + find_unseen(figures, ranks));
	return found;
}
