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

enum { RECORD_TEXT_BYTES = 1024, RECORD_ID_BYTES = 64 };

struct accounting_record {
	char system[RECORD_TEXT_BYTES], job[RECORD_ID_BYTES], step[RECORD_ID_BYTES];
	char user[RECORD_TEXT_BYTES], project[RECORD_TEXT_BYTES], program[RECORD_TEXT_BYTES];
	char state[RECORD_ID_BYTES];
	int64_t nodes, cpus, tasks;		  /* below 0: not known */
	int64_t start, end, seconds, exit_status; /* start, end: since 1970 */
};

struct accounting_read {
	uint64_t records; /* that are in the index now, or again */
	uint64_t unended; /* rows of jobs that have not ended, or never started */
};

/*
 * Read a file and pass each of its records to `take`, in their order.  Rows that are not understood are
 * added to `bad` and left out.
 */
typedef int accounting_take(void *context, const struct accounting_record *record,
			    struct error *err);
int accounting_each(struct accounting_read *read, const char *path, accounting_take *take,
		    void *context, struct bad_logs *bad, struct error *err);

/*
 * Read a file and write its records, in a transaction that the caller has begun.  A record of the
 * same system, job, step and start is replaced.
 */
int accounting_read(struct accounting_read *read, struct texts *texts, const char *path,
		    struct bad_logs *bad, struct error *err);

#endif
