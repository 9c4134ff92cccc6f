/*
 * Records of a scheduler: what `sacct --parsable2` prints, or a CSV with the same headings.
 *
 *	JobIDRaw or JobID	12.0 is a step, 12 a job; jobs that have steps are their steps
 *	Elapsed, ElapsedRaw, or Start and End
 *	NNodes or AllocNodes
 *
 * are needed.  The following are used where they are: Cluster, User, Account, State, ExitCode,
 * Start, End, AllocCPUS or NCPUS, NTasks, SubmitLine, JobName, and Executable, which schedulers
 * other than Slurm may have.  Steps without a cluster, user or account have those of their job. 
 * Jobs that have not ended, or never started, are left out.
 */
#ifndef USAGE_INDEX_ACCOUNTING_H
#define USAGE_INDEX_ACCOUNTING_H

#include "usage/index/bad_logs.h"
#include "usage/index/texts.h"

struct accounting_read {
	uint64_t records; /* that are in the index now, or again */
	uint64_t unended; /* rows of jobs that have not ended, or never started */
};

/*
 * Read a file and write its records, in a transaction that the caller has begun.  A record of the
 * same system, job, step and start is replaced.  Rows that are not understood are added to `bad`
 * and left out.
 */
int accounting_read(struct accounting_read *read, struct texts *texts, const char *path,
		    struct bad_logs *bad, struct error *err);

#endif
