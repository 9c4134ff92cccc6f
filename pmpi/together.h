/*
 * The tool's own communication between ranks.
 *
 * It is non-blocking, and whoever waits gives way: there may be more ranks than
 * cores, where a rank that polls keeps those from running that it waits for.
 * All ranks of MPI_COMM_WORLD take part.  Functions return false if MPI fails.
 */
#ifndef PMPI_TOGETHER_H
#define PMPI_TOGETHER_H

#include "pmpi/library.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * From now on, give up if a wait takes longer than this: ranks that do not take part cannot be
 * told from those that are late.  The wait fails, and the sink says why.  0: wait for ever.
 */
void together_limit(unsigned seconds);

/* Wait until the request is done. */
bool together_wait(MPI_Request *request);

/* Make process.comm of MPI_COMM_WORLD, if that is not done; its errors are returned. */
bool together_open(void);
void together_close(void);

/* Replace each value by the least of all ranks. */
bool together_least(uint64_t *values, int count);

/* Give the bytes of `root` to all ranks. */
bool together_tell(void *bytes, int count, int root);

/* Whether no rank has failed; else the sink of the first that has says why. */
bool together_agree(void);

#endif
