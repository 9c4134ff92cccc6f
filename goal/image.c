#include "goal/image.h"

#include "common/array.h"
#include "common/parallel/parallel.h"
#include "common/progress.h"
#include "common/units.h"
#include "goal/goal.h"

#include <stdbool.h>

/* State of the check of an image. */
struct check {
	const char *name;
	const uint8_t *bytes;
	uint8_t max_cpu, max_nic;	/* seen so far */
	bool backward;			/* an operation depended on a later one */
	ARRAY(uint32_t) dependencies;	/* of every operation of a block, counted anew */
	struct error *err;
};

static int name_offset(const struct check *check, const uint8_t *at)
{
	return error_prefix(check->err, "%s: offset %zu", check->name,
			    (size_t)(at - check->bytes));
}

/* Report an error at the byte `at`.  Returns -1. */
#define BAD(check, at, ...) \
	(error_set((check)->err, STATUS_DATA, __VA_ARGS__), name_offset((check), (at)))

static int check_header(struct check *check, const struct input *image, uint32_t *rank_count)
{
	const uint8_t *bytes = image->bytes;
	uint64_t cookie;

	if (image->count < GOAL_HEADER_BYTES)
		return BAD(check, bytes + image->count,
			   "the file ends in its header: %d bytes were expected",
			   GOAL_HEADER_BYTES);
	cookie = goal_load64(bytes);
	if (cookie == GOAL_COOKIE_CONSUMED)
		return BAD(check, bytes, "the graph was consumed by a LogGOPSim --save-mem run:"
			   " make it again");
	if (cookie != GOAL_COOKIE)
		return BAD(check, bytes,
			   "not a binary GOAL file: it would begin with %llu, not %llu",
			   (unsigned long long)GOAL_COOKIE, (unsigned long long)cookie);
	*rank_count = goal_load32(bytes + 8);
	if (*rank_count == 0)
		return BAD(check, bytes + 8, "there must be at least one rank");
	if (*rank_count > (image->count - GOAL_HEADER_BYTES) / GOAL_JUMP_BYTES)
		return BAD(check, bytes + 8,
			   "the file ends in its jump table: it is too short for %u rank%s",
			   *rank_count, plural(*rank_count));
	return 0;
}

/* Set up `block` to be the bytes from `start` to `end`, which lie in the image. */
static int locate_block(struct check *check, struct goal_block *block, const uint8_t *start,
			const uint8_t *end)
{
	uint64_t room = (uint64_t)(end - start);
	uint64_t successor_bytes, wanted;

	if (room < GOAL_BLOCK_BYTES)
		return BAD(check, start, "the block ends before its operation and root counts");
	block->op_count = goal_load32(start);
	block->root_count = goal_load32(start + 4);
	wanted = GOAL_BLOCK_BYTES + (uint64_t)block->root_count * 4 +
		 (uint64_t)block->op_count * GOAL_OP_BYTES;
	if (block->root_count > block->op_count || wanted > room)
		return BAD(check, start,
			   "%u operation%s and %u root%s do not fit the block's %llu bytes",
			   block->op_count, plural(block->op_count), block->root_count,
			   plural(block->root_count), (unsigned long long)room);
	successor_bytes = room - wanted;
	if (successor_bytes % 4 != 0 || successor_bytes / 4 > UINT32_MAX)
		return BAD(check, start, "the block's %llu bytes are not a whole number of successors"
			   " after %u operation%s", (unsigned long long)room, block->op_count,
			   plural(block->op_count));
	block->successor_count = (uint32_t)(successor_bytes / 4);
	block->roots = start + GOAL_BLOCK_BYTES;
	block->ops = block->roots + (size_t)block->root_count * 4;
	block->successors = block->ops + (size_t)block->op_count * GOAL_OP_BYTES;
	return 0;
}

