/* Reader of the side file FILE.calls (doc/calls-format.md). */
#include "goal/calls_format.h"

#include <unistd.h>

/* --------------------------------------------------------------- the whole */

static int damaged(const struct goal_calls *calls, const uint8_t *at, const char *what,
		   struct error *err)
{
	return error_set(err, STATUS_DATA, "offset %zu: %s", (size_t)(at - calls->file.bytes),
			 what);
}

/* Read a line of text at *at, whose number of bytes stands at `count_at`, and go past it. */
static int calls_read_line(struct goal_calls *calls, const uint8_t *count_at, const uint8_t **at,
			   const char **line, struct error *err)
{
	const size_t count = goal_load32(count_at);

	*line = (const char *)*at;
	for (size_t i = 0; i < count; i++, (*at)++)
		if ((**at < ' ' || **at == 0x7f) != (i == count - 1) || (i == count - 1 && **at))
			return damaged(calls, *at, "a text is not a line", err);
	return count ? 0 : damaged(calls, count_at, "a text is not a line", err);
}

/*
 * Read the lines of text, which follow the fields of the header and have the nodes and the checksum
 * after them.  *end is set to their end.
 */
static int calls_read_lines(struct goal_calls *calls, const uint8_t **end, struct error *err)
{
	const uint8_t *bytes = calls->file.bytes, *counts = bytes + GOAL_CALLS_LINES_AT;
	const bool has_nodes = goal_load32(bytes + 12) & GOAL_CALLS_NODES;
	const size_t hashed = GOAL_CALLS_HEADER_BYTES + (size_t)goal_load32(counts) +
			      goal_load32(counts + 4) +
			      (has_nodes ? (size_t)GOAL_CALLS_NODE_BYTES * calls->rank_count : 0);

	if (hashed > calls->file.count || calls->file.count - hashed < 8)
		return damaged(calls, counts, "the file ends inside its header", err);
	if (goal_load64(bytes + hashed) != goal_hash_bytes(bytes, hashed))
		return damaged(calls, bytes, "the header does not match its checksum", err);
	*end = bytes + GOAL_CALLS_HEADER_BYTES;
	TRY(calls_read_line(calls, counts, end, &calls->origin.how, err));
	return calls_read_line(calls, counts + 4, end, &calls->origin.crowded, err);
}

static int read_header(struct goal_calls *calls, const uint8_t **end, struct error *err)
{
	const uint8_t *bytes = calls->file.bytes;
	uint32_t version, flags;

	if (calls->file.count < 12 || memcmp(bytes, GOAL_CALLS_MAGIC, 8))
		return damaged(calls, bytes, "not the calls of a graph", err);
	version = goal_load32(bytes + 8);
	if (version < GOAL_CALLS_VERSION)
		return error_set(err, STATUS_DATA,
				 "version %u of the format, written by an older schedgen: run"
				 " schedgen again", version);
	if (version > GOAL_CALLS_VERSION)
		return error_set(err, STATUS_DATA,
				 "version %u of the format: this llamp reads version %d",
				 version, GOAL_CALLS_VERSION);
	if (calls->file.count < GOAL_CALLS_HEADER_BYTES)
		return damaged(calls, bytes, "the file ends inside its header", err);
	flags = goal_load32(bytes + 12);
	if (flags & ~(GOAL_CALLS_TIMED | GOAL_CALLS_NODES | GOAL_CALLS_SITES | GOAL_CALLS_REPEATED))
		return damaged(calls, bytes + 12, "the flags are not of this version", err);
	calls->origin.timed = flags & GOAL_CALLS_TIMED;
	calls->origin.sites = flags & GOAL_CALLS_SITES;
	calls->origin.repeated = flags & GOAL_CALLS_REPEATED;
	calls->rank_count = goal_load32(bytes + 16);
	calls->origin.begin_ns = goal_load64(bytes + 20);
	calls->origin.run_ns = goal_load64(bytes + GOAL_CALLS_RUN_AT);
	return calls_read_lines(calls, end, err);
}

static int other_graph(struct error *err)
{
	return error_set(err, STATUS_DATA, "belongs to another graph");
}

/* Read the nodes of the ranks at *at, if the file has them, and go past them. */
static int read_nodes(struct goal_calls *calls, const uint8_t **at, struct error *err)
{
	if (!(goal_load32(calls->file.bytes + 12) & GOAL_CALLS_NODES))
		return 0;
	TRY(allocate(&calls->nodes, calls->rank_count, sizeof *calls->nodes, err));
	for (uint32_t rank = 0; rank < calls->rank_count; rank++, *at += GOAL_CALLS_NODE_BYTES) {
		calls->nodes[rank] = goal_load32(*at);
		if (calls->nodes[rank] >= calls->rank_count)
			return damaged(calls, *at, "more nodes than ranks", err);
	}
	calls->origin.nodes = calls->nodes;
	return 0;
}

/*
 * Read the nodes at `at` and find the entries of all ranks, which must be complete and belong to
 * this graph.
 */
static int read_ranks(struct goal_calls *calls, const struct goal *goal, const uint8_t *at,
		      struct error *err)
{
	const uint8_t *end = calls->file.bytes + calls->file.count;

