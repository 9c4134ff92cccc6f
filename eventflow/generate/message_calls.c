/* Actions of messages and requests, and the choice between the kinds of calls. */
#include "eventflow/generate/partitioned_calls.h"

#include "trace/call/mpi_functions.h"

#include <string.h>

static const char blocking[] = ");", begins[] = ", begin());";

static bool name_is(const struct mpi_call *call, const char *name)
{
	return !strcmp(call->function + strlen("MPI_"), name);
}

static bool name_begins(const struct mpi_call *call, const char *name)
{
	return !strncmp(call->function + strlen("MPI_"), name, strlen(name));
}

static bool name_has(const struct mpi_call *call, const char *part)
{
	return strstr(call->function, part) != NULL;
}

static const struct mpi_event *hint_of(const struct rank_calls *calls)
{
	const uint32_t hint = number_map_get(&calls->hints, calls->call, 0);

	return hint == NUMBER_MAP_EMPTY ? NULL : &calls->futures.items[hint];
}

static const struct mpi_event *future_of(const struct rank_calls *calls, uint64_t request)
{
	const uint32_t future = number_map_get(&calls->by_request, request, 0);

	return future == NUMBER_MAP_EMPTY ? NULL : &calls->futures.items[future];
}

static const struct mpi_event *event_of(const struct mpi_call *call, enum mpi_event_kind kind)
{
	for (uint32_t i = 0; i < call->event_count; i++)
		if (call->events[i].kind == kind)
			return &call->events[i];
	return NULL;
}

/* ------------------------------------------------------------------------- messages */

/* Sender, tag and communicator of a receive or probe; NULL: one that never comes. */
static void say_source(struct rank_calls *calls, const struct mpi_event *from, uint8_t posted,
		       struct action *text)
{
	if (!from) {
		action_say(text, "%s, %s, OWN", posted & POSTED_ANY_SOURCE ? "MPI_ANY_SOURCE" : "0",
			   posted & POSTED_ANY_TAG ? "MPI_ANY_TAG" : "32767");
		return;
	}
	if (calls->program->matched)
		posted = 0;
	if (posted & POSTED_ANY_SOURCE)
		action_say(text, "MPI_ANY_SOURCE");
	else
		say_peer(calls, from->comm, from->peer, text);
	if (posted & POSTED_ANY_TAG)
		action_say(text, ", MPI_ANY_TAG");
	else
		action_say(text, ", $", (int64_t)from->tag);
	action_say(text, ", comm[$]", own_comm(calls, from->comm));
}

static void say_receive(struct rank_calls *calls, const struct mpi_event *from, uint8_t posted,
			struct action *text)
{
	need_bytes(calls, from ? from->bytes : 0);
	/* Receives of several threads may match in another order than in the run, and each other's message. */
	if (from && (posted || calls->program->threads > 1))
		action_say(text, "in, MOST, MPI_BYTE, ");
	else
		action_say(text, "in, $, MPI_BYTE, ", (int64_t)(from ? from->bytes : 0));
	say_source(calls, from, posted, text);
}

static void say_send(struct rank_calls *calls, const struct mpi_event *to, struct action *text)
{
	if (!to) {
		action_say(text, "0, MPI_BYTE, MPI_PROC_NULL, 0");
		return;
	}
	need_bytes(calls, to->bytes);
	action_say(text, "$, MPI_BYTE, ", (int64_t)to->bytes);
	say_peer(calls, to->comm, to->peer, text);
	action_say(text, ", $", (int64_t)to->tag);
}

static void say_comm_of(struct rank_calls *calls, const struct mpi_event *event,
			struct action *text)
{
	if (event)
		action_say(text, ", comm[$]", own_comm(calls, event->comm));
	else
		action_say(text, ", HERE");
}

static void say_receive_or_null(struct rank_calls *calls, const struct mpi_event *from,
				struct action *text)
{
	if (from)
		say_receive(calls, from, from->posted, text);
	else
		action_say(text, "in, 0, MPI_BYTE, MPI_PROC_NULL, 0, HERE");
}

