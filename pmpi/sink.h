/*
 * Sink: the consumer of the MPI calls that this library intercepts.
 *
 * A tool is a shared library of all of pmpi/ and one definition of `sink`.  Preloaded into an MPI
 * program, or linked before the MPI library, it is called in this order:
 *
 *	initialising	MPI_Init is entered
 *	complete	MPI_Init has returned (both only if MPI_Init is called)
 *	begin		MPI is initialised; the rank and the number of ranks are known
 *	thread_begin	before anything else in a thread; number 0 is the thread of begin
 *	comm		MPI_COMM_WORLD and MPI_COMM_SELF: COMM_ID_WORLD, COMM_ID_SELF
 *	begun		all ranks have come as far as this
 *	call, recording, comm, comm_name, window, window_name, group	as the program runs
 *	thread_end	of threads that are not in a call
 *	end		in MPI_Finalize, or when a process that used sessions ends
 *
 * If a rank fails before `begun`, thread_end and `cancel` come instead on all ranks.  Members
 * may be NULL, but not name, thread_begin, and call or count.
 *
 * Threads.  `recorder` is the result of thread_begin for the calling thread, which is in no other
 * sink function at that time.  Several threads may be in `call`, each with its own recorder.  All
 * other functions are called by one thread at a time.  When a thread has ended, a new one continues
 * with its recorder, so recorders are no more than threads that called MPI at the same time.
 *
 * Inside.  A sink may call MPI by PMPI_ names (pmpi/library.h), which are not intercepted, read
 * `process` (pmpi/process.h), and ask for thread_recorder (pmpi/threads.h).  It may communicate
 * on process.comm, but only in begin and end (if together) and begun, in which all ranks take part,
 * also failed ones.  Time in a sink is outside of all calls: it looks like computation
 * of the program.
 *
 * In `call` a sink may begin and test non-blocking collectives on a communicator of its own
 * (together_duplicate), and never wait for them: other ranks may be anywhere.  The call of the
 * program has returned, its thread is in no function of MPI, and calls inside other calls do not
 * come here.  So the thread may call MPI where the program may: with MPI_THREAD_SERIALIZED and less
 * no other thread is in MPI; with MPI_THREAD_MULTIPLE several threads may be here, of which the
 * sink lets one at a time use its request.  Ranks complete or give up in `end` what they have
 * begun: a rank of which nothing more comes to `call` takes part there.  Where process.apart is
 * set, or in sessions, there is nobody to communicate with.
 *
 * Ownership.  Arguments belong to the library and are valid during the call.
 *
 * Errors.  A sink never ends the program and never waits for other ranks elsewhere.  Functions that
 * return int return 0, or -1 with *err filled.  After -1 this rank hands over nothing more, and the
 * program goes on.  `failed` reports why, at most once.
 */
#ifndef PMPI_SINK_H
#define PMPI_SINK_H

#include "common/error.h"
#include "trace/call/mpi_call.h"
#include "trace/call/mpi_objects.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What a call amounts to, for sinks that only count.  Of a call that failed, or of which this is not known,
 * numbers are 0.
 */
struct mpi_sums {
	uint64_t enter, leave; /* ticks (common/machine/ticks.h) */
	/*
	 * What this rank passes as its own data, or receives: count times size of the datatype; of
	 * collectives collective_own_bytes (trace/call/collective_totals.h).  Messages to and from
	 * MPI_PROC_NULL have 0; MPI_Irecv has the room that it gives; persistent communication counts
	 * when it is started, partitioned sends when their last partition is ready.
	 */
	uint64_t bytes;
	uint64_t moved;	   /* sent and received, both added; of collectives their totals */
	uint32_t requests; /* given to a call that completes or tests some */
	uint32_t ranks;	   /* of the communicator, of its group that this rank is in */
	int peer;    /* rank in MPI_COMM_WORLD that the message goes to or comes from, or -1 */
	bool world;  /* the communicator is MPI_COMM_WORLD */
	bool failed; /* it returned an error */
};

/* What a sink needs beside `count`. */
enum { SINK_CALLS = 1 };

struct sink {
	const char *name; /* of the tool, before its messages */

