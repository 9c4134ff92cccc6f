#include "eventflow/generate/order_keys.h"

#include "trace/call/mpi_functions.h"

#include <string.h>

/* The call whose keys are given. */
struct keyed {
	struct rank_calls *calls;
	const struct mpi_call *call;
	struct mpi_function function;
	order_touch *touch;
	void *data;
};

static bool named(const struct keyed *keyed, const char *part)
{
	return strstr(keyed->call->function, part) != NULL;
}

static int give(const struct keyed *keyed, enum order_kind kind, uint32_t object, uint64_t number,
		uint64_t tag, unsigned use, struct error *err)
{
	const struct order_key key = {kind, object, number, tag};

	return keyed->touch(keyed->data, &key, use, err);
}

static int give_object(const struct keyed *keyed, enum order_kind kind, uint64_t number,
		       unsigned use, struct error *err)
{
	return give(keyed, kind, 0, number, 0, use, err);
}

static int give_persistent(const struct keyed *keyed, uint32_t number, unsigned use,
			   struct error *err)
{
	return number == NUMBER_MAP_EMPTY
		       ? 0
		       : give_object(keyed, ORDER_PERSISTENT, number, use | ORDER_CERTAIN, err);
}

/* ------------------------------------------------------------------------------- messages */

/* waits: until the message is received. */
static int give_sent(const struct keyed *keyed, const struct mpi_event *event, bool waits,
		     struct error *err)
{
	TRY(give_object(keyed, ORDER_COMM, event->comm, ORDER_READS | ORDER_CERTAIN, err));
	return give(keyed, ORDER_SENDS, event->comm, event->peer, event->tag,
		    ORDER_WRITES | (waits ? 0 : ORDER_CERTAIN), err);
}

/* A receive as it matched; NULL or something else: it never comes.  waits: until it does. */
static int give_received(const struct keyed *keyed, const struct mpi_event *event, bool waits,
			 struct error *err)
{
	const unsigned certain = waits ? 0 : ORDER_CERTAIN;
	const uint8_t posted = event && !keyed->calls->program->matched ? event->posted : 0;

	if (!event || (event->kind != EVENT_IRECV && event->kind != EVENT_RECV))
		return 0;
	TRY(give_object(keyed, ORDER_COMM, event->comm, ORDER_READS | ORDER_CERTAIN, err));
	TRY(give(keyed, ORDER_ALL_RECEIVES, event->comm, 0, 0,
		 (posted & POSTED_ANY_TAG ? ORDER_WRITES : ORDER_READS) | certain, err));
	if (posted & POSTED_ANY_TAG)
		return 0;
	TRY(give(keyed, ORDER_TAG_RECEIVES, event->comm, 0, event->tag,
		 (posted ? ORDER_WRITES : ORDER_READS) | certain, err));
	return posted ? 0
		      : give(keyed, ORDER_RECEIVES, event->comm, event->peer, event->tag,
			     ORDER_WRITES | certain, err);
}

static const struct mpi_event *future_of(const struct keyed *keyed, uint64_t request)
{
	const uint32_t future = number_map_get(&keyed->calls->by_request, request, 0);

	return future == NUMBER_MAP_EMPTY ? NULL : &keyed->calls->futures.items[future];
}

/* The order of collectives is the same on all ranks, so no two of a communicator are at the same time. */
static int give_collective(const struct keyed *keyed, const struct mpi_event *event,
			   struct error *err)
{
	if (!event || event->kind == EVENT_REQUEST_CANCELLED)
		return 0;
	TRY(give_object(keyed, ORDER_COMM, event->comm, ORDER_READS | ORDER_CERTAIN, err));
	/* The members of a communicator make it by themselves: its parent, which tools record, has no collective. */
	if (named(keyed, "MPI_Comm_create_group"))
		return 0;
	if (event->operation && !strncmp(event->operation, "user", 4))
		TRY(give_object(keyed, ORDER_OPERATIONS, 0, ORDER_READS | ORDER_CERTAIN, err));
	return give_object(keyed, ORDER_COLLECTIVES, event->comm, ORDER_WRITES | ORDER_CERTAIN,
			   err);
}

