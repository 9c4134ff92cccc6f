#include "trace/liballprof/liballprof_calls.h"

#include <string.h>

/* Numbers of arguments of all sends and receives, from 0. */
enum { COMM_OF_MESSAGE = 5, REQUEST_OF_MESSAGE = 6 };

/* --------------------------------------------------------------- communicators */

#define WORLD_OF_MPICH 0x44000000

/* Check whether MPICH made the handle: an int with the kind of object, 1, in bits 26 to 29. */
static bool is_of_mpich(uint64_t handle)
{
	uint64_t high = handle >> 32;

	return (high == 0 || high == UINT32_MAX) && (handle >> 30 & 3) && (handle >> 26 & 15) == 1;
}

/* Find the MPI implementation of the trace from the first handle of a communicator. */
static void liballprof_calls_find_mpi(struct liballprof_rank *rank, uint64_t handle)
{
	if (rank->mpi != LIBALLPROF_MPI_UNKNOWN)
		return;
	rank->mpi = is_of_mpich(handle) ? LIBALLPROF_MPICH : LIBALLPROF_OTHER_MPI;
	/* Handles of Open MPI are pointers in C and ints in Fortran. */
	rank->request_bytes = rank->mpi == LIBALLPROF_MPICH || handle <= UINT32_MAX ? 4 : 8;
}

static struct liballprof_use use_of(const struct liballprof_argument *comm)
{
	return (struct liballprof_use){.handle = comm->address, .own = comm->rank,
				       .size = comm->size};
}

static int note_use(struct liballprof_rank *rank, const struct liballprof_argument *comm,
		    struct error *err)
{
	const struct liballprof_use use = use_of(comm);
	uint64_t key = use.handle ^ (uint64_t)use.own << 32;

	if (rank->marking || number_map_get(&rank->handles.ids, key, use.size) != NUMBER_MAP_EMPTY)
		return 0;
	TRY(number_map_add(&rank->handles.ids, key, use.size, 0, err));
	return liballprof_comms_use(rank->comms, &use, err);
}

/* Find the id of a communicator, or NO_COMM. */
static int find_comm_of(struct liballprof_rank *rank, const struct liballprof_argument *comm,
			uint32_t *id, struct error *err)
{
	const struct liballprof_use use = use_of(comm);

	liballprof_calls_find_mpi(rank, comm->address);
	*id = comm->size == rank->rank_count && comm->rank == rank->rank ? COMM_ID_WORLD :
	      comm->size == 1 ? COMM_ID_SELF : NO_COMM;
	if (rank->stage == LIBALLPROF_SURVEY_COMMS)
		TRY(note_use(rank, comm, err));
	else if (rank->comms->rank_count)
		TRY(liballprof_comms_find(rank->comms, &rank->handles, rank->rank, &use, id, err));
	if (*id == NO_COMM)
		rank->unknown = true;
	if (comm->size > rank->rank_count ||
	    (comm->address == WORLD_OF_MPICH && comm->size != rank->rank_count))
		return error_set(err, STATUS_DATA,
				 "a communicator has %u ranks, but there are files of %u",
				 comm->size, rank->rank_count);
	if (comm->address == WORLD_OF_MPICH && comm->rank != rank->rank)
		return error_set(err, STATUS_DATA, "is called by rank %u, in the file of rank %u",
				 comm->rank, rank->rank);
	return 0;
}

/* -------------------------------------------------------------------- messages */

static bool is_proc_null(const struct liballprof_rank *rank, int32_t peer)
{
	return peer == (rank->mpi == LIBALLPROF_MPICH ? -1 : -2);
}

static bool is_any_source(const struct liballprof_rank *rank, int32_t peer)
{
	return peer == (rank->mpi == LIBALLPROF_MPICH ? -2 : -1);
}

static int check_message(const struct liballprof_request *message, bool receives, int32_t peer,
			 int32_t tag, struct error *err)
{
	if (peer < 0 && !(receives && message->source == LIBALLPROF_ANY))
		return error_set(err, STATUS_DATA, "%d is not a rank", peer);
	if (tag < 0 && !(receives && tag == LIBALLPROF_ANY))
		return error_set(err, STATUS_DATA, "%d is not a tag", tag);
	return 0;
}

