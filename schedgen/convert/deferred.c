#include "schedgen/convert/deferred.h"

int deferred_init(struct deferred *deferred, uint32_t rank_count, uint32_t world_comm,
		  struct error *err)
{
	*deferred = (struct deferred){.rank_count = rank_count, .tags.world_comm = world_comm};
	return allocate(&deferred->ranks, rank_count, sizeof *deferred->ranks, err);
}

void deferred_release(struct deferred *deferred)
{
	for (uint32_t rank = 0; deferred->ranks && rank < deferred->rank_count; rank++) {
		array_release(&deferred->ranks[rank].list);
		array_release(&deferred->ranks[rank].cancelled);
	}
	free(deferred->ranks);
	for (size_t i = 0; i < deferred->channels.count; i++)
		array_release(&deferred->channels.items[i].sends);
	array_release(&deferred->channels);
	number_map_release(&deferred->places);
	goal_tags_release(&deferred->tags);
	*deferred = (struct deferred){0};
}

void deferred_found_clear(struct deferred_found *found)
{
	found->receives.count = found->cancelled.count = 0;
	number_map_clear(&found->counts);
}

void deferred_found_release(struct deferred_found *found)
{
	array_release(&found->receives);
	array_release(&found->cancelled);
	number_map_release(&found->counts);
}

static uint64_t deferred_key(uint32_t from, uint32_t to)
{
	return (uint64_t)from << 32 | to;
}

/* Add a deferred message to its channel. */
static int add_to_channel(struct deferred *deferred, uint64_t key, uint32_t tag,
			  const struct deferred_receive *receive, struct error *err)
{
	const struct deferred_send send = {.ordinal = receive->ordinal,
					   .announced = receive->gap_ns > 0,
					   .early_bytes = receive->early_bytes};
	uint32_t place = number_map_get(&deferred->places, key, tag);

	if (place == NUMBER_MAP_EMPTY) {
		place = (uint32_t)deferred->channels.count;
		TRY(number_map_add(&deferred->places, key, tag, place, err));
		TRY(array_push(&deferred->channels, (struct deferred_channel){0}, err));
	}
	return array_push(&deferred->channels.items[place].sends, send, err);
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int deferred_add(struct deferred *deferred, uint32_t rank, struct deferred_found *found,
		 struct goal_tags *tags, struct error *err)
{
	struct deferred_receives *own = &deferred->ranks[rank];

	TRY(goal_tags_join(tags, &deferred->tags, err));
	for (size_t i = 0; i < found->cancelled.count; i++)
		TRY(array_push(&own->cancelled, found->cancelled.items[i], err));
	if (own->cancelled.count)
		qsort(own->cancelled.items, own->cancelled.count, sizeof *own->cancelled.items,
		      by_number);
	for (size_t i = 0; i < found->receives.count; i++) {
		struct found_receive *receive = &found->receives.items[i];
		uint32_t count;

		if (!receive->known)
			continue;
		TRY(number_map_increment(&found->counts, receive->peer, receive->tag, &count, err));
		receive->is.ordinal = count - 1;
		if (!receive->deferred)
			continue;
		TRY(array_push(&own->list, receive->is, err));
		TRY(add_to_channel(deferred, deferred_key(receive->peer, rank),
				   goal_tags_joined(tags, receive->tag), &receive->is, err));
	}
	return 0;
}

const struct deferred_send *deferred_find(const struct deferred *deferred, uint32_t from, uint32_t to,
					  struct tag tag, uint32_t ordinal)
{
	const struct deferred_channel *channel;
	size_t low = 0, high;
	uint32_t number, place;

	if (!goal_tags_known(&deferred->tags, tag, &number))
		return NULL;
	place = number_map_get(&deferred->places, deferred_key(from, to), number);
	if (place == NUMBER_MAP_EMPTY)
		return NULL;
	channel = &deferred->channels.items[place];
	high = channel->sends.count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (channel->sends.items[middle].ordinal < ordinal)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == channel->sends.count || channel->sends.items[low].ordinal != ordinal)
		return NULL;
	return &channel->sends.items[low];
}