static int give_request(const struct keyed *keyed, uint64_t request, struct error *err)
{
	TRY(give_persistent(keyed, number_map_get(&keyed->calls->started, request, 0), ORDER_WRITES,
			    err));
	return give_object(keyed, ORDER_REQUEST, request, ORDER_WRITES | ORDER_CERTAIN, err);
}

static int give_start(const struct keyed *keyed, uint64_t request, struct error *err)
{
	uint32_t before;

	TRY(number_map_set(&keyed->calls->starters, request, 0, keyed->calls->thread, &before,
			   err));
	return give_request(keyed, request, err);
}

/*
 * Graphs name requests of a thread otherwise once another one has completed one of them
 * (doc/efg-format.md), so that is a point in the order of its own completions.
 */
static int give_end(const struct keyed *keyed, uint64_t request, struct error *err)
{
	struct rank_calls *calls = keyed->calls;
	const uint32_t starter = number_map_get(&calls->starters, request, 0);

	TRY(give_request(keyed, request, err));
	if (starter == NUMBER_MAP_EMPTY || (starter != calls->thread && calls->shared[starter]))
		return 0;
	calls->shared[starter] |= starter != calls->thread;
	return give_object(keyed, ORDER_NAMES, starter,
			   starter == calls->thread ? ORDER_READS : ORDER_WRITES, err);
}

static int give_message_event(const struct keyed *keyed, const struct mpi_event *event,
			      struct error *err)
{
	const struct mpi_event *future = future_of(keyed, event->request);

	switch (event->kind) {
	case EVENT_SEND:
		return give_sent(keyed, event, true, err);
	case EVENT_RECV:
		return give_received(keyed, event, true, err);
	case EVENT_ISEND:
		TRY(give_sent(keyed, event, false, err));
		return give_start(keyed, event->request, err);
	case EVENT_IRECV_REQUEST:
		TRY(give_received(keyed, future, false, err));
		return give_start(keyed, event->request, err);
	case EVENT_COLLECTIVE_REQUEST:
		TRY(give_collective(keyed, future, err));
		return give_start(keyed, event->request, err);
	case EVENT_COLLECTIVE:
		return give_collective(keyed, event, err);
	case EVENT_IRECV:
	case EVENT_COLLECTIVE_COMPLETE:
		/*
		 * A communicator may be freed before, but not all MPI libraries survive that.  The thread that frees it
		 * may do next what this call waits for.
		 */
		TRY(give_object(keyed, ORDER_COMM, event->comm, ORDER_READS | ORDER_BY_TIME, err));
		return give_end(keyed, event->request, err);
	case EVENT_ISEND_COMPLETE:
	case EVENT_REQUEST_CANCELLED:
		return give_end(keyed, event->request, err);
	case EVENT_COMM_CREATE:
	case EVENT_COMM_DESTROY:
		return give_object(keyed, ORDER_COMM, event->comm, ORDER_WRITES | ORDER_CERTAIN,
				   err);
	default:
		return 0;
	}
}

/* -------------------------------------------------------------------------------- windows */

/*
 * Epochs and locks come before the operations in them.  Calls that wait for others may do so while other
 * threads use the window.
 */
static int give_window_event(const struct keyed *keyed, const struct mpi_event *event,
			     struct error *err)
{
	const bool at_all = event->peer == RMA_ALL;