static void say_sendrecv(struct rank_calls *calls, const struct mpi_call *call,
			 const struct mpi_event *to, const struct mpi_event *from,
			 struct action *text)
{
	const bool replace = name_has(call, "replace");

	action_say(text, "%s(%s", call->function, replace ? "in, " : "out, ");
	if (replace && !to)
		action_say(text, "$, MPI_BYTE, MPI_PROC_NULL, 0",
			   (int64_t)(from ? from->bytes : 0));
	else
		say_send(calls, to, text);
	action_say(text, ", ");
	if (!replace && from)
		say_receive(calls, from, from->posted, text);
	else if (!replace)
		action_say(text, "in, 0, MPI_BYTE, MPI_PROC_NULL, 0");
	if (!replace && !from)
		say_comm_of(calls, to, text);
	if (!replace)
		return;
	if (from)
		need_bytes(calls, from->bytes);
	if (from)
		say_source(calls, from, from->posted, text);
	else
		action_say(text, "MPI_PROC_NULL, 0");
	if (!from)
		say_comm_of(calls, to, text);
}

static int isendrecv(struct rank_calls *calls, const struct mpi_call *call,
		     const struct mpi_event *to, const struct mpi_event *request,
		     struct action *text, struct error *err)
{
	const struct mpi_event *from = request ? future_of(calls, request->request) : NULL;
	struct mpi_event posted = {0};

	if (from)
		posted = *from;
	posted.posted = request ? request->posted : 0;
	say_sendrecv(calls, call, to, from ? &posted : NULL, text);
	action_say(text, "%s", begins);
	if (!to && !request)
		return note_open(calls, SILENT, NO_REQUEST, err);
	return note_open(calls, to ? to->request : request->request,
			 to && request ? request->request : NO_REQUEST, err);
}

/* Return the other thread of a probe and its receive, or -1. */
static int64_t other_of_probe(const struct rank_calls *calls)
{
	const uint32_t other = number_map_get(&calls->hints, calls->call, HINT_THREAD);

	return other == NUMBER_MAP_EMPTY || other == calls->thread ? -1 : (int64_t)other;
}

/* The message that was probed first, by the thread itself or for it. */
static void say_message(struct rank_calls *calls, struct action *text)
{
	const int64_t prober = other_of_probe(calls);

	calls->messages -= calls->messages > 0;
	if (prober < 0)
		action_say(text, "message()");
	else
		action_say(text, "message_of($)", prober);
}

static int message_action(struct rank_calls *calls, const struct mpi_call *call,
			  struct action *text, struct error *err)
{
	const struct mpi_event *to = event_of(call, EVENT_SEND), *from = event_of(call, EVENT_RECV),
			       *isend = event_of(call, EVENT_ISEND),
			       *irecv = event_of(call, EVENT_IRECV_REQUEST);

