#include "schedgen/tags.h"

#define FIRST_NEW UINT32_C(0x80000000)

int tags_number(struct tags *tags, struct tag tag, uint32_t *number, struct error *err)
{
	uint64_t key = (uint64_t)tag.comm << 2 | tag.use;
	uint32_t place;

	if (tag.use == TAG_MESSAGE && tag.comm == tags->world_comm && tag.number < FIRST_NEW) {
		*number = tag.number;
		return 0;
	}
	place = number_map_get(&tags->numbers, key, tag.number);
	if (place == NUMBER_MAP_EMPTY) {
		/* The last number means any tag. */
		if (tags->list.count >= UINT32_MAX - FIRST_NEW)
			return error_set(err, STATUS_LIMIT,
					 "more than 2^31 tags and non-blocking collectives");
		place = (uint32_t)tags->list.count;
		TRY(number_map_add(&tags->numbers, key, tag.number, place, err));
		TRY(array_push(&tags->list, tag, err));
	}
	*number = FIRST_NEW + place;
	return 0;
}

struct tag tags_find(const struct tags *tags, uint32_t number)
{
	if (number < FIRST_NEW)
		return (struct tag){.comm = tags->world_comm, .number = number};
	return tags->list.items[number - FIRST_NEW];
}

void tags_release(struct tags *tags)
{
	number_map_release(&tags->numbers);
	array_release(&tags->list);
}
