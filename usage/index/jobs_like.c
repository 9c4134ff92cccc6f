#include "usage/index/jobs_like.h"
#include "usage/index/files.h"
#include "usage/index/merge.h"

#include <string.h>

static const char find_sql[] =
	"SELECT j.id, j.start_ns, j.ranks, j.ranks_seen, e.text, coalesce(f.missing, 1), p.text "
	"FROM job_data AS j LEFT JOIN texts AS e ON e.id = j.\"end\" LEFT JOIN texts AS p ON "
	"p.id = j.program LEFT JOIN files AS f ON f.id = j.file "
	"WHERE j.system = ? AND j.job = ? AND j.step = ? AND j.start_ns BETWEEN ? AND ?";

enum {
	COLUMN_ID,
	COLUMN_START,
	COLUMN_RANKS,
	COLUMN_SEEN,
	COLUMN_END,
	COLUMN_MISSING,
	COLUMN_PROGRAM
};

int jobs_like_init(struct jobs_like *like, struct usage_db *db, struct error *err)
{
	sqlite3_stmt *last;
	int status;

	*like = (struct jobs_like){.db = db};
	TRY(usage_db_prepare(db, &like->find, find_sql, err));
	/* The numbers of enum file_state: a constant lets SQLite use the index of these rows. */
	TRY(usage_db_prepare(db, &like->copies,
			     "UPDATE files SET state = 2 WHERE job = ? AND state IN (0, 1)", err));
	TRY(usage_db_prepare(db, &last, "SELECT coalesce(max(id), 0) FROM job_data", err));
	status = usage_db_step(db, last, err);
	like->next = status > 0 ? sqlite3_column_int64(last, 0) + 1 : 0;
	sqlite3_finalize(last);
	return status < 0 ? -1 : 0;
}

void jobs_like_release(struct jobs_like *like)
{
	sqlite3_finalize(like->find);
	sqlite3_finalize(like->copies);
}

sqlite3_int64 jobs_like_new_id(struct jobs_like *like)
{
	return like->next++;
}

static enum job_end end_named(const char *name)
{
	for (int i = 0; i < JOB_ENDS; i++)
		if (name && !strcmp(name, job_end_names[i]))
			return (enum job_end)i;
	return JOB_ENDS;
}

static bool same_text(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

/* Whether the row is the job of the log. */
static bool is_like(sqlite3_stmt *row, const struct job_log *log, sqlite3_int64 start)
{
	const uint32_t ranks = (uint32_t)sqlite3_column_int64(row, COLUMN_RANKS);
	const uint32_t seen = (uint32_t)sqlite3_column_int64(row, COLUMN_SEEN);

	if (sqlite3_column_int64(row, COLUMN_START) == start)
		return true;
	return ranks == log->ranks && ((seen > 0 && seen < ranks) || log_is_partial(log)) &&
	       same_text((const char *)sqlite3_column_text(row, COLUMN_PROGRAM), log->program);
}

int jobs_like_find(struct jobs_like *like, struct texts *texts, const struct job_log *log,
		   struct job_like *job, struct error *err)
{
	const sqlite3_int64 start = log->start_unix_ns == USAGE_UNKNOWN
					    ? 0
					    : (sqlite3_int64)log->start_unix_ns;
	sqlite3_stmt *const find = like->find;
	int status;

	sqlite3_reset(find);
	TRY(texts_bind(texts, find, 1, log->system ? log->system : "", err));
	sqlite3_bind_text(find, 2, log->job ? log->job : "", -1, SQLITE_STATIC);
	sqlite3_bind_text(find, 3, log->step ? log->step : "", -1, SQLITE_STATIC);
	sqlite3_bind_int64(find, 4, start - (sqlite3_int64)PARTS_APART_NS);
	sqlite3_bind_int64(find, 5, start + (sqlite3_int64)PARTS_APART_NS);
	while ((status = usage_db_step(like->db, find, err)) > 0)
		if (is_like(find, log, start))
			break;
	if (status > 0)
		*job = (struct job_like){
			.id = sqlite3_column_int64(find, COLUMN_ID),
			.ranks = (uint32_t)sqlite3_column_int64(find, COLUMN_RANKS),
			.ranks_seen = (uint32_t)sqlite3_column_int64(find, COLUMN_SEEN),
			.end = end_named((const char *)sqlite3_column_text(find, COLUMN_END)),
			.missing = sqlite3_column_int(find, COLUMN_MISSING),
		};
	sqlite3_reset(find);
	return status;
}

int jobs_like_make_copies(struct jobs_like *like, sqlite3_int64 job, struct error *err)
{
	sqlite3_reset(like->copies);
	sqlite3_bind_int64(like->copies, 1, job);
	return usage_db_step(like->db, like->copies, err);
}