	if (name_has(call, "Isendrecv"))
		return isendrecv(calls, call, isend, irecv, text, err);
	if (name_has(call, "Sendrecv")) {
		say_sendrecv(calls, call, to, from, text);
		action_say(text, ", MPI_STATUS_IGNORE);");
	} else if (name_begins(call, "Mrecv")) {
		action_say(text, "MPI_Mrecv(in, %s, MPI_BYTE, ", from ? "MOST" : "0");
		say_message(calls, text);
		action_say(text, ", MPI_STATUS_IGNORE);");
		need_bytes(calls, from ? from->bytes : 0);
	} else if (name_begins(call, "Imrecv")) {
		action_say(text, "MPI_Imrecv(in, MOST, MPI_BYTE, ");
		say_message(calls, text);
		action_say(text, "%s", begins);
		return note_open(calls, irecv ? irecv->request : SILENT, NO_REQUEST, err);
	} else if (name_begins(call, "Recv")) {
		action_say(text, "%s(", call->function);
		say_receive_or_null(calls, from, text);
		action_say(text, ", MPI_STATUS_IGNORE);");
	} else if (name_begins(call, "Irecv") && irecv) {
		action_say(text, "%s(", call->function);
		say_receive(calls, future_of(calls, irecv->request), irecv->posted, text);
		action_say(text, "%s", begins);
		return note_open(calls, irecv->request, NO_REQUEST, err);
	} else if (name_begins(call, "Irecv")) {
		action_say(text, "%s(in, 0, MPI_BYTE, MPI_PROC_NULL, 0, HERE%s", call->function,
			   begins);
		return note_open(calls, SILENT, NO_REQUEST, err);
	} else if (name_begins(call, "I")) {
		if (name_begins(call, "Ib") && isend)
			calls->program->needs.buffered += isend->bytes + 4096;
		action_say(text, "%s(out, ", call->function);
		say_send(calls, isend, text);
		say_comm_of(calls, isend, text);
		action_say(text, "%s", begins);
		return note_open(calls, isend ? isend->request : SILENT, NO_REQUEST, err);
	} else {
		if (name_begins(call, "Bs") && to)
			calls->program->needs.buffered += to->bytes + 4096;
		action_say(text, "%s(out, ", call->function);
		say_send(calls, to, text);
		say_comm_of(calls, to, text);
		action_say(text, "%s", blocking);
	}
	return 0;
}

/* A probe looks for the next message that the program receives. */
static void probe_action(struct rank_calls *calls, const struct mpi_call *call, struct action *text)
{
	const struct mpi_event *from = hint_of(calls);
	const uint8_t posted = from ? from->posted : 0;

	if (name_begins(call, "Mprobe") || (name_begins(call, "Improbe") && from)) {
		if (++calls->messages > calls->program->needs.messages)
			calls->program->needs.messages = calls->messages;
		action_say(text, "%s(", name_begins(call, "I") ? "probe_message" : call->function);
		if (from)
			say_source(calls, from, posted, text);
		else
			action_say(text, "MPI_PROC_NULL, 0, HERE");
		action_say(text, name_begins(call, "I")
					 ? ");"
					 : ", &messages[message_count++], MPI_STATUS_IGNORE);");
		if (other_of_probe(calls) >= 0)
			action_say(text, " give_message($);", other_of_probe(calls));
		return;
	}
	action_say(text, name_begins(call, "Improbe")	       ? "MPI_Improbe("
			 : name_begins(call, "Iprobe") && from ? "probe_until("
			 : name_begins(call, "I")	       ? "MPI_Iprobe("
							       : "MPI_Probe(");
	if (!from && name_begins(call, "Probe"))
		action_say(text, "MPI_PROC_NULL, 0, HERE");
	else
		say_source(calls, from, posted, text);
	action_say(text, name_begins(call, "Improbe") ? ", &flag, messages, MPI_STATUS_IGNORE);"
			 : name_begins(call, "Iprobe") && from ? ");"
			 : name_begins(call, "I")	       ? ", &flag, MPI_STATUS_IGNORE);"
							       : ", MPI_STATUS_IGNORE);");
}

/* ------------------------------------------------------------------------- requests */

/* Whether the thread at hand both has started the request and completes it. */
static bool is_own_request(const struct rank_calls *calls, const struct replay_open *open)
{
	return open->from == calls->thread && open->to == calls->thread;
}

static bool is_request(const struct replay_open *open, uint64_t number)
{
	return open->number == number || open->other == number;
}

/*
 * Take a request off the open ones.  Its position is among those that the same thread has started for the same
 * thread.  Returns false if there is none.
 */
