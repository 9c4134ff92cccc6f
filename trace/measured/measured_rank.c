#include "trace/measured/measured_rank.h"

#include "trace/call/mpi_functions.h"
#include "trace/measured/measured_locks.h"
#include "trace/measured/measured_polls.h"
#include "trace/measured/sync_edges.h"

#include <string.h>

void measured_rank_release(struct measured_rank *rank)
{
	array_release(&rank->calls);
	array_release(&rank->sends);
	array_release(&rank->recvs);
	array_release(&rank->probes);
	array_release(&rank->parts);
	array_release(&rank->locks);
	array_release(&rank->lock_calls);
	array_release(&rank->cuts.of_sends);
	array_release(&rank->cuts.of_recvs);
	array_release(&rank->cuts.of_parts);
	array_release(&rank->sites);
}

/* ---------------------------------------------------------------------- names */

const char *measured_function(const struct measured_names *names, uint32_t function)
{
	return function < MPI_FUNCTION_COUNT ? mpi_functions[function].name
					     : names->others.items[function - MPI_FUNCTION_COUNT];
}

uint32_t measured_function_count(const struct measured_names *names)
{
	return MPI_FUNCTION_COUNT + (uint32_t)names->others.count;
}

void measured_names_release(struct measured_names *names)
{
	for (size_t i = 0; i < names->others.count; i++)
		free(names->others.items[i]);
	array_release(&names->others);
}

int measured_names_add(struct measured_names *names, const char *name, uint32_t *function,
		       struct error *err)
{
	char *copy;

	for (size_t i = 0; i < names->others.count; i++) {
		*function = MPI_FUNCTION_COUNT + (uint32_t)i;
		if (!strcmp(names->others.items[i], name))
			return 0;
	}
	*function = MPI_FUNCTION_COUNT + (uint32_t)names->others.count;
	TRY(allocate(&copy, strlen(name) + 1, 1, err));
	strcpy(copy, name);
	if (array_push(&names->others, copy, err) == 0)
		return 0;
	free(copy);
	return -1;
}

int measured_names_copy(struct measured_names *names, const struct measured_names *from,
			uint32_t *function, struct error *err)
{
	if (*function < MPI_FUNCTION_COUNT)
		return 0;
	return measured_names_add(names, measured_function(from, *function), function, err);
}

static int look_up_function(struct measured_reading *reading, const char *name, uint32_t *function,
			    struct error *err)
{
	const uint64_t key = (uintptr_t)name;
	const struct mpi_function *found;

	*function = number_map_get(&reading->functions, key, 0);
	if (*function != NUMBER_MAP_EMPTY)
		return 0;
	found = mpi_function_find(name);
	if (found)
		*function = (uint32_t)(found - mpi_functions);
	else
		TRY(measured_names_add(reading->names, name, function, err));
	return number_map_add(&reading->functions, key, 0, *function, err);
}

static int measured_rank_function_of(struct measured_reading *reading, const char *name,
				     uint32_t *function, struct error *err)
{
	const size_t at = (uintptr_t)name / 8 % RECENT_NAMES;

	if (reading->recent[at].name != name) {
		TRY(look_up_function(reading, name, &reading->recent[at].function, err));
		reading->recent[at].name = name;
	}
	*function = reading->recent[at].function;
	return 0;
}

/* --------------------------------------------------------------------- events */

/* Least events of the trace for a call, a half of a message, a part in a collective. */
enum { EVENTS_OF_CALL = 2, EVENTS_OF_HALF = 3, EVENTS_OF_PART = 4 };

/*
 * Make room for all items that the events of the rank can have, before the first one, so that the
 * array does not grow.  Room that is not used is never touched.  Without the room it grows.
 */
#define make_room(reading, array, events_of_item)                                                  \
	do {                                                                                       \
		struct error none;                                                                 \
                                                                                                   \
		if (!(array)->capacity)                                                            \
			(void)array_reserve((array), (reading)->events / (events_of_item), &none); \
	} while (0)

/*
 * Find the world rank of a rank of a communicator's events: `none` if the communicator does not have it.
 */
static int world_rank(struct measured_reading *reading, uint32_t comm, uint32_t rank, uint32_t none,
		      uint32_t *world_rank, struct error *err)
{
	const struct trace_world *world = reading->world;
	struct tracked_peers peers = {0};

	if (comm < world->comm_count && world->comms[comm].defined)
		TRY(call_tracker_peers(&reading->tracker, comm, &peers, err));
	*world_rank = call_tracker_world_rank(&reading->tracker, &peers, rank);
	if (*world_rank == NO_RANK)
		*world_rank = none;
	return 0;
}

