/*
 * Recording of N iterations of the main loop in full, beside the graphs of the whole run
 * (`llamp-trace --iterations`).
 *
 * Each rank finds its main loop and counts its iterations (trace/sequence/steady.h).  Calls go to
 * chunks of the journals from the start (trace/journal/journal_chunks.h), the oldest of which are
 * removed.  What happens then:
 *
 *	1. A rank that is steady joins a consensus (tracer/consensus.h): all are steady when it is complete.
 *	2. Each joins another one with the number of a coming iteration: all begin with the latest.  Where each iteration has the same
 *	   number of collectives on MPI_COMM_WORLD, collectives are counted in place of iterations: they are the same on all ranks.
 *	3. From that iteration on the chunks are held, up to one iteration after the N-th.  Then calls are in the graphs only.
 *	4. If a new node comes after that, it may be that of another phase of the program.  The search begins again with that event
 *	   and a new ring of chunks.  A loop without a node that is new since the last window is no phase: the search ends.
 *
 * A rank may learn of the common iteration when it is there already: its chunks have it.  In
 * MPI_Finalize all ranks use as many iterations as each of them has.  Without all ranks together
 * (sessions, MPMD) the first iteration has to be given.
 */
#ifndef TRACER_ITERATION_RECORDER_H
#define TRACER_ITERATION_RECORDER_H

#include "common/error.h"
#include "trace/call/mpi_call.h"
#include "trace/flow/builder/flow_rank.h"
#include "trace/journal/journal.h"

#include <stdbool.h>

/*
 * Begin in this process: record `count` iterations, the first one at `first` (from 1; 0: when all
 * ranks are steady), and as many of later main loops: of `phases` loops at most.
 */
void iteration_recorder_begin(uint64_t count, uint64_t first, unsigned phases);

/* All ranks are there.  Collective. */
void iteration_recorder_together(void);

/* Divide the journal of a new thread. */
int iteration_recorder_divide(struct journal *journal, bool first_thread, uint64_t ring_bytes,
			      struct error *err);

/*
 * Take an event of the first thread's graph; enter_ns by the clock of the journals, call: its
 * number in the rank.
 */
int iteration_recorder_event(const struct flow_rank_event *event, uint64_t enter_ns, uint64_t call,
			     struct error *err);

/*
 * Take a call of a thread after its event; `stage` belongs to the thread, 0 at first.  Record it in
 * the journal, which is that of the thread, unless it is not wanted.
 */
int iteration_recorder_call(struct journal *journal, unsigned *stage, bool first_thread,
			    unsigned function, const struct mpi_call *call, struct error *err);

/* What is left of the calls at the end. */
enum iterations_kept {
	ITERATIONS_ALL,	   /* all: there is no window */
	ITERATIONS_WINDOW, /* those of the window */
	ITERATIONS_NONE,   /* not all, and no window */
};

/* Name of the function of a node of the first thread's graph, or NULL. */
typedef const char *node_function(uint32_t node);

/*
 * Choose what all ranks keep.  Collective.  Rank 0 says if there is no window, and why, with the
 * function that has most nodes.
 */
enum iterations_kept iteration_recorder_end(node_function *name_of);

/* Note the clock of the rank at the end. */
int iteration_recorder_clock(const struct clock_point *end, struct error *err);

/* Add the windows of this rank to its graphs. */
int iteration_recorder_windows(struct flow_rank *rank, struct error *err);

/* Release what this process has, if it has begun; events are no longer taken. */
void iteration_recorder_release(void);

#endif
