#include "eventflow/generate/lookahead.h"

#include "eventflow/generate/partitioned_calls.h"
#include "trace/call/mpi_functions.h"
#include "trace/flow/recover/flow_recover.h"

#include <string.h>

static bool function_is(const struct mpi_call *call, const char *name)
{
	return !strcmp(call->function, name);
}

static bool function_has(const struct mpi_call *call, const char *part)
{
	return strstr(call->function, part) != NULL;
}

/* --------------------------------------------------------------- ends of requests */

static int copy_vector(struct rank_calls *calls, const uint64_t **vector, uint32_t count,
		       struct error *err)
{
	uint64_t *copy;

	if (!*vector)
		return 0;
	TRY(allocate(&copy, count + 1, sizeof *copy, err));
	memcpy(copy, *vector, count * sizeof *copy);
	*vector = copy;
	return array_push(&calls->owned, copy, err);
}

static int add_future(struct rank_calls *calls, const struct mpi_event *event, uint32_t *number,
		      struct error *err)
{
	struct mpi_event copy = *event;

	if (event_is_collective(copy.kind)) {
		TRY(copy_vector(calls, &copy.send_bytes, copy.send_count, err));
		TRY(copy_vector(calls, &copy.receive_bytes, copy.receive_count, err));
	}
	*number = (uint32_t)calls->futures.count;
	return array_push(&calls->futures, copy, err);
}

static int note_end(struct rank_calls *calls, const struct mpi_call *call, uint32_t i,
		    struct error *err)
{
	const struct mpi_event *event = &call->events[i];
	uint32_t number, before;
	uint32_t partitions = 0;
	uint8_t posted = 0;

	before = number_map_get(&calls->by_request, event->request, 0);
	if (before != NUMBER_MAP_EMPTY &&
	    calls->futures.items[before].kind == EVENT_IRECV_REQUEST) {
		posted = calls->futures.items[before].posted;
		partitions = calls->futures.items[before].partitions;
	}
	TRY(add_future(calls, event, &number, err));
	if (event->kind == EVENT_IRECV) {
		calls->futures.items[number].posted = posted;
		calls->futures.items[number].partitions = partitions;
	}
	if (event->kind == EVENT_COLLECTIVE_COMPLETE && i && event[-1].kind == EVENT_COMM_CREATE)
		calls->futures.items[number].peer = event[-1].comm;
	return number_map_set(&calls->by_request, event->request, 0, number, &before, err);
}

/* Note which thread completes a request, if the rank has several. */
static int note_completer(struct rank_calls *calls, const struct mpi_call *call, uint64_t request,
			  struct error *err)
{
	uint32_t before;

	return calls->threads < 2
		       ? 0
		       : number_map_set(&calls->completers, request, 0, call->thread, &before, err);
}

static int note_ends(void *data, const struct mpi_call *call, struct error *err)
{
	struct rank_calls *calls = data;
	const bool completes = mpi_function_named(call->function).class == MPI_CLASS_COMPLETION;

	for (uint32_t i = 0; i < call->event_count; i++) {
		TRY(free_tags_note(&calls->program->tags, &call->events[i],
				   calls->flow->world.world_comm, err));
		switch (call->events[i].kind) {
		case EVENT_ISEND_COMPLETE:
		case EVENT_IRECV:
		case EVENT_REQUEST_CANCELLED:
		case EVENT_COLLECTIVE_COMPLETE:
			TRY(note_completer(calls, call, call->events[i].request, err));
			break;
		case EVENT_RMA_COMPLETE:
			/* Those of MPI_Win_flush and MPI_Win_unlock complete no request. */
			if (completes)
				TRY(note_completer(calls, call, call->events[i].request, err));
			break;
		default:
			break;
		}
		switch (call->events[i].kind) {
		case EVENT_IRECV_REQUEST:
		case EVENT_IRECV:
		case EVENT_REQUEST_CANCELLED:
		case EVENT_COLLECTIVE_COMPLETE:
			TRY(note_end(calls, call, i, err));
			break;
		default:
			break;
		}
	}
	return 0;
}