/* Find the world rank of the peer of an event. */
static int peer_of(struct measured_reading *reading, const struct mpi_event *event, uint32_t *peer,
		   struct error *err)
{
	return world_rank(reading, event->comm, event->peer, event->peer, peer, err);
}

/* Forget a request of which it is not known how it ended: what it has begun is missing. */
static int lose_request(struct measured_reading *reading, const struct tracked_request *request,
			struct error *err)
{
	struct measured_cuts *cuts = &reading->rank->cuts;
	const uint32_t order = reading->begins.items[request->place].order;

	reading->rank->incomplete++;
	if (request->kind == TRACKED_RECV)
		return array_push(&cuts->of_recvs, order, err);
	if (request->kind == TRACKED_COLLECTIVE)
		return array_push(&cuts->of_parts, order, err);
	return 0;
}

/* Start a request, which `begin` has begun.  Forget one of the same number that has not completed. */
static int open_request(struct measured_reading *reading, const struct mpi_event *event,
			struct measured_begin begin, struct error *err)
{
	struct tracked_request request, before;
	const int lost = call_tracker_start(&reading->tracker, event, &request, &before, err);

	TRY(lost);
	if (lost)
		TRY(lose_request(reading, &before, err));
	if (request.place == reading->begins.count)
		return array_push(&reading->begins, begin, err);
	reading->begins.items[request.place] = begin;
	return 0;
}

/* Find what began the request of a completion, or NULL. */
static const struct measured_begin *close_request(struct measured_reading *reading,
						  const struct mpi_event *event,
						  enum tracked_kind kind)
{
	struct tracked_request request;

	if (call_tracker_complete(&reading->tracker, event, &request) && request.kind == kind)
		return &reading->begins.items[request.place];
	reading->rank->unmatched_events++;
	return NULL;
}

static bool function_is(uint32_t function, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	return function == a || function == b || function == c || function == d;
}

static int begin_send(struct measured_reading *reading, const struct mpi_event *event, uint32_t at,
		      struct error *err)
{
	struct measured_rank *rank = reading->rank;
	const uint32_t function = rank->calls.items[at].function;
	const bool blocking = event->kind == EVENT_SEND;
	struct measured_send send = {
		.begin = at,
		.end = blocking ? at : NO_CALL,
		.comm = event->comm,
		.tag = event->tag & MESSAGE_TAGS,
		.synchronous = function_is(function, CALL_Ssend, CALL_Ssend_c, CALL_Issend,
					   CALL_Issend_c),
		.buffered = function < MPI_FUNCTION_COUNT &&
			    mpi_functions[function].traits & MPI_BUFFERS,
		.bytes = event->bytes,
	};

	TRY(peer_of(reading, event, &send.peer, err));
	if (!blocking)
		TRY(open_request(reading, event,
				 (struct measured_begin){.send = (uint32_t)rank->sends.count},
				 err));
	make_room(reading, &rank->sends, EVENTS_OF_HALF);
	return array_push(&rank->sends, send, err);
}

static void complete_send(struct measured_reading *reading, const struct mpi_event *event,
			  uint32_t at)
{
	const struct measured_begin *begin = close_request(reading, event, TRACKED_SEND);

	if (begin)
		reading->rank->sends.items[begin->send].end = at;
}

/* The next begin of the rank, by the call at hand. */
static struct measured_begin begin_now(struct measured_reading *reading, uint32_t at)
{
	const uint32_t order = reading->orders++;

	return (struct measured_begin){.call = at,
				       .order = order,
				       .place = order - reading->call_orders,
				       .probe = NO_CALL};
}

/*
 * The next begin of a receive.  If it is not known which message the probe before the call has found, it
 * is taken for that of the first receive that the call begins.
 */
static struct measured_begin begin_recv(struct measured_reading *reading, uint32_t at)
{
	struct measured_begin begin = begin_now(reading, at);

	begin.probe = reading->probe;
	reading->probe = NO_CALL;
	return begin;
}

/* Find the call that began a request; the call at hand if that is not known. */
static struct measured_begin begin_of(struct measured_reading *reading,
				      const struct mpi_event *event, enum tracked_kind kind,
				      uint32_t at)
{
	const struct measured_begin *begin = close_request(reading, event, kind);

	return begin ? *begin : begin_now(reading, at);
}