/* Read a message's size, peer, tag and communicator.  The kind of its event is left to set. */
static int read_message(struct liballprof_rank *rank, const struct liballprof_argument *count,
			const struct liballprof_argument *type, int32_t peer, int32_t tag,
			const struct liballprof_argument *comm, bool receives,
			struct liballprof_request *message, struct error *err)
{
	*message = (struct liballprof_request){0};
	TRY(find_comm_of(rank, comm, &message->event.comm, err));
	TRY(liballprof_bytes(count, type, &message->event.bytes, err));
	message->own = comm->rank;
	message->nothing = is_proc_null(rank, peer);
	message->unknown = message->event.comm == NO_COMM;
	if (message->nothing || message->unknown)
		return 0;
	message->source = receives && is_any_source(rank, peer) ? LIBALLPROF_ANY : peer;
	message->tag = tag;
	TRY(check_message(message, receives, peer, tag, err));
	message->event.peer = (uint32_t)peer;
	message->event.tag = (uint32_t)tag;
	return 0;
}

static int add_event(struct liballprof_rank *rank, const struct liballprof_request *message,
		     enum mpi_event_kind kind, struct error *err)
{
	struct mpi_event event = message->event;

	event.kind = kind;
	if (message->nothing || message->unknown)
		return 0;
	return array_push(&rank->events, event, err);
}

/* Convert a rank in a known communicator to its world rank. */
static uint32_t world_rank_of(const struct liballprof_rank *rank, uint32_t comm, uint32_t peer)
{
	const struct trace_comm *members = &rank->world->comms[comm];

	return members->self ? rank->rank : peer < members->size ? members->ranks[peer] : NO_COMM;
}

static int note_send(struct liballprof_rank *rank, const struct liballprof_request *message,
		     struct error *err)
{
	struct liballprof_sent sent = {.comm = message->event.comm,
				       .tag = message->tag,
				       .time_ns = rank->enter_ns,
				       .receiver = world_rank_of(rank, message->event.comm,
								 message->event.peer),
				       .source = (int32_t)message->own};

	return liballprof_match_send(rank->match, &sent, err);
}

/* Set source and tag of a receive with wildcards from the matching. */
static int resolve(struct liballprof_rank *rank, struct liballprof_request *message,
		   struct error *err)
{
	const struct liballprof_posted *got;

	if (message->source != LIBALLPROF_ANY && message->tag != LIBALLPROF_ANY)
		return 0;
	got = liballprof_match_wild(rank->match, rank->rank, rank->wild++);
	if (!got)
		return error_set(err, STATUS_DATA,
				 "has wildcards now, but had none when first read");
	message->event.peer = (uint32_t)got->source;
	message->event.tag = (uint32_t)got->tag;
	rank->guessed_sources += got->guessed;
	return 0;
}

/* Begin a send or receive: note it when surveying, else resolve the wildcards of a receive. */
static int begin_message(struct liballprof_rank *rank, struct liballprof_request *message,
			 bool receives, struct error *err)
{
	struct liballprof_posted posted = {
		.comm = message->event.comm, .receiver = rank->rank,
		.source = message->source, .tag = message->tag
	};

	if (rank->marking || message->nothing || message->unknown ||
	    rank->stage == LIBALLPROF_SURVEY_COMMS)
		return 0;
	if (rank->stage == LIBALLPROF_CONVERT)
		return receives ? resolve(rank, message, err) : 0;
	if (!receives)
		return note_send(rank, message, err);
	message->posted = rank->match->posted.count;
	return liballprof_match_post(rank->match, &posted, err);
}

/* Refuse a receive with wildcards that got no message. */
static int check_received(const struct liballprof_rank *rank,
			  const struct liballprof_request *message, struct error *err)
{
	if (rank->marking || rank->stage != LIBALLPROF_CONVERT || message->nothing ||
	    message->unknown || ((int32_t)message->event.peer != LIBALLPROF_ANY &&
				 (int32_t)message->event.tag != LIBALLPROF_ANY))
		return 0;
	return error_set(err, STATUS_DATA,
			 "receives from any source or with any tag, but no message is left for it");
}