/* ------------------------------------------------------------- persistent requests */

static bool same_work(const struct mpi_event *a, const struct mpi_event *b)
{
	if (a->kind != b->kind || a->comm != b->comm)
		return false;
	if (event_is_collective(a->kind))
		return a->collective == b->collective && a->persistent == b->persistent;
	return a->peer == b->peer && a->tag == b->tag && a->bytes == b->bytes &&
	       a->partitions == b->partitions;
}

/* Whether a persistent request of this function may do such work. */
static bool may_do(const char *function, const struct mpi_event *event)
{
	const bool receives = strstr(function, "ecv_init") != NULL,
		   sends = strstr(function, "end_init") != NULL;

	if ((function[strlen("MPI_")] == 'P') !=
	    (!event_is_collective(event->kind) && event->partitions))
		return false;
	return event->kind == EVENT_ISEND   ? sends
	       : event->kind == EVENT_IRECV ? receives
					    : !sends && !receives;
}

/* Whether a persistent request is idle, and of the thread at hand or, if not `own`, of any. */
static bool may_start(const struct rank_calls *calls, const struct replay_persistent *persistent,
		      bool own)
{
	return !persistent->freed && !persistent->active &&
	       (!own || persistent->thread == calls->thread);
}

static uint32_t find_persistent_of(const struct rank_calls *calls, const struct mpi_event *event,
				   bool own)
{
	uint32_t unknown = NO_HINT;

	for (uint32_t p = 0; p < calls->persistent.count; p++) {
		const struct replay_persistent *persistent = &calls->persistent.items[p];

		if (!may_start(calls, persistent, own))
			continue;
		if (persistent->future != NO_HINT &&
		    same_work(&calls->futures.items[persistent->future], event))
			return p;
		if (unknown == NO_HINT && persistent->future == NO_HINT &&
		    may_do(persistent->function, event))
			unknown = p;
	}
	return unknown;
}

/* Find the persistent request that a start is of, one of the same thread if there is one, or NO_HINT. */
static uint32_t find_persistent(const struct rank_calls *calls, const struct mpi_event *event)
{
	const uint32_t own = find_persistent_of(calls, event, true);

	return own != NO_HINT || calls->threads < 2 ? own : find_persistent_of(calls, event, false);
}

static int note_start(struct rank_calls *calls, const struct mpi_event *event, struct error *err)
{
	const uint64_t request = event->request;
	uint32_t p, before, future = number_map_get(&calls->by_request, request, 0);

	if (event->kind == EVENT_ISEND)
		TRY(add_future(calls, event, &future, err));
	if (future == NUMBER_MAP_EMPTY)
		return 0;
	p = find_persistent(calls, &calls->futures.items[future]);
	if (p == NO_HINT)
		return 0;
	if (calls->persistent.items[p].future == NO_HINT)
		calls->persistent.items[p].future = future;
	calls->persistent.items[p].active = true;
	return number_map_set(&calls->started, request, 0, p, &before, err);
}

static void note_inactive(struct rank_calls *calls, uint64_t request)
{
	const uint32_t p = number_map_get(&calls->started, request, 0);

	if (p != NUMBER_MAP_EMPTY)
		calls->persistent.items[p].active = false;
}

static int give_hint(struct rank_calls *calls, uint64_t call, uint32_t hint, struct error *err)
{
	uint32_t before;

	return number_map_set(&calls->hints, call, 0, hint, &before, err);
}

static int note_free(struct rank_calls *calls, struct error *err)
{
	for (uint32_t p = 0; p < calls->persistent.count; p++) {
		struct replay_persistent *persistent = &calls->persistent.items[p];

		if (persistent->freed || persistent->active)
			continue;
		persistent->freed = true;
		return give_hint(calls, calls->call, p, err);
	}
	return 0;
}

