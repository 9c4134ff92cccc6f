#include "goal/change/merge.h"

#include "goal/change/call_keys.h"
#include "goal/change/rewrite.h"
#include "goal/image.h"
#include "goal/match.h"

/* A receive, with what it is grouped by. */
struct awaited {
	uint32_t source, op;
	uint64_t hash; /* of the operations that require it */
};

typedef ARRAY(struct awaited) awaited_list;

struct merging {
	const struct goal *goal;
	struct goal_merges *merges;
	struct goal_matching matching;
	awaited_list awaited; /* of the rank */
};

/* ---------------------------------------------------------------------- groups */

/* Add up a hash of the operations, in any order, that require one. */
static uint64_t hash_required(const struct goal_block *block, const struct goal_op *op)
{
	uint64_t hash = op->requires_count;

	for (uint32_t i = 0; i < op->requires_count; i++) {
		uint64_t word = goal_successor(block, op->requires_first + i) + UINT64_C(1);

		word *= UINT64_C(0x9e3779b97f4a7c15);
		word ^= word >> 32;
		hash += word * UINT64_C(0xbf58476d1ce4e5b9);
	}
	return hash;
}

static int list_receives(awaited_list *awaited, const struct goal_block *block, uint32_t first_op,
			 uint32_t end_op, struct error *err)
{
	for (uint32_t op = first_op; op < end_op; op++) {
		const struct goal_op is = goal_op(block, op);

		/* What nothing requires is not awaited. */
		if (is.kind == GOAL_RECV && is.requires_count)
			TRY(array_push(awaited,
				       ((struct awaited){is.peer, op, hash_required(block, &is)}),
				       err));
	}
	return 0;
}

static int list_awaited(awaited_list *awaited, const struct goal_block *block,
			const struct goal_calls *calls, uint32_t rank, struct error *err)
{
	struct goal_calls_cursor cursor = {0};
	struct goal_call call;
	int found = 0, result = 0;

	awaited->count = 0;
	goal_calls_cursor_start(&cursor, calls, rank);
	for (uint32_t op = 0;
	     result == 0 && (found = goal_calls_find(&cursor, op, &call, err)) == 0;
	     op = cursor.end_op)
		if (goal_call_receives(&call))
			result = list_receives(awaited, block, cursor.first_op, cursor.end_op, err);
	goal_calls_cursor_release(&cursor);
	return found < 0 ? -1 : result;
}

static int by_group(const void *one, const void *other)
{
	const struct awaited *a = one, *b = other;

	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return a->op < b->op ? -1 : a->op > b->op;
}

static bool is_required_by(const struct goal_block *block, const struct goal_op *op, uint32_t after)
{
	for (uint32_t i = 0; i < op->requires_count; i++)
		if (goal_successor(block, op->requires_first + i) == after)
			return true;
	return false;
}

/* Whether the same operations require both: their hashes are equal, and mostly their order is, too. */
static bool are_awaited_together(const struct goal_block *block, uint32_t one, uint32_t other)
{
	const struct goal_op a = goal_op(block, one), b = goal_op(block, other);

	if (a.requires_count != b.requires_count)
		return false;
	for (uint32_t i = 0; i < a.requires_count; i++) {
		const uint32_t after = goal_successor(block, a.requires_first + i);

		if (goal_successor(block, b.requires_first + i) != after &&
		    (!is_required_by(block, &b, after) ||
		     !is_required_by(block, &a, goal_successor(block, b.requires_first + i))))
			return false;
	}
	return true;
}

/* ---------------------------------------------------------------------- merges */

static int add_merged(struct merging *merging, uint32_t recv, const struct goal_merged *merged,
		      struct error *err)
{
	struct goal_merged added = *merged;

	added.op = recv;
	TRY(array_push(&merging->merges->list, added, err));
	added.op = merging->matching.partner[recv];
	return array_push(&merging->merges->list, added, err);
}

/* Merge the messages of some receives of a rank, two at least. */
static int merge_group(struct merging *merging, const struct goal_block *block,
		       const struct awaited *group, size_t count, struct error *err)
{
	const uint32_t *const sends = merging->matching.partner + block->first_op;
	struct goal_merged kept = {.is_kept = true}, none = {.is_kept = false};
	size_t last = 0;

	for (size_t i = 0; i < count; i++) {
		if (sends[group[i].op] > sends[group[last].op])
			last = i;
		if (__builtin_add_overflow(kept.bytes, goal_op(block, group[i].op).size,
					   &kept.bytes))
			return error_set(err, STATUS_LIMIT,
					 "messages have 2^64 bytes or more together");
	}
	for (size_t i = 0; i < count; i++)
		TRY(add_merged(merging, block->first_op + group[i].op, i == last ? &kept : &none,
			       err));
	merging->merges->messages += (uint32_t)count - 1;
	return 0;
}