static int blocking_message(struct liballprof_rank *rank, struct liballprof_request *message,
			    bool receives, struct error *err)
{
	TRY(begin_message(rank, message, receives, err));
	if (receives)
		TRY(check_received(rank, message, err));
	return add_event(rank, message, receives ? EVENT_RECV : EVENT_SEND, err);
}

static int blocking_call(struct liballprof_rank *rank, const struct liballprof_argument *arguments,
			 bool receives, struct error *err)
{
	struct liballprof_request message;

	TRY(read_message(rank, &arguments[1], &arguments[2], arguments[3].number,
			 arguments[4].number, &arguments[COMM_OF_MESSAGE], receives, &message,
			 err));
	return blocking_message(rank, &message, receives, err);
}

static int sendrecv(struct liballprof_rank *rank, const struct liballprof_argument *send,
		    const struct liballprof_argument *receive, int32_t source, int32_t tag,
		    const struct liballprof_argument *comm, struct error *err)
{
	struct liballprof_request message;

	TRY(read_message(rank, &send[1], &send[2], send[3].number, send[4].number, comm, false,
			 &message, err));
	TRY(blocking_message(rank, &message, false, err));
	TRY(read_message(rank, &receive[1], &receive[2], source, tag, comm, true, &message, err));
	return blocking_message(rank, &message, true, err);
}

/* -------------------------------------------------------------------- starting */

static enum mpi_event_kind kind_of_start(enum mpi_event_kind completion)
{
	return completion == EVENT_ISEND_COMPLETE ? EVENT_ISEND :
	       completion == EVENT_IRECV ? EVENT_IRECV_REQUEST : EVENT_COLLECTIVE_REQUEST;
}

static int liballprof_calls_start(struct liballprof_rank *rank, uint64_t address, struct error *err)
{
	struct liballprof_request *request;

	TRY(liballprof_requests_start(&rank->requests, address, err));
	if (rank->marking)
		TRY(array_push(&rank->last_lines, 0, err));
	request = liballprof_requests_find(&rank->requests, address);
	if (request->event.kind != EVENT_COLLECTIVE_COMPLETE)
		TRY(begin_message(rank, request, request->event.kind == EVENT_IRECV, err));
	rank->unknown |= request->unknown;
	return add_event(rank, request, kind_of_start(request->event.kind), err);
}

static uint64_t last_line(const struct liballprof_rank *rank,
			  const struct liballprof_request *request)
{
	size_t number = request->event.request;

	return number <= rank->last_lines.count ? rank->last_lines.items[number - 1] : 0;
}

/* End a request that has been tested and whose address is used again: it has completed there. */
static int end_tested(struct liballprof_rank *rank, uint64_t address, struct error *err)
{
	struct liballprof_request *old = liballprof_requests_find(&rank->requests, address);

	if (!rank->marking || !old || !old->active || !last_line(rank, old))
		return 0;
	return liballprof_requests_end(&rank->requests, old, err);
}

static int start_existing(struct liballprof_rank *rank, uint64_t address, struct error *err)
{
	const struct liballprof_request *request = liballprof_requests_find(&rank->requests,
									    address);

	if (!request || !request->persistent)
		return error_set(err, STATUS_DATA, "starts %llu, which is not a persistent request",
				 (unsigned long long)address);
	TRY(end_tested(rank, address, err));
	return liballprof_calls_start(rank, address, err);
}

static int put_request(struct liballprof_rank *rank, uint64_t address,
		       const struct liballprof_request *request, struct error *err)
{
	TRY(end_tested(rank, address, err));
	return liballprof_requests_put(&rank->requests, address, request, err);
}

static int put_new_request(struct liballprof_rank *rank,
			   const struct liballprof_argument *arguments, bool receives,
			   bool persistent, struct error *err)
{
	uint64_t address = arguments[REQUEST_OF_MESSAGE].address;
	struct liballprof_request message;

	TRY(read_message(rank, &arguments[1], &arguments[2], arguments[3].number,
			 arguments[4].number, &arguments[COMM_OF_MESSAGE], receives, &message,
			 err));
	message.event.kind = receives ? EVENT_IRECV : EVENT_ISEND_COMPLETE;
	message.persistent = persistent;
	TRY(put_request(rank, address, &message, err));
	return persistent ? 0 : liballprof_calls_start(rank, address, err);
}

