/*
 * Consensus of all ranks on numbers while the program runs, without waiting for each other.
 *
 *	consensus_open		in `begun` of the sink, where all ranks are
 *	consensus_join, then consensus_test in later calls until it returns true
 *	consensus_end		in `end` of the sink, where all ranks are again
 *
 * A rank joins when it knows its numbers.  A consensus is complete when all ranks have joined,
 * which is seen in a later call: nobody waits before the end.  There ranks that have not joined the
 * last consensus abandon it, so that all ranks have joined the same number of rounds of consensus
 * when the communicator is freed.
 *
 * Threads.  All functions but open and end may be called in `call` of the sink by any thread.  One
 * thread at a time calls MPI here; others find nothing new (pmpi/sink.h).
 */
#ifndef TRACER_CONSENSUS_H
#define TRACER_CONSENSUS_H

#include <stdbool.h>
#include <stdint.h>

/* Numbers of a consensus. */
enum { CONSENSUS_VALUES = 5 };

/* Make the communicator.  Collective.  False if there will be no consensus, on all ranks. */
bool consensus_open(void);

/* Join the next consensus with these values.  False if MPI fails, or a consensus is open already. */
bool consensus_join(const uint64_t values[static CONSENSUS_VALUES]);

/* Check, now and then, whether all ranks have joined; values[i] becomes the maximum of all ranks. */
bool consensus_test(uint64_t values[static CONSENSUS_VALUES]);

/*
 * End.  Collective, also for ranks whose recording has failed.  True if the last consensus was open
 * on this rank and all ranks had joined it: then values[i] is the maximum of all ranks.
 */
bool consensus_end(uint64_t values[static CONSENSUS_VALUES]);

#endif
