#include "eventflow/generate/free_tags.h"

#include <stdbool.h>

void free_tags_note(struct free_tags *tags, const struct mpi_event *event, uint32_t world)
{
	switch (event->kind) {
	case EVENT_SEND:
	case EVENT_RECV:
	case EVENT_ISEND:
	case EVENT_IRECV:
		if (event->comm == world && event->tag < TAGS)
			tags->used[event->tag / 64] |= UINT64_C(1) << event->tag % 64;
		break;
	default:
		break;
	}
}

static bool is_used(const struct free_tags *tags, uint32_t tag)
{
	return tags->used[tag / 64] >> tag % 64 & 1;
}

struct tag_range free_tags_longest(const struct free_tags *tags)
{
	struct tag_range longest = {0, 0}, range = {0, 0};

	for (uint32_t tag = 0; tag < TAGS; tag++) {
		if (is_used(tags, tag))
			range = (struct tag_range){tag + 1, 0};
		else
			range.count++;
		if (range.count > longest.count)
			longest = range;
	}
	return longest.count ? longest : (struct tag_range){0, TAGS};
}
