#include "goal/match.h"

#include "common/array.h"

/*
 * Sends and receives are sorted by (destination, source), which counting sorts
 * do in linear time; what one rank sends to another then stands together, in
 * the order of the file.
 */
struct matcher {
	const struct goal *goal;
	uint32_t *sends, *recvs;	/* numbers of operations */
	uint32_t send_count, recv_count;
	uint32_t *partner;
	uint32_t message_count;
	ARRAY(uint64_t) keys;		/* tag and position, while the tags of a pair are sorted */
	struct error *err;
};

static struct goal_op op_of(const struct goal *goal, uint32_t number)
{
	const struct goal_block *block = &goal->ranks[goal_rank_of(goal, number)];

	return goal_op(block, number - block->first_op);
}

static int wildcard(const struct matcher *matcher, uint32_t number)
{
	char text[GOAL_TEXT_BYTES];

	return error_set(matcher->err, STATUS_LIMIT,
			 "%s: only a run could tell which message matches any source or tag",
			 goal_describe(matcher->goal, number, text));
}

/* Count messages, and refuse what no order of the file decides. */
static int count_messages(struct matcher *matcher)
{
	const struct goal *goal = matcher->goal;

	for (uint32_t rank = 0; rank < goal->rank_count; rank++) {
		const struct goal_block *block = &goal->ranks[rank];

		for (uint32_t i = 0; i < block->op_count; i++) {
			struct goal_op op = goal_op(block, i);

			if (op.kind == GOAL_CALC)
				continue;
			if (op.peer == GOAL_ANY || op.tag == GOAL_ANY)
				return wildcard(matcher, block->first_op + i);
			if (op.kind == GOAL_SEND)
				matcher->send_count++;
			else
				matcher->recv_count++;
		}
	}
	return 0;
}

/* Turn counts, which stand one further, into where each key begins. */
static void begin_each(uint32_t *next, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		next[i + 1] += next[i];
}

/* List the operations of one kind by (peer, rank). */
static void sort_by_peer(const struct goal *goal, enum goal_kind kind, uint32_t *list,
			 uint32_t *next)
{
	memset(next, 0, ((size_t)goal->rank_count + 1) * sizeof *next);
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t rank = 0; rank < goal->rank_count; rank++) {
			const struct goal_block *block = &goal->ranks[rank];

			for (uint32_t i = 0; i < block->op_count; i++) {
				struct goal_op op = goal_op(block, i);

				if (op.kind != kind)
					continue;
				if (pass == 0)
					next[op.peer + 1]++;
				else
					list[next[op.peer]++] = block->first_op + i;
			}
		}
		if (pass == 0)
			begin_each(next, goal->rank_count);
	}
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

/* Sort a list stably by the rank of its operations. */
static void sort_by_rank(const struct goal *goal, const uint32_t *from, uint32_t count,
			 uint32_t *to, uint32_t *next)
{
	struct rank_cursor cursor = {goal, 0};

	memset(next, 0, ((size_t)goal->rank_count + 1) * sizeof *next);
	for (uint32_t i = 0; i < count; i++)
		next[cursor_rank(&cursor, from[i]) + 1]++;
	begin_each(next, goal->rank_count);
	for (uint32_t i = 0; i < count; i++)
		to[next[cursor_rank(&cursor, from[i])]++] = from[i];
}

static int list_messages(struct matcher *matcher)
{
	const struct goal *goal = matcher->goal;
	uint32_t *next, *unsorted;

	TRY(allocate(&matcher->sends, matcher->send_count, sizeof *matcher->sends, matcher->err));
	TRY(allocate(&matcher->recvs, matcher->recv_count, sizeof *matcher->recvs, matcher->err));
	TRY(allocate(&next, (size_t)goal->rank_count + 1, sizeof *next, matcher->err));
	if (allocate(&unsorted, matcher->recv_count, sizeof *unsorted, matcher->err) < 0) {
		free(next);
		return -1;
	}
	sort_by_peer(goal, GOAL_SEND, matcher->sends, next);
	sort_by_peer(goal, GOAL_RECV, unsorted, next);
	sort_by_rank(goal, unsorted, matcher->recv_count, matcher->recvs, next);
	free(unsorted);
	free(next);
	return 0;
}

