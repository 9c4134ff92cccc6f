#include "critpath/tables/efficiency_parts.h"

#include "critpath/path/intervals.h"

/* Add up the computation of a rank in each of its parts.  Intervals and parts are in order of time. */
static void add_computation(uint64_t *compute_ns, const struct measured_rank_parts *parts,
			    const struct compute_intervals *intervals)
{
	size_t first = 0;

	for (size_t i = 0; i < intervals->list.count; i++) {
		const struct compute_interval *interval = &intervals->list.items[i];
		const struct time_span computes = {interval->start_ns, interval->end_ns};

		if (interval->thread != 0)
			continue;
		while (first < parts->spans.count &&
		       parts->spans.items[first].end_ns <= computes.begin_ns)
			first++;
		for (size_t p = first;
		     p < parts->spans.count && parts->spans.items[p].begin_ns < computes.end_ns;
		     p++)
			compute_ns[p] += time_span_common_ns(computes, parts->spans.items[p]);
	}
}

/* Cut a part to the time of its rank: a region may begin before MPI_Init ends, or never end in the trace. */
static struct time_span within(struct time_span part, struct time_span rank)
{
	const uint64_t begin_ns = part.begin_ns < rank.begin_ns ? rank.begin_ns : part.begin_ns;
	const uint64_t end_ns = part.end_ns > rank.end_ns ? rank.end_ns : part.end_ns;

	return (struct time_span){begin_ns, end_ns > begin_ns ? end_ns : begin_ns};
}

/* Add a rank to a part that it has. */
static void add_rank_to_part(struct efficiency_part *part, struct time_span span,
			     uint64_t compute_ns, uint32_t rank)
{
	struct efficiency_times *times = &part->times;

	if (!times->ranks++ || compute_ns > times->most_compute_ns) {
		times->most_compute_ns = compute_ns;
		times->busiest = rank;
	}
	if (span.begin_ns < part->start_ns)
		part->start_ns = span.begin_ns;
	if (span.end_ns > part->end_ns)
		part->end_ns = span.end_ns;
	times->compute_ns += compute_ns;
}

/* Add a rank, with room for its computation in each part. */
static int efficiency_parts_add_rank(struct efficiency_parts *parts, const struct measured_run *run,
				     const struct measured_parts *of_ranks, uint32_t rank,
				     uint64_t *compute_ns, struct error *err)
{
	const struct measured_rank_parts *of_rank = &of_ranks->ranks[rank];
	struct compute_intervals intervals = {0};
	const int result = compute_intervals_add(&intervals, &run->ranks[rank], 0, err);

	for (size_t p = 0; p < of_rank->spans.count; p++)
		compute_ns[p] = 0;
	if (result == 0)
		add_computation(compute_ns, of_rank, &intervals);
	compute_intervals_release(&intervals);
	for (size_t p = 0; p < of_rank->spans.count; p++)
		add_rank_to_part(&parts->list[p],
				 within(of_rank->spans.items[p], measured_rank_span(run, rank)),
				 compute_ns[p], rank);
	return result;
}

static int efficiency_parts_add_own(struct efficiency_parts *parts, const struct measured_run *run,
				    const struct measured_parts *of_ranks, struct error *err)
{
	const struct efficiency_part none = {.start_ns = UINT64_MAX};
	uint64_t *compute_ns;
	int result = 0;

	TRY(allocate(&parts->list, parts->count, sizeof *parts->list, err));
	TRY(allocate(&compute_ns, parts->count, sizeof *compute_ns, err));
	for (uint32_t p = 0; p < parts->count; p++)
		parts->list[p] = none;
	for (uint32_t r = run->own_first; result == 0 && r < run->own_end; r++)
		result = efficiency_parts_add_rank(parts, run, of_ranks, r, compute_ns, err);
	free(compute_ns);
	return result;
}

/* ------------------------------------------------------------------- processes */

/* Find what is the least of all processes: the starts, and the lowest rank with the most computation. */
static int join_least(struct efficiency_parts *parts, uint64_t *values, struct dist *dist,
		      struct error *err)
{
	for (uint32_t p = 0; p < parts->count; p++)
		values[p] = parts->list[p].start_ns;
	TRY(dist_allreduce(dist, values, 2 * (size_t)parts->count, DIST_MIN, err));
	for (uint32_t p = 0; p < parts->count; p++) {
		parts->list[p].start_ns = values[p];
		parts->list[p].times.busiest = (uint32_t)values[parts->count + p];
	}
	return 0;
}

