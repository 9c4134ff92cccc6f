#include "critpath/path/intervals.h"

#include <string.h>

/* Begin of the computation of each thread, while the calls of a rank are read. */
struct threads {
	uint64_t *since_ns; /* [thread]: end of its last call; UINT64_MAX before its first */
	uint32_t count;
};

bool compute_interval_before(const struct compute_interval *a, const struct compute_interval *b)
{
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns;
	if (a->rank != b->rank)
		return a->rank < b->rank;
	return a->thread < b->thread;
}

static int compare_intervals(const void *a, const void *b)
{
	return compute_interval_before(a, b) ? -1 : compute_interval_before(b, a);
}

void compute_intervals_sort(struct compute_intervals *intervals, size_t first)
{
	if (intervals->list.count > first)
		qsort(intervals->list.items + first, intervals->list.count - first,
		      sizeof *intervals->list.items, compare_intervals);
}

/* Add the computation of a thread up to its next call, or to the end of the rank, if there is any. */
static int add_until(struct compute_intervals *intervals, const struct measured_rank *rank,
		     uint64_t since_ns, size_t next, uint64_t least_ns, struct error *err)
{
	struct compute_interval interval = {since_ns, rank->end_ns, rank->rank, .call = NO_CALL,
					    .site = NO_SITE};

	if (next < rank->calls.count) {
		const struct measured_call *call = &rank->calls.items[next];

		if (call->enter_ns < interval.end_ns)
			interval.end_ns = call->enter_ns;
		interval.thread = call->thread;
		interval.call = (uint32_t)next;
		interval.function = call->function;
		interval.site = measured_site(rank, interval.call);
	}
	if (since_ns >= interval.end_ns || interval.end_ns - since_ns < least_ns)
		return 0;
	return array_push(&intervals->list, interval, err);
}

static int intervals_add_calls(struct compute_intervals *intervals,
			       const struct measured_rank *rank, struct threads *threads,
			       uint64_t least_ns, struct error *err)
{
	if (!rank->calls.count)
		return 0;
	memset(threads->since_ns, 0xff, threads->count * sizeof *threads->since_ns);
	threads->since_ns[0] = rank->begin_ns;
	for (size_t c = 0; c < rank->calls.count; c++) {
		const struct measured_call *call = &rank->calls.items[c];
		uint64_t *since_ns = &threads->since_ns[call->thread];

		TRY(add_until(intervals, rank, *since_ns, c, least_ns, err));
		/* Calls before the start of the rank are no reason to begin earlier. */
		if (*since_ns == UINT64_MAX || call->leave_ns > *since_ns)
			*since_ns = call->leave_ns > rank->begin_ns ? call->leave_ns
								    : rank->begin_ns;
	}
	return add_until(intervals, rank, threads->since_ns[0], rank->calls.count, least_ns, err);
}

int compute_intervals_add(struct compute_intervals *intervals, const struct measured_rank *rank,
			  uint64_t least_ns, struct error *err)
{
	struct threads threads = {.count = rank->thread_count ? rank->thread_count : 1};
	const size_t first = intervals->list.count;
	int result;

	TRY(allocate(&threads.since_ns, threads.count, sizeof *threads.since_ns, err));
	result = intervals_add_calls(intervals, rank, &threads, least_ns, err);
	free(threads.since_ns);
	/* Those of one thread are in order. */
	if (result == 0 && threads.count > 1)
		compute_intervals_sort(intervals, first);
	return result;
}

void compute_intervals_release(struct compute_intervals *intervals)
{
	array_release(&intervals->list);
}
