#include "schedgen/convert/tags.h"

int tags_number(struct tags *tags, struct tag tag, uint32_t *number, struct error *err)
{
	const uint64_t key = (uint64_t)tag.persistent << 35 | (uint64_t)tag.comm << 3 | tag.use;
	uint32_t place;

	if (tag.use == TAG_MESSAGE && tag.comm == tags->world_comm && tag.number < TAGS_FIRST_NEW) {
		*number = tag.number;
		return 0;
	}
	if (tag.persistent >= UINT32_C(1) << 29)
		return error_set(err, STATUS_LIMIT,
				 "a communicator has 2^29 persistent collectives or more");
	place = number_map_get(&tags->numbers, key, tag.number);
	if (place == NUMBER_MAP_EMPTY) {
		/* The last number means any tag. */
		if (tags->list.count >= UINT32_MAX - TAGS_FIRST_NEW)
			return error_set(err, STATUS_LIMIT,
					 "more than 2^31 tags and non-blocking collectives");
		place = (uint32_t)tags->list.count;
		TRY(number_map_add(&tags->numbers, key, tag.number, place, err));
		TRY(array_push(&tags->list, tag, err));
	}
	*number = TAGS_FIRST_NEW + place;
	return 0;
}

void tags_clear(struct tags *tags)
{
	number_map_clear(&tags->numbers);
	tags->list.count = tags->joined.count = 0;
}

int tags_join(struct tags *tags, struct tags *all, struct error *err)
{
	tags->joined.count = 0;
	TRY(array_reserve(&tags->joined, tags->list.count, err));
	for (size_t i = 0; i < tags->list.count; i++)
		TRY(tags_number(all, tags->list.items[i], &tags->joined.items[i], err));
	tags->joined.count = tags->list.count;
	return 0;
}

bool tags_differ(const struct tags *tags)
{
	for (size_t i = 0; i < tags->joined.count; i++)
		if (tags->joined.items[i] != TAGS_FIRST_NEW + i)
			return true;
	return false;
}

uint32_t tags_joined(const struct tags *tags, uint32_t number)
{
	return number < TAGS_FIRST_NEW ? number : tags->joined.items[number - TAGS_FIRST_NEW];
}

void tags_release(struct tags *tags)
{
	number_map_release(&tags->numbers);
	array_release(&tags->list);
	array_release(&tags->joined);
}