static int note_persistent(struct rank_calls *calls, const struct mpi_call *call, struct error *err)
{
	const struct mpi_function function = mpi_function_named(call->function);

	if (function_has(call, "_init") &&
	    (function.class == MPI_CLASS_REQUEST || function.class == MPI_CLASS_COLLECTIVE))
		return array_push(&calls->persistent,
				  ((struct replay_persistent){.function = call->function,
							      .thread = call->thread,
							      .future = NO_HINT,
							      .idle_since = calls->call}),
				  err);
	if (function_is(call, "MPI_Request_free") && !call->event_count)
		return note_free(calls, err);
	for (uint32_t i = 0; i < call->event_count; i++)
		switch (call->events[i].kind) {
		case EVENT_ISEND:
		case EVENT_IRECV_REQUEST:
		case EVENT_COLLECTIVE_REQUEST:
			if (function_has(call, "MPI_Start") || function_has(call, "MPI_Pready"))
				TRY(note_start(calls, &call->events[i], err));
			break;
		case EVENT_ISEND_COMPLETE:
		case EVENT_IRECV:
		case EVENT_REQUEST_CANCELLED:
		case EVENT_COLLECTIVE_COMPLETE:
			note_inactive(calls, call->events[i].request);
			break;
		default:
			break;
		}
	return 0;
}

/* ----------------------------------------------------- probes, groups, operations */

/* Message that the call receives or posts a receive of. */
static const struct mpi_event *received(const struct rank_calls *calls, const struct mpi_call *call)
{
	for (uint32_t i = 0; i < call->event_count; i++) {
		uint32_t future;

		if (call->events[i].kind == EVENT_RECV)
			return &call->events[i];
		if (call->events[i].kind != EVENT_IRECV_REQUEST)
			continue;
		future = number_map_get(&calls->by_request, call->events[i].request, 0);
		if (future != NUMBER_MAP_EMPTY && calls->futures.items[future].kind == EVENT_IRECV)
			return &calls->futures.items[future];
	}
	return NULL;
}

/* Append the call at hand to those that wait. */
static int add_pending(struct rank_calls *calls, enum pending_kind kind, struct error *err)
{
	return array_push(&calls->pending,
			  ((struct replay_pending){(uint32_t)calls->call, calls->thread, kind}),
			  err);
}

/* Find the last call of a list of the thread at hand or, if it has none, of any.  Returns its place, or the number of all. */
static size_t last_of(const struct rank_calls *calls, const struct replay_pending *list,
		      size_t count)
{
	for (size_t i = count; i > 0; i--)
		if (list[i - 1].thread == calls->thread)
			return i - 1;
	return count ? count - 1 : 0;
}

static size_t find_pending(const struct rank_calls *calls)
{
	return last_of(calls, calls->pending.items, calls->pending.count);
}

/*
 * Find the first pending probe for the receive at hand: one that may have a message, if it takes one, of the thread or else
 * of any; otherwise one of the thread that need not have one.  Returns its place, or the number of all.
 */
static size_t find_probe(const struct rank_calls *calls, bool takes)
{
	const size_t count = calls->pending.count;
	size_t found = count;

	for (size_t i = 0; i < count; i++) {
		const struct replay_pending *probe = &calls->pending.items[i];

		if (takes ? probe->kind == PENDING_OTHER : probe->kind == PENDING_MPROBE)
			continue;
		if (probe->thread == calls->thread)
			return i;
		if (takes && found == count)
			found = i;
	}
	return found;
}

static void remove_from(struct replay_pending *list, size_t *count, size_t place)
{
	(*count)--;
	memmove(list + place, list + place + 1, (*count - place) * sizeof *list);
}

static void remove_pending(struct rank_calls *calls, size_t place)
{
	remove_from(calls->pending.items, &calls->pending.count, place);
}