/* Find the ends and the most computation, and put the own rank with it, if any, into the second half. */
static int join_most(struct efficiency_parts *parts, uint64_t *values, struct dist *dist,
		     struct error *err)
{
	uint64_t *most_ns = values + parts->count;

	for (uint32_t p = 0; p < parts->count; p++) {
		values[p] = parts->list[p].end_ns;
		most_ns[p] = parts->list[p].times.most_compute_ns;
	}
	TRY(dist_allreduce(dist, values, 2 * (size_t)parts->count, DIST_MAX, err));
	for (uint32_t p = 0; p < parts->count; p++) {
		struct efficiency_part *part = &parts->list[p];
		struct efficiency_times *times = &part->times;
		const bool own = times->ranks && times->most_compute_ns == most_ns[p];

		part->end_ns = values[p];
		times->most_compute_ns = most_ns[p];
		values[parts->count + p] = own ? times->busiest : UINT32_MAX;
	}
	return 0;
}

static int join_sums(struct efficiency_parts *parts, uint64_t *values, struct dist *dist,
		     struct error *err)
{
	for (uint32_t p = 0; p < parts->count; p++) {
		values[p] = parts->list[p].times.ranks;
		values[parts->count + p] = parts->list[p].times.compute_ns;
	}
	TRY(dist_allreduce(dist, values, 2 * (size_t)parts->count, DIST_SUM, err));
	for (uint32_t p = 0; p < parts->count; p++) {
		parts->list[p].times.ranks = (uint32_t)values[p];
		parts->list[p].times.compute_ns = values[parts->count + p];
	}
	return 0;
}

static int join_processes(struct efficiency_parts *parts, struct dist *dist, struct error *err)
{
	uint64_t *values;
	int result = allocate(&values, 2 * (size_t)parts->count, sizeof *values, err);

	TRY(dist_agree(dist, result, err));
	result = join_most(parts, values, dist, err);
	if (result == 0)
		result = join_least(parts, values, dist, err);
	if (result == 0)
		result = join_sums(parts, values, dist, err);
	free(values);
	return result;
}

static int join_parts(struct efficiency_parts *parts, const uint64_t *ideal_ns, struct dist *dist,
		      struct error *err)
{
	TRY(join_processes(parts, dist, err));
	for (uint32_t p = 0; p < parts->count; p++) {
		struct efficiency_part *part = &parts->list[p];

		part->times.run_ns = part->end_ns - part->start_ns;
		/* A rank without calls in the part is in no path of the graph. */
		part->times.ideal_ns = ideal_ns[p] > part->times.most_compute_ns
					       ? ideal_ns[p]
					       : part->times.most_compute_ns;
	}
	return 0;
}

int efficiency_parts_of_ranks(struct measured_parts *of_ranks, const struct measured_run *run,
			      const char *region, struct dist *dist, struct error *err)
{
	uint64_t least, most;
	int result = dist_agree(dist, measured_parts_find(of_ranks, run, region, err), err);

	least = of_ranks->least;
	most = of_ranks->most;
	if (result == 0)
		result = dist_allreduce(dist, &least, 1, DIST_MIN, err);
	if (result == 0)
		result = dist_allreduce(dist, &most, 1, DIST_MAX, err);
	if (result == 0 && region && !most)
		result = measured_parts_none(run, region, err);
	of_ranks->least = (uint32_t)least;
	of_ranks->most = (uint32_t)most;
	if (result < 0)
		measured_parts_release(of_ranks);
	return result;
}

int efficiency_parts_find(struct efficiency_parts *parts, const struct measured_run *run,
			  const struct measured_parts *of_ranks, const uint64_t *ideal_ns,
			  struct dist *dist, struct error *err)
{
	int result;

	*parts = (struct efficiency_parts){.count = of_ranks->most, .least = of_ranks->least};
	result = dist_agree(dist, efficiency_parts_add_own(parts, run, of_ranks, err), err);
	if (result == 0)
		result = join_parts(parts, ideal_ns, dist, err);
	if (result < 0)
		efficiency_parts_release(parts);
	return result;
}

void efficiency_parts_release(struct efficiency_parts *parts)
{
	free(parts->list);
	parts->list = NULL;
}