static bool take_open(struct rank_calls *calls, uint64_t number, struct replay_taken *taken)
{
	size_t i = 0;

	while (i < calls->open.count &&
	       (!is_request(&calls->open.items[i], number) ||
		(number == SILENT && !is_own_request(calls, &calls->open.items[i]))))
		i++;
	if (i == calls->open.count)
		return false;
	*taken = (struct replay_taken){calls->open.items[i].from, 0};
	for (size_t k = 0; k < i; k++)
		taken->position += calls->open.items[k].from == calls->open.items[i].from &&
				   calls->open.items[k].to == calls->open.items[i].to;
	calls->open.count--;
	memmove(calls->open.items + i, calls->open.items + i + 1,
		(calls->open.count - i) * sizeof *calls->open.items);
	return true;
}

static bool takes_list(const struct mpi_call *call)
{
	return name_is(call, "Waitall") || name_is(call, "Waitsome") || name_is(call, "Testall") ||
	       name_is(call, "Testsome");
}

/* Requests that a call completes. */
struct completed {
	struct replay_taken *items;
	size_t count;
	bool oldest; /* they are the oldest ones that the thread has for itself */
	bool own;    /* all are of the thread itself */
};

/* Whether the call completes own requests in the order in which they were begun. */
static bool completes_in_order(const struct rank_calls *calls, const struct mpi_call *call)
{
	uint32_t event = 0;

	for (size_t i = 0; i < calls->open.count && event < call->event_count; i++)
		event += is_own_request(calls, &calls->open.items[i]) &&
			 is_request(&calls->open.items[i], call->events[event].request);
	return event == call->event_count;
}

/* Take them, with those between them that have no record. */
static void take_in_order(struct rank_calls *calls, const struct mpi_call *call,
			  struct completed *completed)
{
	uint32_t event = 0;
	int32_t own = 0;
	size_t left = 0;

	for (size_t i = 0; i < calls->open.count; i++) {
		const struct replay_open *open = &calls->open.items[i];
		const bool is_next = event < call->event_count && is_own_request(calls, open) &&
				     is_request(open, call->events[event].request);

		event += is_next;
		if (is_next || (open->number == SILENT && is_own_request(calls, open))) {
			completed->items[completed->count++] = (struct replay_taken){calls->thread,
										     own};
			completed->oldest &= own == 0;
		} else {
			own += is_own_request(calls, open);
			calls->open.items[left++] = *open;
		}
	}
	calls->open.count = left;
}

static bool take_one(struct rank_calls *calls, uint64_t number, struct completed *completed)
{
	struct replay_taken *taken = &completed->items[completed->count];

	if (!take_open(calls, number, taken))
		return false;
	completed->count++;
	completed->own &= taken->from == calls->thread;
	completed->oldest &= taken->from == calls->thread && taken->position == 0;
	return true;
}

/* Take all requests that the call completes. */
static void take_completed(struct rank_calls *calls, const struct mpi_call *call,
			   struct completed *completed)
{
	completed->count = 0;
	completed->oldest = completed->own = true;
	if (takes_list(call) && completes_in_order(calls, call)) {
		take_in_order(calls, call, completed);
		return;
	}
	for (uint32_t i = 0; i < call->event_count; i++) {
		const enum mpi_event_kind kind = call->events[i].kind;

		if (kind == EVENT_ISEND_COMPLETE || kind == EVENT_IRECV ||
		    kind == EVENT_REQUEST_CANCELLED || kind == EVENT_COLLECTIVE_COMPLETE ||
		    kind == EVENT_RMA_COMPLETE)
			take_one(calls, call->events[i].request, completed);
	}
	/* Requests that complete without a record may be any of the list. */
	while (takes_list(call) && take_one(calls, SILENT, completed))
		;
	/* A single one that has no record completes in a call that has none. */
	if (!call->event_count && !completed->count && !name_is(call, "Request_free"))
		take_one(calls, SILENT, completed);
}

/* Take one request: of the thread itself, or of another one. */
static void say_take(const struct rank_calls *calls, const struct replay_taken *taken,
		     struct action *text)
{
	if (taken->from == calls->thread)
		action_say(text, "take($)", (int64_t)taken->position);
	else
		action_say(text, "take_from($, $)", (int64_t)taken->from, (int64_t)taken->position);
}

