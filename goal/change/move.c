#include "goal/change/move.h"

#include "common/units.h"
#include "goal/change/rewrite.h"
#include "goal/image.h"

#include <inttypes.h>

enum { NONE = UINT32_MAX };

/* What becomes of an operation of a rank. */
struct moved_op {
	uint32_t key;	     /* of a receive that is moved, or GOAL_NO_KEY */
	bool is_computation; /* before a call */
	bool is_behind;	     /* a computation in front of a receive that is moved */
	uint32_t
		waits_by; /* of a computation that begins behind receives: the first key with the largest share, or GOAL_NO_KEY */
	uint32_t start, part; /* computations put in front of it: of 0 ns, and its share; or NONE */
	uint32_t seen,
		followed; /* the last operation, from 1, that waits for this one, or has gone on from this one */
};

/* Computation behind the receives of a key, on any rank. */
struct behind {
	bool is_some, is_joint; /* also behind those of other sites of its function */
};

struct moving {
	const struct goal *goal;
	const struct goal_calls *calls;
	struct goal_call_keys keys;
	const double *percent; /* [key]; NULL: a survey */
	ARRAY(uint64_t)
	sums_ns; /* [key]: computation behind its receives, of the rank, each for one key only */
	ARRAY(struct behind) behind; /* [key] */
	struct goal_writer *writer;
	struct goal_builder builder;

	/* Of the rank. */
	uint32_t rank;
	const struct goal_block *block;
	struct goal_causes causes;
	struct moved_op *ops;
	goal_inserted_list inserted;
	ARRAY(uint32_t) chain; /* receives to follow */
};

/* ------------------------------------------------------------------------ rank */

/* Note which operations are computation before calls, and which are receives of the keys. */
static int mark_entry(struct moving *moving, const struct goal_calls_cursor *cursor,
		      const struct goal_call *call, struct error *err)
{
	uint32_t key = GOAL_NO_KEY;

	if (call->before)
		moving->ops[cursor->first_op].is_computation =
			goal_op(moving->block, cursor->first_op).kind == GOAL_CALC;
	if (!goal_call_receives(call))
		return 0;
	TRY(goal_call_keys_find(&moving->keys, cursor, call, &key, err));
	for (uint32_t op = cursor->first_op; op < cursor->end_op && key != GOAL_NO_KEY; op++)
		if (goal_op(moving->block, op).kind == GOAL_RECV)
			moving->ops[op].key = key;
	return 0;
}

static int mark_calls(struct moving *moving, struct error *err)
{
	struct goal_calls_cursor cursor = {0};
	struct goal_call call;
	int found = 0, result = 0;

	goal_call_keys_start(&moving->keys);
	goal_calls_cursor_start(&cursor, moving->calls, moving->rank);
	for (uint32_t op = 0;
	     result == 0 && (found = goal_calls_find(&cursor, op, &call, err)) == 0;
	     op = cursor.end_op)
		result = mark_entry(moving, &cursor, &call, err);
	goal_calls_cursor_release(&cursor);
	return found < 0 ? -1 : result;
}

static double percent_of(const struct moving *moving, uint32_t key)
{
	return moving->percent ? moving->percent[key] : 0;
}

static bool are_sites_of_one_function(const struct moving *moving, uint32_t one, uint32_t other)
{
	const struct goal_call_key *keys = moving->keys.list.items;

	return one != other && !strcmp(keys[one].function, keys[other].function);
}

/* Note that a computation of `ns` begins behind receives of a key. */
static int note_behind(struct moving *moving, struct moved_op *is, uint64_t ns, uint32_t key,
		       struct error *err)
{
	while (moving->behind.count <= key)
		TRY(array_push(&moving->behind, ((struct behind){.is_some = false}), err));
	moving->behind.items[key].is_some |= ns > 0;
	if (ns && is->waits_by != GOAL_NO_KEY &&
	    are_sites_of_one_function(moving, is->waits_by, key))
		moving->behind.items[key].is_joint = moving->behind.items[is->waits_by].is_joint =
			true;
	if (is->waits_by == GOAL_NO_KEY ||
	    percent_of(moving, key) > percent_of(moving, is->waits_by))
		is->waits_by = key;
	return 0;
}