/* Keep a message found by a matched probe, at its address, for its receive. */
static int note_probe(struct liballprof_rank *rank, const struct liballprof_argument *arguments,
		      const struct liballprof_argument *found, struct error *err)
{
	static const struct liballprof_argument none = {0};
	struct liballprof_request message;

	TRY(read_message(rank, &none, &none, arguments[0].number, arguments[1].number,
			 &arguments[2], true, &message, err));
	message.event.kind = EVENT_IRECV;
	return put_request(rank, found->address, &message, err);
}

static int receive_probed(struct liballprof_rank *rank, const struct liballprof_argument *arguments,
			  bool blocks, struct error *err)
{
	struct liballprof_request *found = liballprof_requests_find(&rank->requests,
								    arguments[3].address);
	struct liballprof_request message;

	if (!found)
		return error_set(err, STATUS_DATA, "receives a message that was not probed for");
	message = *found;
	message.counts = NULL;
	TRY(liballprof_bytes(&arguments[1], &arguments[2], &message.event.bytes, err));
	rank->unknown |= message.unknown;
	if (blocks)
		return blocking_message(rank, &message, true, err);
	TRY(put_request(rank, arguments[4].address, &message, err));
	return liballprof_calls_start(rank, arguments[4].address, err);
}

/* ------------------------------------------------------------------ completion */

static int liballprof_calls_complete(struct liballprof_rank *rank,
				     struct liballprof_request *request, struct error *err)
{
	rank->unknown |= request->unknown;
	if (rank->marking)
		rank->last_lines.items[request->event.request - 1] = rank->line;
	TRY(check_received(rank, request, err));
	TRY(add_event(rank, request, request->event.kind, err));
	return liballprof_requests_end(&rank->requests, request, err);
}

/* Find the requests in an array. */
static int find_requests(struct liballprof_rank *rank, uint64_t address, int32_t count,
			 struct error *err)
{
	if (count < 0)
		return error_set(err, STATUS_DATA, "has %d requests", count);
	return liballprof_requests_range(&rank->requests, address, (uint32_t)count,
					 rank->request_bytes,
					 &rank->places, err);
}

/* Complete all requests of an array. */
static int wait_for(struct liballprof_rank *rank, uint64_t address, int32_t count,
		    struct error *err)
{
	uint32_t missing;

	TRY(find_requests(rank, address, count, err));
	for (size_t i = 0; i < rank->places.list.count; i++) {
		struct liballprof_request *request =
			&rank->requests.list.items[rank->places.list.items[i]];

		if (request->active)
			TRY(liballprof_calls_complete(rank, request, err));
	}
	/* Other addresses hold MPI_REQUEST_NULL, or requests that were started elsewhere. */
	for (missing = (uint32_t)count - (uint32_t)rank->places.list.count; missing; missing--) {
		struct liballprof_request *request = liballprof_requests_moved(&rank->requests);

		if (!request)
			break;
		rank->moved += !rank->marking;
		TRY(liballprof_calls_complete(rank, request, err));
	}
	return 0;
}

/*
 * Test the requests of an array.  Complete those that no later call tests, at most `most`, and
 * further ones if they are fewer than `least`.
 */
static int look_at(struct liballprof_rank *rank, uint64_t address, int32_t count, uint32_t least,
		   uint32_t most, struct error *err)
{
	uint32_t completed = 0;

	TRY(find_requests(rank, address, count, err));
	for (size_t i = 0; i < 2 * rank->places.list.count; i++) {
		bool again = i >= rank->places.list.count;
		struct liballprof_request *request = &rank->requests.list.items[
			rank->places.list.items[i % rank->places.list.count]];

		if (!request->active)
			continue;
		rank->unknown |= request->unknown;
		if (rank->marking) {
			rank->last_lines.items[request->event.request - 1] = rank->line;
		} else if (completed < most && (again ? completed < least :
						last_line(rank, request) == rank->line)) {
			TRY(liballprof_calls_complete(rank, request, err));
			completed++;
			rank->guessed++;
		} else if (again) {
			TRY(add_event(rank, request, EVENT_REQUEST_TEST, err));
		}
	}
	return 0;
}

