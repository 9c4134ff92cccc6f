/* Logs of some ranks of a job, which become one job. */
#ifndef USAGE_INDEX_INDEX_PARTS_H
#define USAGE_INDEX_INDEX_PARTS_H

#include "usage/index/files.h"
#include "usage/index/index_logs.h"
#include "usage/index/insert.h"
#include "usage/index/jobs_like.h"

struct part_logs {
	ARRAY(struct part_log {
		size_t number; /* of the log that was found */
		char *key;     /* system, job, step, program */
		uint32_t ranks;
		uint64_t start_ns;
	})
	logs;
};

/* Keep a log for later, without what it holds. */
int part_logs_add(struct part_logs *parts, size_t number, const struct job_log *log,
		  struct error *err);
void part_logs_release(struct part_logs *parts);

/* Order the logs, so that those of a job are neighbours. */
void part_logs_sort(struct part_logs *parts);

/* End of the logs of a job that begin at `first`. */
size_t part_logs_end(const struct part_logs *parts, size_t first);

/* Where jobs are written. */
struct parts_target {
	struct usage_db *db;
	struct log_files *files;
	struct inserter *inserter;
	struct jobs_like *like;
	struct indexed_logs *indexed;
};

/*
 * Merge the logs first ... end-1, of one job, with those that the index has of it, and write the
 * job.
 */
int part_logs_write(const struct part_logs *parts, size_t first, size_t end,
		    const struct parts_target *to, struct error *err);

#endif
