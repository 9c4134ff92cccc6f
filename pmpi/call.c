#include "pmpi/call.h"

#include "pmpi/callers.h"
#include "pmpi/sink.h"

/* Zeros to copy, which is five times as fast as memset: GCC turns memset into "rep stos". */
static const struct mpi_event no_event;
static const struct mpi_call no_call;

struct mpi_event *call_event(const struct call *call, enum mpi_event_kind kind)
{
	static _Thread_local struct mpi_event nowhere;
	struct error err;
	struct mpi_event *event = &nowhere;

	if (call->recording && process.state == PROCESS_ACTIVE) {
		struct thread *thread = call->thread;

		if (array_reserve(&thread->events, 1, &err) < 0)
			process_fail(&err);
		else
			event = &thread->events.items[thread->events.count++];
	}
	*event = no_event;
	event->kind = kind;
	return event;
}

static void hand_over(const struct call *call)
{
	struct thread *thread = call->thread;
	struct mpi_call finished = no_call;
	struct error err;

	finished.enter_ns = call->enter;
	finished.leave_ns = call->leave;
	ticks_clock_times(&thread->clock, &finished.enter_ns, &finished.leave_ns);
	finished.events = thread->events.items;
	finished.event_count = (uint32_t)thread->events.count;
	finished.polls = call->polled;
	finished.return_address = caller_of(&thread->callers, call->return_address, call->cfa);
	if ((!thread->recorder && thread_begin(thread, &err) < 0) ||
	    sink.call(thread->recorder, call->number, &finished, &err) < 0)
		process_fail(&err);
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

int call_end(const struct call *call, int result)
{
	bool lent = call->thread->events_lent;

	if (!lent)
		process_unlock();
	if (call->recording && process.state == PROCESS_ACTIVE)
		hand_over(call);
	if (lent)
		process_unlock();
	call->thread->events_lent = false;
	return result;
}