/* Note which computations are in front of receives, and which begin behind some. */
static int mark_op(struct moving *moving, uint32_t op, struct error *err)
{
	struct moved_op *is = &moving->ops[op];

	for (uint32_t i = moving->causes.first[op]; i < moving->causes.first[op + 1]; i++) {
		const struct goal_cause *cause = &moving->causes.causes[i];
		struct moved_op *before = &moving->ops[cause->op];

		if (is->key != GOAL_NO_KEY && cause->op > op && moving->percent)
			return error_set(
				err, STATUS_DATA,
				"%s: rank %" PRIu32 ", operation %" PRIu32
				": the message moves only in a later call (schedgen --progress)",
				moving->calls->path, moving->rank, op);
		if (is->key != GOAL_NO_KEY && before->is_computation)
			before->is_behind = true;
		if (is->is_computation && before->key != GOAL_NO_KEY && !cause->irequires)
			TRY(note_behind(moving, is, goal_op(moving->block, op).size, before->key,
					err));
	}
	return 0;
}

/* Add up the computation that waits for receives. */
static int add_awaited(struct moving *moving, uint32_t op, struct error *err)
{
	const uint32_t key = moving->ops[op].waits_by;
	uint64_t *sum;

	while (moving->sums_ns.count <= key)
		TRY(array_push(&moving->sums_ns, 0, err));
	sum = &moving->sums_ns.items[key];
	if (__builtin_add_overflow(*sum, goal_op(moving->block, op).size, sum))
		return error_set(err, STATUS_LIMIT,
				 "%s: rank %" PRIu32 " computes for 2^64 ns or more",
				 moving->calls->path, moving->rank);
	return 0;
}

/* Begin a rank: find what becomes of its operations. */
static int begin_rank(struct moving *moving, uint32_t rank, struct error *err)
{
	moving->rank = rank;
	moving->block = &moving->goal->ranks[rank];
	moving->inserted.count = 0;
	TRY(allocate(&moving->ops, (size_t)moving->block->op_count + 1, sizeof *moving->ops, err));
	for (uint32_t op = 0; op < moving->block->op_count; op++)
		moving->ops[op] = (struct moved_op){.key = GOAL_NO_KEY,
						    .waits_by = GOAL_NO_KEY,
						    .start = NONE,
						    .part = NONE};
	TRY(goal_causes_find(&moving->causes, moving->block, err));
	TRY(mark_calls(moving, err));
	for (uint32_t op = 0; op < moving->block->op_count; op++)
		TRY(mark_op(moving, op, err));
	for (uint32_t op = 0; op < moving->block->op_count; op++)
		if (moving->ops[op].waits_by != GOAL_NO_KEY)
			TRY(add_awaited(moving, op, err));
	return 0;
}

static void end_rank(struct moving *moving)
{
	goal_causes_release(&moving->causes);
	moving->causes = (struct goal_causes){0};
	free(moving->ops);
	moving->ops = NULL;
}

/* ---------------------------------------------------------------- dependencies */

/* What comes first of an operation and the computations in front of it. */
static uint32_t first_part(const struct moved_op *is, uint32_t op)
{
	return is->start != NONE ? is->start : is->part != NONE ? is->part : op;
}

/* Let operation `op`, by its part `after`, wait for one that is not moved. */
static int wait_for_unmoved(struct moving *moving, const struct goal_rewrite *rewrite, uint32_t op,
			    uint32_t after, const struct goal_cause *cause, struct error *err)
{
	uint32_t *const seen = &moving->ops[cause->op].seen;

	if (*seen == op + 1)
		return 0;
	if (!cause->irequires)
		*seen = op + 1;
	return goal_rewrite_depend(rewrite, after, cause->op, cause->irequires, err);
}

/* Let `op` wait for a receive that is moved. */
static int wait_for_moved(struct moving *moving, const struct goal_rewrite *rewrite, uint32_t op,
			  const struct goal_cause *cause, struct error *err)
{
	struct moved_op *moved = &moving->ops[cause->op];

	if (moved->followed != op + 1)
		TRY(array_push(&moving->chain, cause->op, err));
	moved->followed = op + 1;
	if (cause->irequires || moved->seen == op + 1)
		return 0;
	moved->seen = op + 1;
	return goal_rewrite_depend(rewrite, op, cause->op, false, err);
}