static int start_all(struct liballprof_rank *rank, const struct liballprof_argument *arguments,
		     struct error *err)
{
	for (int32_t i = 0; i < arguments[0].number; i++)
		TRY(start_existing(rank, arguments[1].address + (uint64_t)i * rank->request_bytes,
				   err));
	return 0;
}

/* End a request by MPI_Cancel, which is assumed to succeed, or by MPI_Request_free. */
static int give_up(struct liballprof_rank *rank, uint64_t address, bool cancel, struct error *err)
{
	struct liballprof_request *request = liballprof_requests_find(&rank->requests, address);

	if (!request)
		return 0;
	request->persistent = request->persistent && cancel;
	if (!request->active)
		return 0;
	if (!cancel)
		return liballprof_calls_complete(rank, request, err);
	rank->unknown |= request->unknown;
	if (rank->stage == LIBALLPROF_SURVEY_MESSAGES && !rank->marking &&
	    request->event.kind == EVENT_IRECV && !request->nothing && !request->unknown)
		rank->match->posted.items[request->posted].cancelled = true;
	TRY(add_event(rank, request, EVENT_REQUEST_CANCELLED, err));
	return liballprof_requests_end(&rank->requests, request, err);
}

/* ----------------------------------------------------------------- collectives */

/* Copy the vectors of a non-blocking collective to its request. */
static int keep_vectors(struct liballprof_rank *rank, struct liballprof_request *request,
			struct error *err)
{
	struct mpi_event *event = &request->event;
	const uint64_t *from = rank->counts.items;

	if (!rank->counts.count)
		return 0;
	TRY(allocate(&request->counts, rank->counts.count, sizeof *request->counts, err));
	memcpy(request->counts, from, rank->counts.count * sizeof *from);
	if (event->send_bytes)
		event->send_bytes = request->counts + (event->send_bytes - from);
	if (event->receive_bytes)
		event->receive_bytes = request->counts + (event->receive_bytes - from);
	return 0;
}

static int collective_call(struct liballprof_rank *rank, const struct liballprof_function *function,
			   const struct liballprof_argument *arguments, struct error *err)
{
	uint32_t count = (uint32_t)strlen(function->signature);
	const char *comm = strchr(function->signature, LIBALLPROF_COMM);
	const struct liballprof_argument *request_argument =
		function->collective != COLL_CREATE_HANDLE && comm[1] ? &arguments[count - 1]
								      : NULL;
	const struct liballprof_argument *comm_argument = &arguments[comm - function->signature];
	struct liballprof_request request = {.event.kind = EVENT_COLLECTIVE_COMPLETE};
	int no_sizes = 0;

	TRY(find_comm_of(rank, comm_argument, &request.event.comm, err));
	request.unknown = request.event.comm == NO_COMM;
	rank->counts.count = 0;
	if (!request.unknown) {
		no_sizes = liballprof_collective_event(rank, function->collective, arguments,
						       comm_argument, &request.event, err);
		if (no_sizes < 0)
			return -1;
	}
	request.nothing = no_sizes > 0;
	if (!request_argument)
		return add_event(rank, &request, EVENT_COLLECTIVE, err);
	TRY(keep_vectors(rank, &request, err));
	TRY(put_request(rank, request_argument->address, &request, err));
	return liballprof_calls_start(rank, request_argument->address, err);
}

/* Handle MPI_Comm_split; MPI_Comm_dup is one with equal colors and keys. */
static int split_comm(struct liballprof_rank *rank, const struct liballprof_function *function,
		      const struct liballprof_argument *arguments, int32_t color, int32_t key,
		      struct error *err)
{
	struct liballprof_split split = {
		.parent = use_of(&arguments[0]), .color = color, .key = key
	};

	TRY(collective_call(rank, function, arguments, err));
	if (rank->stage != LIBALLPROF_SURVEY_COMMS)
		return liballprof_handles_split(&rank->handles, err);
	return rank->marking ? 0 : liballprof_comms_note(rank->comms, &split, err);
}

/* ----------------------------------------------------------------------- calls */

