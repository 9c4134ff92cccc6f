/* Available memory, to refuse work that cannot fit before the system kills the process. */
#ifndef COMMON_MEMORY_H
#define COMMON_MEMORY_H

#include "common/error.h"

#include <stdint.h>

/*
 * Bytes that this process can still allocate, or UINT64_MAX if unknown.  This is the least of the
 * memory available in the system, the rest of the limits RLIMIT_AS and RLIMIT_DATA, and the rest
 * of the limits of its memory control groups (version 1 or 2), which batch systems set.
 */
uint64_t memory_available(void);

/*
 * Fail with STATUS_LIMIT unless `bytes` are available, the estimated memory of `what` ("the
 * analysis of 5 operations").
 */
int memory_require(uint64_t bytes, const char *what, struct error *err);

#endif
