/* Actions of calls on windows. */
#include "eventflow/generate/rank_calls.h"

#include <string.h>

static const struct mpi_event *find_event(const struct mpi_call *call, enum mpi_event_kind kind)
{
	for (uint32_t i = 0; i < call->event_count; i++)
		if (call->events[i].kind == kind)
			return &call->events[i];
	return NULL;
}

static void say_target(struct rank_calls *calls, const struct mpi_event *event, struct action *text)
{
	say_peer(calls, calls->flow->world.windows[event->window].comm, event->peer, text);
}

static int note_target(struct rank_calls *calls, const struct mpi_event *event, struct error *err)
{
	uint32_t before;

	return number_map_set(&calls->target_of, event->request, 0, event->peer, &before, err);
}

static void need_window(struct rank_calls *calls, uint64_t bytes)
{
	need_bytes(calls, bytes);
	if (bytes > calls->program->needs.window_bytes)
		calls->program->needs.window_bytes = bytes;
}

static void say_one_type(uint64_t bytes, const char *operation, struct action *text)
{
	uint64_t unit;
	const char *type = reduction_type(operation, bytes, &unit);

	if (unit != bytes)
		type = bytes == 1   ? "MPI_INT8_T"
		       : bytes == 2 ? "MPI_INT16_T"
		       : bytes == 4 ? "MPI_INT32_T"
		       : bytes == 8 ? "MPI_INT64_T"
				    : "MPI_LONG_DOUBLE";
	action_say(text, "%s", type);
}

static void say_atomic(struct rank_calls *calls, const char *function,
		       const struct mpi_event *event, struct action *text)
{
	const uint64_t bytes = event->bytes_received ? event->bytes_received : event->bytes_sent;
	const int64_t window = own_window(calls, event->window);
	const bool fetches = event->atomic == RMA_FETCH_AND_ACCUMULATE;
	uint64_t unit;
	const char *type = reduction_type(event->operation, bytes, &unit);

	if (strstr(function, "Compare_and_swap") || strstr(function, "Fetch_and_op")) {
		action_say(text, "%s(out, %s", function,
			   strstr(function, "Compare") ? "out, in, " : "in, ");
		say_one_type(bytes, strstr(function, "Compare") ? NULL : event->operation, text);
		action_say(text, ", ");
		say_target(calls, event, text);
		action_say(text, ", at($)", window);
		if (strstr(function, "Fetch"))
			action_say(text, ", %s", reduction_operation(event->operation));
		action_say(text, ", window[$]", window);
		return;
	}
	action_say(text, "%s(out, $, %s, ", function, (int64_t)(event->bytes_sent / unit), type);
	if (fetches)
		action_say(text, "in, $, %s, ", (int64_t)(event->bytes_received / unit), type);
	say_target(calls, event, text);
	action_say(text, ", at($), $, %s, %s, window[$]", window, (int64_t)(bytes / unit), type,
		   event->operation ? reduction_operation(event->operation) : "MPI_REPLACE",
		   window);
}

/* Tell whether the function gives a request: MPI_Rput and its like. */
static bool has_request(const char *function)
{
	return !strncmp(function, "MPI_R", 5);
}

static int say_operation(struct rank_calls *calls, const char *function,
			 const struct mpi_event *event, struct action *text, struct error *err)
{
	const uint64_t bytes = event->bytes_sent ? event->bytes_sent : event->bytes_received;
	const int64_t window = own_window(calls, event->window);

	need_window(calls, bytes);
	need_window(calls, event->bytes_received);
	TRY(note_target(calls, event, err));
	if (event->kind == EVENT_RMA_ATOMIC) {
		say_atomic(calls, function, event, text);
	} else {
		action_say(text, "%s(%s, $, MPI_BYTE, ", function,
			   event->kind == EVENT_RMA_PUT ? "out" : "in", (int64_t)bytes);
		say_target(calls, event, text);
		action_say(text, ", at($), $, MPI_BYTE, window[$]", window, (int64_t)bytes, window);
	}
	action_say(text, has_request(function) ? ", begin());" : ");");
	if (!has_request(function))
		return 0;
	return note_open(calls, event->request, NO_REQUEST, err);
}

/* An operation on MPI_PROC_NULL, of which nothing is known. */
static void say_no_operation(struct rank_calls *calls, const char *function, struct action *text)
{
	const char *request = has_request(function) ? ", &silent" : "";
	const int64_t window = own_window(calls, calls->last_window);

	if (strstr(function, "ccumulate"))
		action_say(
			text,
			"%s(out, 0, MPI_BYTE, %sMPI_PROC_NULL, 0, 0, MPI_BYTE, MPI_REPLACE, window[$]%s);",
			function, strstr(function, "et_acc") ? "in, 0, MPI_BYTE, " : "", window,
			request);
	else if (strstr(function, "Put") || strstr(function, "put") || strstr(function, "Get") ||
		 strstr(function, "get"))
		action_say(text,
			   "%s(out, 0, MPI_BYTE, MPI_PROC_NULL, 0, 0, MPI_BYTE, window[$]%s);",
			   function, window, request);
}

