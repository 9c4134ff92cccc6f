#include "trace/flow/call/flow_requests.h"

#include <sched.h>
#include <string.h>

/* Codes: a request that is none of the thread's, else 1 more than its position: 1 is the oldest. */
enum { FOREIGN = 0 };

static int flow_requests_damaged(struct error *err)
{
	return error_set(err, STATUS_DATA, "damaged: a request that is not open");
}

const uint8_t flow_request_uses[EVENT_KINDS] = {
	[EVENT_SEND] = FLOW_KEEPS,
	[EVENT_RECV] = FLOW_KEEPS,
	[EVENT_ISEND] = FLOW_STARTS,
	[EVENT_ISEND_COMPLETE] = FLOW_ENDS,
	[EVENT_IRECV_REQUEST] = FLOW_STARTS,
	[EVENT_IRECV] = FLOW_ENDS,
	[EVENT_REQUEST_TEST] = FLOW_TESTS,
	[EVENT_REQUEST_CANCELLED] = FLOW_ENDS,
	[EVENT_COLLECTIVE] = FLOW_KEEPS,
	[EVENT_COLLECTIVE_REQUEST] = FLOW_STARTS,
	[EVENT_COLLECTIVE_COMPLETE] = FLOW_ENDS,
	[EVENT_COMM_CREATE] = FLOW_KEEPS,
	[EVENT_COMM_DESTROY] = FLOW_KEEPS,
	[EVENT_TRANSFER] = FLOW_KEEPS,
	[EVENT_PROBE] = FLOW_KEEPS,
	[EVENT_WIN_CREATE] = FLOW_RECENTLY,
	[EVENT_WIN_DESTROY] = FLOW_RECENTLY,
	[EVENT_RMA_COLLECTIVE] = FLOW_RECENTLY,
	[EVENT_RMA_GROUP_SYNC] = FLOW_RECENTLY,
	[EVENT_RMA_LOCK] = FLOW_RECENTLY,
	[EVENT_RMA_UNLOCK] = FLOW_RECENTLY,
	[EVENT_RMA_SYNC] = FLOW_RECENTLY,
	[EVENT_RMA_PUT] = FLOW_RECENTLY,
	[EVENT_RMA_GET] = FLOW_RECENTLY,
	[EVENT_RMA_ATOMIC] = FLOW_RECENTLY,
	[EVENT_RMA_COMPLETE] = FLOW_RECENTLY,
	[EVENT_RMA_COMPLETE_REMOTE] = FLOW_RECENTLY,
	[EVENT_RMA_TEST] = FLOW_RECENTLY,
};

int flow_requests_of(struct flow_requests *requests, uint32_t number,
		     struct flow_request_thread **thread, struct error *err)
{
	while (requests->threads.count <= number)
		TRY(array_push(&requests->threads, NULL, err));
	if (!requests->threads.items[number])
		TRY(allocate(&requests->threads.items[number], 1, sizeof **thread, err));
	*thread = requests->threads.items[number];
	return 0;
}

/* Open requests of a thread are looked at by another one only if that completes one of them. */
static void enter(const struct flow_requests *requests, struct flow_request_thread *thread)
{
	if (requests->lock)
		while (atomic_flag_test_and_set_explicit(&thread->busy, memory_order_acquire))
			sched_yield();
}

static void leave(const struct flow_requests *requests, struct flow_request_thread *thread)
{
	if (requests->lock)
		atomic_flag_clear_explicit(&thread->busy, memory_order_release);
}

static int add_open(struct flow_request_thread *list, uint64_t number, uint8_t posted,
		    struct error *err)
{
	const struct flow_open open = {number, ++list->starts, posted};

	/* Room of the oldest is used again once it is most of the list. */
	if (list->oldest > FLOW_MOST_UNUSED && list->oldest * 2 > list->count) {
		list->count -= list->oldest;
		memmove(list->items, list->items + list->oldest, list->count * sizeof *list->items);
		list->oldest = 0;
	}
	return array_push(list, open, err);
}

static void remove_open(struct flow_request_thread *list, size_t place)
{
	/* Move the shorter side: mostly requests complete in their order. */
	if (place == list->oldest) {
		flow_open_remove_oldest(list);
	} else if (place - list->oldest <= list->count - place) {
		memmove(list->items + list->oldest + 1, list->items + list->oldest,
			(place - list->oldest) * sizeof *list->items);
		list->oldest++;
	} else {
		list->count--;
		memmove(list->items + place, list->items + place + 1,
			(list->count - place) * sizeof *list->items);
	}
}

