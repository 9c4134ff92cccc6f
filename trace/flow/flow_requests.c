#include "trace/flow/flow_requests.h"

#include <string.h>

/* Codes: a request that is an exception, else 1 more than its position. */
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

static int add_open(struct flow_request_thread *list, uint64_t number, uint8_t posted,
		    struct error *err)
{
	/* Room of the oldest is used again once it is most of the list. */
	if (list->oldest > 64 && list->oldest * 2 > list->count) {
		list->count -= list->oldest;
		memmove(list->items, list->items + list->oldest, list->count * sizeof *list->items);
		list->oldest = 0;
	}
	return array_push(list, ((struct flow_open){number, posted}), err);
}

static void remove_open(struct flow_request_thread *list, size_t place)
{
	/* Move the shorter side: mostly requests complete in their order. */
	if (place == list->oldest) {
		list->oldest++;
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

	requests->starts++;
	requests->last = number;
	if (number == foretold)
		return 0;
	TRY(flow_put(&requests->exceptions, requests->starts - requests->exception_start, err));
	requests->exception_start = requests->starts;
	return flow_put(&requests->exceptions, flow_fold_sign((int64_t)(number - foretold)), err);
}

static int write_open(struct flow_requests *requests, struct flow_request_thread *thread,
		      const struct mpi_event *event, bool ends, struct flow_code *code,
		      struct error *err)
{
	for (size_t i = thread->oldest; i < thread->count; i++)
		if (thread->items[i].number == event->request) {
			code->code = 1 + i - thread->oldest;
			code->posted = thread->items[i].posted;
			if (ends)
				remove_open(thread, i);
			return 0;
		}
	code->code = FOREIGN;
	return flow_put(&requests->foreign, event->request, err);
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

int flow_request_write(struct flow_requests *requests, struct flow_request_thread *thread,
		       const struct mpi_event *event, enum flow_request_use use,
		       struct flow_code *code, struct error *err)
{
	*code = (struct flow_code){.code = FOREIGN};
	switch (use) {
	case FLOW_NO_REQUEST:
		return 0;
	case FLOW_STARTS:
		TRY(note_start(requests, event->request, err));
		return add_open(thread, event->request,
				event->kind == EVENT_IRECV_REQUEST ? event->posted : 0, err);
	case FLOW_TESTS:
	case FLOW_ENDS:
		return write_open(requests, thread, event, use == FLOW_ENDS, code, err);
	case FLOW_RECENTLY:
		return write_recent(requests, thread, event->request, &code->code, err);
	case FLOW_KEEPS:
		break;
	}
	return flow_put(&requests->foreign, event->request, err);
}

int flow_requests_put(const struct flow_requests *requests, struct flow_bytes *to,
		      struct error *err)
{
	if (!requests->exceptions.count && !requests->foreign.count)
		return 0;
	TRY(flow_put_block(to, requests->exceptions.items, requests->exceptions.count, err));
	return flow_put_block(to, requests->foreign.items, requests->foreign.count, err);
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

void flow_requests_read(struct flow_requests *requests, struct flow_cursor packed)
{
	if (!flow_left(&packed))
		return;
	requests->exceptions_left = flow_get_block(&packed);
	requests->foreign_left = flow_get_block(&packed);
	next_exception(requests);
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

static int read_foreign(struct flow_requests *requests, uint64_t *number, struct error *err)
{
	*number = flow_get(&requests->foreign_left);
	return requests->foreign_left.damaged ? flow_requests_damaged(err) : 0;
}

static int read_open(struct flow_requests *requests, struct flow_request_thread *thread,
		     struct mpi_event *event, bool ends, uint64_t code, struct error *err)
{
	if (code == FOREIGN)
		return read_foreign(requests, &event->request, err);
	if (code > thread->count - thread->oldest)
		return flow_requests_damaged(err);
	event->request = thread->items[thread->oldest + code - 1].number;
	if (ends)
		remove_open(thread, thread->oldest + code - 1);
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

int flow_request_read(struct flow_requests *requests, struct flow_request_thread *thread,
		      struct mpi_event *event, enum flow_request_use use, uint64_t code,
		      struct error *err)
{
	switch (use) {
	case FLOW_NO_REQUEST:
		return 0;
	case FLOW_STARTS:
		event->request = foretell(requests);
		return add_open(thread, event->request, 0, err);
	case FLOW_TESTS:
	case FLOW_ENDS:
		return read_open(requests, thread, event, use == FLOW_ENDS, code, err);
	case FLOW_RECENTLY:
		return read_recent(requests, thread, event, code, err);
	case FLOW_KEEPS:
		break;
	}
	return read_foreign(requests, &event->request, err);
}

void flow_requests_release(struct flow_requests *requests)
{
	for (size_t i = 0; i < requests->threads.count; i++) {
		if (requests->threads.items[i])
			free(requests->threads.items[i]->items);
		free(requests->threads.items[i]);
	}
	array_release(&requests->threads);
	array_release(&requests->exceptions);
	array_release(&requests->foreign);
}
