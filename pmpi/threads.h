/*
 * The threads of the program that call MPI.
 *
 * Each records into a journal of its own, so that threads need not wait for each
 * other to record.  When a thread ends, the next new one goes on with what it
 * had: there are no more journals, and locations in the trace, than threads that
 * have called MPI at the same time.
 */
#ifndef PMPI_THREADS_H
#define PMPI_THREADS_H

#include "pmpi/call.h"

/* Set own_thread; false after failures (tracer_fail has been called). */
bool thread_begin(void);

/* The journal of this thread, made when it is needed; NULL with the error set. */
struct journal *thread_journal(struct error *err);

/*
 * Recording has been switched: note it in the journals of all threads, now or at their next call.
 */
int threads_switch(uint64_t time_ns, bool on, struct error *err);

/* Note in the thread's journal what threads_switch has been told. */
void thread_switch(struct thread *thread);

/* When the process ends: this thread's journal, or that of the first if it has ended. */
struct journal *threads_last_journal(struct error *err);

/* How many journals there are. */
uint32_t threads_count(void);

/* Whether something has been recorded. */
bool threads_have_recorded(void);

/* Close the journals, but for those of other threads that live and might still be in a call. */
void threads_close(void);

/* Close the journal of this thread, the only one so far, and remove it. */
void threads_drop(void);

#endif
