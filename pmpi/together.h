/*
 * Communication between ranks by the tool.
 *
 * It is non-blocking, and a waiting rank lets other processes run.  Otherwise, with
 * more ranks than cores, it could keep the ranks it waits for from running.
 * All ranks of MPI_COMM_WORLD take part.  Functions return false if MPI fails.
 */
#ifndef PMPI_TOGETHER_H
#define PMPI_TOGETHER_H

#include "pmpi/library.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Give up later waits that take longer than this, as absent ranks cannot be distinguished from late
 * ones.  The wait fails, the sink reports why, and all waits after it fail at once.  0 means no limit.
 */
void together_limit(unsigned seconds);

/* Wait until the request is done. */
bool together_wait(MPI_Request *request);

/*
 * Wait until the request is done or the time has come; in the latter case return false.  The request then
 * stays with MPI, and so does the memory of its operation.
 */
bool together_wait_until(MPI_Request *request, uint64_t deadline_ns);

/*
 * Duplicate MPI_COMM_WORLD as process.comm, unless it exists.  Errors on process.comm are returned.
 */
bool together_open(void);
void together_close(void);

/*
 * Duplicate process.comm, for collectives that are open while others run.  To be freed; errors are
 * returned.
 */
bool together_duplicate(MPI_Comm *copy);

/* Replace each value by the minimum of all ranks. */
bool together_least(uint64_t *values, int count);

/* Replace each value by the sum of all ranks. */
bool together_sum(uint64_t *values, int count);

/* Give the bytes of `root` to all ranks. */
bool together_tell(void *bytes, int count, int root);

/*
 * Whether no rank has failed.  Otherwise the sink of the first failed rank reports why, which the
 * others wait for.
 */
bool together_agree(void);

/*
 * As together_agree, but if a rank has failed, all ranks call `undo` before the report, which may
 * end the run.
 */
bool together_agree_or(void (*undo)(void));

#endif