/* Put a number before all recent ones, from its place among them. */
static void move_to_front(struct flow_request_thread *thread, uint64_t number, uint32_t place)
{
	memmove(thread->recent + 1, thread->recent, place * sizeof *thread->recent);
	thread->recent[0] = number;
}

static void add_recent(struct flow_request_thread *thread, uint64_t number)
{
	if (thread->recent_count < FLOW_RECENT)
		thread->recent_count++;
	move_to_front(thread, number, thread->recent_count - 1);
}

/* ---------------------------------------------------------------------- writing */

static int note_start(struct flow_requests *requests, uint64_t number, struct error *err)
{
	const uint64_t foretold = requests->last + 1;

	if (!requests->exact)
		return 0;
	requests->starts++;
	requests->last = number;
	if (number == foretold)
		return 0;
	TRY(flow_put(&requests->exceptions, requests->starts - requests->exception_start, err));
	requests->exception_start = requests->starts;
	return flow_put(&requests->exceptions, flow_fold_sign((int64_t)(number - foretold)), err);
}

/* Find an open request by its number.  Returns SIZE_MAX if there is none. */
static size_t find_open(const struct flow_request_thread *thread, uint64_t number)
{
	for (size_t i = thread->oldest; i < thread->count; i++)
		if (thread->items[i].number == number)
			return i;
	return SIZE_MAX;
}

/* Name a request by its thread.  Returns whether it is the thread's. */
static bool write_own(const struct flow_requests *requests, struct flow_request_thread *thread,
		      uint64_t number, bool ends, struct flow_code *code)
{
	size_t place;

	enter(requests, thread);
	place = find_open(thread, number);
	if (place != SIZE_MAX) {
		code->code = thread->by_starts ? 1 + thread->starts - thread->items[place].start
					       : 1 + place - thread->oldest;
		code->posted = thread->items[place].posted;
		thread->uses++;
		if (ends)
			remove_open(thread, place);
	}
	leave(requests, thread);
	return place != SIZE_MAX;
}

/* Distance from the start of the owner that the thread has named before, which becomes this one. */
static int put_distance(struct flow_request_thread *thread, uint32_t owner, uint64_t start,
			uint64_t *folded, struct error *err)
{
	while (thread->others.count <= owner)
		TRY(array_push(&thread->others, 0, err));
	*folded = flow_fold_sign((int64_t)(start - thread->others.items[owner]));
	thread->others.items[owner] = start;
	return 0;
}

/* Name a request of another thread.  Returns 1 if it is this owner's, else 0. */
static int write_other(const struct flow_requests *requests, struct flow_request_thread *thread,
		       uint32_t owner, uint64_t number, bool ends, struct flow_code *code,
		       struct error *err)
{
	struct flow_request_thread *other = requests->threads.items[owner];
	uint64_t start = 0;
	size_t place;

	if (!other || other == thread)
		return 0;
	enter(requests, other);
	place = find_open(other, number);
	if (place != SIZE_MAX) {
		start = other->items[place].start;
		code->posted = other->items[place].posted;
		code->owner = owner + 1;
		if (!other->by_starts)
			other->by_starts_from = other->uses;
		other->by_starts = true;
		if (ends)
			remove_open(other, place);
	}
	leave(requests, other);
	if (!start)
		return 0;
	TRY(put_distance(thread, owner, start, &code->foreign, err));
	return 1;
}

/* Name a request that is not the thread's own. */
static int write_foreign(struct flow_requests *requests, struct flow_request_thread *thread,
			 uint64_t number, bool ends, struct flow_code *code, struct error *err)
{
	int found = 0;

	if (requests->lock)
		pthread_mutex_lock(requests->lock);
	for (uint32_t i = 0; found == 0 && i < requests->threads.count; i++)
		found = write_other(requests, thread, i, number, ends, code, err);
	if (requests->lock)
		pthread_mutex_unlock(requests->lock);
	if (found || !requests->exact)
		return found < 0 ? -1 : 0;
	return flow_put(&requests->foreign, number, err);
}

static int write_recent(struct flow_requests *requests, struct flow_request_thread *thread,
			uint64_t number, uint64_t *code, struct error *err)
{
	for (uint32_t i = 0; i < thread->recent_count; i++)
		if (thread->recent[i] == number) {
			*code = 1 + i;
			move_to_front(thread, number, i);
			return 0;
		}
	*code = FOREIGN;
	add_recent(thread, number);
	return note_start(requests, number, err);
}

