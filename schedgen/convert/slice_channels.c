#include "schedgen/convert/slice_channels.h"

static struct slice_end *find_end(const struct slice_rank *rank, const struct goal_new_op *op)
{
	const uint64_t key = (uint64_t)op->peer << 1 | (op->kind == GOAL_SEND);
	const uint32_t place = number_map_get(&rank->places, key, op->tag);

	return place == NUMBER_MAP_EMPTY ? NULL : &rank->ends.items[place];
}

int slice_rank_count(struct slice_rank *rank, const struct goal_new_op *op, bool inside,
		     struct error *err)
{
	struct slice_end *end;

	if (op->kind == GOAL_CALC)
		return 0;
	end = find_end(rank, op);
	if (!end) {
		const bool send = op->kind == GOAL_SEND;
		const struct slice_end new_end = {.peer = op->peer, .tag = op->tag, .send = send};

		TRY(number_map_add(&rank->places, (uint64_t)op->peer << 1 | send, op->tag,
				   (uint32_t)rank->ends.count, err));
		TRY(array_push(&rank->ends, new_end, err));
		end = &rank->ends.items[rank->ends.count - 1];
	}
	end->first += !inside;
	end->count += inside;
	return 0;
}

void slice_rank_clear(struct slice_rank *rank)
{
	number_map_clear(&rank->places);
	rank->ends.count = 0;
}

void slice_rank_release(struct slice_rank *rank)
{
	number_map_release(&rank->places);
	array_release(&rank->ends);
}

static uint64_t channel_key(uint32_t rank, const struct slice_end *end)
{
	return end->send ? (uint64_t)rank << 32 | end->peer : (uint64_t)end->peer << 32 | rank;
}

int slice_channels_add(struct slice_channels *channels, uint32_t rank,
		       const struct slice_rank *ends, const struct goal_tags *tags,
		       struct error *err)
{
	for (size_t i = 0; i < ends->ends.count; i++) {
		const struct slice_end *end = &ends->ends.items[i];
		const uint32_t tag = goal_tags_joined(tags, end->tag);
		const uint64_t key = channel_key(rank, end);
		uint32_t place = number_map_get(&channels->places, key, tag);

		if (!end->count)
			continue;
		if (place == NUMBER_MAP_EMPTY) {
			place = (uint32_t)channels->channels.count;
			TRY(number_map_add(&channels->places, key, tag, place, err));
			TRY(array_push(&channels->channels, (struct slice_channel){0}, err));
		}
		channels->channels.items[place].first[end->send] = end->first;
		channels->channels.items[place].count[end->send] = end->count;
	}
	return 0;
}

/* Is message `number` of the channel in the slice of its other end too? */
static bool is_whole(const struct slice_channels *channels, uint32_t rank,
		     const struct slice_end *end, uint32_t tag, uint64_t number)
{
	const uint32_t place = number_map_get(&channels->places, channel_key(rank, end), tag);
	const struct slice_channel *channel;

	if (place == NUMBER_MAP_EMPTY)
		return false;
	channel = &channels->channels.items[place];
	return number >= channel->first[!end->send] &&
	       number - channel->first[!end->send] < channel->count[!end->send];
}

/* Rank whose halves are being dropped. */
struct dropping {
	const struct slice_channels *channels;
	const struct goal_tags *tags;
	struct slice_rank *ends;
	uint32_t rank;
	struct slice_dropped dropped;
};

static int drop_half(void *data, struct goal_new_op *op, struct error *err)
{
	struct dropping *dropping = data;
	struct slice_end *end;
	enum tag_use use;

	(void)err;
	if (op->kind == GOAL_CALC)
		return 0;
	end = find_end(dropping->ends, op);
	if (is_whole(dropping->channels, dropping->rank, end,
		     goal_tags_joined(dropping->tags, op->tag), end->next++))
		return 0;
	use = goal_tags_find(dropping->tags, op->tag).use;
	if (op->kind == GOAL_SEND &&
	    (use == TAG_MESSAGE || use == TAG_PARTITIONED || use == TAG_DEFERRED))
		dropping->dropped.sends++;
	else
		dropping->dropped.others++;
	*op = (struct goal_new_op){.kind = GOAL_CALC, .cpu = op->cpu};
	return 1;
}

int slice_channels_apply(const struct slice_channels *channels, uint32_t rank,
			 struct slice_rank *ends, const struct goal_tags *tags,
			 struct goal_builder *builder, struct slice_dropped *dropped,
			 struct error *err)
{
	struct dropping dropping = {.channels = channels, .tags = tags, .ends = ends, .rank = rank};

	for (size_t i = 0; i < ends->ends.count; i++)
		ends->ends.items[i].next = ends->ends.items[i].first;
	TRY(goal_builder_each(builder, drop_half, &dropping, err));
	dropped->sends += dropping.dropped.sends;
	dropped->others += dropping.dropped.others;
	return 0;
}

void slice_channels_release(struct slice_channels *channels)
{
	number_map_release(&channels->places);
	array_release(&channels->channels);
}
