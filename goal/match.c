#include "goal/match.h"

#include "common/array.h"
#include "common/number_map.h"
#include "common/parallel/parallel.h"
#include "common/progress.h"
#include "common/units.h"

#include <stdbool.h>

/* Prefetch the place of a send in `partner` by this number of messages of its source. */
enum { FETCH_AHEAD = 8 };

/*
 * Matching.  A counting sort lists the sends by destination and keeps the order of the file, so
 * that the sends of one source to a destination follow each other.  Then each receive, in the
 * order of the file, takes the next send of its source.  The tag of a send is in the place of its
 * partner, which is fetched at that moment, so operations are only read in the order of the
 * file.  If tags come in another order, a table of tags matches the remaining sends.
 *
 * Several threads do this in parts of successive ranks: first with the messages that the ranks
 * send, then with those that they receive.  In the sort each part has its own counters, so that
 * the sends to a rank come in the order of the parts.
 */
struct part {
	uint32_t first_rank, end_rank;
	/*
	 * Per rank: the number of sends to it in the part, then the place of the next one;
	 * while receives take sends, the place of the next send of the rank.
	 */
	uint32_t *next;
	uint32_t recv_count, recvs_left;	/* recvs_left: without a partner */
	struct number_map chains;	/* of tag and source to the first remaining send */
};

struct matcher {
	const struct goal *goal;
	struct part *parts;
	uint32_t part_count;
	uint32_t *sends;		/* numbers of operations, by destination */
	uint32_t *send_ends;		/* [rank]: end of its sends in `sends` */
	uint32_t *partner;		/* of a send that no receive has taken, its tag */
};

/* Function for a part of a step. */
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

static int wildcard(const struct matcher *matcher, uint32_t number, struct error *err)
{
	char text[GOAL_TEXT_BYTES];

	return error_set(err, STATUS_LIMIT,
			 "%s: only a run could tell which message matches any source or tag",
			 goal_describe(matcher->goal, number, text));
}

/* Cut the ranks into parts with about the same number of operations. */
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
		TRY(allocate(&part->next, goal->rank_count, sizeof *part->next, err));
	}
	return 0;
}

/* Count sends by destination.  Refuse receives that the order of the file does not decide. */
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
			if (op.kind == GOAL_SEND)
				part->next[op.peer]++;
		}
	}
	return 0;
}

/* Turn counts into the places of the sends of each part to each rank. */
static void place_sends(struct matcher *matcher)
{
	uint32_t begin = 0;

	for (uint32_t rank = 0; rank < matcher->goal->rank_count; rank++) {
		for (uint32_t i = 0; i < matcher->part_count; i++) {
			uint32_t *place = &matcher->parts[i].next[rank];
			uint32_t count = *place;

			*place = begin;
			begin += count;
		}
		matcher->send_ends[rank] = begin;
	}
}

static int list_part(struct matcher *matcher, struct part *part, struct error *err)
{
	(void)err;
	for (uint32_t rank = part->first_rank; rank < part->end_rank; rank++) {
		const struct goal_block *block = &matcher->goal->ranks[rank];

		for (uint32_t i = 0; i < block->op_count; i++) {
			struct goal_op op = goal_op(block, i);

			if (op.kind != GOAL_SEND)
				continue;
			matcher->sends[part->next[op.peer]++] = block->first_op + i;
			matcher->partner[block->first_op + i] = op.tag;
		}
	}
	return 0;
}

/* Receives of a rank, and sends to it, which are a slice of matcher->sends. */
struct inbox {
	const struct goal_block *block;
	uint32_t begin, end;
};

static struct inbox inbox_of(const struct matcher *matcher, uint32_t rank)
{
	return (struct inbox){
		.block = &matcher->goal->ranks[rank],
		.begin = rank ? matcher->send_ends[rank - 1] : 0,
		.end = matcher->send_ends[rank],
	};
}