static int write_start(struct flow_requests *requests, struct flow_request_thread *thread,
		       const struct mpi_event *event, struct error *err)
{
	int result;

	TRY(note_start(requests, event->request, err));
	enter(requests, thread);
	result = add_open(thread, event->request,
			  event->kind == EVENT_IRECV_REQUEST ? event->posted : 0, err);
	leave(requests, thread);
	return result;
}

int flow_request_write_other(struct flow_requests *requests, struct flow_request_thread *thread,
			     const struct mpi_event *event, enum flow_request_use use,
			     struct flow_code *code, struct error *err)
{
	switch (use) {
	case FLOW_NO_REQUEST:
		return 0;
	case FLOW_STARTS:
		return write_start(requests, thread, event, err);
	case FLOW_TESTS:
	case FLOW_ENDS:
		return write_own(requests, thread, event->request, use == FLOW_ENDS, code)
			       ? 0
			       : write_foreign(requests, thread, event->request, use == FLOW_ENDS,
					       code, err);
	case FLOW_RECENTLY:
		return write_recent(requests, thread, event->request, &code->code, err);
	case FLOW_KEEPS:
		break;
	}
	return requests->exact ? flow_put(&requests->foreign, event->request, err) : 0;
}

/* Threads that name requests by their starts: their number and from when on. */
static int put_threads(const struct flow_requests *requests, struct flow_bytes *to,
		       struct error *err)
{
	for (uint32_t i = 0; i < requests->threads.count; i++) {
		const struct flow_request_thread *thread = requests->threads.items[i];

		if (!thread || !thread->by_starts)
			continue;
		TRY(flow_put(to, i, err));
		TRY(flow_put(to, thread->by_starts_from, err));
	}
	return 0;
}

int flow_requests_put(const struct flow_requests *requests, struct flow_bytes *to,
		      struct error *err)
{
	struct flow_bytes threads = {0};
	int result = put_threads(requests, &threads, err);

	if (result == 0 &&
	    (threads.count || requests->exceptions.count || requests->foreign.count)) {
		result = flow_put_block(to, requests->exceptions.items, requests->exceptions.count,
					err);
		if (result == 0)
			result = flow_put_block(to, requests->foreign.items,
						requests->foreign.count, err);
		if (result == 0)
			result = flow_put_bytes(to, threads.items, threads.count, err);
	}
	array_release(&threads);
	return result;
}

int flow_foreign_put(const struct flow_code *code, struct flow_bytes *values, struct error *err)
{
	TRY(flow_put(values, code->owner, err));
	return code->owner ? flow_put(values, code->foreign, err) : 0;
}

void flow_foreign_get(struct flow_code *code, struct flow_cursor *values)
{
	code->owner = (uint32_t)flow_get_most(values, UINT32_MAX);
	code->foreign = code->owner ? flow_get(values) : 0;
}

/* ---------------------------------------------------------------------- reading */

static void next_exception(struct flow_requests *requests)
{
	requests->exception = 0;
	if (!flow_left(&requests->exceptions_left))
		return;
	requests->exception_start += flow_get(&requests->exceptions_left);
	requests->exception = flow_unfold_sign(flow_get(&requests->exceptions_left));
}

int flow_requests_read(struct flow_requests *requests, struct flow_cursor packed, struct error *err)
{
	if (!flow_left(&packed))
		return 0;
	requests->exceptions_left = flow_get_block(&packed);
	requests->foreign_left = flow_get_block(&packed);
	while (flow_left(&packed)) {
		const uint32_t number = flow_get_below(&packed, requests->threads.count);
		const uint64_t from = flow_get(&packed);

		if (packed.damaged)
			return flow_requests_damaged(err);
		requests->threads.items[number]->by_starts = true;
		requests->threads.items[number]->by_starts_from = from;
	}
	next_exception(requests);
	return packed.damaged ? flow_requests_damaged(err) : 0;
}

static uint64_t foretell(struct flow_requests *requests)
{
	requests->last++;
	requests->starts++;
	if (requests->exception && requests->starts == requests->exception_start) {
		requests->last += (uint64_t)requests->exception;
		next_exception(requests);
	}
	return requests->last;
}

/* Number of a request that no thread has started. */
static int read_kept(struct flow_requests *requests, uint64_t *number, struct error *err)
{
	if (!requests->exact) {
		*number = foretell(requests);
		return 0;
	}
	*number = flow_get(&requests->foreign_left);
	return requests->foreign_left.damaged ? flow_requests_damaged(err) : 0;
}

