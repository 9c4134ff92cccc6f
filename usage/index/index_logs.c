#include "usage/index/index_logs.h"
#include "usage/index/files.h"
#include "usage/index/index_parts.h"
#include "usage/index/insert.h"
#include "usage/index/jobs_like.h"
#include "usage/index/merge.h"

#include "common/parallel/parallel.h"
#include "common/progress.h"

#include <limits.h>
#include <string.h>

/* Logs that a thread reads at a time; logs of a transaction. */
enum { BLOCK = 32, TRANSACTION = 1000 };

struct indexing {
	struct usage_db *db;
	struct log_files files;
	struct inserter inserter;
	struct jobs_like like;
	struct part_logs parts;
	struct indexed_logs *indexed;
	ARRAY(size_t) to_read; /* numbers of found logs */
	uint32_t written;      /* in this transaction */
};

/* ------------------------------------------------------------------- reading */

/* Logs that a thread has read. */
struct read_logs {
	uint32_t count; /* that are not released */
	struct read_log {
		bool is_read;
		struct job_log log;
		struct error err;
	} logs[BLOCK];
};

static void release_block(void *state)
{
	struct read_logs *const block = state;

	for (uint32_t i = 0; i < block->count; i++)
		if (block->logs[i].is_read)
			job_log_release(&block->logs[i].log);
	block->count = 0;
}

static int read_block(void *shared, void *state, uint32_t item, struct error *err)
{
	const struct indexing *const of = shared;
	struct read_logs *const block = state;
	const size_t first = (size_t)item * BLOCK;

	(void)err;
	for (block->count = 0; block->count < BLOCK && first + block->count < of->to_read.count;
	     block->count++) {
		struct read_log *const log = &block->logs[block->count];
		char path[PATH_MAX];

		log_files_path(&of->files, of->to_read.items[first + block->count], path,
			       sizeof path);
		log->is_read = job_log_read(&log->log, path, &log->err) == 0;
	}
	return 0;
}

/* ------------------------------------------------------------------- writing */

/* Count a log that was written, and begin another transaction if this one has enough. */
static int count_log(struct indexing *of, struct error *err)
{
	if (++of->written < TRANSACTION)
		return 0;
	of->written = 0;
	return usage_db_run(of->db, "COMMIT; BEGIN IMMEDIATE", err);
}

/*
 * Write what is known of a log that could not be read.  If it may be readable the next time,
 * nothing is.
 */
static int take_bad(struct indexing *of, size_t number, const struct error *why, struct error *err)
{
	char path[PATH_MAX];
	const char *reason;

	log_files_path(&of->files, number, path, sizeof path);
	TRY(bad_logs_add(&of->indexed->bad, path, why->text, err));
	if (why->status == STATUS_SYSTEM)
		return 0;
	reason = of->indexed->bad.list.items[of->indexed->bad.list.count - 1].reason;
	return log_files_put(&of->files, number, FILE_DAMAGED, 0, reason, err);
}

/* Remove the job that an earlier version of the file had. */
static int forget_earlier(struct indexing *of, size_t number, struct error *err)
{
	const struct log_file *const file = &of->files.files[number];

	if (!file->id || file->state != FILE_WHOLE)
		return 0;
	of->indexed->removed = true;
	return remove_job(&of->inserter, file->job, err);
}

/* Write a job whose id is `job`, 0: a new one. */
static int write_job(struct indexing *of, size_t number, sqlite3_int64 job,
		     const struct job_log *log, struct error *err)
{
	if (!job)
		job = jobs_like_new_id(&of->like);
	TRY(log_files_put(&of->files, number, FILE_WHOLE, job, NULL, err));
	return insert_job(&of->inserter, job, of->files.files[number].id, log, err);
}

/* Whether a log tells more of a job than the one that the index has. */
static bool tells_more(const struct job_log *log, const struct job_like *known)
{
	if (log->ranks_seen != known->ranks_seen)
		return log->ranks_seen > known->ranks_seen;
	return log->end != known->end ? log->end < known->end : known->missing;
}

static int take_whole(struct indexing *of, size_t number, const struct job_log *log,
		      struct error *err)
{
	struct job_like known;
	int found;

	TRY(found = jobs_like_find(&of->like, &of->inserter.texts, log, &known, err));
	if (!found) {
		of->indexed->whole++;
		return write_job(of, number, 0, log, err);
	}
	if (!tells_more(log, &known)) {
		of->indexed->copies++;
		return log_files_put(&of->files, number, FILE_COPY, known.id, NULL, err);
	}
	of->indexed->whole++;
	of->indexed->removed = true;
	TRY(remove_job(&of->inserter, known.id, err));
	TRY(jobs_like_make_copies(&of->like, known.id, err));
	return write_job(of, number, known.id, log, err);
}

