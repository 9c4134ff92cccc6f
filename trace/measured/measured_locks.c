#include "trace/measured/measured_locks.h"

static int locks_add_call(struct measured_rank *rank, uint32_t lock, uint32_t call,
			  struct error *err)
{
	const size_t count = rank->lock_calls.count;

	/* A flush completes many operations. */
	if (count && rank->lock_calls.items[count - 1].lock == lock &&
	    rank->lock_calls.items[count - 1].call == call)
		return 0;
	return array_push(&rank->lock_calls, ((struct measured_lock_call){lock, call}), err);
}

/* Locks of a window by what they lock, a rank or RMA_ALL. */
static uint64_t key_of(const struct mpi_event *event)
{
	return (uint64_t)event->window << 32 | event->peer;
}

static int open_lock(struct measured_reading *reading, const struct mpi_event *event, uint32_t at,
		     struct error *err)
{
	struct measured_rank *rank = reading->rank;
	const uint32_t number = (uint32_t)rank->locks.count;
	const struct measured_lock lock = {
		.window = event->window,
		.comm = event->comm,
		.target = event->peer,
		.begin = at,
		.end = NO_CALL,
		.had = NO_CALL,
		.exclusive = event->exclusive && event->peer != RMA_ALL,
	};
	uint32_t before;

	TRY(array_push(&rank->locks, lock, err));
	TRY(array_push(&reading->lock_requests, 0, err));
	TRY(number_map_set(&reading->open_locks, key_of(event), 0, number, &before, err));
	return locks_add_call(rank, number, at, err);
}

/* Forget the request of a lock. */
static void forget_request(struct measured_reading *reading, uint32_t lock)
{
	const uint64_t request = reading->lock_requests.items[lock];
	const uint32_t window = reading->rank->locks.items[lock].window;

	if (number_map_get(&reading->requested_locks, request, window) == lock)
		number_map_remove(&reading->requested_locks, request, window);
}

static int close_lock(struct measured_reading *reading, const struct mpi_event *event, uint32_t at,
		      struct error *err)
{
	const uint32_t number = number_map_remove(&reading->open_locks, key_of(event), 0);

	if (number == NUMBER_MAP_EMPTY)
		return 0;
	reading->rank->locks.items[number].end = at;
	forget_request(reading, number);
	return locks_add_call(reading->rank, number, at, err);
}

/*
 * Note the request of an operation in its epoch.  Those to one target may share it.  Epochs of all ranks have none: which
 * rank of them a flush waits for is not known.
 */
static int note_request(struct measured_reading *reading, const struct mpi_event *event,
			struct error *err)
{
	const uint32_t number = number_map_get(&reading->open_locks, key_of(event), 0);
	uint32_t before;

	if (number == NUMBER_MAP_EMPTY)
		return 0;
	forget_request(reading, number);
	reading->lock_requests.items[number] = event->request;
	return number_map_set(&reading->requested_locks, event->request, event->window, number,
			      &before, err);
}

/* Note a call that completes operations.  What is complete at the target has needed the lock. */
static int note_completion(struct measured_reading *reading, const struct mpi_event *event,
			   uint32_t at, struct error *err)
{
	const uint32_t number = number_map_get(&reading->requested_locks, event->request,
					       event->window);
	struct measured_lock *lock;

	if (number == NUMBER_MAP_EMPTY)
		return 0;
	lock = &reading->rank->locks.items[number];
	if (lock->had == NO_CALL && event->kind == EVENT_RMA_COMPLETE_REMOTE)
		lock->had = at;
	return locks_add_call(reading->rank, number, at, err);
}

void measured_locks_begin(struct measured_reading *reading)
{
	number_map_clear(&reading->open_locks);
	number_map_clear(&reading->requested_locks);
	reading->lock_requests.count = 0;
}

int measured_locks_take(struct measured_reading *reading, const struct mpi_event *event,
			uint32_t at, struct error *err)
{
	switch (event->kind) {
	case EVENT_RMA_LOCK:
		return open_lock(reading, event, at, err);
	case EVENT_RMA_UNLOCK:
		return close_lock(reading, event, at, err);
	case EVENT_RMA_PUT:
	case EVENT_RMA_GET:
	case EVENT_RMA_ATOMIC:
		return note_request(reading, event, err);
	case EVENT_RMA_COMPLETE:
	case EVENT_RMA_COMPLETE_REMOTE:
		return note_completion(reading, event, at, err);
	default:
		return 0;
	}
}
