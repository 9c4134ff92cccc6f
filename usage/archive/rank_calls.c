#include "usage/archive/rank_calls.h"

#include "trace/call/mpi_functions.h"
#include "usage/archive/event_bytes.h"

#include <stdlib.h>
#include <string.h>

/* Number of functions that a profile leaves out, too. */
enum { RANK_CALLS_LEFT_OUT = USAGE_REST + 1 };

enum { NOT_STARTED = UINT32_MAX };

/* ------------------------------------------------------------------ functions */

static int look_up_function(struct rank_calls *calls, const char *name, uint32_t *function,
			 struct error *err)
{
	const uint64_t key = (uintptr_t)name;
	const struct mpi_function *found;

	*function = number_map_get(&calls->functions, key, 0);
	if (*function != NUMBER_MAP_EMPTY)
		return 0;
	found = mpi_function_find(name);
	if (found)
		*function = (uint32_t)(found - mpi_functions);
	else if (mpi_function_named(name).class == MPI_CLASS_LOCAL || !strcmp(name, RECORDING_OFF))
		*function = RANK_CALLS_LEFT_OUT;
	else
		*function = USAGE_REST;
	return number_map_add(&calls->functions, key, 0, *function, err);
}

static int function_of(struct rank_calls *calls, const char *name, uint32_t *function,
		       struct error *err)
{
	const size_t at = (uintptr_t)name / 8 % RANK_CALLS_RECENT;

	if (calls->recent[at].name != name) {
		TRY(look_up_function(calls, name, &calls->recent[at].function, err));
		calls->recent[at].name = name;
	}
	*function = calls->recent[at].function;
	return 0;
}

/* Functions that send and receive at once count what they send as their own data. */
static bool is_exchange(uint16_t function)
{
	switch (function) {
	case CALL_Sendrecv:
	case CALL_Sendrecv_c:
	case CALL_Sendrecv_replace:
	case CALL_Sendrecv_replace_c:
	case CALL_Isendrecv:
	case CALL_Isendrecv_c:
	case CALL_Isendrecv_replace:
	case CALL_Isendrecv_replace_c:
		return true;
	default:
		return false;
	}
}

/* Functions that complete or test requests have their number in place of a size. */
static bool counts_requests(uint16_t function)
{
	return function < MPI_FUNCTION_COUNT &&
	       mpi_functions[function].class == MPI_CLASS_COMPLETION && function != CALL_Start &&
	       function != CALL_Startall;
}

/* ---------------------------------------------------------------------- cells */

static void count_call(struct rank_calls *calls, const struct started_call *call)
{
	struct usage_key key = call->key;

	if (!counts_requests(key.function))
		key.size_class = usage_size_class(call->bytes);
	usage_add(usage_cell(calls->table, key), call->bytes, call->moved, call->ns,
		  usage_time_bin(call->ns));
}

/* Count a run of polls, of which no time of a single one is known. */
static void count_polls(struct rank_calls *calls, const struct started_call *run,
			const struct mpi_call *call)
{
	struct usage_cell *cell = usage_cell(calls->table, run->key);

	cell->calls += call->polls;
	cell->ticks += run->ns > call->poll_gaps_ns ? run->ns - call->poll_gaps_ns : 0;
}

/* ------------------------------------------------------------------- requests */

/* A call that is being read. */
struct reading {
	struct started_call call;
	uint32_t kept;	   /* its place among the calls that are kept, or NOT_STARTED */
	uint32_t requests; /* that it completes or tests */
};

/* Keep the call at hand until its requests have completed, and until it has been read. */
static int keep_call(struct rank_calls *calls, struct reading *reading, struct error *err)
{
	if (calls->free_started) {
		reading->kept = calls->free_started - 1;
		calls->free_started = calls->started.items[reading->kept].next;
	} else {
		reading->kept = (uint32_t)calls->started.count;
		TRY(array_reserve(&calls->started, 1, err));
		calls->started.count++;
	}
	calls->started.items[reading->kept] = (struct started_call){.key = reading->call.key,
								    .open = 1};
	return 0;
}

static void close_request(struct rank_calls *calls, uint32_t number)
{
	struct started_call *call = &calls->started.items[number];

	if (--call->open > 0)
		return;
	count_call(calls, call);
	call->next = calls->free_started;
	calls->free_started = number + 1;
}