static int merge_rank(struct merging *merging, const struct goal_calls *calls, uint32_t rank,
		      struct error *err)
{
	const struct goal_block *block = &merging->goal->ranks[rank];
	const awaited_list *awaited = &merging->awaited;
	size_t end;

	TRY(list_awaited(&merging->awaited, block, calls, rank, err));
	if (awaited->count)
		qsort(awaited->items, awaited->count, sizeof *awaited->items, by_group);
	for (size_t first = 0; first < awaited->count; first = end) {
		const struct awaited *group = &awaited->items[first];

		for (end = first + 1; end < awaited->count; end++)
			if (awaited->items[end].source != group->source ||
			    !are_awaited_together(block, group->op, awaited->items[end].op))
				break;
		if (end - first > 1)
			TRY(merge_group(merging, block, group, end - first, err));
	}
	return 0;
}

static int by_graph_number(const void *one, const void *other)
{
	const struct goal_merged *a = one, *b = other;

	return a->op < b->op ? -1 : a->op > b->op;
}

int goal_merges_find(struct goal_merges *merges, const struct goal *goal,
		     const struct goal_calls *calls, struct error *err)
{
	struct merging merging = {.goal = goal, .merges = merges};
	int result = 0;

	*merges = (struct goal_merges){.messages = 0};
	TRY(goal_match(&merging.matching, goal, err));
	for (uint32_t rank = 0; rank < goal->rank_count && result == 0; rank++)
		result = merge_rank(&merging, calls, rank, err);
	if (merges->list.count)
		qsort(merges->list.items, merges->list.count, sizeof *merges->list.items,
		      by_graph_number);
	array_release(&merging.awaited);
	goal_matching_release(&merging.matching);
	return result;
}

void goal_merges_release(struct goal_merges *merges)
{
	array_release(&merges->list);
}

/* ----------------------------------------------------------------------- graph */

/* Set the size of a message, or make its send or receive a computation of 0 ns. */
static void change_op(uint8_t *record, const struct goal_merged *merged)
{
	goal_store64(record + GOAL_AT_SIZE, merged->bytes);
	if (merged->is_kept)
		return;
	record[GOAL_AT_KIND] = GOAL_CALC;
	goal_store32(record + GOAL_AT_PEER, 0);
	goal_store32(record + GOAL_AT_TAG, 0);
}

/* Write a rank with the merges from `next` on that are its. */
static int write_merged_rank(const struct goal_merges *merges, size_t *next,
			     const struct goal *goal, const struct goal_calls *calls, uint32_t rank,
			     struct goal_writer *writer, struct error *err)
{
	struct goal_block block = goal->ranks[rank];
	uint8_t *copy, *ops;
	int result;

	TRY(goal_block_copy(&block, &copy, &ops, err));
	for (; *next < merges->list.count; ++*next) {
		const struct goal_merged *merged = &merges->list.items[*next];

		if (merged->op - block.first_op >= block.op_count)
			break;
		change_op(ops + (size_t)(merged->op - block.first_op) * GOAL_OP_BYTES, merged);
	}
	result = goal_writer_called_block(writer, &block, calls, rank, err);
	free(copy);
	return result;
}

static int write_merged(const struct goal_merges *merges, const struct goal *goal,
			const struct goal_calls *calls, struct goal_writer *writer,
			struct error *err)
{
	size_t next = 0;

	if (!merges->messages)
		return error_set(err, STATUS_DATA,
				 "%s: no two messages of a pair of ranks are awaited together",
				 calls->path);
	TRY(goal_changed_calls(writer, calls, err));
	for (uint32_t rank = 0; rank < goal->rank_count; rank++)
		TRY(write_merged_rank(merges, &next, goal, calls, rank, writer, err));
	return 0;
}

int goal_merge(const struct goal *goal, const struct goal_calls *calls, struct goal_writer *writer,
	       struct error *err)
{
	struct goal_merges merges;
	int result = goal_merges_find(&merges, goal, calls, err);

	if (result == 0)
		result = write_merged(&merges, goal, calls, writer, err);
	goal_merges_release(&merges);
	return result;
}
