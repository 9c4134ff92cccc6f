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

	TRY(array_push(&rank->locks, lock, err));
	TRY(array_push(&reading->open_locks, ((struct measured_open_lock){.lock = number}), err));
	return locks_add_call(rank, number, at, err);
}

static int close_lock(struct measured_reading *reading, const struct mpi_event *event, uint32_t at,
		      struct error *err)
{
	struct measured_rank *rank = reading->rank;

	for (size_t i = reading->open_locks.count; i-- > 0;) {
		const uint32_t number = reading->open_locks.items[i].lock;
		struct measured_lock *lock = &rank->locks.items[number];

		if (lock->window != event->window || lock->target != event->peer)
			continue;
		lock->end = at;
		reading->open_locks.items[i] =
			reading->open_locks.items[--reading->open_locks.count];
		return locks_add_call(rank, number, at, err);
	}
	return 0;
}

/* Note the request of an operation in its epoch.  Those to one target may share it. */
static void note_request(struct measured_reading *reading, const struct mpi_event *event)
{
	for (size_t i = 0; i < reading->open_locks.count; i++) {
		struct measured_open_lock *open = &reading->open_locks.items[i];
		const struct measured_lock *lock = &reading->rank->locks.items[open->lock];

		if (lock->window == event->window && lock->target == event->peer)
			open->request = event->request;
	}
}

/*
 * Note a call that completes operations: of their epoch, or of all ranks of the window.  What is complete at the target
 * has needed the lock.
 */
static int note_completion(struct measured_reading *reading, const struct mpi_event *event,
			   uint32_t at, struct error *err)
{
	for (size_t i = 0; i < reading->open_locks.count; i++) {
		const struct measured_open_lock *open = &reading->open_locks.items[i];
		struct measured_lock *lock = &reading->rank->locks.items[open->lock];

		if (lock->window != event->window ||
		    (lock->target != RMA_ALL && open->request != event->request))
			continue;
		if (lock->target != RMA_ALL && lock->had == NO_CALL &&
		    event->kind == EVENT_RMA_COMPLETE_REMOTE)
			lock->had = at;
		TRY(locks_add_call(reading->rank, open->lock, at, err));
	}
	return 0;
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
		note_request(reading, event);
		return 0;
	case EVENT_RMA_COMPLETE:
	case EVENT_RMA_COMPLETE_REMOTE:
		return note_completion(reading, event, at, err);
	default:
		return 0;
	}
}
