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
static void add_rank_to_part(struct efficiency_part *part, uint64_t *end_ns, struct time_span span,
			     uint64_t compute_ns, uint32_t rank)
{
	struct efficiency_times *times = &part->times;

	if (!times->ranks++ || compute_ns > times->most_compute_ns) {
		times->most_compute_ns = compute_ns;
		times->busiest = rank;
	}
	if (span.begin_ns < part->start_ns)
		part->start_ns = span.begin_ns;
	if (span.end_ns > *end_ns)
		*end_ns = span.end_ns;
	times->compute_ns += compute_ns;
}

/* Sums of all ranks, and what is needed of one. */
struct part_sums {
	struct efficiency_parts *parts;
	uint64_t *end_ns;     /* [part]: when the last rank ended it */
	uint64_t *compute_ns; /* [part]: of the rank at hand */
};

static int efficiency_parts_add_rank(const struct part_sums *sums, const struct measured_run *run,
				     const struct measured_parts *of_ranks, uint32_t rank,
				     struct error *err)
{
	const struct measured_rank_parts *of_rank = &of_ranks->ranks[rank];
	struct compute_intervals intervals = {0};
	const int result = compute_intervals_add(&intervals, &run->ranks[rank], 0, err);

	for (size_t p = 0; p < of_rank->spans.count; p++)
		sums->compute_ns[p] = 0;
	if (result == 0)
		add_computation(sums->compute_ns, of_rank, &intervals);
	compute_intervals_release(&intervals);
	for (size_t p = 0; p < of_rank->spans.count; p++)
		add_rank_to_part(&sums->parts->list[p], &sums->end_ns[p],
				 within(of_rank->spans.items[p], measured_rank_span(run, rank)),
				 sums->compute_ns[p], rank);
	return result;
}

static int sum_up_parts(const struct part_sums *sums, const struct measured_run *run,
			const struct measured_parts *of_ranks, const uint64_t *ideal_ns,
			struct error *err)
{
	for (uint32_t p = 0; p < sums->parts->count; p++)
		sums->parts->list[p].start_ns = UINT64_MAX;
	for (uint32_t r = 0; r < run->rank_count; r++)
		TRY(efficiency_parts_add_rank(sums, run, of_ranks, r, err));
	for (uint32_t p = 0; p < sums->parts->count; p++) {
		struct efficiency_part *part = &sums->parts->list[p];

		part->times.run_ns = sums->end_ns[p] - part->start_ns;
		/* A rank without calls in the part is in no path of the graph. */
		part->times.ideal_ns = ideal_ns[p] > part->times.most_compute_ns
					       ? ideal_ns[p]
					       : part->times.most_compute_ns;
	}
	return 0;
}

int efficiency_parts_find(struct efficiency_parts *parts, const struct measured_run *run,
			  const struct measured_parts *of_ranks, const uint64_t *ideal_ns,
			  struct error *err)
{
	struct part_sums sums = {.parts = parts};
	int result;

	*parts = (struct efficiency_parts){.count = of_ranks->most, .least = of_ranks->least};
	result = allocate(&parts->list, parts->count, sizeof *parts->list, err);
	if (result == 0)
		result = allocate(&sums.end_ns, parts->count, sizeof *sums.end_ns, err);
	if (result == 0)
		result = allocate(&sums.compute_ns, parts->count, sizeof *sums.compute_ns, err);
	if (result == 0)
		result = sum_up_parts(&sums, run, of_ranks, ideal_ns, err);
	free(sums.end_ns);
	free(sums.compute_ns);
	if (result < 0)
		efficiency_parts_release(parts);
	return result;
}

void efficiency_parts_release(struct efficiency_parts *parts)
{
	free(parts->list);
	parts->list = NULL;
}
