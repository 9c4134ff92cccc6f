#include "trace/journal/ordinals.h"

#include <string.h>

void ordinals_init(struct ordinals *ordinals)
{
	memset(ordinals, 0, sizeof *ordinals);
	pthread_mutex_init(&ordinals->lock, NULL);
}

void ordinals_release(struct ordinals *ordinals)
{
	number_map_release(&ordinals->by_sequence);
	array_release(&ordinals->entries);
	pthread_mutex_destroy(&ordinals->lock);
}

bool ordinals_sequence(const struct mpi_event *event, struct sequence *sequence)
{
	*sequence = (struct sequence){.object = event->comm};
	switch (event->kind) {
	case EVENT_SEND:
	case EVENT_ISEND:
	case EVENT_RECV:
	case EVENT_IRECV:
		sequence->kind = event->kind == EVENT_SEND || event->kind == EVENT_ISEND
					 ? SEQUENCE_SENDS
					 : SEQUENCE_RECEIVES;
		sequence->peer = event->peer;
		sequence->tag = event->tag;
		return true;
	case EVENT_COLLECTIVE:
	case EVENT_COLLECTIVE_REQUEST:
		sequence->kind = SEQUENCE_COLLECTIVES;
		return true;
	case EVENT_RMA_COLLECTIVE:
		sequence->kind = SEQUENCE_RMA;
		sequence->object = event->window;
		return true;
	default:
		return false;
	}
}

/* Find the entry of a sequence, or add it. */
static int find_entry(struct ordinals *ordinals, const struct sequence *sequence,
		      struct ordinals_entry **entry, struct error *err)
{
	const uint64_t key = ordinals_key(sequence);
	uint32_t index = number_map_get(&ordinals->by_sequence, key, sequence->tag);

	if (index == NUMBER_MAP_EMPTY) {
		index = (uint32_t)ordinals->entries.count;
		if (index >= ORDINALS_MOST || sequence->object >> 30)
			return error_set(err, STATUS_LIMIT,
					 "messages have more than %d pairs of peer and tag",
					 ORDINALS_MOST);
		TRY(array_push(&ordinals->entries, (struct ordinals_entry){0}, err));
		TRY(number_map_add(&ordinals->by_sequence, key, sequence->tag, index, err));
	}
	*entry = &ordinals->entries.items[index];
	return 0;
}

int ordinals_take(struct ordinals *ordinals, const struct sequence *sequence, uint32_t stamp,
		  uint64_t *ordinal, bool *known, struct error *err)
{
	struct ordinals_entry *entry = NULL;
	int result;

	pthread_mutex_lock(&ordinals->lock);
	result = find_entry(ordinals, sequence, &entry, err);
	if (result == 0) {
		*ordinal = entry->next++;
		*known = entry->stamp == stamp;
		entry->stamp = stamp;
	}
	pthread_mutex_unlock(&ordinals->lock);
	return result;
}

uint32_t ordinals_stamp(struct ordinals *ordinals)
{
	uint32_t stamp;

	pthread_mutex_lock(&ordinals->lock);
	stamp = ++ordinals->stamps;
	pthread_mutex_unlock(&ordinals->lock);
	return stamp;
}