static void say_one(const struct rank_calls *calls, const struct mpi_call *call,
		    const struct replay_taken *taken, struct action *text)
{
	const bool tests = name_begins(call, "Test");

	if (tests) {
		action_say(text, "for (");
		say_take(calls, taken, text);
		action_say(text, ", flag = 0; !flag;) { ");
	}
	action_say(text, "%s(", call->function);
	if (name_has(call, "any"))
		action_say(text, "1, ");
	if (tests)
		action_say(text, "taken");
	else
		say_take(calls, taken, text);
	action_say(text, name_has(call, "any") ? ", indices, " : ", ");
	action_say(text, tests ? "&flag, MPI_STATUS_IGNORE); }" : "MPI_STATUS_IGNORE);");
}

/* Keep the positions of requests or, if some are of other threads, threads and positions. */
static int keep_completed(struct rank_calls *calls, const struct completed *completed,
			  int64_t *start, struct error *err)
{
	ARRAY(int32_t) numbers = {0};
	int result = 0;

	for (size_t i = 0; i < completed->count && result == 0; i++) {
		if (!completed->own)
			result = array_push(&numbers, (int32_t)completed->items[i].from, err);
		if (result == 0)
			result = array_push(&numbers, completed->items[i].position, err);
	}
	if (result == 0)
		result = actions_list(&calls->program->actions, numbers.items, numbers.count, start,
				      err);
	array_release(&numbers);
	return result;
}

static int say_several(struct rank_calls *calls, const struct mpi_call *call,
		       const struct completed *completed, struct action *text, struct error *err)
{
	const char *which = completed->oldest ? "oldest("
			    : completed->own  ? "take_all("
					      : "take_each(",
		   *list = completed->oldest ? "" : ", lists + ";
	const int64_t count = (int64_t)completed->count;
	int64_t start = 0;

	if (!completed->oldest)
		TRY(keep_completed(calls, completed, &start, err));
	if (name_is(call, "Testall"))
		action_say(text, "for (%s$%s", which, count, list);
	else
		action_say(text, "%s($, %s$%s",
			   name_is(call, "Waitsome")   ? "wait_some"
			   : name_is(call, "Testsome") ? "test_some"
						       : call->function,
			   count, which, count, list);
	if (!completed->oldest)
		action_say(text, "$", start);
	if (name_is(call, "Testall"))
		action_say(text, "), flag = 0; !flag;) { MPI_Testall($, taken, &flag, statuses); }",
			   count);
	else
		action_say(text, name_has(call, "some") ? "));" : "), statuses);");
	return 0;
}

/* A call that completes nothing. */
static void say_none(const struct mpi_call *call, struct action *text)
{
	static const struct {
		const char *name, *text;
	} none[] = {
		{"Wait", "MPI_Wait(&nothing, MPI_STATUS_IGNORE);"},
		{"Waitall", "MPI_Waitall(1, &nothing, statuses);"},
		{"Waitany", "MPI_Waitany(1, &nothing, indices, MPI_STATUS_IGNORE);"},
		{"Waitsome", "MPI_Waitsome(1, &nothing, &count, indices, statuses);"},
		{"Test", "MPI_Test(&nothing, &flag, MPI_STATUS_IGNORE);"},
		{"Testall", "MPI_Testall(1, &nothing, &flag, statuses);"},
		{"Testany", "MPI_Testany(1, &nothing, indices, &flag, MPI_STATUS_IGNORE);"},
		{"Testsome", "MPI_Testsome(1, &nothing, &count, indices, statuses);"},
		{"Request_get_status",
		 "MPI_Request_get_status(nothing, &flag, MPI_STATUS_IGNORE);"},
	};

	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		if (name_is(call, none[i].name))
			action_say(text, "%s", none[i].text);
}

static int completion_action(struct rank_calls *calls, const struct mpi_call *call,
			     struct action *text, struct error *err)
{
	struct completed completed = {0};
	int result = 0;

