/*
 * Windows of iterations that this process records: where they begin and end, and what its threads
 * do with their journals meanwhile (tracer/iteration_recorder.h).
 */
#ifndef TRACER_ITERATION_WINDOWS_H
#define TRACER_ITERATION_WINDOWS_H

#include "common/array.h"
#include "trace/flow/flow.h"
#include "trace/journal/journal.h"
#include "trace/journal/settings.h"

#include <stdbool.h>

/* Begin of an iteration. */
struct iteration_start {
	uint64_t iteration;   /* from 0 */
	uint64_t enter_ns;    /* of its first call */
	uint64_t visit;	      /* of the header */
	uint64_t call;	      /* of the rank */
	uint64_t collectives; /* on MPI_COMM_WORLD before it */
};

/* A window of the first thread.  Zero bytes are valid. */
struct iteration_window {
	uint32_t header; /* node of the thread's graph */
	bool lost;	 /* its first calls had been removed */
	uint64_t kept;	 /* iterations that all ranks have, known at the end */
	ARRAY(struct iteration_start) bounds; /* of its iterations, and its end */
};

/* Note the begin of a window in the journal, which is to have `wanted` iterations. */
int iteration_window_begin(const struct iteration_window *window, struct journal *journal,
			   uint64_t wanted, struct error *err);

/* Note the end of a window of `count` iterations; 0: there is no such window. */
int iteration_window_end(const struct iteration_window *window, struct journal *journal,
			 uint64_t count, struct error *err);

/* A window with its `kept` iterations as graphs have it. */
struct flow_window iteration_window_of_graph(const struct iteration_window *window);

/* What all threads do with their journals, in turns: at first the first one. */
enum journals_do {
	JOURNALS_RING, /* calls are recorded, the oldest are removed */
	JOURNALS_HOLD, /* calls are recorded and kept; may be left out */
	JOURNALS_STOP, /* calls are not recorded, but their messages are counted */
};

/*
 * Tell all threads, unless they know.  One thread at a time.  begin_ns: JOURNALS_HOLD holds what is
 * entered from then on.
 */
void journals_tell(enum journals_do what, uint64_t begin_ns);

/* Tell all threads to leave their calls alone from now on.  Any thread. */
void journals_stop_for_good(void);

/*
 * Do with the journal of the calling thread what was told.  `stage` belongs to the thread, 0 at
 * first.  False: leave the call alone, it is neither recorded nor counted.
 */
bool journals_follow(struct journal *journal, unsigned *stage);

#endif
