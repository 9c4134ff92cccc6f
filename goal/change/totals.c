#include "goal/change/totals.h"

#include "goal/change/rewrite.h"
#include "goal/image.h"

#include <inttypes.h>

__extension__ typedef unsigned __int128 product;

/* Computation before the calls of all ranks, by the number of the call on its rank. */
typedef ARRAY(uint64_t) time_list;

/* What a walk along the calls of a rank tells: the computation before a call is operation `op`, unless it is that of the call. */
typedef int visit_entry(void *data, uint32_t call, bool computes, uint32_t op, uint32_t end_op,
			struct error *err);

/* Visit the entries of a rank.  Calls are counted from 0. */
static int visit_rank(const struct goal_block *block, const struct goal_calls *calls, uint32_t rank,
		      visit_entry *visit, void *data, struct error *err)
{
	struct goal_calls_cursor cursor = {0};
	uint32_t number = UINT32_MAX;
	struct goal_call call;
	uint64_t last = 0;
	int found, result = 0;

	goal_calls_cursor_start(&cursor, calls, rank);
	for (uint32_t op = 0;
	     result == 0 && (found = goal_calls_find(&cursor, op, &call, err)) <= 0;
	     op = cursor.end_op) {
		if (found < 0) {
			result = -1;
			break;
		}
		number += call.number != last;
		last = call.number;
		result = visit(data, number,
			       call.before && goal_op(block, cursor.first_op).kind == GOAL_CALC,
			       cursor.first_op, cursor.end_op, err);
	}
	goal_calls_cursor_release(&cursor);
	return result;
}

/* ---------------------------------------------------------------------- totals */

/* A rank whose computation is added up; by_call: of all ranks, or NULL. */
struct adding {
	const struct goal_block *block;
	uint64_t *total_ns;
	time_list *by_call;
	uint32_t calls; /* of the rank */
};

static int add_entry(void *data, uint32_t call, bool computes, uint32_t op, uint32_t end_op,
		     struct error *err)
{
	struct adding *adding = data;
	const uint64_t ns = computes ? goal_op(adding->block, op).size : 0;

	(void)end_op;
	adding->calls = call + 1;
	if (__builtin_add_overflow(*adding->total_ns, ns, adding->total_ns))
		return error_set(err, STATUS_LIMIT, "a rank computes for 2^64 ns or more");
	if (!adding->by_call)
		return 0;
	while (adding->by_call->count <= call)
		TRY(array_push(adding->by_call, 0, err));
	/* All of them are parts of a sum that has been found before. */
	adding->by_call->items[call] += ns;
	return 0;
}

int goal_totals_find(struct goal_totals *totals, const struct goal *goal,
		     const struct goal_calls *calls, struct error *err)
{
	*totals = (struct goal_totals){.rank_count = goal->rank_count};
	TRY(allocate(&totals->of, goal->rank_count, sizeof *totals->of, err));
	for (uint32_t rank = 0; rank < goal->rank_count; rank++) {
		uint64_t *const of = &totals->of[rank];
		struct adding adding = {.block = &goal->ranks[rank], .total_ns = of};

		TRY(visit_rank(adding.block, calls, rank, add_entry, &adding, err));
		if (__builtin_add_overflow(totals->total_ns, *of, &totals->total_ns))
			return error_set(err, STATUS_LIMIT,
					 "the ranks compute for 2^64 ns or more");
		totals->most_ns = *of > totals->most_ns ? *of : totals->most_ns;
		totals->has_idle |= !*of;
	}
	return 0;
}

void goal_totals_release(struct goal_totals *totals)
{
	free(totals->of);
}

uint64_t goal_totals_excess(const struct goal_totals *totals)
{
	return totals->most_ns - totals->total_ns / totals->rank_count;
}

/* --------------------------------------------------------------------- balance */

/* A graph that is written. */
struct balancing {
	const struct goal *goal;
	const struct goal_calls *calls;
	struct goal_totals totals;
	time_list by_call;   /* if a rank computes nothing */
	uint32_t call_count; /* of each rank, then */
	struct goal_writer *writer;
	struct goal_builder builder;
};

/* A rank that is written. */
struct sharing {
	const struct balancing *balancing;
	const struct goal_block *block;
	uint8_t *ops; /* of the copy that is changed */
	uint32_t rank;
	uint64_t target_ns; /* its new total */
	uint64_t sum_ns,
		whole_ns; /* computation so far, and in all: of the rank, or of all ranks if it computes nothing */
	uint64_t given_ns;
	struct goal_causes causes;
	goal_inserted_list inserted;
	ARRAY(uint32_t) ends; /* of the calls of `inserted`: their operations end before */
	uint32_t call;	      /* number of the last one that was visited, or UINT32_MAX */
};

