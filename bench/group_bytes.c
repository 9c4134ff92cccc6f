/*
 * Bytes that processes move to find groups of computation (critpath/groups/groups.h), in runs whose
 * times are random to the nanosecond.  bench/critpath starts it:
 *
 *	group_bytes RANKS STEPS
 *
 * In each step a rank computes for 1 ms ± 10 %, cut in equal pieces by some calls of 1 to 3 us, and then
 * joins an allreduce, which it leaves 3 to 5 us after the last one has come.
 */
#include "critpath/groups/group_methods.h"
#include "test/unit/lib/check/dist_play.h"

#include <inttypes.h>
#include <stdio.h>

enum { MOST_PROCESSES = 8 };

enum { STEP_NS = 900000, STEP_SPREAD_NS = 200000, CALL_NS = 1000, CALL_SPREAD_NS = 2000 };

static uint64_t random_below(uint64_t below)
{
	static uint64_t state = 1;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % below;
}

struct made {
	uint32_t ranks;
	struct compute_intervals *lists;      /* [rank] */
	struct groups_moved merged, shuffled; /* of all processes */
	uint64_t intervals;
	bool failed;
};

/* Let a rank compute in a step, from *at_ns on; calls have numbers in order. */
static void compute(struct made *made, uint32_t rank, uint32_t pieces, uint32_t step,
		    uint64_t *at_ns)
{
	struct error err;

	for (uint32_t k = 0; k < pieces; k++) {
		const uint64_t ns = (STEP_NS + random_below(STEP_SPREAD_NS)) / pieces;
		const struct compute_interval interval = {
			*at_ns,		 *at_ns + ns, rank, 0, step * pieces + k,
			k + 1 == pieces, UINT32_MAX};

		if (array_push(&made->lists[rank].list, interval, &err) < 0)
			made->failed = true;
		*at_ns += ns;
		if (k + 1 < pieces)
			*at_ns += CALL_NS + random_below(CALL_SPREAD_NS);
	}
	made->intervals += pieces;
}

static void make(struct made *made, uint32_t ranks, uint32_t steps, uint32_t pieces)
{
	uint64_t *at_ns = NULL, last_ns;
	struct error err;

	*made = (struct made){.ranks = ranks};
	if (allocate(&made->lists, ranks, sizeof *made->lists, &err) < 0 ||
	    allocate(&at_ns, ranks, sizeof *at_ns, &err) < 0)
		made->failed = true;
	for (uint32_t step = 0; !made->failed && step < steps; step++) {
		last_ns = 0;
		for (uint32_t r = 0; r < ranks; r++) {
			compute(made, r, pieces, step, &at_ns[r]);
			if (at_ns[r] > last_ns)
				last_ns = at_ns[r];
		}
		for (uint32_t r = 0; r < ranks; r++)
			at_ns[r] = last_ns + 3 * CALL_NS + random_below(CALL_SPREAD_NS);
	}
	free(at_ns);
}

static void add(struct groups_moved *sum, const struct groups_moved *moved)
{
	sum->record_bytes += moved->record_bytes;
	sum->bytes += moved->bytes;
}

static void move(struct dist *dist, void *data)
{
	struct made *made = data;
	const uint32_t first = (uint32_t)((uint64_t)made->ranks * dist->rank / dist->size);
	const uint32_t end = (uint32_t)((uint64_t)made->ranks * (dist->rank + 1) / dist->size);
	const struct groups_lists own = {made->lists + first, end - first};
	struct groups_moved merged = {0}, shuffled = {0};
	struct groups a = {0}, b = {0};
	struct error err;

	if (groups_merge(&a, &own, GROUPS_LEVEL, dist, &merged, &err) < 0 ||
	    groups_shuffle(&b, &own, GROUPS_LEVEL, dist, &shuffled, &err) < 0 ||
	    a.longest_ns != b.longest_ns || a.list.count != b.list.count)
		made->failed = true;
	add(&made->merged, &merged);
	add(&made->shuffled, &shuffled);
	groups_release(&a);
	groups_release(&b);
}

static void measure(struct made *made, uint32_t pieces, uint32_t processes)
{
	const double all = (double)made->intervals;
	double records;

	made->merged = made->shuffled = (struct groups_moved){0};
	dist_play(processes, move, made);
	records = (double)made->shuffled.record_bytes;
	printf("%12" PRIu32 " %9" PRIu32 " %9.2f %10.2f %7.1f%% %12.3f\n", pieces, processes,
	       records / all, (double)made->shuffled.bytes / all,
	       100 * ((double)made->shuffled.bytes / records - 1),
	       (double)made->merged.bytes / all);
}

int main(int argc, char **argv)
{
	static const uint32_t pieces[] = {1, 5};
	bool failed = argc != 3;

	printf("%12s %9s %9s %10s %8s %12s\n", "computations", "processes", "records", "compressed",
	       "saved", "no shuffle");
	for (int i = 0; !failed && i < 2; i++) {
		struct made made;

		make(&made, (uint32_t)atoi(argv[1]), (uint32_t)atoi(argv[2]), pieces[i]);
		for (uint32_t p = 2; !made.failed && p <= MOST_PROCESSES; p *= 2)
			measure(&made, pieces[i], p);
		for (uint32_t r = 0; made.lists && r < made.ranks; r++)
			compute_intervals_release(&made.lists[r]);
		free(made.lists);
		failed = made.failed;
	}
	if (failed)
		fputs("group_bytes: failed\n", stderr);
	return failed;
}
