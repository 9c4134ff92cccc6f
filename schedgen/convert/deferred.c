#include "schedgen/convert/deferred.h"

int deferred_init(struct deferred *deferred, uint32_t rank_count, uint32_t world_comm,
		  struct error *err)
{
	*deferred = (struct deferred){.rank_count = rank_count, .tags.world_comm = world_comm};
	for (int half = 0; half < HALVES; half++)
		TRY(allocate(&deferred->ranks[half], rank_count, sizeof *deferred->ranks[half],
			     err));
	return 0;
}

void deferred_release(struct deferred *deferred)
{
	for (int half = 0; half < HALVES; half++) {
		for (uint32_t rank = 0; deferred->ranks[half] && rank < deferred->rank_count;
		     rank++)
			array_release(&deferred->ranks[half][rank].list);
		free(deferred->ranks[half]);
	}
	for (size_t i = 0; i < deferred->channels.count; i++)
		array_release(&deferred->channels.items[i].messages);
	array_release(&deferred->channels);
	number_map_release(&deferred->places);
	goal_tags_release(&deferred->tags);
	*deferred = (struct deferred){0};
}

void deferred_found_clear(struct deferred_found *found)
{
	for (int half = 0; half < HALVES; half++)
		found->halves[half].list.count = 0;
	number_map_clear(&found->counts);
}

void deferred_found_release(struct deferred_found *found)
{
	for (int half = 0; half < HALVES; half++)
		array_release(&found->halves[half].list);
	number_map_release(&found->counts);
}

/* ------------------------------------------------------------------- first reading */

/* Find or add the channel of a half. */
static int find_channel(struct deferred *deferred, uint64_t ranks, uint32_t tag, uint32_t *place,
			struct error *err)
{
	*place = number_map_get(&deferred->places, ranks, tag);
	if (*place != NUMBER_MAP_EMPTY)
		return 0;
	*place = (uint32_t)deferred->channels.count;
	TRY(number_map_add(&deferred->places, ranks, tag, *place, err));
	return array_push(&deferred->channels, (struct deferred_channel){0}, err);
}

/* Add a half, and its message if it waits and uses the rendezvous protocol. */
static int add_half(struct deferred *deferred, uint32_t rank, int kind, struct deferred_half half,
		    const struct found_half *found, struct error *err)
{
	struct deferred_message message = {.ordinal = half.ordinal,
					   .bytes = found->bytes,
					   .gap_ns = found->gap_ns};

	TRY(array_push(&deferred->ranks[kind][rank].list, half, err));
	if (!found->waits || !found->large)
		return 0;
	message.waits[kind] = true;
	return array_push(&deferred->channels.items[half.channel].messages, message, err);
}

static int add_halves(struct deferred *deferred, uint32_t rank, int kind,
		      struct deferred_found *found, const struct goal_tags *tags, struct error *err)
{
	number_map_clear(&found->counts);
	for (size_t i = 0; i < found->halves[kind].list.count; i++) {
		const struct found_half *each = &found->halves[kind].list.items[i];
		const uint64_t ranks = kind == HALF_SEND ? (uint64_t)rank << 32 | each->peer
							 : (uint64_t)each->peer << 32 | rank;
		struct deferred_half half = {.number = (uint32_t)i};

		if (!each->known)
			continue;
		TRY(number_map_increment(&found->counts, each->peer, each->tag, &half.ordinal,
					 err));
		half.ordinal--;
		TRY(find_channel(deferred, ranks, goal_tags_joined(tags, each->tag), &half.channel,
				 err));
		TRY(add_half(deferred, rank, kind, half, each, err));
	}
	return 0;
}

int deferred_add(struct deferred *deferred, uint32_t rank, struct deferred_found *found,
		 struct goal_tags *tags, struct error *err)
{
	TRY(goal_tags_join(tags, &deferred->tags, err));
	for (int kind = 0; kind < HALVES; kind++)
		TRY(add_halves(deferred, rank, kind, found, tags, err));
	return 0;
}

/* ------------------------------------------------------------------------ matching */

static int by_ordinal(const void *a, const void *b)
{
	const struct deferred_message *x = a, *y = b;

	return (x->ordinal > y->ordinal) - (x->ordinal < y->ordinal);
}

/* Decide how the message is deferred; false: it is not. */
static bool decide(struct deferred_message *message, const struct progress_table *table)
{
	for (int half = 0; half < HALVES; half++)
		message->waits[half] &= progress_table_early(table, half == HALF_SEND,
							     message->bytes) < message->bytes;
	message->early_bytes = message->bytes;
	for (int half = 0; half < HALVES; half++)
		if (message->waits[half]) {
			const uint64_t early = progress_table_early(table, half == HALF_SEND,
								    message->bytes);

			if (early < message->early_bytes)
				message->early_bytes = early;
		}
	message->gap_ns = message->waits[HALF_RECEIVE] ? message->gap_ns : 0;
	message->announced = message->gap_ns || message->waits[HALF_SEND];
	return message->waits[HALF_RECEIVE] || message->waits[HALF_SEND];
}

/* Join the two halves of each message, and keep those that are deferred. */
static void match_channel(struct deferred_channel *channel, const struct progress_table *table)
{
	struct deferred_message *messages = channel->messages.items;
	size_t kept = 0;

	if (!channel->messages.count)
		return;
	qsort(messages, channel->messages.count, sizeof *messages, by_ordinal);
	for (size_t i = 0; i < channel->messages.count; i++) {
		struct deferred_message message = messages[i];

		while (i + 1 < channel->messages.count &&
		       messages[i + 1].ordinal == message.ordinal) {
			i++;
			for (int half = 0; half < HALVES; half++)
				message.waits[half] |= messages[i].waits[half];
			message.gap_ns += messages[i].gap_ns;
		}
		if (decide(&message, table))
			messages[kept++] = message;
	}
	channel->messages.count = kept;
}

const struct deferred_message *deferred_find(const struct deferred *deferred,
					     const struct deferred_half *half)
{
	const struct deferred_channel *channel = &deferred->channels.items[half->channel];
	const struct deferred_message wanted = {.ordinal = half->ordinal};

	if (!channel->messages.count)
		return NULL;
	return bsearch(&wanted, channel->messages.items, channel->messages.count, sizeof wanted,
		       by_ordinal);
}

void deferred_match(struct deferred *deferred, const struct progress_table *table)
{
	for (size_t i = 0; i < deferred->channels.count; i++)
		match_channel(&deferred->channels.items[i], table);
	for (int kind = 0; kind < HALVES; kind++)
		for (uint32_t rank = 0; rank < deferred->rank_count; rank++) {
			struct deferred_halves *halves = &deferred->ranks[kind][rank];
			size_t kept = 0;

			for (size_t i = 0; i < halves->list.count; i++)
				if (deferred_find(deferred, &halves->list.items[i]))
					halves->list.items[kept++] = halves->list.items[i];
			halves->list.count = kept;
		}
}
