/* Writing the rows of a job from its log. */
#ifndef USAGE_INDEX_INSERT_H
#define USAGE_INDEX_INSERT_H

#include "usage/index/new_rows.h"
#include "usage/index/texts.h"
#include "usage/log/job_log.h"

/* The roles that job_calls has, in the order of its columns: average, first, most, least. */
enum { INSERTED_ROLES = 4 };

/* Prepared statements of a writer, and the rows that they read from the log of a job. */
struct inserter {
	struct usage_db *db;
	struct texts texts;
	sqlite3_stmt *job, *rank, *calls, *cells, *sizes;
	sqlite3_stmt *remove[5];
	sqlite3_int64 id; /* of the job */
	const struct job_log *log;
	ARRAY(struct calls_of_roles { struct job_calls roles[INSERTED_ROLES]; }) calls_of_roles;
	struct new_rows new_calls, new_cells;
};

/* On failure nothing is to be released.  The inserter must not move. */
int inserter_init(struct inserter *inserter, struct usage_db *db, struct error *err);
void inserter_release(struct inserter *inserter);

/* Write all rows of a job under an id that has none.  file: id of its file. */
int insert_job(struct inserter *inserter, sqlite3_int64 job, sqlite3_int64 file,
	       const struct job_log *log, struct error *err);

/* Remove all rows of a job, but for those of its files. */
int remove_job(struct inserter *inserter, sqlite3_int64 job, struct error *err);

/* Name of the executable in a path: what follows the last '/'. */
const char *application_name(const char *program);

#endif
