#include "goal/match.h"

#include "common/array.h"
#include "common/parallel.h"
#include "common/progress.h"

#include <stdbool.h>

/*
 * Sends and receives are sorted by (destination, source), which counting sorts
 * do in linear time; what one rank sends to another then stands together, in
 * the order of the file.
 *
 * All of it is done in parts, by several threads.  A part is at first some
 * successive ranks, with their operations; then a slice of the receives; in the
 * end the messages to some successive ranks.  In a counting sort each part has
 * counters of its own, so that the items of one key come in the order of the
 * parts.
 */
struct part {
	uint32_t first_rank, end_rank;
	/* Per rank: how many items of this key the part has, then where the next one goes. */
	uint32_t *sends, *recvs;
	uint32_t message_count;
	ARRAY(uint64_t) keys;		/* tag and position, while the tags of a pair are sorted */
};

struct matcher {
	const struct goal *goal;
	struct part *parts;
	uint32_t part_count;
	uint32_t *sends, *recvs;	/* numbers of operations */
	uint32_t *unsorted;		/* receives by source */
	uint32_t send_count, recv_count;
	uint32_t *send_ends;		/* per rank: where in sends those to it end */
	uint32_t *recv_ends;		/* likewise in recvs, those of it */
	uint32_t *partner;
};

/* Does one part of some step. */
typedef int match_step(struct matcher *matcher, struct part *part, struct error *err);

struct match_work {
	struct matcher *matcher;
	match_step *step;
};

static int make_part(void *shared, void *state, uint32_t item, struct error *err)
{
	const struct match_work *work = shared;

	(void)state;
	return work->step(work->matcher, &work->matcher->parts[item], err);
}

static int do_parts(struct matcher *matcher, match_step *step, struct error *err)
{
	struct match_work match_work = {matcher, step};
	const struct parallel_work work = {.make = make_part, .shared = &match_work};

	return parallel_run(&work, matcher->part_count, matcher->part_count, err);
}

static struct goal_op op_of(const struct goal *goal, uint32_t number)
{
	const struct goal_block *block = &goal->ranks[goal_rank_of(goal, number)];

	return goal_op(block, number - block->first_op);
}

static int wildcard(const struct matcher *matcher, uint32_t number, struct error *err)
{
	char text[GOAL_TEXT_BYTES];

	return error_set(err, STATUS_LIMIT,
			 "%s: only a run could tell which message matches any source or tag",
			 goal_describe(matcher->goal, number, text));
}

/* Cut the ranks into parts of about as many operations each. */
static int make_parts(struct matcher *matcher, struct error *err)
{
	const struct goal *goal = matcher->goal;
	uint32_t count = parallel_threads(goal->op_count), rank = 0;

	TRY(allocate(&matcher->parts, count, sizeof *matcher->parts, err));
	matcher->part_count = count;
	for (uint32_t i = 0; i < count; i++) {
		struct part *part = &matcher->parts[i];
		uint64_t end = (uint64_t)goal->op_count * (i + 1) / count;

		part->first_rank = rank;
		while (rank < goal->rank_count &&
		       (i + 1 == count || goal->ranks[rank].first_op < end))
			rank++;
		part->end_rank = rank;
		TRY(allocate(&part->sends, goal->rank_count, sizeof *part->sends, err));
		TRY(allocate(&part->recvs, goal->rank_count, sizeof *part->recvs, err));
	}
	return 0;
}

/* Count messages by peer, and refuse what no order of the file decides. */
static int count_part(struct matcher *matcher, struct part *part, struct error *err)
{
	for (uint32_t rank = part->first_rank; rank < part->end_rank; rank++) {
		const struct goal_block *block = &matcher->goal->ranks[rank];

		for (uint32_t i = 0; i < block->op_count; i++) {
			struct goal_op op = goal_op(block, i);

			if (op.kind == GOAL_CALC)
				continue;
			if (op.peer == GOAL_ANY || op.tag == GOAL_ANY)
				return wildcard(matcher, block->first_op + i, err);
			(op.kind == GOAL_SEND ? part->sends : part->recvs)[op.peer]++;
		}
	}
	return 0;
}

