#include "critpath/path/groups.h"

#include "common/min_heap.h"
#include "common/parallel.h"

#include <string.h>

/* ------------------------------------------------------------------- intervals */

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

static int add_calls(struct compute_intervals *intervals, const struct measured_rank *rank,
		     struct threads *threads, uint64_t least_ns, struct error *err)
{
	if (!rank->calls.count)
		return 0;
	memset(threads->since_ns, 0xff, threads->count * sizeof *threads->since_ns);
	threads->since_ns[0] = rank->begin_ns;
	for (size_t c = 0; c < rank->calls.count; c++) {
		const struct measured_call *call = &rank->calls.items[c];
		uint64_t *since_ns = &threads->since_ns[call->thread];

		TRY(add_until(intervals, rank, *since_ns, c, least_ns, err));
		/* Calls before the begin of the rank are no reason to begin earlier. */
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
	result = add_calls(intervals, rank, &threads, least_ns, err);
	free(threads.since_ns);
	/* Those of one thread are in order. */
	if (result == 0 && threads.count > 1 && intervals->list.count > first)
		qsort(intervals->list.items + first, intervals->list.count - first,
		      sizeof *intervals->list.items, compare_intervals);
	return result;
}

void compute_intervals_release(struct compute_intervals *intervals)
{
	array_release(&intervals->list);
}

/* ---------------------------------------------------------------------- groups */

int groups_add(struct groups *groups, const struct compute_interval *interval, struct error *err)
{
	const uint64_t ns = interval->end_ns - interval->start_ns;
	struct compute_group *last = NULL;
	uint64_t longest_ns;

	groups->intervals++;
	if (groups->list.count)
		last = &groups->list.items[groups->list.count - 1];
	if (!last || interval->start_ns >= last->end_ns) {
		groups->longest_ns += ns;
		return array_push(&groups->list,
				  ((struct compute_group){interval->start_ns, interval->end_ns, 1,
							  *interval}),
				  err);
	}
	last->intervals++;
	if (interval->end_ns > last->end_ns)
		last->end_ns = interval->end_ns;
	longest_ns = last->longest.end_ns - last->longest.start_ns;
	if (ns > longest_ns) {
		groups->longest_ns += ns - longest_ns;
		last->longest = *interval;
	}
	return 0;
}

struct lists {
	const struct measured_run *run;
	struct compute_intervals *of; /* [rank] */
	size_t *next;		      /* [rank]: first one that is not merged yet */
	uint64_t least_ns;
	struct min_heap starts; /* of the next interval of each rank */
};

static int list_rank(void *shared, void *state, uint32_t rank, struct error *err)
{
	struct lists *lists = shared;

	(void)state;
	return compute_intervals_add(&lists->of[rank], &lists->run->ranks[rank], lists->least_ns,
				     err);
}

/* Put the next interval of a rank into the heap, which orders equal starts by rank. */
static int push_next(struct lists *lists, uint32_t rank, struct error *err)
{
	const struct compute_intervals *of = &lists->of[rank];

	if (lists->next[rank] == of->list.count)
		return 0;
	return min_heap_push(&lists->starts, of->list.items[lists->next[rank]].start_ns, rank, err);
}

static int merge(struct groups *groups, struct lists *lists, struct error *err)
{
	const struct parallel_work listing = {.make = list_rank, .shared = lists};

	TRY(allocate(&lists->of, lists->run->rank_count, sizeof *lists->of, err));
	TRY(allocate(&lists->next, lists->run->rank_count, sizeof *lists->next, err));
	TRY(parallel_run(&listing, lists->run->rank_count, measured_threads(lists->run), err));
	for (uint32_t r = 0; r < lists->run->rank_count; r++)
		TRY(push_next(lists, r, err));
	while (lists->starts.entries.count) {
		const uint32_t rank = min_heap_pop(&lists->starts);

		TRY(groups_add(groups, &lists->of[rank].list.items[lists->next[rank]++], err));
		TRY(push_next(lists, rank, err));
	}
	return 0;
}

int groups_find(struct groups *groups, const struct measured_run *run, uint64_t least_ns,
		struct error *err)
{
	struct lists lists = {.run = run, .least_ns = least_ns};
	int result;

	*groups = (struct groups){0};
	result = merge(groups, &lists, err);
	for (uint32_t r = 0; lists.of && r < run->rank_count; r++)
		compute_intervals_release(&lists.of[r]);
	free(lists.of);
	free(lists.next);
	min_heap_release(&lists.starts);
	if (result < 0)
		groups_release(groups);
	return result;
}

void groups_release(struct groups *groups)
{
	array_release(&groups->list);
}

bool groups_are_path(const struct groups *groups, const struct measured_run *run)
{
	const uint64_t length_ns = run->end_ns - run->begin_ns;

	return groups->longest_ns >= length_ns - groups->longest_ns;
}
