/* Matching of messages whose sender and receiver belong to different processes. */
#include "critpath/match/match_steps.h"

#include <string.h>

/*
 * Each process tells the process of the other end, for each channel, which calls began its halves,
 * in order: the k-th belongs to the k-th half there.
 */

/* Halves of a process in one round. */
enum { ROUND_HALVES = 1 << 16 };

/* Halves of a channel, followed by the calls that began them. */
struct piece {
	uint32_t rank, peer; /* whose halves they are, and the rank at the other end */
	uint32_t comm, tag;
	uint32_t first, count; /* in the channel */
	uint32_t of_sends, unused;
};

/* Where the halves of own ranks have been told up to. */
struct cursor {
	bool of_recvs;
	uint32_t rank, channel, half;
};

struct messages {
	struct measured_matching *matching;
	const struct rank_owners *map;
	struct dist *dist;
	struct cursor at;
	uint64_t *sizes, *places; /* [process] */
	struct bytes packed;
};

static const struct match_side *side_at(const struct messages *messages,
					const struct cursor *cursor)
{
	return &(cursor->of_recvs ? messages->matching->recvs
				  : messages->matching->sends)[cursor->rank];
}

static bool at_end(const struct messages *messages, const struct cursor *cursor)
{
	return cursor->of_recvs && cursor->rank == messages->matching->run->own_end;
}

/* Go to the next channel, which may be of the next rank, or of the receives. */
static void next_channel(const struct messages *messages, struct cursor *cursor)
{
	const struct measured_run *run = messages->matching->run;

	cursor->half = 0;
	cursor->channel++;
	while (cursor->rank < run->own_end &&
	       cursor->channel >= side_at(messages, cursor)->channels.count) {
		cursor->channel = 0;
		if (++cursor->rank == run->own_end && !cursor->of_recvs) {
			cursor->of_recvs = true;
			cursor->rank = run->own_first;
		}
	}
}

/* Find the next piece of at most `most` halves that is for another process.  False at the end. */
static bool next_piece(const struct messages *messages, struct cursor *cursor, uint32_t most,
		       struct piece *piece)
{
	const struct measured_run *run = messages->matching->run;

	for (; !at_end(messages, cursor); next_channel(messages, cursor)) {
		const struct match_side *side = side_at(messages, cursor);
		const struct match_channel *channel;
		uint32_t count;

		if (cursor->channel >= side->channels.count)
			continue;
		channel = &side->channels.items[cursor->channel];
		match_side_halves(side, cursor->channel, &count);
		count -= cursor->half;
		if (!count || channel->peer >= run->rank_count || measured_owns(run, channel->peer))
			continue;
		*piece = (struct piece){.rank = cursor->rank,
					.peer = channel->peer,
					.comm = channel->comm,
					.tag = channel->tag,
					.first = cursor->half,
					.count = count < most ? count : most,
					.of_sends = !cursor->of_recvs};
		return true;
	}
	return false;
}

static uint64_t bytes_of(const struct piece *piece)
{
	return sizeof *piece + piece->count * sizeof(struct measured_start);
}

/* Write a piece and its calls. */
static void write_piece(const struct messages *messages, const struct cursor *cursor,
			const struct piece *piece, unsigned char *to)
{
	const struct measured_rank *rank = &messages->matching->run->ranks[piece->rank];
	uint32_t count;
	const uint32_t *halves = match_side_halves(side_at(messages, cursor), cursor->channel,
						   &count);

	memcpy(to, piece, sizeof *piece);
	to += sizeof *piece;
	for (uint32_t k = 0; k < piece->count; k++) {
		const uint32_t half = halves[piece->first + k];
		struct measured_start start = {.call = NO_CALL};

		if (half != NO_MATCH) {
			start.call = piece->of_sends ? rank->sends.items[half].begin
						     : rank->recvs.items[half].begin;
			start.begin_ns = rank->calls.items[start.call].enter_ns;
			start.function = rank->calls.items[start.call].function;
		}
		memcpy(to + k * sizeof start, &start, sizeof start);
	}
}

/* Go through the pieces of a round.  write: write them to their places; else add up their sizes. */
static void visit_round(struct messages *messages, struct cursor *cursor, bool write)
{
	uint32_t left = ROUND_HALVES;
	struct piece piece;

	while (left && next_piece(messages, cursor, left, &piece)) {
		const uint32_t process = rank_owner(messages->map, piece.peer);

		if (write) {
			write_piece(messages, cursor, &piece,
				    messages->packed.list.items + messages->places[process]);
			messages->places[process] += bytes_of(&piece);
		} else {
			messages->sizes[process] += bytes_of(&piece);
		}
		left -= piece.count;
		cursor->half += piece.count;
	}
}