/* List the operations of the part by peer. */
static int list_part(struct matcher *matcher, struct part *part, struct error *err)
{
	(void)err;
	for (uint32_t rank = part->first_rank; rank < part->end_rank; rank++) {
		const struct goal_block *block = &matcher->goal->ranks[rank];

		for (uint32_t i = 0; i < block->op_count; i++) {
			struct goal_op op = goal_op(block, i);

			if (op.kind == GOAL_SEND)
				matcher->sends[part->sends[op.peer]++] = block->first_op + i;
			else if (op.kind == GOAL_RECV)
				matcher->unsorted[part->recvs[op.peer]++] = block->first_op + i;
		}
	}
	return 0;
}

/* Walks over the ranks of ascending numbers, except where a list starts over. */
struct rank_cursor {
	const struct goal *goal;
	uint32_t rank;
};

static uint32_t cursor_rank(struct rank_cursor *cursor, uint32_t number)
{
	const struct goal_block *block = &cursor->goal->ranks[cursor->rank];

	if (number < block->first_op || number - block->first_op >= block->op_count)
		cursor->rank = goal_rank_of(cursor->goal, number);
	return cursor->rank;
}

/* The part's slice of the receives. */
static uint32_t slice_begin(const struct matcher *matcher, const struct part *part)
{
	return (uint32_t)((uint64_t)matcher->recv_count * (uint32_t)(part - matcher->parts) /
			  matcher->part_count);
}

/* Count the receives of the slice by their rank. */
static int count_slice(struct matcher *matcher, struct part *part, struct error *err)
{
	struct rank_cursor cursor = {matcher->goal, 0};
	uint32_t end = slice_begin(matcher, part + 1);

	(void)err;
	memset(part->recvs, 0, matcher->goal->rank_count * sizeof *part->recvs);
	for (uint32_t i = slice_begin(matcher, part); i < end; i++)
		part->recvs[cursor_rank(&cursor, matcher->unsorted[i])]++;
	return 0;
}

/* List the receives of the slice by their rank, as those of one rank are by their source. */
static int list_slice(struct matcher *matcher, struct part *part, struct error *err)
{
	struct rank_cursor cursor = {matcher->goal, 0};
	uint32_t end = slice_begin(matcher, part + 1);

	(void)err;
	for (uint32_t i = slice_begin(matcher, part); i < end; i++) {
		uint32_t number = matcher->unsorted[i];

		matcher->recvs[part->recvs[cursor_rank(&cursor, number)]++] = number;
	}
	return 0;
}

/* Turn counts into where the items of each rank and part go; returns their sum. */
static uint32_t begin_each(struct matcher *matcher, bool sends, uint32_t *ends)
{
	uint32_t begin = 0;

	for (uint32_t rank = 0; rank < matcher->goal->rank_count; rank++) {
		for (uint32_t i = 0; i < matcher->part_count; i++) {
			struct part *part = &matcher->parts[i];
			uint32_t *place = sends ? &part->sends[rank] : &part->recvs[rank];
			uint32_t count = *place;

			*place = begin;
			begin += count;
		}
		ends[rank] = begin;
	}
	return begin;
}

static int list_messages(struct matcher *matcher, struct error *err)
{
	const uint32_t rank_count = matcher->goal->rank_count;

	TRY(allocate(&matcher->send_ends, rank_count, sizeof *matcher->send_ends, err));
	TRY(allocate(&matcher->recv_ends, rank_count, sizeof *matcher->recv_ends, err));
	TRY(do_parts(matcher, count_part, err));
	matcher->send_count = begin_each(matcher, true, matcher->send_ends);
	matcher->recv_count = begin_each(matcher, false, matcher->recv_ends);
	TRY(allocate(&matcher->sends, matcher->send_count, sizeof *matcher->sends, err));
	TRY(allocate(&matcher->recvs, matcher->recv_count, sizeof *matcher->recvs, err));
	TRY(allocate(&matcher->unsorted, matcher->recv_count, sizeof *matcher->unsorted, err));
	TRY(do_parts(matcher, list_part, err));
	TRY(do_parts(matcher, count_slice, err));
	begin_each(matcher, false, matcher->recv_ends);
	TRY(do_parts(matcher, list_slice, err));
	free(matcher->unsorted);
	matcher->unsorted = NULL;
	return 0;
}