/* Forget the thread's probe that did not wait and that no call was between, if it is pending. */
static void forget_asked(struct rank_calls *calls)
{
	const size_t place = find_pending(calls);

	if (place < calls->pending.count && calls->pending.items[place].thread == calls->thread &&
	    calls->pending.items[place].call == calls->asked[calls->thread])
		remove_pending(calls, place);
}

/* Give the event to a pending call. */
static int give_to(struct rank_calls *calls, const struct mpi_event *event, size_t which,
		   struct error *err)
{
	uint32_t future;

	if (which == calls->pending.count)
		return 0;
	TRY(add_future(calls, event, &future, err));
	TRY(give_hint(calls, calls->pending.items[which].call, future, err));
	remove_pending(calls, which);
	return 0;
}

/* Let a receive take the message that a probe has found, of the same thread or of another one. */
static int take_probed(struct rank_calls *calls, const struct mpi_event *event, struct error *err)
{
	const size_t which = find_probe(calls, true);
	struct replay_pending probe;
	uint32_t before;

	if (which == calls->pending.count && calls->threads > 1)
		return error_set(err, STATUS_LIMIT,
				 "rank %u receives a message, and the call that has found it is "
				 "not known: no program can be generated",
				 calls->rank);
	if (which == calls->pending.count)
		return 0;
	probe = calls->pending.items[which];
	TRY(number_map_set(&calls->hints, probe.call, HINT_THREAD, calls->thread, &before, err));
	TRY(number_map_set(&calls->hints, calls->call, HINT_THREAD, probe.thread, &before, err));
	TRY(number_map_set(&calls->hints, calls->call, HINT_PROBE, probe.call, &before, err));
	if (event)
		return give_to(calls, event, which, err);
	remove_pending(calls, which);
	return 0;
}

/* A call that asks and does not wait is for the message that the next call receives, if it does. */
static int note_probe(struct rank_calls *calls, const struct mpi_call *call, struct error *err)
{
	const bool is_probe = function_has(call, "robe");
	const struct mpi_event *event = is_probe ? NULL : received(calls, call);

	if (is_probe)
		return call->polls ? 0
				   : add_pending(calls,
						 function_has(call, "MPI_Improbe") ? PENDING_IMPROBE
						 : function_has(call, "MPI_Mprobe") ? PENDING_MPROBE
										    : PENDING_OTHER,
						 err);
	if (function_has(call, "mrecv") || function_has(call, "Mrecv"))
		return take_probed(calls, event, err);
	while (event && find_probe(calls, false) < calls->pending.count)
		TRY(give_to(calls, event, find_probe(calls, false), err));
	return 0;
}

/* Forget the last probe of the thread, which did not wait, if no receive follows at once. */
static void forget_probes(struct rank_calls *calls, const struct mpi_call *call)
{
	if (function_has(call, "MPI_Iprobe") || function_has(call, "MPI_Improbe"))
		return;
	if (mpi_function_named(call->function).class != MPI_CLASS_LOCAL &&
	    !(function_has(call, "ecv") && !function_has(call, "init")))
		forget_asked(calls);
}

static int note_probes(void *data, const struct mpi_call *call, struct error *err)
{
	struct rank_calls *calls = data;
	const bool asks = function_has(call, "MPI_Iprobe") || function_has(call, "MPI_Improbe");
	uint32_t *asked = &calls->asked[call->thread];

	calls->call++;
	calls->thread = call->thread;
	forget_probes(calls, call);
	/* A poll is one of several of an event: only the last one counts. */
	if (asks)
		forget_asked(calls);
	TRY(note_probe(calls, call, err));
	if (asks)
		*asked = (uint32_t)calls->call;
	else if (mpi_function_named(call->function).class != MPI_CLASS_LOCAL)
		*asked = 0;
	return note_persistent(calls, call, err);
}

static int note_members(struct rank_calls *calls, const uint32_t *ranks, uint32_t count,
			struct error *err)
{
	struct mpi_event group = {.kind = EVENT_COMM_CREATE, .bytes_sent = count};
	int64_t start;