	TRY(allocate(&completed.items, call->event_count + calls->open.count + 1,
		     sizeof *completed.items, err));
	if (!name_is(call, "Request_get_status"))
		take_completed(calls, call, &completed);
	if (completed.count == 0)
		say_none(call, text);
	else if (name_is(call, "Wait") || name_is(call, "Test") || name_has(call, "any"))
		say_one(calls, call, &completed.items[0], text);
	else
		result = say_several(calls, call, &completed, text, err);
	free(completed.items);
	return result;
}

/* Number of the first persistent request that was never started with a record. */
static int64_t idle_persistent(const struct rank_calls *calls)
{
	uint32_t p = 0;

	while (p < calls->persistent.count && calls->persistent.items[p].future != NO_HINT)
		p++;
	return p;
}

/*
 * Find the event with the least request that is not below `least`: requests are numbered in the
 * order of the list.
 */
static const struct mpi_event *next_start(const struct mpi_call *call, uint64_t least)
{
	const struct mpi_event *next = NULL;

	for (uint32_t i = 0; i < call->event_count; i++)
		if (call->events[i].request >= least &&
		    (!next || call->events[i].request < next->request))
			next = &call->events[i];
	return next;
}

static int start_action(struct rank_calls *calls, const struct mpi_call *call, struct action *text,
			struct error *err)
{
	ARRAY(int32_t) numbers = {0};
	const struct mpi_event *event = next_start(call, 0);
	int64_t start = 0, opened;
	int result = 0;

	for (; event && result == 0; event = next_start(call, event->request + 1)) {
		const uint32_t number = number_map_get(&calls->started, event->request, 0);

		if (number == NUMBER_MAP_EMPTY)
			continue;
		result = array_push(&numbers, (int32_t)number, err);
		if (result == 0)
			result = note_open(calls, event->request, NO_REQUEST, err);
	}
	opened = (int64_t)numbers.count;
	for (uint32_t i = 1; result == 0; i++) {
		const uint32_t number = number_map_get(&calls->hints, calls->call, i);

		if (number == NUMBER_MAP_EMPTY)
			break;
		result = array_push(&numbers, (int32_t)number, err);
	}
	if (numbers.count > calls->program->needs.open)
		calls->program->needs.open = numbers.count;
	if (result == 0)
		result = actions_list(&calls->program->actions, numbers.items, numbers.count,
				      &start, err);
	if (result == 0 && name_is(call, "Start") && (int64_t)numbers.count > opened)
		action_say(text, "MPI_Start(&persistent[$]);", (int64_t)numbers.items[0]);
	else if (result == 0 && name_is(call, "Start") && numbers.count)
		action_say(text, "MPI_Start(&persistent[$]); *begin() = persistent[$];",
			   (int64_t)numbers.items[0], (int64_t)numbers.items[0]);
	else if (result == 0 && name_is(call, "Start"))
		action_say(text, "MPI_Start(&persistent[$]); *begin() = persistent[$];",
			   idle_persistent(calls), idle_persistent(calls));
	else if (result == 0)
		action_say(text, "start_all($, lists + $, $);", (int64_t)numbers.count, start,
			   opened);
	if (result == 0 && name_is(call, "Start") && !numbers.count)
		result = note_open(calls, SILENT, NO_REQUEST, err);
	array_release(&numbers);
	return result;
}

/* MPI_Send_init, MPI_Allreduce_init, ...: what is started later tells its arguments. */
static int init_action(struct rank_calls *calls, const struct mpi_call *call, struct action *text,
		       struct error *err)
{
	const struct replay_persistent *persistent = &calls->persistent.items[calls->inits];
	const struct mpi_event *event = persistent->future == NO_HINT
						? NULL
						: &calls->futures.items[persistent->future];
	const int64_t number = calls->inits++;
	char end[80];