static void join(struct matcher *matcher, struct part *part, uint32_t send, uint32_t recv)
{
	matcher->partner[send] = recv;
	matcher->partner[recv] = send;
	part->message_count++;
}

static int compare_keys(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The tags of the listed operations in order, each with its position in the list. */
static void sort_tags(const struct matcher *matcher, const uint32_t *list, uint32_t count,
		      uint64_t *keys)
{
	for (uint32_t i = 0; i < count; i++)
		keys[i] = (uint64_t)op_of(matcher->goal, list[i]).tag << 32 | i;
	qsort(keys, count, sizeof *keys, compare_keys);
}

/* Match what one rank sends to another where the tags are not in the same order. */
static int match_by_tag(struct matcher *matcher, struct part *part, const uint32_t *sends,
			uint32_t send_count, const uint32_t *recvs, uint32_t recv_count,
			struct error *err)
{
	uint64_t *send_keys, *recv_keys;
	uint32_t i = 0, j = 0;

	TRY(array_reserve(&part->keys, (size_t)send_count + recv_count, err));
	send_keys = part->keys.items;
	recv_keys = send_keys + send_count;
	sort_tags(matcher, sends, send_count, send_keys);
	sort_tags(matcher, recvs, recv_count, recv_keys);
	while (i < send_count && j < recv_count) {
		uint32_t send_tag = (uint32_t)(send_keys[i] >> 32);
		uint32_t recv_tag = (uint32_t)(recv_keys[j] >> 32);

		if (send_tag == recv_tag)
			join(matcher, part, sends[(uint32_t)send_keys[i++]],
			     recvs[(uint32_t)recv_keys[j++]]);
		else if (send_tag < recv_tag)
			i++;
		else
			j++;
	}
	return 0;
}

/* Match what one rank sends to another. */
static int match_pair(struct matcher *matcher, struct part *part, uint64_t pair,
		      const uint32_t *sends, uint32_t send_count, const uint32_t *recvs,
		      uint32_t recv_count, struct error *err)
{
	const struct goal_block *from = &matcher->goal->ranks[(uint32_t)pair];
	const struct goal_block *to = &matcher->goal->ranks[pair >> 32];
	uint32_t i = 0;

	/* Most programs receive in the order in which they send. */
	while (i < send_count && i < recv_count &&
	       goal_op(from, sends[i] - from->first_op).tag ==
	       goal_op(to, recvs[i] - to->first_op).tag) {
		join(matcher, part, sends[i], recvs[i]);
		i++;
	}
	if (i == send_count || i == recv_count)
		return 0;
	return match_by_tag(matcher, part, sends + i, send_count - i, recvs + i, recv_count - i,
			    err);
}

/* (destination, source) of a send or a receive as one number. */
static uint64_t pair_of(struct rank_cursor *cursor, uint32_t number)
{
	uint32_t rank = cursor_rank(cursor, number);
	const struct goal_block *block = &cursor->goal->ranks[rank];
	struct goal_op op = goal_op(block, number - block->first_op);

	return op.kind == GOAL_SEND ? (uint64_t)op.peer << 32 | rank
				    : (uint64_t)rank << 32 | op.peer;
}

/* How many of the operations from list[0] on belong to the pair of the first. */
static uint32_t pair_length(struct rank_cursor *cursor, const uint32_t *list, uint32_t count,
			    uint64_t *pair)
{
	uint32_t length = 1;

	*pair = pair_of(cursor, list[0]);
	while (length < count && pair_of(cursor, list[length]) == *pair)
		length++;
	return length;
}

/* Match the messages to the ranks of the part. */
static int match_part(struct matcher *matcher, struct part *part, struct error *err)
{
	const struct goal *goal = matcher->goal;
	struct rank_cursor send_cursor = {goal, 0}, recv_cursor = {goal, 0};
	uint64_t send_pair = 0, recv_pair = 0;
	uint32_t i = 0, j = 0, send_end, recv_end, sends = 0, recvs = 0;

	if (part->first_rank == part->end_rank)
		return 0;
	if (part->first_rank > 0) {
		i = matcher->send_ends[part->first_rank - 1];
		j = matcher->recv_ends[part->first_rank - 1];
	}
	send_end = matcher->send_ends[part->end_rank - 1];
	recv_end = matcher->recv_ends[part->end_rank - 1];
	while (i < send_end && j < recv_end) {
		if (!sends)
			sends = pair_length(&send_cursor, matcher->sends + i, send_end - i,
					    &send_pair);
		if (!recvs)
			recvs = pair_length(&recv_cursor, matcher->recvs + j, recv_end - j,
					    &recv_pair);
		if (send_pair == recv_pair)
			TRY(match_pair(matcher, part, send_pair, matcher->sends + i, sends,
				       matcher->recvs + j, recvs, err));
		if (send_pair <= recv_pair) {
			i += sends;
			sends = 0;
			if (send_pair < recv_pair)
				continue;
		}
		j += recvs;
		recvs = 0;
	}
	return 0;
}

/* Nothing may be left over. */
static int check_all_matched(const struct matcher *matcher, uint32_t message_count,
			     struct error *err)
{
	uint32_t sends = matcher->send_count - message_count;
	uint32_t recvs = matcher->recv_count - message_count;
	char text[GOAL_TEXT_BYTES];

	if (sends == 0 && recvs == 0)
		return 0;
	for (uint32_t i = 0;; i++)
		if (matcher->partner[i] == GOAL_UNMATCHED &&
		    op_of(matcher->goal, i).kind != GOAL_CALC)
			return error_set(err, STATUS_DATA,
					 "%u sends and %u receives have no partner; the first is %s",
					 sends, recvs, goal_describe(matcher->goal, i, text));
}

static int match(struct matcher *matcher, uint32_t *message_count, struct error *err)
{
	const uint32_t op_count = matcher->goal->op_count;

	progress_phase("matching messages");
	TRY(make_parts(matcher, err));
	TRY(list_messages(matcher, err));
	TRY(allocate(&matcher->partner, op_count, sizeof *matcher->partner, err));
	memset(matcher->partner, 0xff, op_count * sizeof *matcher->partner);
	TRY(do_parts(matcher, match_part, err));
	*message_count = 0;
	for (uint32_t i = 0; i < matcher->part_count; i++)
		*message_count += matcher->parts[i].message_count;
	return check_all_matched(matcher, *message_count, err);
}

int goal_match(struct goal_matching *matching, const struct goal *goal, struct error *err)
{
	struct matcher matcher = {.goal = goal};
	uint32_t message_count = 0;
	int result = match(&matcher, &message_count, err);

	for (uint32_t i = 0; i < matcher.part_count; i++) {
		free(matcher.parts[i].sends);
		free(matcher.parts[i].recvs);
		array_release(&matcher.parts[i].keys);
	}
	free(matcher.parts);
	free(matcher.sends);
	free(matcher.recvs);
	free(matcher.unsorted);
	free(matcher.send_ends);
	free(matcher.recv_ends);
	memset(matching, 0, sizeof *matching);
	if (result < 0) {
		free(matcher.partner);
		return -1;
	}
	matching->partner = matcher.partner;
	matching->message_count = message_count;
	return 0;
}

void goal_matching_release(struct goal_matching *matching)
{
	free(matching->partner);
	memset(matching, 0, sizeof *matching);
}