static int make_window(struct rank_calls *calls, const char *function,
		       const struct mpi_event *event, struct action *text)
{
	const size_t length = strlen(function);
	const bool large = !strcmp(function + length - strlen("_c"), "_c");
	const int kind = strstr(function, "dynamic")
				 ? 3
				 : (large ? 4 : 0) + (strstr(function, "shared")     ? 2
						      : strstr(function, "allocate") ? 1
										     : 0);

	calls->last_window = event->window;
	action_say(text, "make_window($, $, $);", (int64_t)kind,
		   own_comm(calls, calls->flow->world.windows[event->window].comm),
		   own_window(calls, event->window));
	return 0;
}

static int say_lock(struct rank_calls *calls, const struct mpi_call *call,
		    const struct mpi_event *event, struct action *text, struct error *err)
{
	const int64_t window = own_window(calls, event->window);
	size_t left = 0;

	if (event->kind == EVENT_RMA_LOCK)
		TRY(array_push(&calls->locks, ((struct replay_lock){event->window, event->peer}),
			       err));
	for (size_t i = 0; event->kind == EVENT_RMA_UNLOCK && i < calls->locks.count; i++)
		if (calls->locks.items[i].window != event->window ||
		    calls->locks.items[i].target != event->peer)
			calls->locks.items[left++] = calls->locks.items[i];
	if (event->kind == EVENT_RMA_UNLOCK)
		calls->locks.count = left;
	if (event->peer == RMA_ALL) {
		action_say(text, "%s(%swindow[$]);", call->function,
			   event->kind == EVENT_RMA_LOCK ? "0, " : "", window);
		return 0;
	}
	action_say(text, "%s(%s", call->function,
		   event->kind == EVENT_RMA_UNLOCK ? ""
		   : event->exclusive		   ? "MPI_LOCK_EXCLUSIVE, "
						   : "MPI_LOCK_SHARED, ");
	say_target(calls, event, text);
	action_say(text, "%s, window[$]);", event->kind == EVENT_RMA_LOCK ? ", 0" : "", window);
	return 0;
}

/* A flush: its target is that of the operations that it completes, or of the last lock. */
static void say_flush(struct rank_calls *calls, const struct mpi_call *call, struct action *text)
{
	uint32_t window = calls->last_window, target = RMA_ALL;

	if (calls->locks.count) {
		window = calls->locks.items[calls->locks.count - 1].window;
		target = calls->locks.items[calls->locks.count - 1].target;
	}
	for (uint32_t i = 0; i < call->event_count; i++) {
		const uint32_t known = number_map_get(&calls->target_of, call->events[i].request,
						      0);

		window = call->events[i].window;
		if (known != NUMBER_MAP_EMPTY)
			target = known;
	}
	action_say(text, "%s(", call->function);
	if (!strstr(call->function, "_all")) {
		if (target == RMA_ALL || window >= calls->flow->world.window_count)
			action_say(text, "0");
		else
			say_peer(calls, calls->flow->world.windows[window].comm, target, text);
		action_say(text, ", ");
	}
	action_say(text, "window[$]);", own_window(calls, window));
}

static int say_group_sync(struct rank_calls *calls, const struct mpi_call *call,
			  const struct mpi_event *event, struct action *text, struct error *err)
{
	const int64_t window = own_window(calls, event->window);
	int64_t members;

	if (strstr(call->function, "_test")) {
		if (event->sync != RMA_SYNC_NONE)
			action_say(text,
				   "for (flag = 0; !flag;) { MPI_Win_test(window[$], &flag); }",
				   window);
		else
			action_say(text, ";");
		return 0;
	}
	if (!strstr(call->function, "_post") && !strstr(call->function, "_start")) {
		action_say(text, "%s(window[$]);", call->function, window);
		return 0;
	}
	TRY(actions_list(&calls->program->actions, (const int32_t *)event->group_ranks,
			 event->group_size, &members, err));
	action_say(text, "%s(group_of($, $), 0, window[$]);", call->function,
		   (int64_t)event->group_size, members, window);
	return 0;
}

int window_action(struct rank_calls *calls, const struct mpi_call *call, struct action *text,
		  struct error *err)
{
	const struct mpi_event *event = find_event(call, EVENT_WIN_CREATE);

	if (event)
		return make_window(calls, call->function, event, text);
	event = find_event(call, EVENT_WIN_DESTROY);
	if (event) {
		action_say(text, "MPI_Win_free(&window[$]);", own_window(calls, event->window));
		return 0;
	}
	for (enum mpi_event_kind kind = EVENT_RMA_PUT; kind <= EVENT_RMA_ATOMIC; kind++)
		if ((event = find_event(call, kind)))
			return say_operation(calls, call->function, event, text, err);
	if ((event = find_event(call, EVENT_RMA_LOCK)) ||
	    (event = find_event(call, EVENT_RMA_UNLOCK)))
		return say_lock(calls, call, event, text, err);
	if ((event = find_event(call, EVENT_RMA_GROUP_SYNC)))
		return say_group_sync(calls, call, event, text, err);
	if ((event = find_event(call, EVENT_RMA_COLLECTIVE)))
		action_say(text, "MPI_Win_fence(0, window[$]);", own_window(calls, event->window));
	else if (strstr(call->function, "_sync"))
		action_say(text, "MPI_Win_sync(window[$]);",
			   own_window(calls, (event = find_event(call, EVENT_RMA_SYNC))
						     ? event->window
						     : calls->last_window));
	else if (strstr(call->function, "_flush"))
		say_flush(calls, call, text);
	else
		say_no_operation(calls, call->function, text);
	return 0;
}