static int start_request(struct rank_calls *calls, struct reading *reading,
			 const struct mpi_event *event, struct error *err)
{
	struct tracked_request request, before;
	const int replaces = call_tracker_start(&calls->tracker, event, &request, &before, err);

	TRY(replaces);
	if (replaces)
		close_request(calls, calls->started_of.items[before.place]);
	while (calls->started_of.count <= request.place)
		TRY(array_push(&calls->started_of, NOT_STARTED, err));
	if (reading->kept == NOT_STARTED)
		TRY(keep_call(calls, reading, err));
	calls->started.items[reading->kept].open++;
	calls->started_of.items[request.place] = reading->kept;
	return 0;
}

/* Find the call that started a request that completes now, or NULL if it is not known. */
static struct started_call *take_request(struct rank_calls *calls, const struct mpi_event *event,
					 uint32_t *number)
{
	struct tracked_request request;

	if (!call_tracker_complete(&calls->tracker, event, &request))
		return NULL;
	*number = calls->started_of.items[request.place];
	return &calls->started.items[*number];
}

/* --------------------------------------------------------------------- events */

static enum usage_place place_of(const struct rank_calls *calls, const struct mpi_event *event)
{
	const struct trace_world *world = calls->world;

	if (!world->nodes || event->comm != world->world_comm || event->peer >= world->rank_count)
		return USAGE_ANYWHERE;
	return world->nodes[event->peer] == world->nodes[calls->tracker.rank] ? USAGE_SAME_NODE
									      : USAGE_OTHER_NODE;
}

static int set_comm(struct rank_calls *calls, struct started_call *call, uint32_t comm,
		    struct error *err)
{
	uint32_t size;

	if (comm >= calls->world->comm_count)
		return 0;
	TRY(event_group_size(&calls->tracker, comm, &size, err));
	call->key.comm_class = usage_comm_class(size);
	return 0;
}

static int add_message(struct rank_calls *calls, struct started_call *call,
		       const struct mpi_event *event, bool sent, struct error *err)
{
	if (sent || !is_exchange(call->key.function))
		call->bytes += event->bytes;
	call->moved += event->bytes;
	call->key.place = (uint8_t)place_of(calls, event);
	return set_comm(calls, call, event->comm, err);
}

static int add_collective(struct rank_calls *calls, struct started_call *call,
			  const struct mpi_event *event, struct error *err)
{
	uint64_t own;

	TRY(event_own_bytes(&calls->tracker, event, &own, err));
	call->bytes += own;
	call->moved += event->bytes_sent + event->bytes_received;
	return set_comm(calls, call, event->comm, err);
}

static void add_access(struct started_call *call, const struct mpi_event *event)
{
	call->bytes += event->kind == EVENT_RMA_GET ? event->bytes_received : event->bytes_sent;
	call->moved += event->bytes_sent + event->bytes_received;
}

/* Add what a request has moved to the call that started it, or to this one if that call is not known. */
static int complete_request(struct rank_calls *calls, struct reading *reading,
			    const struct mpi_event *event, struct error *err)
{
	uint32_t number;
	struct started_call *starter = take_request(calls, event, &number);
	struct started_call *call = starter ? starter : &reading->call;

	reading->requests++;
	if (event->kind == EVENT_IRECV)
		TRY(add_message(calls, call, event, false, err));
	else if (event->kind == EVENT_COLLECTIVE_COMPLETE)
		TRY(add_collective(calls, call, event, err));
	if (starter)
		close_request(calls, number);
	return 0;
}

static int count_event(struct rank_calls *calls, struct reading *reading,
		     const struct mpi_event *event, struct error *err)
{
	switch (event->kind) {
	case EVENT_SEND:
	case EVENT_ISEND:
		return add_message(calls, &reading->call, event, true, err);
	case EVENT_RECV:
		return add_message(calls, &reading->call, event, false, err);
	case EVENT_COLLECTIVE:
		return add_collective(calls, &reading->call, event, err);
	case EVENT_IRECV_REQUEST:
	case EVENT_COLLECTIVE_REQUEST:
		return start_request(calls, reading, event, err);
	case EVENT_IRECV:
	case EVENT_COLLECTIVE_COMPLETE:
	case EVENT_REQUEST_CANCELLED:
		return complete_request(calls, reading, event, err);
	case EVENT_ISEND_COMPLETE:
	case EVENT_REQUEST_TEST:
	case EVENT_RMA_COMPLETE:
	case EVENT_RMA_TEST:
		reading->requests++;
		return 0;
	case EVENT_RMA_PUT:
	case EVENT_RMA_GET:
	case EVENT_RMA_ATOMIC:
		add_access(&reading->call, event);
		return 0;
	case EVENT_TRANSFER:
		reading->call.bytes += event->bytes;
		reading->call.moved += event->bytes;
		return 0;
	default:
		return 0;
	}
}

