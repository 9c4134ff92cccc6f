#include "schedgen/root_sizes.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* A non-blocking collective, of which a rank learns what it was when it completes. */
struct started {
	uint32_t comm;		/* NO_COMM: no gatherv or scatterv */
	uint32_t place;		/* in bytes, or NONE */
};

/* A rank is being read. */
struct reading {
	struct root_sizes *sizes;
	const struct trace_world *world;
	uint32_t (*numbers)[2];		/* of the next call, non-blocking and blocking, by communicator */
	struct number_map requests;	/* request: place in started */
	ARRAY(struct started) started;	/* in this order */
};

static uint64_t key_of(uint32_t comm, bool blocking)
{
	return (uint64_t)comm << 1 | blocking;
}

static int keep_bytes(struct reading *reading, const struct mpi_event *event, uint32_t *place,
		      struct error *err)
{
	const bool gathers = event->collective == COLL_GATHERV;
	const uint64_t *bytes = gathers ? event->receive_bytes : event->send_bytes;
	const uint32_t size = reading->world->comms[event->comm].size;
	struct root_sizes *sizes = reading->sizes;

	*place = NONE;
	if (!bytes)
		return 0;
	if (sizes->bytes.count + size >= NUMBER_MAP_EMPTY)
		return error_set(err, STATUS_LIMIT,
				 "gatherv and scatterv have 2^32 blocks or more");
	*place = (uint32_t)sizes->bytes.count;
	TRY(array_reserve(&sizes->bytes, size, err));
	memcpy(sizes->bytes.items + sizes->bytes.count, bytes, size * sizeof *bytes);
	sizes->bytes.count += size;
	return 0;
}

/* The next call of its kind in the communicator; *number of it. */
static int number_call(struct reading *reading, uint32_t comm, bool blocking, uint32_t place,
		       uint32_t *number, struct error *err)
{
	const uint64_t key = key_of(comm, blocking);

	*number = reading->numbers[comm][blocking]++;
	if (place == NONE ||
	    number_map_get(&reading->sizes->places, key, *number) != NUMBER_MAP_EMPTY)
		return 0;
	return number_map_add(&reading->sizes->places, key, *number, place, err);
}

static bool is_wanted(const struct reading *reading, const struct mpi_event *event)
{
	return (event->collective == COLL_GATHERV || event->collective == COLL_SCATTERV) &&
	       event->comm < reading->world->comm_count &&
	       !reading->world->comms[event->comm].inter;
}

static int begin(struct reading *reading, const struct mpi_event *event, struct error *err)
{
	const uint32_t place = (uint32_t)reading->started.count;

	number_map_remove(&reading->requests, event->request, 0);
	TRY(number_map_add(&reading->requests, event->request, 0, place, err));
	return array_push(&reading->started, (struct started){.comm = NO_COMM}, err);
}

static int complete(struct reading *reading, const struct mpi_event *event, struct error *err)
{
	uint32_t place = number_map_remove(&reading->requests, event->request, 0);
	struct started started = {.comm = event->comm};

	/* One whose start is not known starts here and now. */
	if (place == NUMBER_MAP_EMPTY) {
		place = (uint32_t)reading->started.count;
		TRY(array_push(&reading->started, (struct started){.comm = NO_COMM}, err));
	}
	if (!is_wanted(reading, event))
		return 0;
	TRY(keep_bytes(reading, event, &started.place, err));
	reading->started.items[place] = started;
	return 0;
}

static int receive(void *data, const struct mpi_call *call, struct error *err)
{
	struct reading *reading = data;

	for (uint32_t i = 0; i < call->event_count; i++) {
		const struct mpi_event *event = &call->events[i];
		uint32_t place, number;

		if (event->kind == EVENT_COLLECTIVE_REQUEST)
			TRY(begin(reading, event, err));
		if (event->kind == EVENT_COLLECTIVE_COMPLETE)
			TRY(complete(reading, event, err));
		if (event->kind != EVENT_COLLECTIVE || !is_wanted(reading, event))
			continue;
		TRY(keep_bytes(reading, event, &place, err));
		TRY(number_call(reading, event->comm, true, place, &number, err));
	}
	return 0;
}

/* All ranks start those of a communicator in the same order, but may complete them in any. */
static int number_started(struct reading *reading, uint32_t rank, struct error *err)
{
	for (uint32_t i = 0; i < reading->started.count; i++) {
		const struct started *started = &reading->started.items[i];
		uint32_t number;

		if (started->comm == NO_COMM)
			continue;
		TRY(number_call(reading, started->comm, false, started->place, &number, err));
		TRY(number_map_add(&reading->sizes->numbers, rank, i, number, err));
	}
	return 0;
}

static int read_rank(struct reading *reading, struct trace_reader *reader, uint32_t rank,
		     struct error *err)
{
	memset(reading->numbers, 0, reading->world->comm_count * sizeof *reading->numbers);
	number_map_clear(&reading->requests);
	reading->started.count = 0;
	TRY(trace_reader_rank(reader, rank, receive, reading, err));
	return number_started(reading, rank, err);
}

int root_sizes_read(struct root_sizes *sizes, struct trace_reader *reader, struct error *err)
{
	struct reading reading = {.sizes = sizes, .world = trace_reader_world(reader)};
	const size_t comms = reading.world->comm_count;
	int result = 0;

	TRY(allocate(&reading.numbers, comms + 1, sizeof *reading.numbers, err));
	for (uint32_t rank = 0; result == 0 && rank < reading.world->rank_count; rank++)
		result = read_rank(&reading, reader, rank, err);
	free(reading.numbers);
	number_map_release(&reading.requests);
	array_release(&reading.started);
	return result;
}

void root_sizes_release(struct root_sizes *sizes)
{
	number_map_release(&sizes->places);
	number_map_release(&sizes->numbers);
	array_release(&sizes->bytes);
}

static const uint64_t *find(const struct root_sizes *sizes, uint32_t comm, bool blocking,
			    uint32_t number)
{
	const uint32_t place = number_map_get(&sizes->places, key_of(comm, blocking), number);

	return place == NUMBER_MAP_EMPTY ? NULL : sizes->bytes.items + place;
}

const uint64_t *root_sizes_find(const struct root_sizes *sizes, uint32_t comm, uint32_t number)
{
	return find(sizes, comm, true, number);
}

const uint64_t *root_sizes_find_started(const struct root_sizes *sizes, uint32_t comm,
					uint32_t rank, uint32_t started)
{
	const uint32_t number = number_map_get(&sizes->numbers, rank, started);

	return number == NUMBER_MAP_EMPTY ? NULL : find(sizes, comm, false, number);
}
