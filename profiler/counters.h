/* Counters of this process: the processor's, as far as the system lets them be read, and what the kernel counts. */
#ifndef PROFILER_COUNTERS_H
#define PROFILER_COUNTERS_H

#include "usage/log/job_log.h"

/* Open the processor's counters, of this thread and of threads that begin later, unless they are open. */
void counters_open(void);

/* Read all counters since counters_open; USAGE_UNKNOWN where one is refused. */
void counters_read(uint64_t counters[static JOB_COUNTER_END]);

void counters_close(void);

#endif