/* Note that a call has found the message of the next receive of `order` or later in its channel. */
static int add_probe(struct measured_reading *reading, const struct mpi_event *event, uint32_t call,
		     uint32_t order, struct error *err)
{
	struct measured_probe probe = {
		.call = call,
		.comm = event->comm,
		.tag = event->tag & MESSAGE_TAGS,
		.order = order,
	};

	TRY(peer_of(reading, event, &probe.peer, err));
	return array_push(&reading->rank->probes, probe, err);
}

static int complete_recv(struct measured_reading *reading, const struct mpi_event *event,
			 uint32_t at, struct error *err)
{
	const struct measured_begin begin = event->kind == EVENT_RECV
						    ? begin_recv(reading, at)
						    : begin_of(reading, event, TRACKED_RECV, at);
	struct measured_recv recv = {
		.begin = begin.call,
		.end = at,
		.comm = event->comm,
		.tag = event->tag & MESSAGE_TAGS,
		.order = begin.order,
		.bytes = event->bytes,
	};

	TRY(peer_of(reading, event, &recv.peer, err));
	if (begin.probe != NO_CALL)
		TRY(add_probe(reading, event, begin.probe, begin.order, err));
	make_room(reading, &reading->rank->recvs, EVENTS_OF_HALF);
	return array_push(&reading->rank->recvs, recv, err);
}

/* Find the world rank of the root of a collective, or NO_ROOT. */
static int find_root(struct measured_reading *reading, const struct mpi_event *event,
		     uint32_t *root, struct error *err)
{
	*root = event->root == ROOT_SELF ? reading->rank->rank : NO_ROOT;
	if (event->root >= ROOT_THIS_GROUP)
		return 0;
	return world_rank(reading, event->comm, event->root, NO_ROOT, root, err);
}

/* Whether a rank needs nobody in a collective: it gets no data, and the operation is none to wait in. */
static bool is_free_in(const struct mpi_event *event)
{
	switch (event->collective) {
	case COLL_DESTROY_HANDLE:
		return true;
	case COLL_BCAST:
	case COLL_GATHER:
	case COLL_GATHERV:
	case COLL_SCATTER:
	case COLL_SCATTERV:
	case COLL_ALLGATHER:
	case COLL_ALLGATHERV:
	case COLL_ALLTOALL:
	case COLL_ALLTOALLV:
	case COLL_ALLTOALLW:
	case COLL_ALLREDUCE:
	case COLL_REDUCE:
	case COLL_REDUCE_SCATTER:
	case COLL_REDUCE_SCATTER_BLOCK:
	case COLL_SCAN:
	case COLL_EXSCAN:
		return !event->bytes_received;
	default:
		return false;
	}
}

static int add_part(struct measured_reading *reading, const struct mpi_event *event, uint32_t at,
		    struct error *err)
{
	const struct measured_begin begin = event->kind == EVENT_COLLECTIVE_COMPLETE
						    ? begin_of(reading, event, TRACKED_COLLECTIVE,
							       at)
						    : begin_now(reading, at);
	struct participation part = {
		.begin = begin.call,
		.end = at,
		.comm = event->comm,
		.order = begin.order,
		.place = begin.place,
		.root = NO_ROOT,
		.kind = (uint8_t)event->collective,
		.bytes = event->bytes_sent + event->bytes_received,
	};

	if (event_is_collective(event->kind)) {
		part.stream = event->persistent;
		TRY(find_root(reading, event, &part.root, err));
		part.is_free = is_free_in(event);
		if (event->neighbours) {
			part.kind = MEASURED_NEIGHBOURS;
			TRY(sync_edges_add_neighbours(reading, event, &part, err));
		}
	}
	make_room(reading, &reading->rank->parts, EVENTS_OF_PART);
	return array_push(&reading->rank->parts, part, err);
}

static int take_event(struct measured_reading *reading, const struct mpi_event *event, uint32_t at,
		      struct error *err)
{
	struct tracked_request cancelled;

	switch (event->kind) {
	case EVENT_SEND:
	case EVENT_ISEND:
		return begin_send(reading, event, at, err);
	case EVENT_ISEND_COMPLETE:
		complete_send(reading, event, at);
		return 0;
	case EVENT_IRECV_REQUEST:
		return open_request(reading, event, begin_recv(reading, at), err);
	case EVENT_RECV:
	case EVENT_IRECV:
		return complete_recv(reading, event, at, err);
	case EVENT_PROBE:
		return add_probe(reading, event, at, reading->orders, err);
	case EVENT_COLLECTIVE_REQUEST:
		return open_request(reading, event, begin_now(reading, at), err);
	case EVENT_COLLECTIVE:
	case EVENT_COLLECTIVE_COMPLETE:
		return add_part(reading, event, at, err);
	case EVENT_RMA_COLLECTIVE:
		if (event->sync == RMA_SYNC_NONE)
			return 0;
		return add_part(reading, event, at, err);
	case EVENT_RMA_GROUP_SYNC:
		return sync_edges_add_epoch(reading, event, at, err);
	case EVENT_REQUEST_CANCELLED:
		call_tracker_complete(&reading->tracker, event, &cancelled);
		return 0;
	default:
		return measured_locks_take(reading, event, at, err);
	}
}

