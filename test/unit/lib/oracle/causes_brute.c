#include "test/unit/lib/oracle/causes_brute.h"

#include <stdlib.h>
#include <string.h>

enum { PIECES = 1 << 16 };

/* A time of a rank; of the same rank, call and kind it is the same one. */
struct piece {
	uint32_t rank, call, function;
	int kind;
	uint64_t ns;
	bool direct;
	bool shared; /* the other path has it, too */
};

struct path {
	struct piece list[PIECES];
	size_t count;
};

struct brute {
	const struct waits *waits;
	const struct measured_run *run;
	struct brute_causes *causes;
	struct path first, second;
};

static const struct measured_call *call_of(const struct brute *brute, uint32_t rank, uint32_t call)
{
	return &brute->run->ranks[rank].calls.items[call];
}

static void add_piece(struct path *path, struct piece piece)
{
	if (path->count == PIECES)
		abort();
	if (piece.ns)
		path->list[path->count++] = piece;
}

/* Call of the same thread before a call, or NO_CALL at the begin of the rank.  Call 0 is MPI_Init. */
static uint32_t before(const struct brute *brute, uint32_t rank, uint32_t call, uint32_t thread)
{
	while (call-- > 1)
		if (call_of(brute, rank, call)->thread == thread)
			return call;
	return NO_CALL;
}

/* Go back from the start of a call, or from the end of a rank without calls, to the start of the run. */
static void go_back(const struct brute *brute, struct path *path, uint32_t rank, uint32_t call)
{
	bool direct = true;

	path->count = 0;
	for (;;) {
		const struct measured_rank *of = &brute->run->ranks[rank];
		const struct measured_call *next = call_of(brute, rank, call);
		const uint32_t last = before(brute, rank, call, next->thread);
		const struct measured_call *at;
		const struct wait *wait;
		uint64_t begin_ns;

		if (last == NO_CALL) {
			add_piece(path,
				  (struct piece){rank, call, next->function, 0,
						 next->enter_ns - of->begin_ns, direct, false});
			add_piece(path,
				  (struct piece){rank, 0, 0, 2, of->begin_ns - brute->run->begin_ns,
						 direct, false});
			return;
		}
		at = call_of(brute, rank, last);
		add_piece(path, (struct piece){rank, call, next->function, 0,
					       next->enter_ns - at->leave_ns, direct, false});
		wait = wait_at(brute->waits, rank, last);
		begin_ns = wait->kind == WAIT_NONE ? at->enter_ns : wait->until_ns;
		add_piece(path, (struct piece){rank, last, at->function, 1, at->leave_ns - begin_ns,
					       direct, false});
		call = last;
		if (wait->kind != WAIT_NONE) {
			call = wait->call;
			rank = wait->rank;
			direct = false;
		}
	}
}

static bool has(const struct path *path, const struct piece *piece)
{
	for (size_t i = 0; i < path->count; i++)
		if (path->list[i].rank == piece->rank && path->list[i].call == piece->call &&
		    path->list[i].kind == piece->kind)
			return true;
	return false;
}

/* Note which pieces both paths have. */
static void find_shared(struct brute *brute)
{
	for (size_t i = 0; i < brute->first.count; i++)
		brute->first.list[i].shared = has(&brute->second, &brute->first.list[i]);
	for (size_t i = 0; i < brute->second.count; i++)
		brute->second.list[i].shared = has(&brute->first, &brute->second.list[i]);
}

/* Time of a path in the cell of a piece, but for what both paths have. */
static uint64_t sum_of(const struct path *path, const struct piece *piece)
{
	uint64_t sum_ns = 0;

	for (size_t i = 0; i < path->count; i++) {
		const struct piece *other = &path->list[i];

		if (other->kind == piece->kind && other->function == piece->function &&
		    !other->shared)
			sum_ns += other->ns;
	}
	return sum_ns;
}

static struct brute_cause *cause_of(struct brute *brute, const struct piece *piece)
{
	struct brute_causes *causes = brute->causes;

	for (size_t i = 0; i < causes->count; i++)
		if (causes->list[i].rank == piece->rank && causes->list[i].kind == piece->kind &&
		    causes->list[i].function == piece->function)
			return &causes->list[i];
	causes->list = realloc(causes->list, (causes->count + 1) * sizeof *causes->list);
	if (!causes->list)
		abort();
	causes->list[causes->count] = (struct brute_cause){.rank = piece->rank,
							   .function = piece->function,
							   .kind = piece->kind};
	return &causes->list[causes->count++];
}

/* D of a piece's cell, and P+ of it. */
static double excess_of(const struct brute *brute, const struct piece *piece, uint64_t *plus_ns)
{
	const uint64_t minus_ns = sum_of(&brute->second, piece);

	*plus_ns = sum_of(&brute->first, piece);
	return *plus_ns > minus_ns ? (double)(*plus_ns - minus_ns) : 0;
}

static void add_wait(struct brute *brute, uint64_t wait_ns)
{
	double sum = 0;
	uint64_t plus_ns;

	brute->causes->wait_ns += wait_ns;
	find_shared(brute);
	for (size_t i = 0; i < brute->first.count; i++) {
		const struct piece *piece = &brute->first.list[i];

		if (!piece->shared)
			sum += excess_of(brute, piece, &plus_ns) * (double)piece->ns /
			       (double)plus_ns;
	}
	for (size_t i = 0; i < brute->first.count; i++) {
		const struct piece *piece = &brute->first.list[i];
		struct brute_cause *cause;
		double cost;

		if (piece->shared)
			continue;
		cost = excess_of(brute, piece, &plus_ns) * (double)piece->ns / (double)plus_ns *
		       (double)wait_ns / sum;
		cause = cause_of(brute, piece);
		cause->cost_ns += cost;
		cause->direct_ns += piece->direct ? cost : 0;
		cause->weighted_ns += (int64_t)piece->ns;
	}
	for (size_t i = 0; i < brute->second.count; i++)
		if (!brute->second.list[i].shared)
			cause_of(brute, &brute->second.list[i])->weighted_ns -=
				(int64_t)brute->second.list[i].ns;
}

/* Where a rank ends: MPI_Finalize is its last call. */
static uint32_t last_call(const struct brute *brute, uint32_t rank)
{
	return (uint32_t)brute->run->ranks[rank].calls.count - 1;
}

void causes_brute_find(struct brute_causes *causes, const struct waits *waits, bool ends)
{
	struct brute *brute = calloc(1, sizeof *brute);
	const struct measured_run *run = waits->run;

	if (!brute)
		abort();
	*causes = (struct brute_causes){0};
	brute->waits = waits;
	brute->run = run;
	brute->causes = causes;
	for (uint32_t r = 0; r < run->rank_count; r++) {
		for (uint32_t c = 1; c < run->ranks[r].calls.count; c++) {
			const struct wait *wait = wait_at(waits, r, c);

			if (wait->kind == WAIT_NONE)
				continue;
			go_back(brute, &brute->first, wait->rank, wait->call);
			go_back(brute, &brute->second, r, c);
			add_wait(brute, wait->until_ns - call_of(brute, r, c)->enter_ns);
		}
		if (!ends || run->ranks[r].end_ns == run->end_ns)
			continue;
		go_back(brute, &brute->first, run->last_rank, last_call(brute, run->last_rank));
		go_back(brute, &brute->second, r, last_call(brute, r));
		add_wait(brute, run->end_ns - run->ranks[r].end_ns);
	}
	free(brute);
}

void causes_brute_release(struct brute_causes *causes)
{
	free(causes->list);
	*causes = (struct brute_causes){0};
}
