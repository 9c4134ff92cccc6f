/*
 * Logs of jobs of a population.  Of P > 2 ranks rank 0 has the least time in MPI, the last rank
 * the most, and all others the mean; one or two ranks have the same time.
 */
#ifndef TEST_USAGE_SYNTH_LOG_H
#define TEST_USAGE_SYNTH_LOG_H

#include "test/usage-synth/population.h"

/* Make the log of a job.  End with job_log_release. */
int synth_log(struct job_log *log, const struct population *of, const struct synth_job *job,
	      struct error *err);

/*
 * Make the log of the ranks on one node of a job that was killed.  Together the logs of all nodes
 * have what the log of the job has.
 */
int synth_log_of_node(struct job_log *log, const struct population *of, const struct synth_job *job,
		      uint32_t node, struct error *err);

/*
 * Write a log to its place below `folder`, compressed, and make the folders that it needs.  Two
 * numbers give two names.
 */
int synth_log_write(const struct job_log *log, const char *folder, uint64_t number,
		    struct error *err);

#endif