/* ---------------------------------------------------------------------- calls */

void measured_reading_begin(struct measured_reading *reading, struct measured_rank *rank)
{
	reading->rank = rank;
	reading->orders = 0;
	reading->begins.count = 0;
	reading->threads.count = 0;
	measured_locks_begin(reading);
	reading->joined = false;
	call_tracker_begin(&reading->tracker, reading->world, rank->rank);
}

static int thread_slot(struct measured_reading *reading, uint32_t thread, struct error *err)
{
	while (reading->threads.count <= thread)
		TRY(array_push(&reading->threads, ((struct measured_thread){.probe = NO_CALL}),
			       err));
	if (reading->rank->thread_count <= thread)
		reading->rank->thread_count = thread + 1;
	return 0;
}

/* Note the call site of the last call.  Most traces have none. */
static int measured_rank_add_site(struct measured_rank *rank, uint32_t site, struct error *err)
{
	if (site == NO_SITE && !rank->sites.count)
		return 0;
	while (rank->sites.count + 1 < rank->calls.count)
		TRY(array_push(&rank->sites, NO_SITE, err));
	return array_push(&rank->sites, site, err);
}

/* Add the call; *at becomes its index. */
static int measured_rank_add_call(struct measured_reading *reading, const struct mpi_call *call,
				  uint32_t *at, struct error *err)
{
	struct measured_rank *rank = reading->rank;
	struct measured_call added = {call->enter_ns, call->leave_ns, 0, call->thread};

	TRY(measured_rank_function_of(reading, call->function, &added.function, err));
	TRY(thread_slot(reading, call->thread, err));
	*at = (uint32_t)rank->calls.count;
	if (*at == NO_CALL)
		return error_set(err, STATUS_LIMIT, "rank %u has too many calls", rank->rank);
	make_room(reading, &rank->calls, EVENTS_OF_CALL);
	TRY(array_push(&rank->calls, added, err));
	return measured_rank_add_site(rank, call->site, err);
}

/* MPI_Init begins the run of the rank, and MPI_Finalize ends it. */
static void note_times(struct measured_reading *reading, const struct measured_call *call)
{
	struct measured_rank *rank = reading->rank;
	const enum mpi_class class = call->function < MPI_FUNCTION_COUNT
					     ? mpi_functions[call->function].class
					     : MPI_CLASS_OTHER;

	if (class == MPI_CLASS_INIT && !(mpi_functions[call->function].traits & MPI_OF_SESSION))
		rank->begin_ns = call->leave_ns;
	else if (rank->calls.count == 1)
		rank->begin_ns = call->enter_ns;
	if (rank->finalized)
		return;
	rank->finalized = class == MPI_CLASS_FINALIZE &&
			  !(mpi_functions[call->function].traits & MPI_OF_SESSION);
	if (rank->finalized)
		rank->end_ns = call->enter_ns;
	else if (call->leave_ns > rank->end_ns)
		rank->end_ns = call->leave_ns;
}

static bool is_probe(uint32_t function)
{
	return function_is(function, CALL_Probe, CALL_Mprobe, CALL_Iprobe, CALL_Improbe);
}

/* Find the probe before a call that may receive its message, and note the call if it is a probe. */
static void note_probe(struct measured_reading *reading, uint32_t at)
{
	const struct measured_call *call = &reading->rank->calls.items[at];
	struct measured_thread *thread = &reading->threads.items[call->thread];

	reading->probe = NO_CALL;
	/* Local functions, as MPI_Get_count, come between. */
	if (reading->world->has_probes || (call->function < MPI_FUNCTION_COUNT &&
					   mpi_functions[call->function].class == MPI_CLASS_LOCAL))
		return;
	reading->probe = thread->probe;
	thread->probe = is_probe(call->function) ? at : NO_CALL;
}

static int take_events(struct measured_reading *reading, const struct mpi_call *call, uint32_t at,
		       struct error *err)
{
	const uint32_t function = reading->rank->calls.items[at].function;
	const unsigned traits = function < MPI_FUNCTION_COUNT ? mpi_functions[function].traits : 0;
	const struct mpi_event *events;
	struct mpi_event made;
	const uint32_t count = mpi_call_events(call, traits, &made, &events);