	switch (event->kind) {
	case EVENT_WIN_CREATE:
		TRY(give_object(keyed, ORDER_WINDOWS, 0, ORDER_WRITES | ORDER_CERTAIN, err));
		return give_object(keyed, ORDER_WINDOW, event->window, ORDER_WRITES | ORDER_CERTAIN,
				   err);
	case EVENT_WIN_DESTROY:
		return give_object(keyed, ORDER_WINDOW, event->window, ORDER_WRITES | ORDER_CERTAIN,
				   err);
	case EVENT_RMA_COLLECTIVE:
		TRY(give_object(keyed, ORDER_COMM, event->comm, ORDER_READS | ORDER_CERTAIN, err));
		TRY(give_object(keyed, ORDER_COLLECTIVES, event->comm, ORDER_WRITES | ORDER_CERTAIN,
				err));
		return give_object(keyed, ORDER_WINDOW, event->window, ORDER_WRITES | ORDER_CERTAIN,
				   err);
	case EVENT_RMA_GROUP_SYNC:
		if (named(keyed, "Win_start") || named(keyed, "Win_complete"))
			TRY(give_object(keyed, ORDER_ACCESS, event->window,
					ORDER_WRITES | ORDER_CERTAIN, err));
		return give_object(keyed, ORDER_WINDOW, event->window, ORDER_WRITES, err);
	case EVENT_RMA_LOCK:
	case EVENT_RMA_UNLOCK:
		TRY(give_object(keyed, ORDER_WINDOW, event->window,
				(at_all ? ORDER_WRITES : ORDER_READS) | ORDER_CERTAIN, err));
		return at_all ? 0
			      : give(keyed, ORDER_TARGET, event->window, event->peer, 0,
				     ORDER_WRITES | ORDER_CERTAIN, err);
	case EVENT_RMA_PUT:
	case EVENT_RMA_GET:
	case EVENT_RMA_ATOMIC:
		TRY(give_object(keyed, ORDER_WINDOW, event->window, ORDER_READS | ORDER_CERTAIN,
				err));
		TRY(give_object(keyed, ORDER_ACCESS, event->window, ORDER_READS | ORDER_CERTAIN,
				err));
		return give(keyed, ORDER_TARGET, event->window, event->peer, 0,
			    ORDER_READS | ORDER_CERTAIN, err);
	case EVENT_RMA_SYNC:
		return give_object(keyed, ORDER_WINDOW, event->window, ORDER_READS | ORDER_CERTAIN,
				   err);
	default:
		return 0;
	}
}

/* Whether the event begins or ends a request of MPI_Rput and its like. */
static bool of_window_request(const struct keyed *keyed, const struct mpi_event *event)
{
	return event->kind == EVENT_RMA_COMPLETE
		       ? keyed->function.class == MPI_CLASS_COMPLETION
		       : (event->kind == EVENT_RMA_PUT || event->kind == EVENT_RMA_GET ||
			  event->kind == EVENT_RMA_ATOMIC) &&
				 !strncmp(keyed->call->function, "MPI_R", strlen("MPI_R"));
}

static int give_event(const struct keyed *keyed, const struct mpi_event *event, struct error *err)
{
	if (!event_is_rma(event->kind))
		return give_message_event(keyed, event, err);
	if (of_window_request(keyed, event))
		TRY(give_request(keyed, event->request, err));
	return give_window_event(keyed, event, err);
}

/* ------------------------------------------------------------------------------ functions */

/* Persistent requests that no event names: when they are made and freed, and partitions of them. */
static int give_persistents(const struct keyed *keyed, struct error *err)
{
	struct rank_calls *calls = keyed->calls;
	const uint32_t hint = number_map_get(&calls->hints, calls->call, 0);

	if (named(keyed, "_init") && (keyed->function.class == MPI_CLASS_REQUEST ||
				      keyed->function.class == MPI_CLASS_COLLECTIVE)) {
		const struct replay_persistent *made = &calls->persistent.items[calls->inits];

		if (keyed->function.class == MPI_CLASS_COLLECTIVE && made->future != NO_HINT)
			TRY(give_collective(keyed, &calls->futures.items[made->future], err));
		else if (made->future != NO_HINT)
			TRY(give_object(keyed, ORDER_COMM, calls->futures.items[made->future].comm,
					ORDER_READS | ORDER_CERTAIN, err));
		return give_persistent(keyed, calls->inits++, ORDER_WRITES, err);
	}
	if (named(keyed, "MPI_Request_free") && !keyed->call->event_count)
		return give_persistent(keyed, hint, ORDER_WRITES, err);
	if (named(keyed, "MPI_Pready") && hint != NUMBER_MAP_EMPTY)
		return give_persistent(keyed, calls->parts.items[hint].persistent,
				       keyed->call->event_count ? ORDER_WRITES : ORDER_READS, err);
	for (uint32_t i = 1; named(keyed, "MPI_Start"); i++) {
		const uint32_t number = number_map_get(&calls->hints, calls->call, i);

		if (number == NUMBER_MAP_EMPTY)
			break;
		TRY(give_persistent(keyed, number, ORDER_WRITES, err));
	}
	return 0;
}