/* Pack the halves of the next round, in order of the processes that need them. */
static int messages_pack(struct messages *messages, struct error *err)
{
	struct cursor cursor = messages->at;
	uint64_t sum = 0;

	memset(messages->sizes, 0, messages->dist->size * sizeof *messages->sizes);
	visit_round(messages, &cursor, false);
	for (uint32_t p = 0; p < messages->dist->size; p++) {
		messages->places[p] = sum;
		sum += messages->sizes[p];
	}
	messages->packed.list.count = 0;
	TRY(array_reserve(&messages->packed.list, sum, err));
	visit_round(messages, &messages->at, true);
	return 0;
}

/* Match the halves of a piece with those of an own rank. */
static int take_piece(struct messages *messages, const struct piece *piece,
		      const unsigned char *calls, struct error *err)
{
	struct measured_run *run = messages->matching->run;
	const struct match_side *side = &(piece->of_sends ? messages->matching->recvs
							  : messages->matching->sends)[piece->peer];
	uint32_t *matches = (piece->of_sends ? run->send_of : run->recv_of)[piece->peer];
	const uint32_t number = match_side_find(side, piece->rank, piece->comm, piece->tag);
	const uint32_t *halves;
	uint32_t count;

	if (number == NUMBER_MAP_EMPTY)
		return 0;
	halves = match_side_halves(side, number, &count);
	for (uint32_t k = 0; k < piece->count && piece->first + k < count; k++) {
		struct measured_start start;

		memcpy(&start, calls + k * sizeof start, sizeof start);
		if (start.call == NO_CALL || halves[piece->first + k] == NO_MATCH)
			continue;
		matches[halves[piece->first + k]] = (uint32_t)run->remote.count;
		TRY(array_push(&run->remote, start, err));
	}
	return 0;
}

static int take_arrived(struct messages *messages, const struct dist_arrived *arrived,
			struct error *err)
{
	const uint64_t end = arrived->ends[messages->dist->size - 1];

	for (uint64_t at = 0; at < end;) {
		struct piece piece;

		memcpy(&piece, arrived->bytes + at, sizeof piece);
		TRY(take_piece(messages, &piece, arrived->bytes + at + sizeof piece, err));
		at += bytes_of(&piece);
	}
	return 0;
}

static int run_round(struct messages *messages, struct error *err)
{
	struct dist *dist = messages->dist;
	struct dist_arrived arrived;
	int result;

	TRY(dist_agree(dist, messages_pack(messages, err), err));
	TRY(dist_alltoallv(dist, messages->packed.list.items, messages->sizes, &arrived, err));
	result = take_arrived(messages, &arrived, err);
	dist_arrived_release(&arrived);
	return dist_agree(dist, result, err);
}

/* Count the halves whose other half may be in another process. */
static size_t count_remote(const struct messages *messages)
{
	struct cursor cursor = messages->at;
	struct piece piece;
	size_t count = 0;

	while (next_piece(messages, &cursor, UINT32_MAX, &piece)) {
		count += piece.count;
		cursor.half += piece.count;
	}
	return count;
}

static int messages_make_room(struct messages *messages, struct error *err)
{
	struct measured_run *run = messages->matching->run;

	messages->at.of_recvs = run->own_first == run->own_end;
	messages->at.rank = run->own_first;
	TRY(allocate(&messages->sizes, messages->dist->size, sizeof *messages->sizes, err));
	TRY(allocate(&messages->places, messages->dist->size, sizeof *messages->places, err));
	return array_reserve(&run->remote, count_remote(messages), err);
}

static int run_rounds(struct messages *messages, struct error *err)
{
	for (;;) {
		struct cursor cursor = messages->at;
		struct piece piece;
		uint64_t more = next_piece(messages, &cursor, 1, &piece);

		TRY(dist_allreduce(messages->dist, &more, 1, DIST_MAX, err));
		if (!more)
			return 0;
		TRY(run_round(messages, err));
	}
}

int match_messages_between(struct measured_matching *matching, const struct rank_owners *map,
			   struct dist *dist, struct error *err)
{
	struct messages messages = {.matching = matching, .map = map, .dist = dist};
	int result = dist_agree(dist, messages_make_room(&messages, err), err);

	if (result == 0)
		result = run_rounds(&messages, err);
	free(messages.sizes);
	free(messages.places);
	bytes_release(&messages.packed);
	return result;
}
