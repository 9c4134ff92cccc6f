#include "usage/model/network.h"

#include "measure/statistics/fit.h"

#include <math.h>
#include <stdbool.h>

/* Sizes are classes of 64-bit numbers. */
enum { MOST_POINTS = 128 };

/* Where sizes double and times grow more than this much faster, a call begins to wait: copying at most doubles the time. */
#define LEAST_STEP 1.5

/* Points of a call by size: the first `eager` of them up to S. */
struct call_points {
	struct point points[MOST_POINTS];
	size_t count, eager;
};

/* A message takes no longer than a larger one: what seems to was late in all jobs. */
static void lower_points(struct call_points *of)
{
	for (size_t i = of->count; i-- > 1;) {
		struct point *const before = &of->points[i - 1];

		before->y = fmin(before->y, of->points[i].y);
		before->scale = before->y;
	}
}

static void collect_points(struct call_points *of, const struct least_time *times, size_t count,
			   enum network_call call)
{
	of->count = 0;
	for (size_t i = 0; i < count && of->count < MOST_POINTS; i++)
		if (times[i].call == call && times[i].bytes > 0)
			of->points[of->count++] = (struct point){(double)(times[i].bytes - 1),
								 times[i].ns, times[i].ns};
	lower_points(of);
}

/* Find the last size before the greatest step of the times, or UINT64_MAX. */
static uint64_t last_before_step(const struct call_points *of)
{
	uint64_t last = UINT64_MAX;
	double most = LEAST_STEP;

	for (size_t i = 1; i < of->count; i++) {
		const struct point *const before = &of->points[i - 1], *const after = before + 1;
		const double step = after->y / before->y * (before->x + 1) / (after->x + 1);

		if (step > most) {
			most = step;
			last = (uint64_t)before->x + 1;
		}
	}
	return last;
}

static uint64_t find_threshold(const struct call_points calls[static NETWORK_CALLS])
{
	const uint64_t of_sends = last_before_step(&calls[NETWORK_SEND]);

	return of_sends != UINT64_MAX ? of_sends : last_before_step(&calls[NETWORK_RECV]);
}

static void split_points(struct call_points *of, uint64_t S)
{
	of->eager = 0;
	while (of->eager < of->count && of->points[of->eager].x + 1 <= (double)S)
		of->eager++;
}

/* Lines that were fitted, and what follows from them. */
struct fits {
	double squares, points;
	double o_sum, o_count;
	double L_sum, L_count, G_sum, G_count;
	struct network_estimate *estimate;
};

/* Fit a line.  Returns false if there are too few points. */
static bool fit_points(struct fits *fits, const struct point *points, size_t count,
		       struct line *line)
{
	if (count < NETWORK_FEWEST)
		return false;
	*line = fit_line(points, count);
	fits->squares += line->residual * line->residual * (double)line->points;
	fits->points += (double)line->points;
	return true;
}

static void add_overhead(struct fits *fits, const struct call_points *of)
{
	struct line line;

	if (!fit_points(fits, of->points, of->eager, &line))
		return;
	fits->o_sum += line.intercept;
	fits->o_count++;
}

/* Add a line that has `overheads` o and `latencies` L. */
static void add_latency(struct fits *fits, const struct point *points, size_t count, int overheads,
			int latencies)
{
	struct network_estimate *const estimate = fits->estimate;
	struct line line;
	double L_ns;

	if (!fit_points(fits, points, count, &line))
		return;
	L_ns = (line.intercept - overheads * estimate->o_ns) / latencies;
	if (!(L_ns > 0))
		return;
	estimate->least_L_ns = fmin(estimate->least_L_ns, L_ns);
	estimate->most_L_ns = fmax(estimate->most_L_ns, L_ns);
	fits->L_sum += L_ns;
	fits->L_count++;
	fits->G_sum += line.slope;
	fits->G_count++;
}

static void add_waiting(struct fits *fits, const struct call_points *of, int overheads,
			int latencies)
{
	add_latency(fits, of->points + of->eager, of->count - of->eager, overheads, latencies);
}

struct network_estimate network_estimate(const struct least_time *times, size_t count)
{
	struct network_estimate estimate = {.o_ns = NAN,
					    .L_ns = NAN,
					    .G_ns_per_byte = NAN,
					    .least_L_ns = NAN,
					    .most_L_ns = NAN,
					    .residual = NAN};
	struct fits fits = {.estimate = &estimate};
	struct call_points calls[NETWORK_CALLS];

	for (int i = 0; i < NETWORK_CALLS; i++)
		collect_points(&calls[i], times, count, (enum network_call)i);
	estimate.S = find_threshold(calls);
	for (int i = 0; i < NETWORK_CALLS; i++)
		split_points(&calls[i], estimate.S);

	add_overhead(&fits, &calls[NETWORK_SEND]);
	add_overhead(&fits, &calls[NETWORK_RECV]);
	if (fits.o_count > 0) {
		estimate.o_ns = fits.o_sum / fits.o_count;
		add_waiting(&fits, &calls[NETWORK_RECV], 1, 2);
		add_waiting(&fits, &calls[NETWORK_SEND], 2, 4);
		add_latency(&fits, calls[NETWORK_SSEND].points, calls[NETWORK_SSEND].eager, 1, 2);
		add_waiting(&fits, &calls[NETWORK_SSEND], 2, 4);
	}
	if (fits.L_count > 0) {
		estimate.L_ns = fits.L_sum / fits.L_count;
		estimate.G_ns_per_byte = fits.G_sum / fits.G_count;
	}
	if (fits.points > 0)
		estimate.residual = sqrt(fits.squares / fits.points);
	return estimate;
}