static int check_fields(struct check *check, const uint8_t *record, const struct goal_op *op,
			uint32_t rank_count)
{
	bool any = op->kind == GOAL_RECV && op->peer == GOAL_ANY;

	if (op->kind != GOAL_SEND && op->kind != GOAL_RECV && op->kind != GOAL_CALC)
		return BAD(check, record + GOAL_AT_KIND,
			   "%d is not a kind of operation (1 send, 2 recv, 3 calc)", (int)op->kind);
	if (op->kind == GOAL_CALC && (op->peer || op->tag || op->nic))
		return BAD(check, record + GOAL_AT_PEER, "peer, tag and nic of a calc must be 0");
	if (op->peer >= rank_count && !any)
		return BAD(check, record + GOAL_AT_PEER, "peer %u is not a rank: the highest is %u",
			   op->peer, rank_count - 1);
	if (op->cpu > check->max_cpu)
		check->max_cpu = op->cpu;
	if (op->nic > check->max_nic)
		check->max_nic = op->nic;
	return 0;
}

/* Check that the two successor lists of operation `index` begin at `*used` in the block's list. */
static int check_successors(struct check *check, const struct goal_block *block, uint32_t index,
			    const struct goal_op *op, uint32_t *used)
{
	const uint8_t *record = block->ops + (size_t)index * GOAL_OP_BYTES;
	uint64_t middle = (uint64_t)*used + op->requires_count;
	uint64_t end = middle + op->irequires_count;

	if (end > block->successor_count)
		return BAD(check, record + GOAL_AT_REQUIRES_COUNT,
			   "%u and %u successors do not fit the block's %u", op->requires_count,
			   op->irequires_count, block->successor_count);
	if (op->requires_first != *used || op->irequires_first != middle)
		return BAD(check, record + GOAL_AT_REQUIRES_FIRST,
			   "the successors must begin at %u and %llu, not %u and %u", *used,
			   (unsigned long long)middle, op->requires_first, op->irequires_first);
	for (uint32_t i = *used; i < end; i++) {
		uint32_t successor = goal_successor(block, i);

		if (successor >= block->op_count)
			return BAD(check, block->successors + (size_t)i * 4,
				   "successor %u is not an operation: the rank has %u", successor,
				   block->op_count);
		if (successor == index)
			return BAD(check, block->successors + (size_t)i * 4,
				   "operation %u depends on itself", index);
		check->backward |= successor < index;
		check->dependencies.items[successor]++;
	}
	*used = (uint32_t)end;
	return 0;
}

/* Check that dependency counts and roots agree with the successor lists. */
static int check_dependencies(struct check *check, const struct goal_block *block)
{
	uint32_t roots = 0;

	for (uint32_t i = 0; i < block->op_count; i++) {
		const uint8_t *record = block->ops + (size_t)i * GOAL_OP_BYTES;
		uint32_t stated = goal_load32(record + GOAL_AT_DEPENDENCIES);
		const uint8_t *root = block->roots + (size_t)roots * 4;

		if (stated != check->dependencies.items[i])
			return BAD(check, record, "operation %u has %u dependenc%s, not %u", i,
				   check->dependencies.items[i],
				   check->dependencies.items[i] == 1 ? "y" : "ies", stated);
		if (stated > 0)
			continue;
		if (roots == block->root_count)
			return BAD(check, block->roots - 4,
				   "operation %u has no dependencies but is"
				   " missing from the list of roots", i);
		if (goal_load32(root) != i)
			return BAD(check, root, "root %u should be operation %u, not %u", roots, i,
				   goal_load32(root));
		roots++;
	}
	if (roots != block->root_count)
		return BAD(check, block->roots - 4, "the rank has %u root%s, not %u", roots,
			   plural(roots), block->root_count);
	return 0;
}

static int check_block(struct check *check, const struct goal_block *block, uint32_t rank_count)
{
	uint32_t used = 0;

	check->dependencies.count = 0;
	TRY(array_reserve(&check->dependencies, block->op_count, check->err));
	if (block->op_count)
		memset(check->dependencies.items, 0,
		       block->op_count * sizeof *check->dependencies.items);
	for (uint32_t i = 0; i < block->op_count; i++) {
		struct goal_op op = goal_op(block, i);

		TRY(check_fields(check, block->ops + (size_t)i * GOAL_OP_BYTES, &op, rank_count));
		TRY(check_successors(check, block, i, &op, &used));
	}
	if (used != block->successor_count)
		return BAD(check, block->successors + (size_t)used * 4,
			   "the operations have %u successor%s, the block holds %u", used,
			   plural(used), block->successor_count);
	return check_dependencies(check, block);
}