	if (name_begins(call, "P")) {
		action_say(text, "%s(%s, $, $, MPI_BYTE, ", call->function,
			   name_begins(call, "Ps") ? "out" : "in",
			   event ? (int64_t)event->partitions : 1,
			   event ? (int64_t)(event->bytes / event->partitions) : 0);
		if (event) {
			need_bytes(calls, event->bytes);
			say_peer(calls, event->comm, event->peer, text);
			action_say(text, ", $", (int64_t)event->tag);
		} else {
			action_say(text, "MPI_PROC_NULL, 0");
		}
		say_comm_of(calls, event, text);
		action_say(text, ", MPI_INFO_NULL, &persistent[$]);", number);
	} else if (!event && (name_has(call, "end_init") || name_has(call, "Recv_init"))) {
		action_say(text, "%s(in, 0, MPI_BYTE, MPI_PROC_NULL, 0, HERE", call->function);
		action_say(text, ", &persistent[$]);", number);
	} else if (event && event->kind == EVENT_ISEND) {
		action_say(text, "%s(out, ", call->function);
		say_send(calls, event, text);
		say_comm_of(calls, event, text);
		action_say(text, ", &persistent[$]);", number);
	} else if (event && event->kind == EVENT_IRECV) {
		action_say(text, "%s(", call->function);
		say_receive(calls, event, event->posted, text);
		action_say(text, ", &persistent[$]);", number);
	} else if (event) {
		snprintf(end, sizeof end, ", MPI_INFO_NULL, &persistent[%u]);", (unsigned)number);
		return collective_action(calls, call->function, event, end, text, err);
	}
	return 0;
}

static void free_action(struct rank_calls *calls, const struct mpi_call *call, struct action *text)
{
	const uint32_t hint = number_map_get(&calls->hints, calls->call, 0);
	struct replay_taken taken[2];
	struct completed completed = {.items = taken};

	if (call->event_count == 1)
		take_completed(calls, call, &completed);
	if (completed.count) {
		action_say(text, "MPI_Request_free(");
		say_take(calls, &taken[0], text);
		action_say(text, ");");
	} else if (hint != NUMBER_MAP_EMPTY) {
		action_say(text, "MPI_Request_free(&persistent[$]);", (int64_t)hint);
	}
}

/* Cancel the first of the thread's requests that ends so. */
static int cancel_action(struct rank_calls *calls, struct action *text, struct error *err)
{
	int64_t position = 0;
	bool handed = false;

	for (size_t i = 0; i < calls->open.count; i++) {
		struct replay_open *open = &calls->open.items[i];
		const struct mpi_event *future = future_of(calls, open->number);
		const bool ends = future && future->kind == EVENT_REQUEST_CANCELLED &&
				  !open->complete;

		if (ends && is_own_request(calls, open)) {
			open->complete = true;
			action_say(text, "MPI_Cancel(&open[$]);", position);
			return 0;
		}
		handed |= ends;
		position += is_own_request(calls, open);
	}
	return handed ? error_set(err, STATUS_LIMIT,
				  "rank %u cancels a request that one thread has started and "
				  "another one completes: no program can be generated",
				  calls->rank)
		      : 0;
}

/* ----------------------------------------------------------------------- collectives */

static int collective_call(struct rank_calls *calls, const struct mpi_call *call,
			   struct action *text, struct error *err)
{
	const struct mpi_event *event = event_of(call, EVENT_COLLECTIVE),
			       *request = event_of(call, EVENT_COLLECTIVE_REQUEST);

	if (event)
		return collective_action(calls, call->function, event, blocking, text, err);
	if (!request)
		return 0;
	event = future_of(calls, request->request);
	if (!event || event->kind != EVENT_COLLECTIVE_COMPLETE)
		return 0;
	TRY(note_open(calls, request->request, NO_REQUEST, err));
	return collective_action(calls, call->function, event, begins, text, err);
}

static int idup_action(struct rank_calls *calls, const struct mpi_call *call, struct action *text,
		       struct error *err)
{
	const struct mpi_event *request = event_of(call, EVENT_COLLECTIVE_REQUEST),
			       *event = request ? future_of(calls, request->request) : NULL;