/* Find an open request by its start.  Returns SIZE_MAX if there is none. */
static size_t find_start(const struct flow_request_thread *thread, uint64_t start)
{
	for (size_t i = thread->oldest; i < thread->count; i++)
		if (thread->items[i].start == start)
			return i;
	return SIZE_MAX;
}

/*
 * Test a request that another thread completes, and has before: without an order of threads it may
 * be so.
 */
static int read_completed(struct flow_requests *requests, struct mpi_event *event,
			  struct error *err)
{
	if (requests->exact)
		return flow_requests_damaged(err);
	event->request = foretell(requests);
	return 0;
}

static int read_foreign(struct flow_requests *requests, struct flow_request_thread *thread,
			struct mpi_event *event, bool ends, const struct flow_code *code,
			struct error *err)
{
	const uint32_t owner = code->owner - 1;
	struct flow_request_thread *other;
	uint64_t start;
	size_t place;

	if (!code->owner)
		return read_kept(requests, &event->request, err);
	if (owner >= requests->threads.count || requests->threads.items[owner] == thread)
		return flow_requests_damaged(err);
	other = requests->threads.items[owner];
	while (thread->others.count <= owner)
		TRY(array_push(&thread->others, 0, err));
	start = thread->others.items[owner] + (uint64_t)flow_unfold_sign(code->foreign);
	/* Until then the other thread has named requests by places, to which this one belongs. */
	if (start > other->starts || other->uses < other->by_starts_from)
		return 1;
	place = find_start(other, start);
	if (place == SIZE_MAX && ends)
		return flow_requests_damaged(err);
	thread->others.items[owner] = start;
	if (place == SIZE_MAX)
		return read_completed(requests, event, err);
	event->request = other->items[place].number;
	if (ends)
		remove_open(other, place);
	return 0;
}

static int read_own(struct flow_requests *requests, struct flow_request_thread *thread,
		    struct mpi_event *event, bool ends, uint64_t code, struct error *err)
{
	size_t place = code > thread->count - thread->oldest ? SIZE_MAX : thread->oldest + code - 1;

	if (thread->by_starts && thread->uses >= thread->by_starts_from) {
		place = find_start(thread, thread->starts + 1 - code);
		if (place == SIZE_MAX && !ends) {
			thread->uses++;
			return read_completed(requests, event, err);
		}
	}
	if (place == SIZE_MAX)
		return flow_requests_damaged(err);
	thread->uses++;
	event->request = thread->items[place].number;
	if (ends)
		remove_open(thread, place);
	return 0;
}

static int read_recent(struct flow_requests *requests, struct flow_request_thread *thread,
		       struct mpi_event *event, uint64_t code, struct error *err)
{
	if (code == FOREIGN) {
		event->request = foretell(requests);
		add_recent(thread, event->request);
		return 0;
	}
	if (code > thread->recent_count)
		return flow_requests_damaged(err);
	event->request = thread->recent[code - 1];
	move_to_front(thread, event->request, (uint32_t)code - 1);
	return 0;
}

int flow_request_read_other(struct flow_requests *requests, struct flow_request_thread *thread,
			    struct mpi_event *event, enum flow_request_use use,
			    const struct flow_code *code, struct error *err)
{
	switch (use) {
	case FLOW_NO_REQUEST:
		return 0;
	case FLOW_STARTS:
		event->request = foretell(requests);
		return add_open(thread, event->request, 0, err);
	case FLOW_TESTS:
	case FLOW_ENDS:
		return code->code == FOREIGN
			       ? read_foreign(requests, thread, event, use == FLOW_ENDS, code, err)
			       : read_own(requests, thread, event, use == FLOW_ENDS, code->code,
					  err);
	case FLOW_RECENTLY:
		return read_recent(requests, thread, event, code->code, err);
	case FLOW_KEEPS:
		break;
	}
	return read_kept(requests, &event->request, err);
}

void flow_requests_release(struct flow_requests *requests)
{
	for (size_t i = 0; i < requests->threads.count; i++) {
		struct flow_request_thread *thread = requests->threads.items[i];

		if (!thread)
			continue;
		free(thread->items);
		array_release(&thread->others);
		free(thread);
	}
	array_release(&requests->threads);
	array_release(&requests->exceptions);
	array_release(&requests->foreign);
}
