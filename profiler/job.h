/* What a log says of the job: by the environment, the program's file, and MPI. */
#ifndef PROFILER_JOB_H
#define PROFILER_JOB_H

#include "usage/log/job_log.h"

#include <stdbool.h>

/* Environment variable by which spawned processes know the job that spawned them (job_log_identity). */
#define JOB_PARENT_VARIABLE "LLAMP_USAGE_PARENT"

/* Set all of a log but what depends on ranks, end and times.  `user`: name the user. */
int job_describe(struct job_log *log, bool user, struct error *err);

/* Whether another job has spawned these processes.  The program may disconnect from it later: ask in MPI_Init. */
bool job_is_spawned(void);

/* Set step (without a scheduler `step`), parent, clock, start, levels, ranks and nodes. */
int job_describe_run(struct job_log *log, const char *step, struct error *err);

/* Level of a value of MPI: MPI_THREAD_SINGLE and so on. */
enum job_level job_level_of(int level);

#endif