	TRY(actions_list(&calls->program->actions, (const int32_t *)ranks, count, &start, err));
	group.bytes_received = (uint64_t)start;
	return give_to(calls, &group, find_pending(calls), err);
}

/* Check that the rank makes each communicator that it uses. */
static int check_made(const struct rank_calls *calls, struct error *err)
{
	const struct flow_rank *rank = &calls->flow->ranks[calls->rank];
	const struct trace_world *world = &calls->flow->world;

	for (size_t i = 0; i < rank->comms.count; i++) {
		const uint32_t id = rank->comms.items[i];

		if (id && id != world->world_comm && !world->comms[id].self &&
		    number_map_get(&calls->made, id, 0) == NUMBER_MAP_EMPTY)
			return error_set(
				err, STATUS_LIMIT,
				"rank %u uses communicator %u, which was made where nothing was "
				"recorded: no program can be generated",
				calls->rank, id);
	}
	return 0;
}

/*
 * A communicator that is made from groups of a session: of one that the session gave, if it has all
 * ranks or this one alone, else of one that was made from it.
 */
static int note_session_groups(struct rank_calls *calls, const struct trace_comm *comm,
			       struct error *err)
{
	const size_t pset = last_of(calls, calls->psets.items, calls->psets.count);
	const size_t pending = find_pending(calls);

	if (comm->inter) {
		TRY(note_members(calls, comm->remote_ranks, comm->remote_size, err));
		return note_members(calls, comm->ranks, comm->size, err);
	}
	if (comm->identity)
		return 0;
	if ((comm->self || (comm->size == 1 && comm->ranks[0] == calls->rank)) &&
	    pset < calls->psets.count &&
	    (pending == calls->pending.count ||
	     calls->pending.items[pending].call < calls->psets.items[pset].call)) {
		TRY(give_hint(calls, calls->psets.items[pset].call, true, err));
		remove_from(calls->psets.items, &calls->psets.count, pset);
		return 0;
	}
	if (comm->self)
		return 0;
	return note_members(calls, comm->ranks, comm->size, err);
}

static int note_groups(void *data, const struct mpi_call *call, struct error *err)
{
	struct rank_calls *calls = data;

	calls->call++;
	calls->thread = call->thread;
	for (uint32_t i = 0; i < call->event_count; i++)
		if (call->events[i].kind == EVENT_COMM_CREATE) {
			uint32_t before;

			TRY(number_map_set(&calls->made, call->events[i].comm, 0, 1, &before, err));
		}
	if (function_has(call, "MPI_Group_") &&
	    (function_has(call, "incl") || function_has(call, "excl")))
		return add_pending(calls, PENDING_OTHER, err);
	if (function_is(call, "MPI_Group_from_session_pset"))
		return array_push(&calls->psets,
				  ((struct replay_pending){(uint32_t)calls->call, calls->thread,
							   PENDING_OTHER}),
				  err);
	if (function_has(call, "_from_group") && call->event_count)
		return note_session_groups(calls, &calls->flow->world.comms[call->events[0].comm],
					   err);
	if (!function_has(call, "MPI_Comm_create") && !function_has(call, "MPI_Win_post") &&
	    !function_has(call, "MPI_Win_start"))
		return 0;
	for (uint32_t i = 0; i < call->event_count; i++) {
		const struct mpi_event *event = &call->events[i];
		const struct trace_comm *comm = &calls->flow->world.comms[event->comm];

		if (event->kind == EVENT_RMA_GROUP_SYNC)
			TRY(note_members(calls, event->group_ranks, event->group_size, err));
		else if (event->kind == EVENT_COMM_CREATE && !comm->self && !comm->inter)
			TRY(note_members(calls, comm->ranks, comm->size, err));
	}
	return 0;
}