int liballprof_call_events(struct liballprof_rank *rank, const struct liballprof_function *function,
			   const struct liballprof_line *line, struct error *err)
{
	const struct liballprof_argument *arguments = line->arguments;
	int32_t count = arguments[0].number;	/* requests in the array */
	uint64_t array = arguments[1].address;
	uint32_t id;

	rank->events.count = 0;
	rank->unknown = false;
	rank->enter_ns = line->enter_ns;
	switch (function->action) {
	case LIBALLPROF_SEND:
		return blocking_call(rank, arguments, false, err);
	case LIBALLPROF_RECV:
		return blocking_call(rank, arguments, true, err);
	case LIBALLPROF_SENDRECV:
		return sendrecv(rank, arguments, &arguments[5], arguments[8].number,
				arguments[9].number, &arguments[10], err);
	case LIBALLPROF_SENDRECV_REPLACE:
		return sendrecv(rank, arguments, arguments, arguments[5].number,
				arguments[6].number, &arguments[7], err);
	case LIBALLPROF_ISEND:
		return put_new_request(rank, arguments, false, false, err);
	case LIBALLPROF_IRECV:
		return put_new_request(rank, arguments, true, false, err);
	case LIBALLPROF_SEND_INIT:
		return put_new_request(rank, arguments, false, true, err);
	case LIBALLPROF_RECV_INIT:
		return put_new_request(rank, arguments, true, true, err);
	case LIBALLPROF_START:
		return start_existing(rank, arguments[0].address, err);
	case LIBALLPROF_STARTALL:
		return start_all(rank, arguments, err);
	case LIBALLPROF_WAIT:
		return wait_for(rank, arguments[0].address, 1, err);
	case LIBALLPROF_WAITALL:
		return wait_for(rank, array, count, err);
	case LIBALLPROF_WAITANY:
		return look_at(rank, array, count, 1, 1, err);
	case LIBALLPROF_WAITSOME:
		return look_at(rank, array, count, 1, UINT32_MAX, err);
	case LIBALLPROF_TEST:
		return look_at(rank, arguments[0].address, 1, 0, 1, err);
	case LIBALLPROF_TESTALL:
	case LIBALLPROF_TESTANY:
		return look_at(rank, array, count, 0, UINT32_MAX, err);
	case LIBALLPROF_CANCEL:
		return give_up(rank, arguments[0].address, true, err);
	case LIBALLPROF_REQUEST_FREE:
		return give_up(rank, arguments[0].address, false, err);
	case LIBALLPROF_MPROBE:
		return note_probe(rank, arguments, &arguments[3], err);
	case LIBALLPROF_IMPROBE:
		return note_probe(rank, arguments, &arguments[4], err);
	case LIBALLPROF_MRECV:
		return receive_probed(rank, arguments, true, err);
	case LIBALLPROF_IMRECV:
		return receive_probed(rank, arguments, false, err);
	case LIBALLPROF_COLLECTIVE:
		return collective_call(rank, function, arguments, err);
	case LIBALLPROF_COMM_SPLIT:
		return split_comm(rank, function, arguments, arguments[1].number,
				  arguments[2].number, err);
	case LIBALLPROF_COMM_DUP:
		return split_comm(rank, function, arguments, 0, 0, err);
	case LIBALLPROF_OF_COMM:
		TRY(find_comm_of(rank, &arguments[0], &id, err));
		rank->unknown = false;
		return 0;
	}
	return 0;
}

int liballprof_call_finish(struct liballprof_rank *rank, struct error *err)
{
	rank->events.count = 0;
	for (size_t i = 0; !rank->marking && i < rank->requests.list.count; i++) {
		struct liballprof_request *request = &rank->requests.list.items[i];

		if (!request->active)
			continue;
		rank->moved++;
		TRY(liballprof_calls_complete(rank, request, err));
	}
	return 0;
}

void liballprof_rank_restart(struct liballprof_rank *rank)
{
	liballprof_requests_release(&rank->requests);
	liballprof_handles_release(&rank->handles);
	rank->handles = (struct liballprof_handles){0};
	rank->marking = false;
	rank->line = 0;
}

void liballprof_rank_release(struct liballprof_rank *rank)
{
	liballprof_requests_release(&rank->requests);
	liballprof_handles_release(&rank->handles);
	array_release(&rank->last_lines);
	array_release(&rank->places.list);
	array_release(&rank->events);
	array_release(&rank->counts);
}