/* A message that was found belongs to the receive that takes it; a probe of any kind needs the communicator. */
static int give_probe(const struct keyed *keyed, struct error *err)
{
	struct rank_calls *calls = keyed->calls;
	const uint32_t hint = number_map_get(&calls->hints, calls->call, 0);
	const uint32_t taker = number_map_get(&calls->hints, calls->call, HINT_THREAD);
	uint32_t probe = number_map_get(&calls->hints, calls->call, HINT_PROBE);

	if (named(keyed, "robe") && taker != NUMBER_MAP_EMPTY)
		probe = (uint32_t)calls->call;
	if ((named(keyed, "robe") || named(keyed, "mrecv") || named(keyed, "Mrecv")) &&
	    probe != NUMBER_MAP_EMPTY)
		TRY(give_object(keyed, ORDER_PROBE, probe, ORDER_WRITES | ORDER_CERTAIN, err));
	if (!named(keyed, "robe") || hint == NUMBER_MAP_EMPTY)
		return 0;
	if (named(keyed, "mprobe") || named(keyed, "Mprobe"))
		return give_received(keyed, &calls->futures.items[hint], true, err);
	return give_object(keyed, ORDER_COMM, calls->futures.items[hint].comm,
			   ORDER_READS | ORDER_CERTAIN, err);
}

static bool makes_group(const struct keyed *keyed)
{
	static const char *const makers[] = {
		"MPI_Comm_group",    "incl", "excl", "_union", "_intersection", "_difference",
		"_from_session_pset"};

	for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
		if ((i == 0 || named(keyed, "MPI_Group_")) && named(keyed, makers[i]))
			return true;
	return false;
}

/* Give the groups or sessions that are used: those of the thread if it has own ones, or else those of all threads. */
static int give_used(const struct keyed *keyed, enum order_kind kind, bool has_own, unsigned use,
		     struct error *err)
{
	const struct rank_calls *calls = keyed->calls;

	if (has_own)
		return give(keyed, kind, calls->thread, 0, 0, use, err);
	for (uint32_t t = 0; t < calls->threads; t++)
		TRY(give(keyed, kind, t, 0, 0, use, err));
	return 0;
}

static int give_used_groups(const struct keyed *keyed, unsigned use, struct error *err)
{
	return give_used(keyed, ORDER_GROUPS, keyed->calls->groups[keyed->calls->thread], use, err);
}

static int give_used_sessions(const struct keyed *keyed, unsigned use, struct error *err)
{
	return give_used(keyed, ORDER_SESSIONS, keyed->calls->sessions[keyed->calls->thread] > 0,
			 use, err);
}

static int give_sessions(const struct keyed *keyed, struct error *err)
{
	const struct rank_calls *calls = keyed->calls;
	uint32_t *own = &calls->sessions[calls->thread];

	if (keyed->function.class == MPI_CLASS_INIT && !(keyed->function.traits & MPI_OF_SESSION))
		return give_object(keyed, ORDER_COMM, calls->flow->world.world_comm,
				   ORDER_WRITES | ORDER_CERTAIN, err);
	/* Only the sessions may be used while it runs. */
	if (keyed->function.class == MPI_CLASS_FINALIZE &&
	    !(keyed->function.traits & MPI_OF_SESSION))
		return give_object(keyed, ORDER_COMM, calls->flow->world.world_comm,
				   ORDER_WRITES | ORDER_CERTAIN | ORDER_FORCED, err);
	if (named(keyed, "MPI_Session_init")) {
		(*own)++;
		return give_used_sessions(keyed, ORDER_WRITES | ORDER_CERTAIN, err);
	}
	if (named(keyed, "MPI_Session_finalize")) {
		TRY(give_used_sessions(keyed, ORDER_WRITES, err));
		*own -= *own > 0;
		return 0;
	}
	return named(keyed, "MPI_Session_") || named(keyed, "_session_")
		       ? give_used_sessions(keyed, ORDER_READS | ORDER_CERTAIN, err)
		       : 0;
}

