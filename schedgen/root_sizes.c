#include "schedgen/root_sizes.h"

#include <stdlib.h>
#include <string.h>

/* A rank is being read. */
struct reading {
	struct root_sizes *sizes;
	const struct trace_world *world;
	uint32_t *numbers;	/* of the next call in each communicator */
};

static int add(struct reading *reading, const struct mpi_event *event, const uint64_t *bytes,
	       struct error *err)
{
	const uint32_t size = reading->world->comms[event->comm].size;
	struct root_sizes *sizes = reading->sizes;
	const uint32_t number = reading->numbers[event->comm];

	if (number_map_get(&sizes->places, event->comm, number) != NUMBER_MAP_EMPTY)
		return 0;
	if (sizes->bytes.count + size >= NUMBER_MAP_EMPTY)
		return error_set(err, STATUS_LIMIT,
				 "gatherv and scatterv have 2^32 blocks or more");
	TRY(number_map_add(&sizes->places, event->comm, number, (uint32_t)sizes->bytes.count, err));
	TRY(array_reserve(&sizes->bytes, size, err));
	memcpy(sizes->bytes.items + sizes->bytes.count, bytes, size * sizeof *bytes);
	sizes->bytes.count += size;
	return 0;
}

static int receive(void *data, const struct mpi_call *call, struct error *err)
{
	struct reading *reading = data;

	for (uint32_t i = 0; i < call->event_count; i++) {
		const struct mpi_event *event = &call->events[i];
		const bool gathers = event->collective == COLL_GATHERV;
		const uint64_t *bytes = gathers ? event->receive_bytes : event->send_bytes;

		if (event->kind != EVENT_COLLECTIVE ||
		    (!gathers && event->collective != COLL_SCATTERV) ||
		    event->comm >= reading->world->comm_count)
			continue;
		if (bytes && !reading->world->comms[event->comm].inter)
			TRY(add(reading, event, bytes, err));
		reading->numbers[event->comm]++;
	}
	return 0;
}

int root_sizes_read(struct root_sizes *sizes, struct trace_reader *reader, struct error *err)
{
	struct reading reading = {.sizes = sizes, .world = trace_reader_world(reader)};
	const size_t comms = reading.world->comm_count;
	int result = 0;

	TRY(allocate(&reading.numbers, comms + 1, sizeof *reading.numbers, err));
	for (uint32_t rank = 0; result == 0 && rank < reading.world->rank_count; rank++) {
		memset(reading.numbers, 0, comms * sizeof *reading.numbers);
		result = trace_reader_rank(reader, rank, receive, &reading, err);
	}
	free(reading.numbers);
	return result;
}

void root_sizes_release(struct root_sizes *sizes)
{
	number_map_release(&sizes->places);
	array_release(&sizes->bytes);
}

const uint64_t *root_sizes_find(const struct root_sizes *sizes, uint32_t comm, uint32_t number)
{
	const uint32_t place = number_map_get(&sizes->places, comm, number);

	return place == NUMBER_MAP_EMPTY ? NULL : sizes->bytes.items + place;
}
