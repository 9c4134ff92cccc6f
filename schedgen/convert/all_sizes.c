#include "schedgen/convert/all_sizes.h"

#include "trace/call/call_tracker.h"

#include <string.h>

#define NONE UINT32_MAX

/* Sizes in a call of a rank. */
struct told {
	enum all_sizes_class class;
	uint32_t place;		/* SIZES_OF_BLOCKS: place in bytes, or NONE */
	uint64_t largest;	/* SIZE_OF_LARGEST: largest block; UINT64_MAX: not known */
};

/* Non-blocking collective.  Its kind is known when it completes. */
struct started {
	uint32_t comm;		/* NO_COMM: sizes are not read */
	struct told told;
};

/* Rank that is being read. */
struct reading {
	struct all_sizes *sizes;
	const struct trace_world *world;
	struct call_tracker tracker;
	ARRAY(struct started) started;	/* in the order of their starts */
};

static uint64_t all_sizes_key(enum all_sizes_class class, uint32_t comm, bool blocking)
{
	return ((uint64_t)class << 32 | comm) << 1 | blocking;
}

/* Key of a persistent collective, whose sizes are the same at each start. */
static uint64_t key_of_persistent(enum all_sizes_class class, uint32_t comm, uint32_t persistent)
{
	return (uint64_t)persistent << 35 | all_sizes_key(class, comm, false);
}

enum all_sizes_class all_sizes_class(enum mpi_collective kind)
{
	switch (kind) {
	case COLL_GATHERV:
	case COLL_SCATTERV:
		return SIZES_OF_BLOCKS;
	case COLL_ALLTOALLV:
	case COLL_ALLTOALLW:
		return SIZE_OF_LARGEST;
	default:
		return SIZES_NONE;
	}
}

/* Make room for `count` sizes at *place. */
static int add_bytes(struct all_sizes *sizes, uint32_t count, uint32_t *place, struct error *err)
{
	if (sizes->bytes.count + count >= NUMBER_MAP_EMPTY)
		return error_set(err, STATUS_LIMIT,
				 "collectives have 2^32 different blocks or more");
	*place = (uint32_t)sizes->bytes.count;
	TRY(array_reserve(&sizes->bytes, count, err));
	sizes->bytes.count += count;
	return 0;
}

static int listen(struct reading *reading, const struct mpi_event *event, struct told *told,
		  struct error *err)
{
	const bool receives = event->collective != COLL_SCATTERV;
	const uint64_t *bytes = receives ? event->receive_bytes : event->send_bytes;
	const uint32_t size = reading->world->comms[event->comm].size;

	*told = (struct told){all_sizes_class(event->collective), NONE, UINT64_MAX};
	if (!bytes)
		return 0;
	if (told->class == SIZES_OF_BLOCKS) {
		TRY(add_bytes(reading->sizes, size, &told->place, err));
		memcpy(reading->sizes->bytes.items + told->place, bytes, size * sizeof *bytes);
		return 0;
	}
	told->largest = 0;
	for (uint32_t i = 0; i < size; i++)
		told->largest = bytes[i] > told->largest ? bytes[i] : told->largest;
	return 0;
}

/* Add the sizes of this rank to the sizes of the call. */
static int add_told(struct all_sizes *sizes, uint64_t key, uint32_t number,
		    const struct told *told, struct error *err)
{
	uint32_t place = told->place, known;

	if (place == NONE && told->largest == UINT64_MAX)
		return 0;
	known = number_map_get(&sizes->places, key, number);
	if (known != NUMBER_MAP_EMPTY) {
		if (told->class == SIZE_OF_LARGEST && told->largest > sizes->bytes.items[known])
			sizes->bytes.items[known] = told->largest;
		return 0;
	}
	if (told->class == SIZE_OF_LARGEST) {
		TRY(add_bytes(sizes, 1, &place, err));
		sizes->bytes.items[place] = told->largest;
	}
	return number_map_add(&sizes->places, key, number, place, err);
}

/* Number the next call of its class in the communicator. */
static int number_call(struct reading *reading, uint32_t comm, bool blocking,
		       const struct told *told, uint32_t *number, struct error *err)
{
	TRY(call_tracker_ordinal(&reading->tracker, comm, blocking, told->class, number, err));
	return add_told(reading->sizes, all_sizes_key(told->class, comm, blocking), *number, told,
			err);
}

static bool is_wanted(const struct reading *reading, const struct mpi_event *event)
{
	return all_sizes_class(event->collective) != SIZES_NONE && !event->neighbours &&
	       event->comm < reading->world->comm_count &&
	       !reading->world->comms[event->comm].inter;
}