/*
 * Let an operation that is not moved wait for what it waited for: the operation itself for receives that are moved, and its
 * first part for what these receives were posted behind.
 */
static int depend_waiting(struct moving *moving, const struct goal_rewrite *rewrite, uint32_t op,
			  struct error *err)
{
	const struct goal_causes *causes = &moving->causes;
	const uint32_t after = first_part(&moving->ops[op], op);
	uint32_t next = op;

	moving->chain.count = 0;
	for (;;) {
		for (uint32_t i = causes->first[next]; i < causes->first[next + 1]; i++) {
			const struct goal_cause *cause = &causes->causes[i];

			if (moving->ops[cause->op].key == GOAL_NO_KEY)
				TRY(wait_for_unmoved(moving, rewrite, op, after, cause, err));
			else
				TRY(wait_for_moved(moving, rewrite, op, cause, err));
		}
		if (!moving->chain.count)
			return 0;
		next = moving->chain.items[--moving->chain.count];
	}
}

/* Post a receive in front of the computation that it was posted behind, and behind receives that were posted before. */
static int depend_posted(const struct moving *moving, const struct goal_rewrite *rewrite,
			 uint32_t op, struct error *err)
{
	const struct goal_causes *causes = &moving->causes;

	for (uint32_t i = causes->first[op]; i < causes->first[op + 1]; i++) {
		const struct goal_cause *cause = &causes->causes[i];
		const struct moved_op *before = &moving->ops[cause->op];

		if (before->start != NONE)
			TRY(goal_rewrite_depend(rewrite, op, before->start, false, err));
		else
			TRY(goal_rewrite_depend(rewrite, op, cause->op,
						cause->irequires || before->key != GOAL_NO_KEY,
						err));
	}
	return 0;
}

static int depend_moved(void *data, const struct goal_rewrite *rewrite, uint32_t op,
			struct error *err)
{
	struct moving *moving = data;
	const struct moved_op *is = &moving->ops[op];

	if (is->key != GOAL_NO_KEY)
		return depend_posted(moving, rewrite, op, err);
	TRY(depend_waiting(moving, rewrite, op, err));
	if (is->start != NONE)
		TRY(goal_rewrite_depend(rewrite, is->part != NONE ? is->part : op, is->start, false,
					err));
	return is->part != NONE ? goal_rewrite_depend(rewrite, op, is->part, false, err) : 0;
}

/* ----------------------------------------------------------------------- graph */

/* Put a computation of `ns` in front of an operation. */
static int insert(struct moving *moving, uint32_t op, uint64_t ns, uint32_t *number,
		  struct error *err)
{
	*number = moving->block->op_count + (uint32_t)moving->inserted.count;
	return array_push(&moving->inserted, ((struct goal_inserted){op, ns}), err);
}

/* Divide the computations that begin behind receives. */
static int divide(struct moving *moving, uint8_t *ops, struct error *err)
{
	for (uint32_t op = 0; op < moving->block->op_count; op++) {
		struct moved_op *is = &moving->ops[op];
		const uint64_t ns = goal_op(moving->block, op).size;
		uint64_t part_ns;

		if (is->is_behind)
			TRY(insert(moving, op, 0, &is->start, err));
		if (is->waits_by == GOAL_NO_KEY)
			continue;
		part_ns = (uint64_t)((double)ns * moving->percent[is->waits_by] / 100);
		part_ns = part_ns < ns ? part_ns : ns;
		TRY(insert(moving, op, part_ns, &is->part, err));
		goal_store64(ops + (size_t)op * GOAL_OP_BYTES + GOAL_AT_SIZE, ns - part_ns);
	}
	return 0;
}

static int write_moved_rank(struct moving *moving, uint32_t rank, struct error *err)
{
	struct goal_rewrite rewrite = {.causes = &moving->causes,
				       .inserted = &moving->inserted,
				       .builder = &moving->builder};
	uint8_t *copy, *ops;
	int result;

	TRY(begin_rank(moving, rank, err));
	rewrite.block = *moving->block;
	TRY(goal_block_copy(&rewrite.block, &copy, &ops, err));
	result = divide(moving, ops, err);
	if (result == 0)
		result = goal_rewrite_rank(&rewrite, moving->writer, moving->calls, rank,
					   depend_moved, moving, err);
	free(copy);
	return result;
}