static int note_operations(void *data, const struct mpi_call *call, struct error *err)
{
	struct rank_calls *calls = data;

	calls->call++;
	calls->thread = call->thread;
	if (function_is(call, "MPI_Op_create"))
		return add_pending(calls, PENDING_OTHER, err);
	for (uint32_t i = 0; i < call->event_count; i++) {
		const struct mpi_event *event = &call->events[i];
		uint32_t maker;

		if (event->operation && !strncmp(event->operation, "user", 4))
			TRY(give_to(calls, event, find_pending(calls), err));
		if (event->kind == EVENT_COMM_CREATE &&
		    (function_has(call, "graph") || function_has(call, "Graph"))) {
			TRY(number_map_set(&calls->target_of, event->comm, 0, (uint32_t)calls->call,
					   &maker, err));
		} else if (event_is_collective(event->kind) && event->neighbours) {
			uint32_t future;

			maker = number_map_remove(&calls->target_of, event->comm, 0);
			if (maker == NUMBER_MAP_EMPTY)
				continue;
			TRY(add_future(calls, event, &future, err));
			TRY(give_hint(calls, maker, future, err));
		}
	}
	return 0;
}

/* ---------------------------------------------------------------------------- all */

static int number_objects(struct rank_calls *calls, struct error *err)
{
	const struct flow_rank *rank = &calls->flow->ranks[calls->rank];

	struct number_list comms = {0};
	int result = own_comms(calls->flow, calls->rank, &comms, err);

	for (uint32_t i = 0; i < comms.count && result == 0; i++)
		result = number_map_add(&calls->comm_numbers, comms.items[i], 0, i, err);
	if (comms.count > calls->program->needs.comms)
		calls->program->needs.comms = comms.count;
	array_release(&comms);
	TRY(result);
	for (uint32_t i = 0; i < rank->windows.count; i++)
		TRY(number_map_add(&calls->window_numbers, rank->windows.items[i], 0, i, err));
	return 0;
}

int look_ahead(struct rank_calls *calls, struct error *err)
{
	static trace_receive *const passes[] = {note_ends, note_probes, note_partitions,
						note_groups, note_operations};

	TRY(number_objects(calls, err));
	TRY(allocate(&calls->asked, calls->threads, sizeof *calls->asked, err));
	TRY(allocate(&calls->shared, calls->threads, sizeof *calls->shared, err));
	TRY(allocate(&calls->groups, calls->threads, sizeof *calls->groups, err));
	TRY(allocate(&calls->sessions, calls->threads, sizeof *calls->sessions, err));
	for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
		calls->call = 0;
		memset(calls->asked, 0, calls->threads * sizeof *calls->asked);
		calls->pending.count = 0;
		TRY(flow_recover(calls->flow, calls->rank, passes[i], calls, err));
	}
	calls->call = 0;
	number_map_clear(&calls->target_of);
	TRY(check_partitions(calls, err));
	TRY(check_made(calls, err));
	return calls->threads > 1 ? thread_order_find(calls, err) : 0;
}

void look_ahead_release(struct rank_calls *calls)
{
	for (size_t i = 0; i < calls->owned.count; i++)
		free(calls->owned.items[i]);
	array_release(&calls->owned);
	array_release(&calls->futures);
	array_release(&calls->persistent);
	array_release(&calls->open);
	array_release(&calls->pending);
	array_release(&calls->psets);
	array_release(&calls->locks);
	array_release(&calls->starts);
	array_release(&calls->readies);
	array_release(&calls->parts);
	number_map_release(&calls->by_request);
	number_map_release(&calls->hints);
	number_map_release(&calls->started);
	number_map_release(&calls->completers);
	number_map_release(&calls->starters);
	free(calls->shared);
	free(calls->groups);
	free(calls->sessions);
	thread_order_release(&calls->order);
	free(calls->asked);
	number_map_release(&calls->comm_numbers);
	number_map_release(&calls->window_numbers);
	number_map_release(&calls->target_of);
	number_map_release(&calls->grid_calls);
	number_map_release(&calls->made);
}
