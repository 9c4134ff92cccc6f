#include "goal/calls_format.h"

#include <unistd.h>

/* --------------------------------------------------------------- the whole */

static int damaged(const struct goal_calls *calls, const uint8_t *at, const char *what,
		   struct error *err)
{
	return error_set(err, STATUS_DATA, "offset %zu: %s", (size_t)(at - calls->file.bytes),
			 what);
}

static int read_header(struct goal_calls *calls, struct error *err)
{
	const uint8_t *bytes = calls->file.bytes;

	if (calls->file.count < GOAL_CALLS_HEADER_BYTES || memcmp(bytes, GOAL_CALLS_MAGIC, 8))
		return damaged(calls, bytes, "not the calls of a graph", err);
	if (goal_load32(bytes + 8) < GOAL_CALLS_VERSION)
		return error_set(err, STATUS_DATA,
				 "version %u of the format, written by an older schedgen: run"
				 " schedgen again", goal_load32(bytes + 8));
	if (goal_load32(bytes + 8) > GOAL_CALLS_VERSION)
		return error_set(err, STATUS_DATA,
				 "version %u of the format: this llamp reads version %d",
				 goal_load32(bytes + 8), GOAL_CALLS_VERSION);
	if (goal_load64(bytes + 28) != goal_hash_bytes(bytes, 28))
		return damaged(calls, bytes, "the header does not match its checksum", err);
	calls->origin.timed = goal_load32(bytes + 12) & GOAL_CALLS_TIMED;
	calls->rank_count = goal_load32(bytes + 16);
	calls->origin.begin_ns = goal_load64(bytes + 20);
	return 0;
}

static int other_graph(struct error *err)
{
	return error_set(err, STATUS_DATA, "belongs to another graph");
}

/* Find the entries of all ranks, which must be complete and belong to this graph. */
static int read_ranks(struct goal_calls *calls, const struct goal *goal, struct error *err)
{
	const uint8_t *at = calls->file.bytes + GOAL_CALLS_HEADER_BYTES;
	const uint8_t *end = calls->file.bytes + calls->file.count;

	if (calls->rank_count != goal->rank_count)
		return other_graph(err);
	TRY(allocate(&calls->ranks, calls->rank_count, sizeof *calls->ranks, err));
	for (uint32_t rank = 0; rank < calls->rank_count; rank++) {
		struct goal_calls_block *block = &calls->ranks[rank];
		uint64_t count;

		if (end - at < GOAL_CALLS_RANK_BYTES)
			return damaged(calls, at, "the file ends before its last rank", err);
		count = goal_load64(at + 12);
		if (count > (uint64_t)(end - at) - GOAL_CALLS_RANK_BYTES)
			return damaged(calls, at + 12, "the file ends inside a rank", err);
		block->op_count = goal_load32(at);
		if (block->op_count != goal->ranks[rank].op_count ||
		    goal_load64(at + 4) != goal_calls_hash(&goal->ranks[rank]))
			return other_graph(err);
		block->entries = at + GOAL_CALLS_RANK_BYTES;
		block->end = block->entries + count;
		if (goal_load64(at + 20) != goal_hash_bytes(block->entries, count))
			return damaged(calls, block->entries,
				       "the entries do not match their checksum", err);
		at = block->end;
	}
	return at == end ? 0 : damaged(calls, at, "unexpected bytes after the last rank", err);
}

static int open_calls(struct goal_calls *calls, const struct goal *goal, const char *name,
		     struct error *err)
{
	if (access(name, F_OK) < 0)
		return 1;
	TRY(input_open(&calls->file, name, err));
	if (read_header(calls, err) == 0 && read_ranks(calls, goal, err) == 0)
		return 0;
	goal_calls_release(calls);
	return error_prefix(err, "%s", name);
}

int goal_calls_open(struct goal_calls *calls, const struct goal *goal, const char *path,
		    struct error *err)
{
	char *name;
	int result;

	*calls = (struct goal_calls){0};
	if (!strcmp(path, "-"))
		return 1;
	name = goal_calls_path(path);
	if (!name)
		return error_set_memory(err, strlen(path));
	result = open_calls(calls, goal, name, err);
	free(name);
	return result;
}

void goal_calls_release(struct goal_calls *calls)
{
	input_release(&calls->file);
	free(calls->ranks);
	*calls = (struct goal_calls){0};
}

/* ------------------------------------------------------------------ a rank */

void goal_calls_cursor_start(struct goal_calls_cursor *cursor, const struct goal_calls *calls,
			     uint32_t rank)
{
	cursor->at = calls->ranks[rank].entries;
	cursor->end = calls->ranks[rank].end;
	cursor->functions.count = 0;
	cursor->first_op = cursor->end_op = 0;
	cursor->number = cursor->time_ns = 0;
}

void goal_calls_cursor_release(struct goal_calls_cursor *cursor)
{
	array_release(&cursor->functions);
}

static int bad_entry(struct error *err)
{
	return error_set(err, STATUS_DATA, "the calls of the graph are damaged");
}

static int get_number(struct goal_calls_cursor *cursor, uint64_t *value, struct error *err)
{
	*value = 0;
	for (unsigned shift = 0; shift < 64 && cursor->at < cursor->end; shift += 7) {
		const uint8_t byte = *cursor->at++;

		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return 0;
	}
	return bad_entry(err);
}

static int get_function(struct goal_calls_cursor *cursor, struct error *err)
{
	uint64_t number;

	TRY(get_number(cursor, &number, err));
	if (number == cursor->functions.count) {
		const char *name = (const char *)cursor->at;
		const uint8_t *zero = memchr(cursor->at, 0, (size_t)(cursor->end - cursor->at));

		if (!zero)
			return bad_entry(err);
		cursor->at = zero + 1;
		TRY(array_push(&cursor->functions, name, err));
	}
	if (number >= cursor->functions.count)
		return bad_entry(err);
	cursor->function = cursor->functions.items[number];
	return 0;
}

static int next_entry(struct goal_calls_cursor *cursor, struct error *err)
{
	uint64_t ops, number, time_ns;

	TRY(get_number(cursor, &ops, err));
	TRY(get_function(cursor, err));
	TRY(get_number(cursor, &number, err));
	TRY(get_number(cursor, &time_ns, err));
	if (ops >> 1 > UINT32_MAX - cursor->end_op)
		return bad_entry(err);
	cursor->first_op = cursor->end_op;
	cursor->end_op += (uint32_t)(ops >> 1);
	cursor->before = ops & 1;
	cursor->number += goal_calls_unfold(number);
	cursor->time_ns += goal_calls_unfold(time_ns);
	return 0;
}

int goal_calls_find(struct goal_calls_cursor *cursor, uint32_t op, struct goal_call *call,
		    struct error *err)
{
	while (op >= cursor->end_op) {
		if (cursor->at == cursor->end)
			return 1;
		TRY(next_entry(cursor, err));
	}
	*call = (struct goal_call){
		.function = cursor->function, .number = cursor->number,
		.time_ns = cursor->time_ns,
		.before = cursor->before && op == cursor->first_op
	};
	return 0;
}