static bool holds(const struct goal_block *block, uint32_t number)
{
	return number - block->first_op < block->op_count;
}

static void join_message(struct matcher *matcher, uint32_t send, uint32_t recv)
{
	matcher->partner[send] = recv;
	matcher->partner[recv] = send;
}

/* Find the place in the inbox where the sends of a block or of later blocks begin. */
static uint32_t find_sends(const struct matcher *matcher, const struct inbox *inbox,
			   const struct goal_block *from)
{
	uint32_t low = inbox->begin, high = inbox->end;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (matcher->sends[middle] < from->first_op)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Give a receive the next send of its source, as most programs receive in the order of the
 * sends.  False if no send is left, and after the first other tag.
 */
static bool take_next_send(struct matcher *matcher, struct part *part, const struct inbox *inbox,
		      uint32_t recv, const struct goal_op *op)
{
	const struct goal_block *from = &matcher->goal->ranks[op->peer];
	uint32_t at = part->next[op->peer], send;

	/* A place noted for another rank is outside this inbox. */
	if (at <= inbox->begin || at > inbox->end)
		at = find_sends(matcher, inbox, from);
	if (at == inbox->end || !holds(from, matcher->sends[at]))
		return false;
	send = matcher->sends[at];
	if (matcher->partner[send] != op->tag) {
		/* No later receive may overtake this one. */
		part->next[op->peer] = inbox->end;
		return false;
	}
	if (inbox->end - at > FETCH_AHEAD)
		__builtin_prefetch(&matcher->partner[matcher->sends[at + FETCH_AHEAD]], 1);
	part->next[op->peer] = at + 1;
	join_message(matcher, send, recv);
	return true;
}

/* Whether a receive has taken the send to the inbox. */
static bool is_taken(const struct matcher *matcher, const struct inbox *inbox, uint32_t send)
{
	const uint32_t recv = matcher->partner[send];

	return holds(inbox->block, recv) &&
	       goal_op(inbox->block, recv - inbox->block->first_op).kind == GOAL_RECV &&
	       matcher->partner[recv] == send;
}

/* Chain the remaining sends by tag and source: the partner of each is the next one. */
static int chain_sends(struct matcher *matcher, struct part *part, const struct inbox *inbox,
		       struct error *err)
{
	uint32_t source = 0;

	for (uint32_t at = inbox->end; at-- > inbox->begin;) {
		uint32_t send = matcher->sends[at], tag = matcher->partner[send];

		if (is_taken(matcher, inbox, send))
			continue;
		if (!holds(&matcher->goal->ranks[source], send))
			source = goal_rank_of(matcher->goal, send);
		matcher->partner[send] = number_map_remove(&part->chains, tag, source);
		TRY(number_map_add(&part->chains, tag, source, send, err));
	}
	return 0;
}

/* Match the remaining sends and receives by tag. */
static int match_by_tag(struct matcher *matcher, struct part *part, const struct inbox *inbox,
			struct error *err)
{
	TRY(chain_sends(matcher, part, inbox, err));
	for (uint32_t i = 0; i < inbox->block->op_count; i++) {
		struct goal_op op = goal_op(inbox->block, i);
		uint32_t recv = inbox->block->first_op + i, send, next;

		if (op.kind != GOAL_RECV || matcher->partner[recv] != GOAL_UNMATCHED)
			continue;
		send = number_map_remove(&part->chains, op.tag, op.peer);
		if (send == NUMBER_MAP_EMPTY)
			continue;
		next = matcher->partner[send];
		if (next != NUMBER_MAP_EMPTY)
			TRY(number_map_add(&part->chains, op.tag, op.peer, next, err));
		join_message(matcher, send, recv);
		part->recvs_left--;
	}
	number_map_clear(&part->chains);
	return 0;
}

/* Match the messages to a rank. */
static int match_rank(struct matcher *matcher, struct part *part, uint32_t rank,
		      struct error *err)
{
	const struct inbox inbox = inbox_of(matcher, rank);
	uint32_t recvs = 0, left = 0;

	for (uint32_t i = 0; i < inbox.block->op_count; i++) {
		struct goal_op op = goal_op(inbox.block, i);
		uint32_t number = inbox.block->first_op + i;

		if (op.kind == GOAL_SEND)
			continue;
		if (op.kind == GOAL_RECV) {
			recvs++;
			if (take_next_send(matcher, part, &inbox, number, &op))
				continue;
			left++;
		}
		matcher->partner[number] = GOAL_UNMATCHED;
	}
	part->recv_count += recvs;
	part->recvs_left += left;
	return left ? match_by_tag(matcher, part, &inbox, err) : 0;
}

static int match_part(struct matcher *matcher, struct part *part, struct error *err)
{
	memset(part->next, 0, matcher->goal->rank_count * sizeof *part->next);
	for (uint32_t rank = part->first_rank; rank < part->end_rank; rank++)
		TRY(match_rank(matcher, part, rank, err));
	return 0;
}

/* Name the first operation without a partner. */
static int report_unmatched(const struct matcher *matcher, uint32_t sends, uint32_t recvs,
			    struct error *err)
{
	const struct goal *goal = matcher->goal;
	char text[GOAL_TEXT_BYTES];

	for (uint32_t rank = 0; rank < goal->rank_count; rank++) {
		const struct inbox inbox = inbox_of(matcher, rank);

		for (uint32_t at = inbox.begin; at < inbox.end; at++)
			if (!is_taken(matcher, &inbox, matcher->sends[at]))
				matcher->partner[matcher->sends[at]] = GOAL_UNMATCHED;
	}
	for (uint32_t rank = 0;; rank++) {
		const struct goal_block *block = &goal->ranks[rank];

		for (uint32_t i = 0; i < block->op_count; i++)
			if (matcher->partner[block->first_op + i] == GOAL_UNMATCHED &&
			    goal_op(block, i).kind != GOAL_CALC)
				return error_set(
					err, STATUS_DATA,
					"%u send%s and %u receive%s have no partner; the first is"
					" %s",
					sends, plural(sends), recvs, plural(recvs),
					goal_describe(goal, block->first_op + i, text));
	}
}

static int match_messages(struct matcher *matcher, uint32_t *message_count, struct error *err)
{
	const struct goal *goal = matcher->goal;
	uint32_t send_count, recvs_left = 0;

	progress_phase("matching messages");
	TRY(make_parts(matcher, err));
	TRY(allocate(&matcher->send_ends, goal->rank_count, sizeof *matcher->send_ends, err));
	TRY(do_parts(matcher, count_part, err));
	place_sends(matcher);
	send_count = matcher->send_ends[goal->rank_count - 1];
	TRY(allocate(&matcher->sends, send_count, sizeof *matcher->sends, err));
	TRY(allocate(&matcher->partner, goal->op_count, sizeof *matcher->partner, err));
	TRY(do_parts(matcher, list_part, err));
	TRY(do_parts(matcher, match_part, err));
	*message_count = 0;
	for (uint32_t i = 0; i < matcher->part_count; i++) {
		*message_count += matcher->parts[i].recv_count - matcher->parts[i].recvs_left;
		recvs_left += matcher->parts[i].recvs_left;
	}
	if (send_count == *message_count && recvs_left == 0)
		return 0;
	return report_unmatched(matcher, send_count - *message_count, recvs_left, err);
}

int goal_match(struct goal_matching *matching, const struct goal *goal, struct error *err)
{
	struct matcher matcher = {.goal = goal};
	uint32_t message_count = 0;
	int result = match_messages(&matcher, &message_count, err);

	for (uint32_t i = 0; i < matcher.part_count; i++) {
		free(matcher.parts[i].next);
		number_map_release(&matcher.parts[i].chains);
	}
	free(matcher.parts);
	free(matcher.sends);
	free(matcher.send_ends);
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
