/* The time that a message takes one way, measured. */
#ifndef INJECT_PING_PONG_H
#define INJECT_PING_PONG_H

#include <mpi.h>

#include <stddef.h>
#include <stdint.h>

/*
 * Measure with ranks 0 and 1 of a communicator, and tell all its ranks: half of the shortest time
 * there and back.  `expected_ns` limits the number of messages.
 */
int64_t ping_pong_ns(MPI_Comm comm, int rank, size_t bytes, int64_t expected_ns);

#endif