/* The part of the target that belongs to the next `ns` of the whole. */
static uint64_t share(struct sharing *sharing, uint64_t ns)
{
	const uint64_t before_ns = sharing->given_ns;

	sharing->sum_ns += ns;
	sharing->given_ns = (uint64_t)((product)sharing->sum_ns * sharing->target_ns /
				       sharing->whole_ns);
	return sharing->given_ns - before_ns;
}

static int share_entry(void *data, uint32_t call, bool computes, uint32_t op, uint32_t end_op,
		       struct error *err)
{
	struct sharing *sharing = data;

	(void)call;
	(void)end_op;
	(void)err;
	if (computes)
		goal_store64(sharing->ops + (size_t)op * GOAL_OP_BYTES + GOAL_AT_SIZE,
			     share(sharing, goal_op(sharing->block, op).size));
	return 0;
}

/* Put the share of a call in front of it. */
static int insert_entry(void *data, uint32_t call, bool computes, uint32_t op, uint32_t end_op,
			struct error *err)
{
	struct sharing *sharing = data;
	struct goal_inserted inserted = {.op = op};

	(void)computes;
	if (call == sharing->call) {
		if (sharing->inserted.count && sharing->ends.items[sharing->ends.count - 1] == op)
			sharing->ends.items[sharing->ends.count - 1] = end_op;
		return 0;
	}
	sharing->call = call;
	inserted.ns = share(sharing, sharing->balancing->by_call.items[call]);
	if (!inserted.ns)
		return 0;
	TRY(array_push(&sharing->inserted, inserted, err));
	return array_push(&sharing->ends, end_op, err);
}

/* ---------------------------------------------------------------- dependencies */

/* Whether an operation of a call depends on none of its other ones. */
static bool begins_call(const struct goal_causes *causes, uint32_t first_op, uint32_t end_op,
			uint32_t op)
{
	for (uint32_t i = causes->first[op]; i < causes->first[op + 1]; i++)
		if (causes->causes[i].op >= first_op && causes->causes[i].op < end_op)
			return false;
	return true;
}

/* How an operation depends on another one: at least 1 if it does, 2 if it requires it. */
static int dependence(const struct goal_causes *causes, uint32_t op, uint32_t on)
{
	int found = 0;

	for (uint32_t i = causes->first[op]; i < causes->first[op + 1]; i++)
		if (causes->causes[i].op == on) {
			const int kind = causes->causes[i].irequires ? 1 : 2;

			found = kind > found ? kind : found;
		}
	return found;
}

/* How all operations that begin a call depend on another one, at least: 0, 1, 2. */
static int common_dependence(const struct goal_causes *causes, uint32_t first_op, uint32_t end_op,
			     uint32_t on)
{
	int least = 2;

	for (uint32_t op = first_op; op < end_op && least; op++)
		if (begins_call(causes, first_op, end_op, op)) {
			const int found = dependence(causes, op, on);

			least = found < least ? found : least;
		}
	return least;
}

/* Let the computation in front of a call wait for what all operations that begin it wait for. */
static int depend_inserted(const struct sharing *sharing, const struct goal_rewrite *rewrite,
			   uint32_t number, struct error *err)
{
	const struct goal_causes *causes = &sharing->causes;
	const uint32_t first_op = sharing->inserted.items[number].op;
	const uint32_t end_op = sharing->ends.items[number];
	const uint32_t inserted = rewrite->block.op_count + number;
	bool waits = false, begins = true;

	/* The first operation of a call begins it, as dependencies within a call lead forward. */
	for (uint32_t i = causes->first[first_op]; i < causes->first[first_op + 1]; i++) {
		const int found = common_dependence(causes, first_op, end_op, causes->causes[i].op);

		if (found) {
			TRY(goal_rewrite_depend(rewrite, inserted, causes->causes[i].op, found == 1,
						err));
			waits = true;
		}
	}
	for (uint32_t op = first_op; op < end_op; op++)
		if (begins_call(causes, first_op, end_op, op))
			begins &= causes->first[op] == causes->first[op + 1];
	if (waits || begins)
		return 0;
	return error_set(err, STATUS_DATA,
			 "%s: rank %" PRIu32
			 " computes nothing, and none can be put in front of operation %" PRIu32
			 ": those of its call wait for nothing in common",
			 sharing->balancing->calls->path, sharing->rank, first_op);
}

