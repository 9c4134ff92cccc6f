#include "schedgen/convert/slice_channels.h"

static struct cut_end *find_end(const struct cut_rank *rank, const struct goal_new_op *op)
{
	const uint64_t key = (uint64_t)op->peer << 1 | (op->kind == GOAL_SEND);
	const uint32_t place = number_map_get(&rank->places, key, op->tag);

	return place == NUMBER_MAP_EMPTY ? NULL : &rank->ends.items[place];
}

int cut_rank_count(struct cut_rank *rank, const struct goal_new_op *op, bool inside,
		   struct error *err)
{
	struct cut_end *end;

	if (op->kind == GOAL_CALC)
		return 0;
	end = find_end(rank, op);
	if (!end) {
		const bool send = op->kind == GOAL_SEND;
		const struct cut_end new_end = {.peer = op->peer, .tag = op->tag, .send = send};

		TRY(number_map_add(&rank->places, (uint64_t)op->peer << 1 | send, op->tag,
				   (uint32_t)rank->ends.count, err));
		TRY(array_push(&rank->ends, new_end, err));
		end = &rank->ends.items[rank->ends.count - 1];
	}
	end->first += !inside;
	end->count += inside;
	return 0;
}

void cut_rank_clear(struct cut_rank *rank)
{
	number_map_clear(&rank->places);
	rank->ends.count = 0;
}

void cut_rank_release(struct cut_rank *rank)
{
	number_map_release(&rank->places);
	array_release(&rank->ends);
}

static uint64_t channel_key(uint32_t rank, const struct cut_end *end)
{
	return end->send ? (uint64_t)rank << 32 | end->peer : (uint64_t)end->peer << 32 | rank;
}

int cut_add(struct cut *cut, uint32_t rank, const struct cut_rank *ends, const struct tags *tags,
	    struct error *err)
{
	for (size_t i = 0; i < ends->ends.count; i++) {
		const struct cut_end *end = &ends->ends.items[i];
		const uint32_t tag = tags_joined(tags, end->tag);
		const uint64_t key = channel_key(rank, end);
		uint32_t place = number_map_get(&cut->places, key, tag);

		if (!end->count)
			continue;
		if (place == NUMBER_MAP_EMPTY) {
			place = (uint32_t)cut->channels.count;
			TRY(number_map_add(&cut->places, key, tag, place, err));
			TRY(array_push(&cut->channels, (struct cut_channel){0}, err));
		}
		cut->channels.items[place].first[end->send] = end->first;
		cut->channels.items[place].count[end->send] = end->count;
	}
	return 0;
}

/* Is the message with this number in the window at the other end as well? */
static bool is_whole(const struct cut *cut, uint32_t rank, const struct cut_end *end,
		     uint32_t tag, uint64_t number)
{
	const uint32_t place = number_map_get(&cut->places, channel_key(rank, end), tag);
	const struct cut_channel *channel;

	if (place == NUMBER_MAP_EMPTY)
		return false;
	channel = &cut->channels.items[place];
	return number >= channel->first[!end->send] &&
	       number - channel->first[!end->send] < channel->count[!end->send];
}

/* A rank whose halves are being dropped. */
struct dropping {
	const struct cut *cut;
	const struct tags *tags;
	struct cut_rank *ends;
	uint32_t rank;
	struct cut_dropped dropped;
};

static int drop_half(void *data, struct goal_new_op *op, struct error *err)
{
	struct dropping *dropping = data;
	struct cut_end *end;
	enum tag_use use;

	(void)err;
	if (op->kind == GOAL_CALC)
		return 0;
	end = find_end(dropping->ends, op);
	if (is_whole(dropping->cut, dropping->rank, end, tags_joined(dropping->tags, op->tag),
		     end->next++))
		return 0;
	use = tags_find(dropping->tags, op->tag).use;
	if (op->kind == GOAL_SEND && (use == TAG_MESSAGE || use == TAG_PARTITIONED))
		dropping->dropped.sends++;
	else
		dropping->dropped.others++;
	*op = (struct goal_new_op){.kind = GOAL_CALC, .cpu = op->cpu};
	return 1;
}

int cut_apply(const struct cut *cut, uint32_t rank, struct cut_rank *ends,
	      const struct tags *tags, struct goal_builder *builder, struct cut_dropped *dropped,
	      struct error *err)
{
	struct dropping dropping = {.cut = cut, .tags = tags, .ends = ends, .rank = rank};

	for (size_t i = 0; i < ends->ends.count; i++)
		ends->ends.items[i].next = ends->ends.items[i].first;
	TRY(goal_builder_each(builder, drop_half, &dropping, err));
	dropped->sends += dropping.dropped.sends;
	dropped->others += dropping.dropped.others;
	return 0;
}

void cut_release(struct cut *cut)
{
	number_map_release(&cut->places);
	array_release(&cut->channels);
}
