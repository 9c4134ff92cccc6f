#include "usage/index/index_parts.h"
#include "usage/index/merge.h"

#include <limits.h>
#include <string.h>

int part_logs_add(struct part_logs *parts, size_t number, const struct job_log *log,
		  struct error *err)
{
	struct part_log part = {.number = number,
				.ranks = log->ranks,
				.start_ns = log->start_unix_ns};

	TRY(array_reserve(&parts->logs, 1, err));
	if (asprintf(&part.key, "%s\n%s\n%s\n%s", log->system ? log->system : "",
		     log->job ? log->job : "", log->step ? log->step : "",
		     log->program ? log->program : "") < 0)
		return error_set_memory(err, PATH_MAX);
	parts->logs.items[parts->logs.count++] = part;
	return 0;
}

void part_logs_release(struct part_logs *parts)
{
	for (size_t i = 0; i < parts->logs.count; i++)
		free(parts->logs.items[i].key);
	array_release(&parts->logs);
}

static int compare_parts(const void *a, const void *b)
{
	const struct part_log *const x = a, *const y = b;
	const int order = strcmp(x->key, y->key);

	if (order)
		return order;
	if (x->ranks != y->ranks)
		return x->ranks < y->ranks ? -1 : 1;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

void part_logs_sort(struct part_logs *parts)
{
	if (parts->logs.count)
		qsort(parts->logs.items, parts->logs.count, sizeof *parts->logs.items,
		      compare_parts);
}

size_t part_logs_end(const struct part_logs *parts, size_t first)
{
	const struct part_log *const logs = parts->logs.items;
	size_t end = first + 1;

	while (end < parts->logs.count && logs[end].ranks == logs[first].ranks &&
	       logs[end].start_ns - logs[end - 1].start_ns <= PARTS_APART_NS &&
	       !strcmp(logs[end].key, logs[first].key))
		end++;
	return end;
}

/* -------------------------------------------------------------------- reading */

/* The logs of a job. */
struct part_set {
	ARRAY(struct job_log) logs;
	ARRAY(size_t) numbers; /* of those that were found now */
};

static void part_set_release(struct part_set *set)
{
	for (size_t i = 0; i < set->logs.count; i++)
		job_log_release(&set->logs.items[i]);
	array_release(&set->logs);
	array_release(&set->numbers);
}

/* Read a log, or list it as bad.  Returns whether it was read, or -1. */
static int read_part(struct part_set *set, const char *path, const struct parts_target *to,
		     struct error *err)
{
	struct error why;

	TRY(array_reserve(&set->logs, 1, err));
	if (job_log_read(&set->logs.items[set->logs.count], path, &why) < 0)
		return bad_logs_add(&to->indexed->bad, path, why.text, err);
	set->logs.count++;
	return 1;
}

static int read_found(struct part_set *set, const struct part_logs *parts, size_t first, size_t end,
		      const struct parts_target *to, struct error *err)
{
	for (size_t i = first; i < end; i++) {
		char path[PATH_MAX];
		int is_read;

		log_files_path(to->files, parts->logs.items[i].number, path, sizeof path);
		TRY(is_read = read_part(set, path, to, err));
		if (is_read)
			TRY(array_push(&set->numbers, parts->logs.items[i].number, err));
	}
	return 0;
}

static bool is_found_now(const struct part_set *set, const struct parts_target *to,
			 sqlite3_int64 file)
{
	for (size_t i = 0; i < set->numbers.count; i++)
		if (to->files->files[set->numbers.items[i]].id == file)
			return true;
	return false;
}

/* Read the logs from which the index has the job. */
static int read_known(struct part_set *set, sqlite3_int64 job, const struct parts_target *to,
		      struct error *err)
{
	sqlite3_stmt *rows;
	int status;

	TRY(usage_db_prepare(to->db, &rows,
			     "SELECT f.id, d.path || '/' || f.name FROM files AS f JOIN folders AS "
			     "d ON d.id = f.folder WHERE f.state = 1 AND f.job = ? ORDER BY f.id",
			     err));
	sqlite3_bind_int64(rows, 1, job);
	while ((status = usage_db_step(to->db, rows, err)) > 0) {
		if (is_found_now(set, to, sqlite3_column_int64(rows, 0)))
			continue;
		if (read_part(set, (const char *)sqlite3_column_text(rows, 1), to, err) < 0) {
			status = -1;
			break;
		}
	}
	sqlite3_finalize(rows);
	return status;
}

/* -------------------------------------------------------------------- writing */

static int put_files(const struct part_set *set, enum file_state state, sqlite3_int64 job,
		     const struct parts_target *to, struct error *err)
{
	for (size_t i = 0; i < set->numbers.count; i++)
		TRY(log_files_put(to->files, set->numbers.items[i], state, job, NULL, err));
	return 0;
}

static int write_merged(struct part_set *set, sqlite3_int64 job, const struct parts_target *to,
			struct error *err)
{
	struct job_log merged;
	int result;

	TRY(logs_merge(&merged, set->logs.items, set->logs.count, err));
	result = put_files(set, FILE_PART, job, to, err);
	if (result == 0)
		result = insert_job(to->inserter, job, to->files->files[set->numbers.items[0]].id,
				    &merged, err);
	job_log_release(&merged);
	to->indexed->merged++;
	return result;
}

static int write_set(struct part_set *set, const struct parts_target *to, struct error *err)
{
	struct job_like known;
	int found;

	TRY(found = jobs_like_find(to->like, &to->inserter->texts, set->logs.items, &known, err));
	if (!found)
		return write_merged(set, jobs_like_new_id(to->like), to, err);
	if (known.ranks_seen == known.ranks) {
		to->indexed->copies += set->numbers.count;
		return put_files(set, FILE_COPY, known.id, to, err);
	}
	TRY(read_known(set, known.id, to, err));
	to->indexed->removed = true;
	TRY(remove_job(to->inserter, known.id, err));
	return write_merged(set, known.id, to, err);
}

int part_logs_write(const struct part_logs *parts, size_t first, size_t end,
		    const struct parts_target *to, struct error *err)
{
	struct part_set set = {0};
	int result = read_found(&set, parts, first, end, to, err);

	if (result == 0 && set.logs.count)
		result = write_set(&set, to, err);
	part_set_release(&set);
	return result;
}