static int depend(void *data, const struct goal_rewrite *rewrite, uint32_t op, struct error *err)
{
	struct sharing *sharing = data;
	const struct goal_causes *causes = &sharing->causes;
	const uint32_t inserted = (uint32_t)goal_inserted_find(&sharing->inserted, op);

	if (inserted < sharing->inserted.count && op < sharing->ends.items[inserted]) {
		const uint32_t first_op = sharing->inserted.items[inserted].op;

		if (op == first_op)
			TRY(depend_inserted(sharing, rewrite, inserted, err));
		if (begins_call(causes, first_op, sharing->ends.items[inserted], op))
			TRY(goal_rewrite_depend(rewrite, op, rewrite->block.op_count + inserted,
						false, err));
	}
	for (uint32_t i = causes->first[op]; i < causes->first[op + 1]; i++)
		TRY(goal_rewrite_depend(rewrite, op, causes->causes[i].op,
					causes->causes[i].irequires, err));
	return 0;
}

/* ------------------------------------------------------------------------ rank */

static int write_inserted(struct balancing *balancing, struct sharing *sharing, struct error *err)
{
	struct goal_rewrite rewrite = {.block = *sharing->block,
				       .causes = &sharing->causes,
				       .inserted = &sharing->inserted,
				       .builder = &balancing->builder};

	TRY(visit_rank(sharing->block, balancing->calls, sharing->rank, insert_entry, sharing,
		       err));
	TRY(goal_causes_find(&sharing->causes, sharing->block, err));
	return goal_rewrite_rank(&rewrite, balancing->writer, balancing->calls, sharing->rank,
				 depend, sharing, err);
}

/* Make the computations of a rank longer or shorter. */
static int write_scaled(struct balancing *balancing, struct sharing *sharing, struct error *err)
{
	struct goal_block block = *sharing->block;
	uint8_t *copy;
	int result;

	TRY(goal_block_copy(&block, &copy, &sharing->ops, err));
	result = visit_rank(sharing->block, balancing->calls, sharing->rank, share_entry, sharing,
			    err);
	if (result == 0)
		result = goal_writer_called_block(balancing->writer, &block, balancing->calls,
						  sharing->rank, err);
	free(copy);
	return result;
}

static int write_equal_rank(struct balancing *balancing, uint32_t rank, struct error *err)
{
	const struct goal_totals *totals = &balancing->totals;
	struct sharing sharing = {
		.balancing = balancing,
		.block = &balancing->goal->ranks[rank],
		.rank = rank,
		.target_ns = totals->total_ns / totals->rank_count +
			     (rank < totals->total_ns % totals->rank_count),
		.whole_ns = totals->of[rank] ? totals->of[rank] : totals->total_ns,
		.call = UINT32_MAX,
	};
	const int result = totals->of[rank] ? write_scaled(balancing, &sharing, err)
					    : write_inserted(balancing, &sharing, err);

	goal_causes_release(&sharing.causes);
	array_release(&sharing.inserted);
	array_release(&sharing.ends);
	return result;
}

/* Add up the computation before the i-th calls of all ranks, which have equally many. */
static int add_by_call(struct balancing *balancing, struct error *err)
{
	for (uint32_t rank = 0; rank < balancing->goal->rank_count; rank++) {
		uint64_t total_ns = 0;
		struct adding adding = {.block = &balancing->goal->ranks[rank],
					.total_ns = &total_ns,
					.by_call = &balancing->by_call};

		TRY(visit_rank(adding.block, balancing->calls, rank, add_entry, &adding, err));
		if (rank && adding.calls != balancing->call_count)
			return error_set(
				err, STATUS_DATA,
				"%s: a rank computes nothing, and it is not known where it could, as ranks 0 and %" PRIu32
				" make different numbers of calls",
				balancing->calls->path, rank);
		balancing->call_count = adding.calls;
	}
	return 0;
}

static int balance(struct balancing *balancing, struct error *err)
{
	TRY(goal_totals_find(&balancing->totals, balancing->goal, balancing->calls, err));
	if (!balancing->totals.total_ns)
		return error_set(err, STATUS_DATA, "%s: no rank computes before a call",
				 balancing->calls->path);
	if (balancing->totals.has_idle)
		TRY(add_by_call(balancing, err));
	TRY(goal_rewrite_begin(balancing->writer, &balancing->builder, balancing->calls, err));
	for (uint32_t rank = 0; rank < balancing->goal->rank_count; rank++)
		TRY(write_equal_rank(balancing, rank, err));
	return 0;
}

int goal_balance_totals(const struct goal *goal, const struct goal_calls *calls,
			struct goal_writer *writer, struct error *err)
{
	struct balancing balancing = {.goal = goal, .calls = calls, .writer = writer};
	const int result = balance(&balancing, err);

	goal_totals_release(&balancing.totals);
	array_release(&balancing.by_call);
	goal_builder_release(&balancing.builder);
	return result;
}
