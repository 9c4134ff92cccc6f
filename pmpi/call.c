#include "pmpi/call.h"

#include "pmpi/callers.h"
#include "pmpi/sink.h"

/* Zeros to copy, which is five times as fast as memset: GCC turns memset into "rep stos". */
static const struct mpi_event no_event;

/* Make room for an event; nowhere if the call is not recorded. */
static struct mpi_event *find_room(const struct call *call)
{
	static _Thread_local struct mpi_event nowhere;
	struct error err;

	if (!call->recording || process.state != PROCESS_ACTIVE)
		return &nowhere;
	if (array_reserve(&call->thread->events, 1, &err) < 0) {
		process_fail(&err);
		return &nowhere;
	}
	return &call->thread->events.items[call->thread->events.count++];
}

struct mpi_event *call_event(const struct call *call, enum mpi_event_kind kind)
{
	struct thread *thread = call->thread;
	struct mpi_event *event;

	if (call->recording && process.state == PROCESS_ACTIVE &&
	    thread->events.count < thread->events.capacity)
		event = &thread->events.items[thread->events.count++];
	else
		event = find_room(call);
	*event = no_event;
	event->kind = kind;
	return event;
}

/* Hand the call to the sink.  Its other fields are 0, as they were when the thread was new. */
static int hand_over(const struct call *call, int result)
{
	struct thread *thread = call->thread;
	struct mpi_call *finished = &thread->finished;
	uint64_t enter = call->enter, leave = call->leave;
	struct error err;

	ticks_clock_times(&thread->clock, &enter, &leave);
	finished->enter_ns = enter;
	finished->leave_ns = leave;
	finished->events = thread->events.items;
	finished->event_count = (uint32_t)thread->events.count;
	finished->polls = call->polled;
	finished->return_address = caller_of(&thread->callers, call->return_address, call->cfa);
	if ((!thread->recorder && thread_begin(thread, &err) < 0) ||
	    sink.call(thread->recorder, call->number, finished, &err) < 0)
		process_fail(&err);
	return result;
}

int call_count(const struct call *call, struct mpi_sums *sums, int result)
{
	struct thread *thread = call->thread;
	struct error err;

	if (process.state != PROCESS_ACTIVE)
		return result;
	sums->enter = call->enter;
	sums->leave = call->leave;
	sums->failed = result != MPI_SUCCESS;
	if (thread->recorder || thread_begin(thread, &err) == 0)
		sink.count(thread->recorder, call->number, sums);
	else
		process_fail(&err);
	return result;
}

static bool is_recorded(const struct call *call)
{
	return call->recording && process.state == PROCESS_ACTIVE;
}

/* End a call whose events have vectors of a request: others must not take it before the sink has seen them. */
static int end_lent(const struct call *call, int result)
{
	if (is_recorded(call))
		hand_over(call, result);
	process_unlock();
	call->thread->events_lent = false;
	return result;
}

int call_end(const struct call *call, int result)
{
	if (call->thread->events_lent)
		return end_lent(call, result);
	process_unlock();
	return is_recorded(call) ? hand_over(call, result) : result;
}