	/*
	 * SINK_CALLS: calls with their events, and all objects that these refer to, in `call` and the
	 * functions after it.  0: the sink only counts.  Then nothing is kept of requests,
	 * communicators and windows, no lock is taken, and a call costs a few ns.
	 */
	unsigned needs;
	bool always; /* MPI_Pcontrol has no effect */

	/*
	 * Begin in this process.  `together`: all ranks are in MPI_Init.  Otherwise other ranks may
	 * be anywhere, and `begin` is called again, together, if MPI_Init comes later.  *record is
	 * true.  Set it to false to record nothing before MPI_Pcontrol(1).
	 */
	int (*begin)(bool together, bool *record, struct error *err);
	int (*begun)(struct error *err);

	/*
	 * Prepare before MPI_Init, and return after it whether all ranks of MPI_COMM_WORLD have
	 * this sink.  If not, recording begins and ends without `together`, and `begun` is not
	 * called.
	 */
	void (*initialising)(void);
	bool (*complete)(void);

	/*
	 * Note that other ranks have not answered in time at their first communication.  Recording begins
	 * and ends without `together` then.  A sink without this function fails instead, and so does a
	 * sink whose ranks do not answer later.
	 */
	void (*late)(const struct error *err);

	/* Give up.  Unless state is PROCESS_NEW, calls of sessions have been recorded before. */
	void (*cancel)(void);

	/*
	 * Return the recorder of a new thread, NULL only after a failure.  Threads have numbers
	 * from 0.  `last`: recording ends in this thread, and nothing has failed.
	 */
	void *(*thread_begin)(uint32_t number, struct error *err);
	int (*thread_end)(void *recorder, bool last, struct error *err);

	/*
	 * Return where the number of the call that a thread is in is to be kept, 1 + CALL_..., while it is in a
	 * call that will be counted; NULL for nowhere.  The sink sets it to 0 in `count`.
	 */
	uint32_t *(*inside)(void *recorder);

	/* Take a call that has returned, if the sink has no needs. */
	void (*count)(void *recorder, unsigned function, const struct mpi_sums *sums);

	/*
	 * Take a call that has returned.  `function` is its number, such as CALL_Send
	 * (trace/call/mpi_functions.h).  `call` has no name and no thread.  Its polls are 1 if it
	 * found nothing.
	 */
	int (*call)(void *recorder, unsigned function, const struct mpi_call *call,
		    struct error *err);

	/* Take a switch of recording by MPI_Pcontrol.  Each thread gets it before its next call. */
	int (*recording)(void *recorder, uint64_t time_ns, bool on, struct error *err);

	/*
	 * Take a new object, to which calls refer by id from now on.  The event EVENT_COMM_DESTROY
	 * or EVENT_WIN_DESTROY frees it.  Names come when a communicator gets one, when an object
	 * is freed, and before the end.  The last one is valid.
	 */
	int (*comm)(void *recorder, const struct mpi_comm *comm, struct error *err);
	int (*comm_name)(void *recorder, uint32_t id, const char *name, struct error *err);
	int (*window)(void *recorder, const struct mpi_window *window, struct error *err);
	int (*window_name)(void *recorder, uint32_t id, const char *name, struct error *err);
	int (*group)(void *recorder, const struct mpi_group *group, struct error *err);

	/*
	 * Return a variable for the environment of processes that the program spawns, NAME=VALUE, or
	 * NULL.  Open MPI's launcher is told.
	 */
	const char *(*variable)(void);

	/* End recording.  `together`: all ranks are in MPI_Finalize, where MPI still works. */
	int (*end)(bool together, struct error *err);

	/* Print why recording has failed on this rank. */
	void (*failed)(const struct error *err);

	/*
	 * Note that `tool`, the file of another tool in the program, has initialised MPI without this
	 * library.  Nothing is recorded then.  A sink without this function begins late instead.
	 */
	void (*hidden)(const char *tool);

	/* Note that the process ends without a seen start of MPI.  It may be no MPI program. */
	void (*unseen)(void);

	/* Note that the process ends without a call of `function`, such as "MPI_Finalize". */
	void (*unfinished)(const char *function);
};

extern const struct sink sink;

#endif
