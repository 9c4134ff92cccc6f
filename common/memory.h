/* How much memory there is: to refuse what cannot fit before the system kills for it. */
#ifndef COMMON_MEMORY_H
#define COMMON_MEMORY_H

#include "common/error.h"

#include <stdint.h>

/*
 * Bytes that this process can still take: the least of what the system has
 * available, what the limits of the process (RLIMIT_AS, RLIMIT_DATA) leave, and
 * what its memory control groups leave, version 1 or 2, a batch system's for
 * example.  UINT64_MAX where nothing is known.
 */
uint64_t memory_available(void);

/*
 * STATUS_LIMIT if `what` ("the analysis of 5 operations"), which takes about so
 * many bytes, would not fit.
 */
int memory_require(uint64_t bytes, const char *what, struct error *err);

#endif