/* Find all blocks, and check that they follow each other and fill the image. */
static int locate_blocks(struct check *check, struct goal *goal)
{
	const uint8_t *bytes = goal->image.bytes;
	uint64_t size = goal->image.count - GOAL_BASE;
	uint64_t at = GOAL_HEADER_BYTES - GOAL_BASE + (uint64_t)goal->rank_count * GOAL_JUMP_BYTES;
	uint64_t ops = 0;

	for (uint32_t rank = 0; rank < goal->rank_count; rank++) {
		const uint8_t *jump = bytes + GOAL_HEADER_BYTES + (size_t)rank * GOAL_JUMP_BYTES;
		struct goal_block *block = &goal->ranks[rank];
		uint64_t start = goal_load64(jump);
		uint64_t end = goal_load64(jump + 8);

		if (start != at || end < start || end > size)
			return BAD(check, jump, "the block of rank %u must begin at %llu and end"
				   " by %llu, not span %llu to %llu", rank, (unsigned long long)at,
				   (unsigned long long)size, (unsigned long long)start,
				   (unsigned long long)end);
		TRY(locate_block(check, block, bytes + GOAL_BASE + start, bytes + GOAL_BASE + end));
		block->first_op = (uint32_t)ops;
		ops += block->op_count;
		if (ops >= UINT32_MAX)
			return error_set(check->err, STATUS_LIMIT,
					 "%s: more than %u operations are not supported",
					 check->name, UINT32_MAX - 1);
		goal->successor_count += block->successor_count;
		at = end;
	}
	goal->op_count = (uint32_t)ops;
	return 0;
}

/* Data shared by the threads that check. */
struct checks {
	struct check *whole;
	const struct goal *goal;
};

static int make_check(void *shared, void *state, uint32_t rank, struct error *err)
{
	const struct checks *checks = shared;
	struct check *check = state;

	check->name = checks->whole->name;
	check->bytes = checks->whole->bytes;
	check->err = err;
	return check_block(check, &checks->goal->ranks[rank], checks->goal->rank_count);
}

static int take_check(void *shared, void *state, uint32_t rank, struct error *err)
{
	const struct checks *checks = shared;
	const struct check *check = state;
	struct check *whole = checks->whole;

	(void)err;
	progress_show(rank + 1, checks->goal->rank_count);
	if (check->max_cpu > whole->max_cpu)
		whole->max_cpu = check->max_cpu;
	if (check->max_nic > whole->max_nic)
		whole->max_nic = check->max_nic;
	whole->backward |= check->backward;
	return 0;
}

static void release_check(void *state)
{
	struct check *check = state;

	array_release(&check->dependencies);
}

static int check_blocks(struct check *check, const struct goal *goal)
{
	struct checks checks = {check, goal};
	const struct parallel_work work = {
		.make = make_check, .take = take_check, .shared = &checks,
		.state_bytes = sizeof *check, .release = release_check,
	};
	const uint8_t *bytes = goal->image.bytes;
	const struct goal_block *last = &goal->ranks[goal->rank_count - 1];
	const uint8_t *end = last->successors + (size_t)last->successor_count * 4;
	const size_t rest = (size_t)(bytes + goal->image.count - end);

	progress_phase("checking the graph");
	TRY(parallel_run(&work, goal->rank_count, parallel_threads(goal->op_count), check->err));
	if (rest)
		return BAD(check, end,
			   "the file has %zu more byte%s after the block of the last rank", rest,
			   plural(rest));
	if (bytes[12] != check->max_cpu || bytes[13] != check->max_nic)
		return BAD(check, bytes + 12,
			   "the highest cpu and nic are %u and %u, not %u and %u", check->max_cpu,
			   check->max_nic, bytes[12], bytes[13]);
	return 0;
}

int goal_from_image(struct goal *goal, struct input *image, const char *name, struct error *err)
{
	struct check check = {.name = name, .bytes = image->bytes, .err = err};
	int result;

	memset(goal, 0, sizeof *goal);
	goal->image = *image;
	memset(image, 0, sizeof *image);
	result = check_header(&check, &goal->image, &goal->rank_count);
	if (result == 0)
		result = allocate(&goal->ranks, goal->rank_count, sizeof *goal->ranks, err);
	if (result == 0)
		result = locate_blocks(&check, goal);
	if (result == 0)
		result = check_blocks(&check, goal);
	goal->depends_backward = check.backward;
	if (result < 0)
		goal_release(goal);
	return result;
}