static int take_log(struct indexing *of, size_t number, struct read_log *read, struct error *err)
{
	TRY(forget_earlier(of, number, err));
	if (!read->is_read)
		return take_bad(of, number, &read->err, err);
	if (log_is_partial(&read->log)) {
		of->indexed->parts++;
		return part_logs_add(&of->parts, number, &read->log, err);
	}
	return take_whole(of, number, &read->log, err);
}

static int take_block(void *shared, void *state, uint32_t item, struct error *err)
{
	struct indexing *const of = shared;
	struct read_logs *const block = state;
	const size_t first = (size_t)item * BLOCK;

	for (uint32_t i = 0; i < block->count; i++) {
		TRY(take_log(of, of->to_read.items[first + i], &block->logs[i], err));
		TRY(count_log(of, err));
	}
	release_block(block);
	progress_show(first + BLOCK, of->to_read.count);
	return 0;
}

/* ----------------------------------------------------------------------- all */

/* List a file that was damaged when it was read, and has not changed. */
static int list_damaged(struct indexing *of, size_t number, struct error *err)
{
	char path[PATH_MAX];
	sqlite3_stmt *row;
	int status;

	log_files_path(&of->files, number, path, sizeof path);
	TRY(usage_db_prepare(of->db, &row, "SELECT reason FROM files WHERE id = ?", err));
	sqlite3_bind_int64(row, 1, of->files.files[number].id);
	status = usage_db_step(of->db, row, err);
	if (status > 0)
		status = bad_logs_add(&of->indexed->bad, path,
				      (const char *)sqlite3_column_text(row, 0), err);
	sqlite3_finalize(row);
	return status;
}

/* Which logs are to be read. */
static int choose_files(struct indexing *of, struct error *err)
{
	for (size_t i = 0; i < of->files.found.logs.count; i++) {
		const struct log_file *const file = &of->files.files[i];

		if (file->changed)
			TRY(array_push(&of->to_read, i, err));
		else if (file->state == FILE_DAMAGED)
			TRY(list_damaged(of, i, err));
		else
			of->indexed->known++;
	}
	of->indexed->found = of->files.found.logs.count;
	return 0;
}

static int write_parts(struct indexing *of, struct error *err)
{
	const struct parts_target to = {of->db, &of->files, &of->inserter, &of->like, of->indexed};

	part_logs_sort(&of->parts);
	for (size_t first = 0, end; first < of->parts.logs.count; first = end) {
		end = part_logs_end(&of->parts, first);
		TRY(part_logs_write(&of->parts, first, end, &to, err));
		TRY(count_log(of, err));
	}
	return 0;
}

static int read_and_write(struct indexing *of, struct error *err)
{
	const struct parallel_work work = {
		.make = read_block,
		.take = take_block,
		.shared = of,
		.state_bytes = sizeof(struct read_logs),
		.release = release_block,
	};
	const size_t blocks = (of->to_read.count + BLOCK - 1) / BLOCK;

	progress_phase("reading logs");
	TRY(parallel_run(&work, (uint32_t)blocks, processor_count(), err));
	progress_phase("merging logs");
	return write_parts(of, err);
}

static int index_all(struct indexing *of, char **folders, uint32_t count, struct error *err)
{
	TRY(usage_db_run(of->db, "BEGIN IMMEDIATE", err));
	TRY(log_files_find(&of->files, of->db, folders, count, err));
	TRY(choose_files(of, err));
	TRY(jobs_like_init(&of->like, of->db, err));
	TRY(read_and_write(of, err));
	return usage_db_run(of->db, "COMMIT", err);
}

int index_logs(struct indexed_logs *indexed, struct usage_db *db, char **folders, uint32_t count,
	       struct error *err)
{
	struct indexing of = {.db = db, .indexed = indexed};
	int result;

	*indexed = (struct indexed_logs){0};
	TRY(inserter_init(&of.inserter, db, err));
	result = index_all(&of, folders, count, err);
	if (result < 0 && !sqlite3_get_autocommit(db->handle))
		sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
	bad_logs_sort(&indexed->bad);
	jobs_like_release(&of.like);
	part_logs_release(&of.parts);
	inserter_release(&of.inserter);
	log_files_release(&of.files);
	array_release(&of.to_read);
	return result;
}