static int write_moved(struct moving *moving, struct error *err)
{
	TRY(goal_rewrite_begin(moving->writer, &moving->builder, moving->calls, err));
	for (uint32_t rank = 0; rank < moving->goal->rank_count; rank++) {
		const int result = write_moved_rank(moving, rank, err);

		end_rank(moving);
		TRY(result);
	}
	for (size_t i = 0; i < moving->keys.list.count; i++) {
		const struct goal_call_key *key = &moving->keys.list.items[i];

		if (i >= moving->behind.count || !moving->behind.items[i].is_some)
			return error_set(
				err, STATUS_DATA,
				"%s: no computation begins behind a receive of %s%s%s, so that its wait cannot be later",
				moving->calls->path, key->function, key->site ? " at " : "",
				key->site ? key->site : "");
	}
	return 0;
}

static void moving_release(struct moving *moving)
{
	goal_call_keys_release(&moving->keys);
	array_release(&moving->sums_ns);
	array_release(&moving->behind);
	array_release(&moving->inserted);
	array_release(&moving->chain);
	goal_builder_release(&moving->builder);
}

int goal_move(const struct goal *goal, const struct goal_calls *calls,
	      const struct goal_call_key *keys, const double *percent, size_t count,
	      struct source_lines *lines, struct goal_writer *writer, struct error *err)
{
	struct moving moving = {.goal = goal, .calls = calls, .percent = percent, .writer = writer};
	int result = goal_call_keys_only(&moving.keys, keys, count, lines, err);

	if (result == 0)
		result = write_moved(&moving, err);
	moving_release(&moving);
	return result;
}

int goal_move_parse(char *text, struct goal_call_key *key, double *percent, struct error *err)
{
	char *colon = strchr(text, ':');

	if (!colon)
		return error_set(
			err, STATUS_USAGE,
			"'%s' is not SHARE:FUNCTION or SHARE:FUNCTION@SITE, as 50%%:MPI_Recv",
			text);
	*colon = '\0';
	TRY(parse_percent(text, percent, err));
	if (!(*percent > 0 && *percent <= 100))
		return error_set(err, STATUS_USAGE, "'%s' is not above 0 and up to 100 %%", text);
	return goal_call_key_parse(colon + 1, key, err);
}

/* ---------------------------------------------------------------------- survey */

static int by_most(const void *one, const void *other)
{
	const struct goal_awaited_sum *a = one, *b = other;

	if (a->most_ns != b->most_ns)
		return a->most_ns < b->most_ns ? 1 : -1;
	return goal_call_key_order(&a->key, &b->key);
}

/* Take the sums of a rank, which become 0. */
static int take_sums(struct moving *moving, struct goal_awaited_sums *sums, struct error *err)
{
	for (size_t i = 0; i < moving->sums_ns.count; i++) {
		uint64_t *const ns = &moving->sums_ns.items[i];

		if (sums->list.count <= i)
			TRY(array_push(&sums->list,
				       ((struct goal_awaited_sum){moving->keys.list.items[i], 0,
								  false}),
				       err));
		sums->list.items[i].is_joint = moving->behind.items[i].is_joint;
		if (*ns > sums->list.items[i].most_ns)
			sums->list.items[i].most_ns = *ns;
		*ns = 0;
	}
	return 0;
}

int goal_awaited_survey(struct goal_awaited_sums *sums, const struct goal *goal,
			const struct goal_calls *calls, struct error *err)
{
	struct moving moving = {.goal = goal, .calls = calls};
	int result = 0;

	*sums = (struct goal_awaited_sums){0};
	for (uint32_t rank = 0; rank < goal->rank_count && result == 0; rank++) {
		result = begin_rank(&moving, rank, err);
		end_rank(&moving);
		if (result == 0)
			result = take_sums(&moving, sums, err);
	}
	if (sums->list.count)
		qsort(sums->list.items, sums->list.count, sizeof *sums->list.items, by_most);
	moving_release(&moving);
	return result;
}

void goal_awaited_sums_release(struct goal_awaited_sums *sums)
{
	array_release(&sums->list);
}