	if (calls->rank_count != goal->rank_count)
		return other_graph(err);
	TRY(read_nodes(calls, &at, err));
	at += 8;
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

static int open_calls(struct goal_calls *calls, const struct goal *goal, struct error *err)
{
	const uint8_t *rest = NULL;

	if (access(calls->path, F_OK) < 0)
		return 1;
	TRY(input_open(&calls->file, calls->path, err));
	if (read_header(calls, &rest, err) == 0 && read_ranks(calls, goal, rest, err) == 0)
		return 0;
	return error_prefix(err, "%s", calls->path);
}

int goal_calls_open(struct goal_calls *calls, const struct goal *goal, const char *path,
		    struct error *err)
{
	int result;

	*calls = (struct goal_calls){0};
	if (!strcmp(path, "-"))
		return 1;
	calls->path = goal_calls_path(path);
	if (!calls->path)
		return error_set_memory(err, strlen(path));
	result = open_calls(calls, goal, err);
	if (result)
		goal_calls_release(calls);
	return result;
}

void goal_calls_release(struct goal_calls *calls)
{
	input_release(&calls->file);
	free(calls->ranks);
	free(calls->nodes);
	free(calls->path);
	*calls = (struct goal_calls){0};
}

/* ------------------------------------------------------------------ a rank */

void goal_calls_cursor_start(struct goal_calls_cursor *cursor, const struct goal_calls *calls,
			     uint32_t rank)
{
	cursor->calls = calls;
	cursor->at = calls->ranks[rank].entries;
	cursor->end = calls->ranks[rank].end;
	cursor->op_count = calls->ranks[rank].op_count;
	cursor->functions.count = cursor->communicators.count = 0;
	cursor->first_op = cursor->end_op = 0;
	cursor->number = cursor->time_ns = 0;
	cursor->repeats = 0;
}

void goal_calls_cursor_release(struct goal_calls_cursor *cursor)
{
	array_release(&cursor->functions);
	array_release(&cursor->communicators);
}

static int bad_entry(const struct goal_calls_cursor *cursor, const char *what, struct error *err)
{
	damaged(cursor->calls, cursor->at, what, err);
	return error_prefix(err, "%s", cursor->calls->path);
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
	return bad_entry(cursor, "a number does not end in 64 bits", err);
}

static int get_name(struct goal_calls_cursor *cursor, const char **name, struct error *err)
{
	const uint8_t *zero = memchr(cursor->at, 0, (size_t)(cursor->end - cursor->at));

	if (!zero)
		return bad_entry(cursor, "a name does not end", err);
	*name = (const char *)cursor->at;
	cursor->at = zero + 1;
	return 0;
}

static int get_function(struct goal_calls_cursor *cursor, struct error *err)
{
	struct goal_calls_function function = {0};
	uint64_t number;

	TRY(get_number(cursor, &number, err));
	if (number > cursor->functions.count)
		return bad_entry(cursor, "a function has no name", err);
	if (number == cursor->functions.count) {
		TRY(get_name(cursor, &function.name, err));
		if (cursor->calls->origin.sites)
			TRY(get_name(cursor, &function.site, err));
		TRY(array_push(&cursor->functions, function, err));
	}
	cursor->function = (uint32_t)number;
	return 0;
}

/* Read the communicator of an entry whose function had another one, or none, before. */
static int get_communicator(struct goal_calls_cursor *cursor, struct error *err)
{
	const char *name = NULL;
	uint64_t number;

	TRY(get_number(cursor, &number, err));
	if (number > cursor->communicators.count + 1)
		return bad_entry(cursor, "a communicator has no name", err);
	if (number == cursor->communicators.count + 1) {
		TRY(get_name(cursor, &name, err));
		TRY(array_push(&cursor->communicators, name, err));
	}
	cursor->functions.items[cursor->function].communicator = (uint32_t)number;
	return 0;
}

static int next_entry(struct goal_calls_cursor *cursor, struct error *err)
{
	uint64_t ops, number, time_ns, iteration = 0;

	TRY(get_number(cursor, &ops, err));
	TRY(get_function(cursor, err));
	if (ops & GOAL_CALLS_COMMUNICATOR)
		TRY(get_communicator(cursor, err));
	TRY(get_number(cursor, &number, err));
	TRY(get_number(cursor, &time_ns, err));
	if (cursor->calls->origin.repeated)
		TRY(get_number(cursor, &iteration, err));
	if (ops >> GOAL_CALLS_FLAG_BITS > cursor->op_count - cursor->end_op)
		return bad_entry(cursor, "more operations than the rank has", err);
	cursor->first_op = cursor->end_op;
	cursor->end_op += (uint32_t)(ops >> GOAL_CALLS_FLAG_BITS);
	cursor->before = ops & GOAL_CALLS_BEFORE;
	cursor->number += goal_calls_unfold(number);
	cursor->time_ns += goal_calls_unfold(time_ns);
	cursor->repeats += (uint32_t)goal_calls_unfold(iteration);
	return 0;
}

int goal_calls_find(struct goal_calls_cursor *cursor, uint32_t op, struct goal_call *call,
		    struct error *err)
{
	const struct goal_calls_function *function;

	while (op >= cursor->end_op) {
		if (cursor->at == cursor->end)
			return 1;
		TRY(next_entry(cursor, err));
	}
	function = &cursor->functions.items[cursor->function];
	*call = (struct goal_call){
		.function = function->name, .number = cursor->number,
		.site = function->site && *function->site ? function->site : NULL,
		.communicator = function->communicator
			? cursor->communicators.items[function->communicator - 1] : NULL,
		.time_ns = cursor->time_ns,
		.repeats = cursor->repeats,
		.before = cursor->before && op == cursor->first_op
	};
	return 0;
}
