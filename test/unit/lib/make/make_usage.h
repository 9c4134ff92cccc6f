/* Tables and logs of usage with random calls, the same for the same state on every machine. */
#ifndef TEST_MAKE_USAGE_H
#define TEST_MAKE_USAGE_H

#include "usage/log/job_log.h"

enum { MAKE_USAGE_MOST_RANKS = 64 };

/* The parts of a job, and what they point to. */
struct made_parts {
	struct job_part parts[MAKE_USAGE_MOST_RANKS];
	struct usage_table *tables;
	uint32_t count;
};

/*
 * Make the parts of a job of `ranks` ranks, each with calls of `kinds` kinds at most: a kind is a function, a
 * size and a communicator, drawn once for the job.  If `ties`, times are small numbers, so that ranks often
 * spend the same time.  Fails the test when out of memory.
 */
void make_parts(struct made_parts *made, uint64_t *numbers, uint32_t ranks, uint32_t kinds,
		bool ties);
void made_parts_release(struct made_parts *made);

/* Make the log of such a job, with data of a job that is not random. */
void make_job_log(struct job_log *log, uint64_t *numbers, uint32_t ranks, uint32_t kinds, bool all);

#endif