static int all_sizes_begin(struct reading *reading, const struct mpi_event *event,
			   struct error *err)
{
	struct tracked_request request, before;

	TRY(call_tracker_start(&reading->tracker, event, &request, &before, err));
	return array_push(&reading->started, (struct started){.comm = NO_COMM}, err);
}

static int all_sizes_complete(struct reading *reading, const struct mpi_event *event,
			      struct error *err)
{
	struct started started = {.comm = event->comm};
	struct tracked_request request;

	/* A collective without recorded start starts now. */
	if (!call_tracker_complete(&reading->tracker, event, &request))
		TRY(array_push(&reading->started, (struct started){.comm = NO_COMM}, err));
	if (!is_wanted(reading, event))
		return 0;
	TRY(listen(reading, event, &started.told, err));
	if (event->persistent)
		return add_told(reading->sizes,
				key_of_persistent(started.told.class, event->comm,
						  event->persistent), 0, &started.told, err);
	reading->started.items[request.ordinal] = started;
	return 0;
}

static int all_sizes_receive(void *data, const struct mpi_call *call, struct error *err)
{
	struct reading *reading = data;

	for (uint32_t i = 0; i < call->event_count; i++) {
		const struct mpi_event *event = &call->events[i];
		struct told told;
		uint32_t number;

		if (event->kind == EVENT_COLLECTIVE_REQUEST)
			TRY(all_sizes_begin(reading, event, err));
		if (event->kind == EVENT_COLLECTIVE_COMPLETE)
			TRY(all_sizes_complete(reading, event, err));
		if (event->kind != EVENT_COLLECTIVE || !is_wanted(reading, event))
			continue;
		TRY(listen(reading, event, &told, err));
		TRY(number_call(reading, event->comm, true, &told, &number, err));
	}
	return 0;
}

/* Number the started collectives.  All ranks start them in the same order in a communicator. */
static int number_started(struct reading *reading, uint32_t rank, struct error *err)
{
	for (uint32_t i = 0; i < reading->started.count; i++) {
		const struct started *started = &reading->started.items[i];
		uint32_t number;

		if (started->comm == NO_COMM)
			continue;
		TRY(number_call(reading, started->comm, false, &started->told, &number, err));
		TRY(number_map_add(&reading->sizes->numbers, rank, i, number, err));
	}
	return 0;
}

static int all_sizes_read_rank(struct reading *reading, struct trace_reader *reader, uint32_t rank,
			       struct error *err)
{
	call_tracker_begin(&reading->tracker, reading->world, rank);
	reading->started.count = 0;
	TRY(trace_reader_rank(reader, rank, all_sizes_receive, reading, err));
	return number_started(reading, rank, err);
}

int all_sizes_read(struct all_sizes *sizes, struct trace_reader *reader, struct error *err)
{
	struct reading reading = {.sizes = sizes, .world = trace_reader_world(reader)};
	int result = 0;

	for (uint32_t rank = 0; result == 0 && rank < reading.world->rank_count; rank++)
		result = all_sizes_read_rank(&reading, reader, rank, err);
	call_tracker_release(&reading.tracker);
	array_release(&reading.started);
	return result;
}

void all_sizes_release(struct all_sizes *sizes)
{
	number_map_release(&sizes->places);
	number_map_release(&sizes->numbers);
	array_release(&sizes->bytes);
}

static const uint64_t *all_sizes_at(const struct all_sizes *sizes, uint64_t key, uint32_t number)
{
	const uint32_t place = number_map_get(&sizes->places, key, number);

	return place == NUMBER_MAP_EMPTY ? NULL : sizes->bytes.items + place;
}

const uint64_t *all_sizes_find(const struct all_sizes *sizes, enum all_sizes_class class,
			       uint32_t comm, uint32_t number)
{
	return all_sizes_at(sizes, all_sizes_key(class, comm, true), number);
}

const uint64_t *all_sizes_find_persistent(const struct all_sizes *sizes,
					  enum all_sizes_class class, uint32_t comm,
					  uint32_t persistent)
{
	return all_sizes_at(sizes, key_of_persistent(class, comm, persistent), 0);
}

const uint64_t *all_sizes_find_started(const struct all_sizes *sizes, enum all_sizes_class class,
				       uint32_t comm, uint32_t rank, uint32_t started)
{
	const uint32_t number = number_map_get(&sizes->numbers, rank, started);

	return number == NUMBER_MAP_EMPTY ? NULL :
	       all_sizes_at(sizes, all_sizes_key(class, comm, false), number);
}