static void join(struct matcher *matcher, uint32_t send, uint32_t recv)
{
	matcher->partner[send] = recv;
	matcher->partner[recv] = send;
	matcher->message_count++;
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
static int match_by_tag(struct matcher *matcher, const uint32_t *sends, uint32_t send_count,
			const uint32_t *recvs, uint32_t recv_count)
{
	uint64_t *send_keys, *recv_keys;
	uint32_t i = 0, j = 0;

	TRY(array_reserve(&matcher->keys, (size_t)send_count + recv_count, matcher->err));
	send_keys = matcher->keys.items;
	recv_keys = send_keys + send_count;
	sort_tags(matcher, sends, send_count, send_keys);
	sort_tags(matcher, recvs, recv_count, recv_keys);
	while (i < send_count && j < recv_count) {
		uint32_t send_tag = (uint32_t)(send_keys[i] >> 32);
		uint32_t recv_tag = (uint32_t)(recv_keys[j] >> 32);

		if (send_tag == recv_tag)
			join(matcher, sends[(uint32_t)send_keys[i++]],
			     recvs[(uint32_t)recv_keys[j++]]);
		else if (send_tag < recv_tag)
			i++;
		else
			j++;
	}
	return 0;
}

/* Match what one rank sends to another. */
static int match_pair(struct matcher *matcher, const struct goal_block *from,
		      const uint32_t *sends, uint32_t send_count, const struct goal_block *to,
		      const uint32_t *recvs, uint32_t recv_count)
{
	uint32_t i = 0;

	/* Most programs receive in the order in which they send. */
	while (i < send_count && i < recv_count &&
	       goal_op(from, sends[i] - from->first_op).tag ==
	       goal_op(to, recvs[i] - to->first_op).tag) {
		join(matcher, sends[i], recvs[i]);
		i++;
	}
	if (i == send_count || i == recv_count)
		return 0;
	return match_by_tag(matcher, sends + i, send_count - i, recvs + i, recv_count - i);
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

static int match_pairs(struct matcher *matcher)
{
	const struct goal *goal = matcher->goal;
	struct rank_cursor send_cursor = {goal, 0}, recv_cursor = {goal, 0};
	uint64_t send_pair = 0, recv_pair = 0;
	uint32_t i = 0, j = 0, sends = 0, recvs = 0;

	while (i < matcher->send_count && j < matcher->recv_count) {
		if (!sends)
			sends = pair_length(&send_cursor, matcher->sends + i,
					    matcher->send_count - i, &send_pair);
		if (!recvs)
			recvs = pair_length(&recv_cursor, matcher->recvs + j,
					    matcher->recv_count - j, &recv_pair);
		if (send_pair == recv_pair)
			TRY(match_pair(matcher, &goal->ranks[(uint32_t)send_pair],
				       matcher->sends + i, sends, &goal->ranks[send_pair >> 32],
				       matcher->recvs + j, recvs));
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
static int check_all_matched(const struct matcher *matcher)
{
	uint32_t sends = matcher->send_count - matcher->message_count;
	uint32_t recvs = matcher->recv_count - matcher->message_count;
	char text[GOAL_TEXT_BYTES];

	if (sends == 0 && recvs == 0)
		return 0;
	for (uint32_t i = 0;; i++)
		if (matcher->partner[i] == GOAL_UNMATCHED &&
		    op_of(matcher->goal, i).kind != GOAL_CALC)
			return error_set(matcher->err, STATUS_DATA,
					 "%u sends and %u receives have no partner; the first is %s",
					 sends, recvs, goal_describe(matcher->goal, i, text));
}

static int match(struct matcher *matcher)
{
	TRY(count_messages(matcher));
	TRY(list_messages(matcher));
	TRY(allocate(&matcher->partner, matcher->goal->op_count, sizeof *matcher->partner,
		     matcher->err));
	memset(matcher->partner, 0xff, matcher->goal->op_count * sizeof *matcher->partner);
	TRY(match_pairs(matcher));
	return check_all_matched(matcher);
}

int goal_match(struct goal_matching *matching, const struct goal *goal, struct error *err)
{
	struct matcher matcher = {.goal = goal, .err = err};
	int result = match(&matcher);

	free(matcher.sends);
	free(matcher.recvs);
	array_release(&matcher.keys);
	memset(matching, 0, sizeof *matching);
	if (result < 0) {
		free(matcher.partner);
		return -1;
	}
	matching->partner = matcher.partner;
	matching->message_count = matcher.message_count;
	return 0;
}

void goal_matching_release(struct goal_matching *matching)
{
	free(matching->partner);
	memset(matching, 0, sizeof *matching);
}
