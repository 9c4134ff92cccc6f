/*
 * Order of the calls of several threads of a rank: which calls have to wait for calls of other
 * threads, so that handles are made before they are used, messages match as they did, and
 * collectives come in the same order on all ranks.
 *
 * A call waits for calls of the run that had ended before it began and have a key in common with it
 * (order_keys.h), so an order that has happened: the program cannot deadlock by it, but where times decide.  It also waits for those that may
 * have run still, if they need no other rank or make what it needs (ORDER_CERTAIN), and for all to end MPI.  Of these
 * calls only those are kept that do not follow from others.  Then each thread tells another one
 * as often as that waits for it, in the same order: one semaphore for each pair is enough.
 *
 * A call has ended when the next one of its thread begins.  Calls come in the order in which they were
 * entered, so that is known without times, which can be compared between threads only nearly: the time in which the tracer
 * wrote its data is left out of a thread's later times.  They tell only whether a wait for a message was over when its
 * communicator was freed, which matters to some MPI libraries but not to MPI, and in a program with sessions whether a call was over
 * when MPI_Init or MPI_Finalize began, or that when another call began (ORDER_BY_TIME). It was if it ended earlier by more than
 * TIMES_APART_NS.
 */
#ifndef EVENTFLOW_THREAD_ORDER_H
#define EVENTFLOW_THREAD_ORDER_H

#include "common/array.h"
#include "eventflow/generate/actions.h"

#include <stdint.h>

struct rank_calls;

/* Another thread that a call waits for before it, or tells after it. */
struct order_entry {
	uint64_t call;
	uint32_t thread;
};

struct order_list {
	struct order_entry *items; /* a growable array (common/array.h), ascending */
	size_t count, capacity;
	size_t next;
};

/* Zero bytes are no order. */
struct thread_order {
	struct order_list *waits, *tells; /* [thread] */
	uint32_t threads;
};

/* Find the order of a rank's calls, which look_ahead has gone through. */
int thread_order_find(struct rank_calls *calls, struct error *err);
void thread_order_release(struct thread_order *order);

/*
 * Append what a thread does before a call, or after it.  Ask for all of the thread's calls in their
 * order, or for the last of several: then it is for all of them.
 */
int thread_order_say_before(struct rank_calls *calls, struct action *text, struct error *err);
int thread_order_say_after(struct rank_calls *calls, struct action *text, struct error *err);

#endif
