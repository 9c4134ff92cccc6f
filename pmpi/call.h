/*
 * Bracket around an intercepted call.
 *
 * A wrapper looks like this:
 *
 *	int MPI_Send(const void *buffer, int count, ..., MPI_Comm comm)
 *	{
 *		BRACKET(Send, buffer, count, ..., comm);
 *		... add events, look after requests and communicators ...
 *		return call_end(&call, result);
 *	}
 *
 * The clock is read last before and first after the call.  Between call_leave and call_end the
 * common data (requests, communicators) belongs to the thread, and only PMPI functions without
 * callbacks are called.  Each thread has its own events (threads.h).  PMPI_Send in this code is the
 * MPI library's (library.h), but the program's PMPI_Send is the wrapper too.
 *
 * For a sink that only counts (sink.h) the bracket is another, shorter one, which returns from the wrapper
 * (count.h).  COUNTED_BRACKET has a statement for it, which fills `sums` of a call that succeeded:
 * COUNTED_BRACKET(sums_message(&sums, ...), Send, ...).
 */
#ifndef PMPI_CALL_H
#define PMPI_CALL_H

#include "pmpi/count.h"
#include "trace/call/mpi_functions.h"

#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* MPI has large counts, persistent collectives and the like. */
#define HAVE_MPI4 (MPI_VERSION >= 4)

struct call {
	unsigned number;
	unsigned depth;		/* number of calls that it is made in */
	bool open;		/* between call_prepare and call_leave */
	bool tracking;		/* recording is active, and the sink takes calls */
	bool recording;		/* recording is active, and this call is handed to the sink or counted */
	bool polled;		/* it has found nothing */
	struct thread *thread;	/* of the caller, or NULL if recording is not active */
	uintptr_t return_address, cfa; /* of the wrapper */
	uint64_t enter, leave;	/* ticks (common/machine/ticks.h) */
};

static inline void call_clock(struct call *call)
{
	call->enter = ticks_now();
}

/* Where the program called the wrapper; in the wrapper itself and its parts. */
#define RETURN_ADDRESS ((uintptr_t)__builtin_extract_return_addr(__builtin_return_address(0)))
/* End of the wrapper's frame in the stack. */
#define WRAPPER_CFA ((uintptr_t)__builtin_dwarf_cfa())

/* Do what is to be done before the clock is read. */
WRAPPER_PART void call_prepare(struct call *call, unsigned number)
{
	call->return_address = RETURN_ADDRESS;
	call->cfa = WRAPPER_CFA;
	call->number = number;
	call->tracking = (process.state == PROCESS_ACTIVE || start_late()) &&
			 (own_thread || thread_register());
	call->thread = own_thread;
	call->depth = call_depth++;
	call->open = true;
	call->polled = false;
	call->recording = call->depth == 0 && call->tracking && process.on;
	if (call->recording && call->thread->inside)
		*call->thread->inside = number + 1;
	call->tracking = call->tracking && sink.needs;
	if (call->recording && call->thread->switches != process.switch_count)
		thread_switch(call->thread);
}

/* Returns false if the wrapper only has to count the call, if it is recorded, and return the result. */
static inline bool call_leave(struct call *call)
{
	call->leave = ticks_now();
	call->open = false;
	call_depth = call->depth;
	if (!call->tracking)
		return false;
	process_lock();
	call->thread->events.count = 0;
	return true;
}

/* Hand the call to the sink, give the common data back, and return the result. */
int call_end(const struct call *call, int result);

/* Count a call that is recorded, and return the result.  Only sums of a call that succeeded may be set. */
int call_count(const struct call *call, struct mpi_sums *sums, int result);

/* Leave and end a call that has nothing to count and no events. */
static inline int call_return(struct call *call, int result)
{
	struct mpi_sums sums = {0};

	if (call_leave(call))
		return call_end(call, result);
	return call->recording ? call_count(call, &sums, result) : result;
}

/*
 * End a call that a C++ exception of the program's error handler or callback leaves: it has failed.
 */
static inline void call_unwind(struct call *call)
{
	if (call->open)
		call_return(call, MPI_ERR_OTHER);
}
#define BRACKETED_CALL __attribute__((cleanup(call_unwind))) struct call

#define UNWRAP(...) __VA_ARGS__

/*
 * Declare the `result` of NEXT_Name and call it with these arguments, in the bracket of a prepared `call`.
 * Return if recording is not active, or if the sink only counts.  SUMS is a statement that may set `sums`.
 */
#define LIBRARY_CALL(...) COUNTED_CALL_(NO_SUMS, __VA_ARGS__)
#define COUNTED_CALL(...) COUNTED_CALL_(__VA_ARGS__)
#define COUNTED_CALL_(SUMS, Name, ...)                           \
	int result;                                              \
                                                                 \
	call_clock(&call);                                       \
	result = NEXT_##Name(__VA_ARGS__);                       \
	if (!call_leave(&call)) {                                \
		struct mpi_sums sums = {0};                      \
                                                                 \
		if (!call.recording)                             \
			return result;                           \
		if (result == MPI_SUCCESS)                       \
			SUMS;                                    \
		return call_count(&call, &sums, result);         \
	}

/* Declare `call`, too, and prepare it, unless the sink only counts. */
#define BRACKET(...) COUNTED_BRACKET_(NO_SUMS, __VA_ARGS__)
#define COUNTED_BRACKET(...) COUNTED_BRACKET_(__VA_ARGS__)
#define COUNTED_BRACKET_(SUMS, Name, ...)    \
	COUNT_ONLY_(SUMS, Name, __VA_ARGS__) \
	BRACKETED_CALL call;                 \
                                             \
	call_prepare(&call, CALL_##Name);    \
	LIBRARY_CALL(Name, __VA_ARGS__)

/* Add an event to the call, zeroed but for its kind.  It is dropped if the call is not recorded. */
struct mpi_event *call_event(const struct call *call, enum mpi_event_kind kind);

/* Bytes of an element of a valid datatype, and of a message that was received (pmpi/sizes.h). */
uint64_t sizes_of_kept_type(MPI_Datatype type);
uint64_t received_bytes(const MPI_Status *status);

/* Number of bytes of `count` elements. */
static inline uint64_t bytes_of(MPI_Count count, MPI_Datatype type)
{
	return count <= 0 ? 0 : (uint64_t)count * sizes_of_kept_type(type);
}

#endif
