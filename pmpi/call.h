/*
 * The tracer: wrappers of MPI functions that record each call.
 *
 * A wrapper looks like this:
 *
 *	int MPI_Send(const void *buffer, int count, ..., MPI_Comm comm)
 *	{
 *		TRACED_CALL call;
 *		int result;
 *
 *		call_enter(&call, CALL_Send);
 *		result = PMPI_Send(buffer, count, ..., comm);
 *		if (!call_leave(&call))
 *			return result;
 *		... add events, look after requests and communicators ...
 *		return call_end(&call, result);
 *	}
 *
 * The clock is read last before and first after the call.  Between call_leave
 * and call_end the tracer's common data (requests, communicators) belongs to the
 * thread; only PMPI functions that call nobody back are called there.  Events and
 * journals are those of each thread (threads.h).  PMPI_Send in this code is the MPI
 * library's (library.h); the program's PMPI_Send is the wrapper too.
 *
 * The application must never be harmed: what goes wrong here ends the tracing
 * with one message, and the program goes on.
 */
#ifndef PMPI_CALL_H
#define PMPI_CALL_H

#include "common/array.h"
#include "trace/journal/journal.h"
#include "trace/call/mpi_call.h"
#include "trace/call/mpi_functions.h"
#include "pmpi/library.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#define EXPORT __attribute__((visibility("default")))

/* Large counts, persistent collectives and the like are there. */
#define HAVE_MPI4 (MPI_VERSION >= 4)

enum tracer_state {
	TRACER_NEW,		/* MPI is not initialised, or we do not know it yet */
	TRACER_ACTIVE,
	TRACER_FAILED,		/* this rank records no more */
	TRACER_DONE,
};

struct tracer {
	volatile enum tracer_state state;
	volatile bool on;		/* MPI_Pcontrol */
	bool world;			/* MPI_Init has been called: there is MPI_COMM_WORLD */
	bool threaded;			/* MPI_THREAD_MULTIPLE, or sessions: lock */
	int rank, size;			/* in MPI_COMM_WORLD, or the process set mpi://WORLD */
	MPI_Group world_group;
	size_t buffer_bytes;		/* of a journal */
	char directory[4096];		/* of the trace */
	struct error error;		/* why it failed */
	uint64_t load_ns;		/* when the tracer was loaded */
	uint64_t finalize_ns;		/* when MPI_Finalize was entered; 0: not seen */
	uint64_t requests;		/* request numbers given */
	volatile size_t switch_count;	/* how often recording was switched */
	pthread_mutex_t lock;
};

extern struct tracer tracer;

/* What a thread of the program records into; that of one that has ended goes to another. */
struct thread {
	struct journal *journal;	/* NULL before the first record */
	uint32_t number;		/* of the journal; 0: the thread that has started MPI */
	size_t switches;		/* that the journal has */
	ARRAY(struct mpi_event) events;	/* of the call at hand */
	bool events_lent;		/* they have vectors of a request, which others may take */
	bool ended;			/* the thread has, if it is the first */
	struct thread *next_free;
};

/*
 * Of this thread; NULL before its first call.  Read without a function call, however it is loaded.
 */
extern _Thread_local struct thread *own_thread __attribute__((tls_model("initial-exec")));

struct call {
	unsigned number;
	unsigned depth;		/* in how many calls it is made */
	bool open;		/* between call_prepare and call_leave */
	bool tracking;		/* the tracer is active */
	bool recording;		/* and this call is to be recorded */
	bool polled;		/* and it has found nothing */
	struct thread *thread;	/* its own; NULL if the tracer is not active */
	uint64_t enter_ns, leave_ns;
};

extern _Thread_local unsigned call_depth __attribute__((tls_model("initial-exec")));

static inline uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Of this thread: `threaded` may change while it is in a call. */
extern _Thread_local bool tracer_is_locked __attribute__((tls_model("initial-exec")));

static inline void tracer_lock(void)
{
	if (!tracer.threaded)
		return;
	pthread_mutex_lock(&tracer.lock);
	tracer_is_locked = true;
}

static inline void tracer_unlock(void)
{
	if (!tracer_is_locked)
		return;
	tracer_is_locked = false;
	pthread_mutex_unlock(&tracer.lock);
}

/*
 * In MPI_Init, where all ranks are, so that they may communicate; sessions may have started some.
 */
void tracer_start_together(void);

/*
 * Where the other ranks may not be: in a session, or in the first call that we see.
 * rank and size are known, and world or world_group.
 */
void tracer_start_alone(void);

/* Whether the tracer is active, starting it if MPI has been initialised behind our back. */
bool tracer_is_active(void);

/* For call_prepare (threads.h). */
bool thread_begin(void);
void thread_switch(struct thread *thread);

/* In MPI_Finalize of all ranks: record it and make the archive, if that is not done. */
void tracer_end(void);

/* End tracing on this rank; MPI_Finalize says why. */
void tracer_fail(const struct error *err);

/*
 * Whether no rank has failed; else the first that has prints its message.  All
 * ranks take part.
 */
bool tracer_agree(MPI_Comm comm);

/* Note the offset of this rank's clock to that of rank 0; all ranks take part (finish.c). */
void tracer_measure_clock(void);

/* Make an archive of the journals; all ranks take part (finish.c). */
void tracer_finish(void);

/*
 * The same where ranks do not meet, when the process ends: the last rank does it for all.
 * What goes wrong ends the tracing.
 */
void tracer_finish_alone(void);

static inline void call_clock(struct call *call)
{
	call->enter_ns = now_ns();
}

/* Everything of call_enter but the clock, for wrappers with more to prepare. */
static inline void call_prepare(struct call *call, unsigned number)
{
	call->number = number;
	call->tracking = (tracer.state == TRACER_ACTIVE || tracer_is_active()) &&
			 (own_thread || thread_begin());
	call->thread = own_thread;
	call->depth = call_depth++;
	call->open = true;
	call->polled = false;
	call->recording = call->depth == 0 && call->tracking && tracer.on;
	if (call->recording && call->thread->switches != tracer.switch_count)
		thread_switch(call->thread);
}

static inline void call_enter(struct call *call, unsigned number)
{
	call_prepare(call, number);
	call_clock(call);
}

/* False: there is nothing to do but to return the result. */
static inline bool call_leave(struct call *call)
{
	call->leave_ns = now_ns();
	call->open = false;
	call_depth = call->depth;
	if (!call->tracking)
		return false;
	tracer_lock();
	call->thread->events.count = 0;
	return true;
}

/* Write the call, give the tracer's data back, and return the result. */
int call_end(const struct call *call, int result);

/*
 * A program's error handler or callback may leave the call by an exception of C++: it has failed.
 */
static inline void call_unwind(struct call *call)
{
	if (call->open && call_leave(call))
		call_end(call, 0);
}
#define TRACED_CALL __attribute__((cleanup(call_unwind))) struct call

/*
 * A new event of the call, zeroed but for its kind; to be thrown away if the call is not recorded.
 */
struct mpi_event *call_event(const struct call *call, enum mpi_event_kind kind);

/* Bytes of `count` elements. */
static inline uint64_t bytes_of(MPI_Count count, MPI_Datatype type)
{
	MPI_Count size = 0;

	if (count <= 0 || PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0)
		return 0;
	return (uint64_t)count * (uint64_t)size;
}

#endif