	if (!event)
		return 0;
	/* The future of a duplicate has the communicator that was made as its peer. */
	action_say(text, "MPI_Comm_idup(comm[$], &comm[$]%s", own_comm(calls, event->comm),
		   own_comm(calls, event->peer), begins);
	return note_open(calls, request->request, NO_REQUEST, err);
}

static void make_group(struct rank_calls *calls, const struct mpi_call *call, struct action *text)
{
	const uint32_t hint = number_map_get(&calls->hints, calls->call, 0);

	int64_t count = 1, members = 0;

	if (hint != NUMBER_MAP_EMPTY) {
		count = (int64_t)calls->futures.items[hint].bytes_sent;
		members = (int64_t)calls->futures.items[hint].bytes_received;
	}
	action_say(text, "%s($, $);",
		   name_is(call, "Group_incl")	       ? "include"
		   : name_is(call, "Group_range_incl") ? "include_ranges"
		   : name_is(call, "Group_excl")       ? "exclude"
						       : "exclude_ranges",
		   count, members);
}

static void operation_action(struct rank_calls *calls, const struct mpi_call *call,
			     struct action *text)
{
	const struct mpi_event *user = hint_of(calls);
	const bool commutes = !user || !user->operation || !strcmp(user->operation, "user");

	if (name_is(call, "Op_create"))
		action_say(text, "MPI_Op_create(combine, $, &user_ops[$]);", (int64_t)commutes,
			   (int64_t)commutes);
	else if (name_is(call, "Op_free"))
		action_say(text, "MPI_Op_free(&user_ops[user_ops[1] == MPI_OP_NULL ? 0 : 1]);");
}

static int other_action(struct rank_calls *calls, const struct mpi_call *call, struct action *text)
{
	const char *local = local_action(call->function);

	if (name_begins(call, "Group_") && (name_has(call, "incl") || name_has(call, "excl")))
		make_group(calls, call, text);
	else if (name_is(call, "Group_from_session_pset"))
		action_say(text, "group_of_session($);",
			   (int64_t)(number_map_get(&calls->hints, calls->call, 0) !=
				     NUMBER_MAP_EMPTY));
	else if (name_begins(call, "Op_"))
		operation_action(calls, call, text);
	else if (local)
		action_say(text, "%s", local);
	return 0;
}

int call_action(struct rank_calls *calls, const struct mpi_call *call, struct action *text,
		struct error *err)
{
	const struct mpi_function function = mpi_function_named(call->function);

	if (strncmp(call->function, "MPI_", 4) != 0)
		return 0;
	if (name_is(call, "Comm_idup"))
		return idup_action(calls, call, text, err);
	if (name_has(call, "_init") && !name_has(call, "_init_thread") &&
	    (function.class == MPI_CLASS_REQUEST || function.class == MPI_CLASS_COLLECTIVE))
		return init_action(calls, call, text, err);
	if (name_begins(call, "Start"))
		return start_action(calls, call, text, err);
	if (name_is(call, "Request_free")) {
		free_action(calls, call, text);
		return 0;
	}
	if (name_is(call, "Cancel")) {
		return cancel_action(calls, text, err);
	}
	if (name_has(call, "robe")) {
		probe_action(calls, call, text);
		return 0;
	}
	switch (function.class) {
	case MPI_CLASS_P2P:
		return name_begins(call, "P") ? partitioned_action(calls, call, text, err)
					      : message_action(calls, call, text, err);
	case MPI_CLASS_COMPLETION:
		return completion_action(calls, call, text, err);
	case MPI_CLASS_COLLECTIVE:
		return collective_call(calls, call, text, err);
	case MPI_CLASS_COMMUNICATOR:
		return comm_action(calls, call, text, err);
	case MPI_CLASS_RMA:
		return name_has(call, "tach") ? other_action(calls, call, text)
					      : window_action(calls, call, text, err);
	default:
		return other_action(calls, call, text);
	}
}