/* A thread uses its own groups first, also to make others. */
static int give_groups(const struct keyed *keyed, struct error *err)
{
	struct rank_calls *calls = keyed->calls;

	if (named(keyed, "Comm_create") || named(keyed, "_from_group") ||
	    named(keyed, "Win_post") || named(keyed, "Win_start"))
		return give_used_groups(keyed, ORDER_READS, err);
	if (!named(keyed, "MPI_Group_") && !makes_group(keyed))
		return 0;
	TRY(give_used_groups(keyed,
			     ORDER_CERTAIN |
				     (named(keyed, "MPI_Group_free") ? ORDER_WRITES : ORDER_READS),
			     err));
	if (!makes_group(keyed))
		return 0;
	calls->groups[calls->thread] = true;
	return give(keyed, ORDER_GROUPS, calls->thread, 0, 0, ORDER_WRITES | ORDER_CERTAIN, err);
}

/* Things of which a trace tells no more than the function. */
static int give_function(const struct keyed *keyed, struct error *err)
{
	TRY(give_groups(keyed, err));
	TRY(give_sessions(keyed, err));
	if (named(keyed, "MPI_Win_") &&
	    (named(keyed, "tach") || keyed->function.class == MPI_CLASS_LOCAL))
		TRY(give_object(keyed, ORDER_WINDOWS, 0,
				(named(keyed, "tach") ? ORDER_WRITES : ORDER_READS) | ORDER_CERTAIN,
				err));
	if (named(keyed, "MPI_Op_"))
		TRY(give_object(keyed, ORDER_OPERATIONS, 0, ORDER_WRITES | ORDER_CERTAIN, err));
	if (named(keyed, "MPI_Buffer_"))
		TRY(give_object(keyed, ORDER_BUFFER, 0, ORDER_WRITES | ORDER_CERTAIN, err));
	else if (keyed->function.traits & MPI_BUFFERS)
		TRY(give_object(keyed, ORDER_BUFFER, 0, ORDER_READS | ORDER_CERTAIN, err));
	if (named(keyed, "Cart") || named(keyed, "raph"))
		TRY(give_object(keyed, ORDER_TOPOLOGIES, 0,
				keyed->function.class == MPI_CLASS_COMMUNICATOR
					? ORDER_WRITES | ORDER_CERTAIN
					: ORDER_READS | ORDER_CERTAIN,
				err));
	return 0;
}

/*
 * MPI begins before all other calls and ends after them.  In a program with sessions it may do so while other threads
 * communicate: then after the calls that were over, and before those that began when it had.  Where recording is off is a point in the order of all, but
 * for calls that run on, as of a thread that waits for messages; only the first thread's call of several is one
 * (thread_order.c).
 */
static unsigned use_of_all(const struct keyed *keyed)
{
	const struct rank_calls *calls = keyed->calls;
	const bool recorded = strcmp(keyed->call->function, RECORDING_OFF) != 0;

	if (calls->program->sessions && recorded)
		return ORDER_BY_TIME | (keyed->function.class == MPI_CLASS_INIT ||
							keyed->function.class == MPI_CLASS_FINALIZE
						? ORDER_WRITES
						: ORDER_READS);
	if (keyed->function.class == MPI_CLASS_FINALIZE)
		return ORDER_WRITES | ORDER_CERTAIN | ORDER_FORCED;
	if (!recorded && number_map_get(&calls->hints, calls->call, 0) == NUMBER_MAP_EMPTY)
		return ORDER_WRITES | ORDER_CERTAIN | ORDER_FORCED;
	if (keyed->function.class == MPI_CLASS_INIT)
		return ORDER_WRITES | ORDER_CERTAIN;
	return ORDER_READS;
}

int order_keys(struct rank_calls *calls, const struct mpi_call *call, order_touch *touch,
	       void *data, struct error *err)
{
	const struct keyed keyed = {calls, call, mpi_function_named(call->function), touch, data};

	TRY(give_object(&keyed, ORDER_ALL, 0, use_of_all(&keyed), err));
	for (uint32_t i = 0; i < call->event_count; i++)
		TRY(give_event(&keyed, &call->events[i], err));
	TRY(give_persistents(&keyed, err));
	TRY(give_probe(&keyed, err));
	return give_function(&keyed, err);
}