	for (uint32_t i = 0; i < count; i++)
		TRY(take_event(reading, &events[i], at, err));
	return 0;
}

/* Note that what the rank did while recording was off is missing. */
static int note_gap(struct measured_reading *reading, const struct mpi_call *call, uint32_t at,
		    struct error *err)
{
	struct measured_cuts *cuts = &reading->rank->cuts;

	if (reading->rank->calls.items[at].function < MPI_FUNCTION_COUNT ||
	    strcmp(call->function, RECORDING_OFF) != 0)
		return 0;
	TRY(array_push(&cuts->of_sends, at, err));
	TRY(array_push(&cuts->of_recvs, reading->orders, err));
	return array_push(&cuts->of_parts, reading->orders++, err);
}

int measured_take_call(void *data, const struct mpi_call *call, struct error *err)
{
	struct measured_reading *reading = data;
	uint32_t at;

	reading->call_orders = reading->orders;
	TRY(measured_rank_add_call(reading, call, &at, err));
	note_times(reading, &reading->rank->calls.items[at]);
	note_probe(reading, at);
	TRY(note_gap(reading, call, at, err));
	measured_polls_note(reading, call, &at);
	return take_events(reading, call, at, err);
}

static int measured_rank_compare_places(const void *a, const void *b)
{
	const struct measured_begin *x = a, *y = b;

	if (x->call != y->call)
		return x->call < y->call ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Sort sends by the calls that began them, and those of one call as they are. */
static int sort_sends(struct measured_rank *rank, struct error *err)
{
	const size_t count = rank->sends.count;
	struct measured_send *sorted;
	struct measured_begin *places;

	TRY(allocate(&places, count, sizeof *places, err));
	if (allocate(&sorted, count, sizeof *sorted, err) < 0) {
		free(places);
		return -1;
	}
	for (uint32_t i = 0; i < count; i++)
		places[i] = (struct measured_begin){.call = rank->sends.items[i].begin, .order = i};
	qsort(places, count, sizeof *places, measured_rank_compare_places);
	for (size_t i = 0; i < count; i++)
		sorted[i] = rank->sends.items[places[i].order];
	memcpy(rank->sends.items, sorted, count * sizeof *sorted);
	free(sorted);
	free(places);
	return 0;
}

/* Only collectives of neighbours that do not block send before they are known. */
static bool sends_in_order(const struct measured_rank *rank)
{
	for (size_t i = 1; i < rank->sends.count; i++)
		if (rank->sends.items[i].begin < rank->sends.items[i - 1].begin)
			return false;
	return true;
}

static int compare_numbers(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Lose the requests that are open at the end, and put the cuts into order. */
static int lose_open(struct measured_reading *reading, struct error *err)
{
	struct measured_cuts *cuts = &reading->rank->cuts;
	struct tracked_request request;
	size_t next = 0;

	while (call_tracker_next(&reading->tracker, &next, &request))
		TRY(lose_request(reading, &request, err));
	if (cuts->of_recvs.count)
		qsort(cuts->of_recvs.items, cuts->of_recvs.count, sizeof *cuts->of_recvs.items,
		      compare_numbers);
	if (cuts->of_parts.count)
		qsort(cuts->of_parts.items, cuts->of_parts.count, sizeof *cuts->of_parts.items,
		      compare_numbers);
	return 0;
}

int measured_reading_end(struct measured_reading *reading, struct error *err)
{
	TRY(measured_polls_end(reading, err));
	array_fit(&reading->rank->calls);
	array_fit(&reading->rank->sends);
	array_fit(&reading->rank->recvs);
	array_fit(&reading->rank->probes);
	array_fit(&reading->rank->parts);
	array_fit(&reading->rank->locks);
	array_fit(&reading->rank->lock_calls);
	TRY(lose_open(reading, err));
	number_map_clear(&reading->functions);
	memset(reading->recent, 0, sizeof reading->recent);
	return sends_in_order(reading->rank) ? 0 : sort_sends(reading->rank, err);
}

void measured_reading_release(struct measured_reading *reading)
{
	number_map_release(&reading->functions);
	call_tracker_release(&reading->tracker);
	array_release(&reading->begins);
	array_release(&reading->threads);
	number_map_release(&reading->open_locks);
	number_map_release(&reading->requested_locks);
	array_release(&reading->lock_requests);
	neighbour_lists_release(&reading->neighbours);
}
