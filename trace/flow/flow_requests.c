#include "trace/flow/flow_requests.h"

#include <string.h>

/* Codes: a request that is an exception, else 1 more than its position. */
enum { FOREIGN = 0 };

static int flow_requests_damaged(struct error *err)
{
	return error_set(err, STATUS_DATA, "damaged: a request that is not open");
}

enum flow_request_use flow_request_use(const struct mpi_event *event)
{
	switch (event->kind) {
	case EVENT_ISEND:
	case EVENT_IRECV_REQUEST:
	case EVENT_COLLECTIVE_REQUEST:
		return FLOW_STARTS;
	case EVENT_ISEND_COMPLETE:
	case EVENT_IRECV:
	case EVENT_COLLECTIVE_COMPLETE:
	case EVENT_REQUEST_CANCELLED:
		return FLOW_ENDS;
	case EVENT_REQUEST_TEST:
		return FLOW_TESTS;
	default:
		return !event->request		   ? FLOW_NO_REQUEST
		       : event_is_rma(event->kind) ? FLOW_RECENTLY
						   : FLOW_KEEPS;
	}
}

static int open_list(struct flow_requests *requests, uint32_t thread, struct flow_open_list **list,
		     struct error *err)
{
	while (requests->threads.count <= thread)
		TRY(array_push(&requests->threads, (struct flow_open_list){0}, err));
	*list = &requests->threads.items[thread];
	return 0;
}

static int add_open(struct flow_open_list *list, uint64_t number, uint8_t posted, struct error *err)
{
	/* Room of the oldest is used again once it is most of the list. */
	if (list->oldest > 64 && list->oldest * 2 > list->count) {
		list->count -= list->oldest;
		memmove(list->items, list->items + list->oldest, list->count * sizeof *list->items);
		list->oldest = 0;
	}
	return array_push(list, ((struct flow_open){number, posted}), err);
}

static void remove_open(struct flow_open_list *list, size_t place)
{
	/* Move the shorter side: mostly requests complete in their order. */
	if (place - list->oldest <= list->count - place) {
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
static void move_to_front(struct flow_requests *requests, uint64_t number, uint32_t place)
{
	memmove(requests->recent + 1, requests->recent, place * sizeof *requests->recent);
	requests->recent[0] = number;
}

static void add_recent(struct flow_requests *requests, uint64_t number)
{
	if (requests->recent_count < FLOW_RECENT)
		requests->recent_count++;
	move_to_front(requests, number, requests->recent_count - 1);
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

static int write_open(struct flow_requests *requests, const struct mpi_event *event,
		      uint32_t thread, bool ends, uint64_t *code, uint8_t *posted,
		      struct error *err)
{
	struct flow_open_list *list;

	TRY(open_list(requests, thread, &list, err));
	for (size_t i = list->oldest; i < list->count; i++)
		if (list->items[i].number == event->request) {
			*code = 1 + i - list->oldest;
			*posted = list->items[i].posted;
			if (ends)
				remove_open(list, i);
			return 0;
		}
	*code = FOREIGN;
	return flow_put(&requests->foreign, event->request, err);
}

static int write_recent(struct flow_requests *requests, uint64_t number, uint64_t *code,
			struct error *err)
{
	for (uint32_t i = 0; i < requests->recent_count; i++)
		if (requests->recent[i] == number) {
			*code = 1 + i;
			move_to_front(requests, number, i);
			return 0;
		}
	*code = FOREIGN;
	add_recent(requests, number);
	return note_start(requests, number, err);
}

int flow_request_write(struct flow_requests *requests, const struct mpi_event *event,
		       uint32_t thread, enum flow_request_use use, uint64_t *code, uint8_t *posted,
		       struct error *err)
{
	struct flow_open_list *list;

	*code = FOREIGN;
	*posted = 0;
	switch (use) {
	case FLOW_NO_REQUEST:
		return 0;
	case FLOW_STARTS:
		TRY(open_list(requests, thread, &list, err));
		TRY(note_start(requests, event->request, err));
		return add_open(list, event->request,
				event->kind == EVENT_IRECV_REQUEST ? event->posted : 0, err);
	case FLOW_TESTS:
	case FLOW_ENDS:
		return write_open(requests, event, thread, use == FLOW_ENDS, code, posted, err);
	case FLOW_RECENTLY:
		return write_recent(requests, event->request, code, err);
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

static int read_open(struct flow_requests *requests, struct mpi_event *event, uint32_t thread,
		     bool ends, uint64_t code, struct error *err)
{
	struct flow_open_list *list;

	if (code == FOREIGN)
		return read_foreign(requests, &event->request, err);
	TRY(open_list(requests, thread, &list, err));
	if (code > list->count - list->oldest)
		return flow_requests_damaged(err);
	event->request = list->items[list->oldest + code - 1].number;
	if (ends)
		remove_open(list, list->oldest + code - 1);
	return 0;
}

static int read_recent(struct flow_requests *requests, struct mpi_event *event, uint64_t code,
		       struct error *err)
{
	if (code == FOREIGN) {
		event->request = foretell(requests);
		add_recent(requests, event->request);
		return 0;
	}
	if (code > requests->recent_count)
		return flow_requests_damaged(err);
	event->request = requests->recent[code - 1];
	move_to_front(requests, event->request, (uint32_t)code - 1);
	return 0;
}

int flow_request_read(struct flow_requests *requests, struct mpi_event *event, uint32_t thread,
		      enum flow_request_use use, uint64_t code, struct error *err)
{
	struct flow_open_list *list;

	switch (use) {
	case FLOW_NO_REQUEST:
		return 0;
	case FLOW_STARTS:
		TRY(open_list(requests, thread, &list, err));
		event->request = foretell(requests);
		return add_open(list, event->request, 0, err);
	case FLOW_TESTS:
	case FLOW_ENDS:
		return read_open(requests, event, thread, use == FLOW_ENDS, code, err);
	case FLOW_RECENTLY:
		return read_recent(requests, event, code, err);
	case FLOW_KEEPS:
		break;
	}
	return read_foreign(requests, &event->request, err);
}

void flow_requests_release(struct flow_requests *requests)
{
	for (size_t i = 0; i < requests->threads.count; i++)
		free(requests->threads.items[i].items);
	array_release(&requests->threads);
	array_release(&requests->exceptions);
	array_release(&requests->foreign);
}
