/*
 * Threads of the program that call MPI.
 *
 * Each thread has a recorder of the sink, so that threads need not wait for each other.  When a
 * thread ends, the next new thread continues with its recorder.
 */
#ifndef PMPI_THREADS_H
#define PMPI_THREADS_H

#include "common/array.h"
#include "common/machine/ticks.h"
#include "pmpi/callers.h"
#include "pmpi/process.h"
#include "trace/call/mpi_call.h"

struct request;
struct sizes;

/* Memory of a call that may complete requests. */
struct scratch {
	ARRAY(struct request *) taken;	/* NULL if not known or completed */
	ARRAY(MPI_Status) statuses;
};

/*
 * Scratches, one for each depth of calls that user functions make inside calls.  All deeper calls
 * share the last one.
 */
enum { SCRATCH_COUNT = 3 };

struct thread {
	void *recorder;			/* of the sink, NULL before the first record */
	uint32_t *inside;		/* where the sink keeps the current call, or NULL */
	uint32_t number;		/* of the recorder, 0 for the thread that has started MPI */
	size_t switches;		/* handed over */
	ARRAY(struct mpi_event) events;	/* of the current call */
	struct mpi_call finished;	/* as the sink gets it */
	bool events_lent;		/* they have vectors of a request, which others may take */
	bool ended;			/* the thread has, if it is the first */
	struct scratch scratches[SCRATCH_COUNT];
	ARRAY(uint64_t) send_vector, receive_vector;	/* vectors of a collective */
	uint64_t own_bytes;		/* of a collective (pmpi/totals.h) */
	struct sizes *sizes;		/* NULL before they are needed (pmpi/sizes.h) */
	struct caller_places callers;
	struct ticks_clock clock;	/* for sinks that take calls */
	struct thread *next_free;
};

/*
 * State of this thread, NULL before its first call.  It is read without a function call, however
 * this library is loaded.
 */
extern _Thread_local struct thread *own_thread __attribute__((tls_model("initial-exec")));

/* Set own_thread.  False after failures (process_fail has been called). */
bool thread_register(void);

/* Begin the recorder of a thread that has none. */
int thread_begin(struct thread *thread, struct error *err);

/* Find the recorder of this thread, which is begun if necessary.  NULL with the error set. */
void *thread_recorder(struct error *err);

/* Hand a switch of recording over for all threads, now or at their next call. */
int threads_switch(uint64_t time_ns, bool on, struct error *err);

/* Hand over the switches that the thread has not handed over yet. */
void thread_switch(struct thread *thread);

/*
 * End the recorders and free the memory of threads, but not of other living threads, which might be
 * in a call.  The last recorder is the one of this thread, or of the first thread if it has ended.
 * `complete`: recording has reached its end, unless it has failed.
 */
void threads_end(bool complete);

#endif
