/* Jobs of the index that are the job of a log. */
#ifndef USAGE_INDEX_JOBS_LIKE_H
#define USAGE_INDEX_JOBS_LIKE_H

#include "usage/index/texts.h"
#include "usage/log/job_log.h"

#include <stdbool.h>

/* Parts of a job start within this time. */
#define PARTS_APART_NS (UINT64_C(60) * 1000000000)

struct job_like {
	sqlite3_int64 id;
	uint32_t ranks, ranks_seen;
	enum job_end end;
	bool missing; /* its file is not there any more */
};

struct jobs_like {
	struct usage_db *db;
	sqlite3_stmt *find, *copies;
	sqlite3_int64 next;
};

/* End with jobs_like_release, also after an error. */
int jobs_like_init(struct jobs_like *like, struct usage_db *db, struct error *err);
void jobs_like_release(struct jobs_like *like);

/* An id for another job. */
sqlite3_int64 jobs_like_new_id(struct jobs_like *like);

/*
 * Find the job of a log: the one with its system, job, step and start; if the log or the job lacks
 * ranks also one with the same program and number of ranks that starts within PARTS_APART_NS. 
 * Returns 1, 0 if there is none, -1.
 */
int jobs_like_find(struct jobs_like *like, struct texts *texts, const struct job_log *log,
		   struct job_like *job, struct error *err);

/* Let the files of a job be copies, as another file has its log. */
int jobs_like_make_copies(struct jobs_like *like, sqlite3_int64 job, struct error *err);

#endif