/* ---------------------------------------------------------------------- calls */

static int note_thread(struct rank_calls *calls, uint32_t thread, struct error *err)
{
	while (calls->called.count <= thread)
		TRY(array_push(&calls->called, false, err));
	calls->threads += !calls->called.items[thread];
	calls->called.items[thread] = true;
	return 0;
}

static void note_times(struct rank_calls *calls, uint32_t function, const struct mpi_call *call)
{
	const enum mpi_class class =
		function < MPI_FUNCTION_COUNT ? mpi_functions[function].class : MPI_CLASS_OTHER;

	if (class == MPI_CLASS_INIT && !calls->initialized) {
		calls->initialized = true;
		calls->begin_ns = call->leave_ns;
	} else if (call->enter_ns < calls->begin_ns && !calls->initialized) {
		calls->begin_ns = call->enter_ns;
	}
	if (class == MPI_CLASS_FINALIZE)
		calls->end_ns = call->enter_ns;
	else if (call->leave_ns > calls->end_ns && !calls->finalized)
		calls->end_ns = call->leave_ns;
	calls->finalized |= class == MPI_CLASS_FINALIZE;
}

static int read_events(struct rank_calls *calls, struct reading *reading, unsigned traits,
		       const struct mpi_call *call, struct error *err)
{
	const struct mpi_event *events;
	struct mpi_event made;
	const uint32_t count = mpi_call_events(call, traits, &made, &events);

	for (uint32_t i = 0; i < count; i++)
		TRY(count_event(calls, reading, &events[i], err));
	return 0;
}

/* Add what the call at hand has sent itself. */
static void end_kept(struct rank_calls *calls, const struct reading *reading)
{
	struct started_call *kept = &calls->started.items[reading->kept];

	if (kept->key.comm_class == 0)
		kept->key = reading->call.key;
	kept->bytes += reading->call.bytes;
	kept->moved += reading->call.moved;
	kept->ns = reading->call.ns;
	close_request(calls, reading->kept);
}

int rank_calls_add(struct rank_calls *calls, const struct mpi_call *call, struct error *err)
{
	struct reading reading = {.kept = NOT_STARTED};
	uint32_t function;

	TRY(function_of(calls, call->function, &function, err));
	if (function == RANK_CALLS_LEFT_OUT) {
		calls->was_off |= !strcmp(call->function, RECORDING_OFF);
		return 0;
	}
	TRY(note_thread(calls, call->thread, err));
	note_times(calls, function, call);
	reading.call.key.function = (uint16_t)function;
	reading.call.ns = call->leave_ns - call->enter_ns;
	TRY(read_events(calls, &reading,
			function < MPI_FUNCTION_COUNT ? mpi_functions[function].traits : 0, call,
			err));
	if (counts_requests((uint16_t)function))
		reading.call.key.size_class = usage_size_class(reading.requests);
	if (reading.kept != NOT_STARTED)
		end_kept(calls, &reading);
	else if (call->polls > 1)
		count_polls(calls, &reading.call, call);
	else
		count_call(calls, &reading.call);
	return 0;
}

int rank_calls_begin(struct rank_calls *calls, const struct trace_world *world, uint32_t rank,
		     struct error *err)
{
	if (!calls->table)
		TRY(allocate(&calls->table, 1, sizeof *calls->table, err));
	memset(calls->table, 0, sizeof *calls->table);
	usage_table_init(calls->table);
	calls->world = world;
	call_tracker_begin(&calls->tracker, world, rank);
	calls->started.count = calls->started_of.count = calls->called.count = 0;
	calls->free_started = 0;
	calls->threads = 0;
	calls->initialized = calls->finalized = calls->was_off = false;
	calls->begin_ns = UINT64_MAX;
	calls->end_ns = 0;
	return 0;
}

void rank_calls_end(struct rank_calls *calls)
{
	for (size_t i = 0; i < calls->started.count; i++)
		if (calls->started.items[i].open > 0)
			count_call(calls, &calls->started.items[i]);
}

void rank_calls_release(struct rank_calls *calls)
{
	free(calls->table);
	call_tracker_release(&calls->tracker);
	number_map_release(&calls->functions);
	array_release(&calls->started);
	array_release(&calls->started_of);
	array_release(&calls->called);
	memset(calls, 0, sizeof *calls);
}
