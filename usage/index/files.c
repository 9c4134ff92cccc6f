#include "usage/index/files.h"

#include "common/string_map.h"

#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------------- known */

/* Known folders, by their ids. */
struct known_folders {
	ARRAY(uint32_t) numbers; /* in found.folders, NOT_FOUND or BELOW */
};

/* A folder outside of those that were asked for; one that was there. */
enum { NOT_FOUND = UINT32_MAX - 1, BELOW = UINT32_MAX - 2 };

static bool is_below(const char *path, const char *folder)
{
	const size_t length = strlen(folder);

	return !strncmp(path, folder, length) && (path[length] == '/' || !path[length]);
}

/* Number of a path among the folders that were found, or what else it is. */
static uint32_t folder_number(const struct log_files *files, const struct string_map *numbers,
			      const char *path)
{
	const uint32_t number = string_map_get(numbers, path, (uint32_t)strlen(path));

	if (number != STRING_MAP_EMPTY)
		return number;
	for (size_t i = 0; i < files->found.folders.count; i++)
		if (is_below(path, files->found.folders.items[i]))
			return BELOW;
	return NOT_FOUND;
}

static int add_known_folder(struct log_files *files, struct known_folders *known,
			    const struct string_map *numbers, sqlite3_stmt *row, struct error *err)
{
	const size_t id = (size_t)sqlite3_column_int64(row, 0);
	const uint32_t number = folder_number(files, numbers,
					      (const char *)sqlite3_column_text(row, 1));

	while (known->numbers.count <= id)
		TRY(array_push(&known->numbers, NOT_FOUND, err));
	known->numbers.items[id] = number;
	if (number < BELOW)
		files->folder_ids[number] = (sqlite3_int64)id;
	return 0;
}

static int read_folders(struct log_files *files, struct known_folders *known,
			const struct string_map *numbers, struct error *err)
{
	sqlite3_stmt *rows;
	int status;

	TRY(usage_db_prepare(files->db, &rows, "SELECT id, path FROM folders", err));
	while ((status = usage_db_step(files->db, rows, err)) > 0)
		if (add_known_folder(files, known, numbers, rows, err) < 0) {
			status = -1;
			break;
		}
	sqlite3_finalize(rows);
	return status;
}

static int add_folders(struct log_files *files, struct error *err)
{
	sqlite3_stmt *insert;
	int status = 0;

	TRY(usage_db_prepare(files->db, &insert, "INSERT INTO folders(path) VALUES(?)", err));
	for (size_t i = 0; i < files->found.folders.count && status >= 0; i++) {
		if (files->folder_ids[i])
			continue;
		sqlite3_reset(insert);
		sqlite3_bind_text(insert, 1, files->found.folders.items[i], -1, SQLITE_STATIC);
		status = usage_db_step(files->db, insert, err);
		files->folder_ids[i] = sqlite3_last_insert_rowid(files->db->handle);
	}
	sqlite3_finalize(insert);
	return status;
}

/* ----------------------------------------------------------------- comparison */

/* Number of a file among those that were found, or -1. */
static int64_t find_file(const struct found_logs *found, uint32_t folder, const char *name)
{
	size_t low = 0, high = found->logs.count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct found_log *const log = &found->logs.items[middle];
		const int order = log->folder != folder ? (log->folder < folder ? -1 : 1)
							: strcmp(log->name, name);

		if (order == 0)
			return (int64_t)middle;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return -1;
}

enum {
	COLUMN_ID,
	COLUMN_FOLDER,
	COLUMN_NAME,
	COLUMN_MTIME,
	COLUMN_BYTES,
	COLUMN_STATE,
	COLUMN_JOB,
	COLUMN_MISSING
};

/* Compare a known file.  Returns whether it is missing now. */
static bool compare_file(struct log_files *files, const struct known_folders *known,
			 sqlite3_stmt *row)
{
	const size_t folder = (size_t)sqlite3_column_int64(row, COLUMN_FOLDER);
	const uint32_t number = folder < known->numbers.count ? known->numbers.items[folder]
							      : NOT_FOUND;
	const int64_t at = number < BELOW
				   ? find_file(&files->found, number,
					       (const char *)sqlite3_column_text(row, COLUMN_NAME))
				   : -1;
	const struct found_log *log;

	if (number == NOT_FOUND)
		return sqlite3_column_int(row, COLUMN_MISSING);
	if (at < 0)
		return true;
	log = &files->found.logs.items[at];
	files->files[at] = (struct log_file){
		.id = sqlite3_column_int64(row, COLUMN_ID),
		.job = sqlite3_column_int64(row, COLUMN_JOB),
		.state = (uint8_t)sqlite3_column_int(row, COLUMN_STATE),
		.changed = sqlite3_column_int64(row, COLUMN_MTIME) != log->mtime_ns ||
			   sqlite3_column_int64(row, COLUMN_BYTES) != log->bytes,
	};
	return false;
}

/* Rows whose column `missing` is to be changed. */
struct changed_rows {
	ARRAY(sqlite3_int64) ids; /* below 0: not missing any more */
};

static int compare_files(struct log_files *files, const struct known_folders *known,
			 struct changed_rows *changed, struct error *err)
{
	sqlite3_stmt *rows;
	int status;

	TRY(usage_db_prepare(
		files->db, &rows,
		"SELECT id, folder, name, mtime_ns, bytes, state, job, missing FROM files", err));
	while ((status = usage_db_step(files->db, rows, err)) > 0) {
		const bool missing = compare_file(files, known, rows);
		const sqlite3_int64 id = sqlite3_column_int64(rows, COLUMN_ID);

		if (missing != (bool)sqlite3_column_int(rows, COLUMN_MISSING) &&
		    array_push(&changed->ids, missing ? id : -id, err) < 0) {
			status = -1;
			break;
		}
	}
	sqlite3_finalize(rows);
	return status;
}

static int mark_missing(struct log_files *files, const struct changed_rows *changed,
			struct error *err)
{
	sqlite3_stmt *update;
	int status = 0;

	TRY(usage_db_prepare(files->db, &update, "UPDATE files SET missing = ? WHERE id = ?", err));
	for (size_t i = 0; i < changed->ids.count && status >= 0; i++) {
		const sqlite3_int64 id = changed->ids.items[i];

		sqlite3_reset(update);
		sqlite3_bind_int(update, 1, id > 0);
		sqlite3_bind_int64(update, 2, id > 0 ? id : -id);
		status = usage_db_step(files->db, update, err);
	}
	sqlite3_finalize(update);
	return status;
}

static int compare(struct log_files *files, struct known_folders *known,
		   struct changed_rows *changed, struct string_map *numbers, struct error *err)
{
	for (uint32_t i = 0; i < files->found.folders.count; i++) {
		const char *const path = files->found.folders.items[i];

		TRY(string_map_add(numbers, path, (uint32_t)strlen(path), i, err));
	}
	for (size_t i = 0; i < files->found.logs.count; i++)
		files->files[i].changed = true;
	TRY(read_folders(files, known, numbers, err));
	TRY(add_folders(files, err));
	TRY(compare_files(files, known, changed, err));
	return mark_missing(files, changed, err);
}

static const char put_sql[] =
	"INSERT INTO files(id, folder, name, mtime_ns, bytes, state, job, missing, reason) "
	"VALUES(?, ?, ?, ?, ?, ?, ?, 0, ?) ON CONFLICT(id) DO UPDATE SET mtime_ns = "
	"excluded.mtime_ns, bytes = excluded.bytes, state = excluded.state, job = excluded.job, "
	"missing = 0, reason = excluded.reason";

int log_files_find(struct log_files *files, struct usage_db *db, char **folders, uint32_t count,
		   struct error *err)
{
	struct known_folders known = {0};
	struct changed_rows changed = {0};
	struct string_map numbers = {0};
	int result;

	*files = (struct log_files){.db = db};
	for (uint32_t i = 0; i < count; i++)
		TRY(find_logs(&files->found, folders[i], err));
	TRY(allocate(&files->folder_ids, files->found.folders.count, sizeof *files->folder_ids,
		     err));
	TRY(allocate(&files->files, files->found.logs.count, sizeof *files->files, err));
	TRY(usage_db_prepare(db, &files->put, put_sql, err));
	result = compare(files, &known, &changed, &numbers, err);
	array_release(&known.numbers);
	array_release(&changed.ids);
	string_map_release(&numbers);
	return result;
}

void log_files_release(struct log_files *files)
{
	found_logs_release(&files->found);
	free(files->folder_ids);
	free(files->files);
	sqlite3_finalize(files->put);
}

const char *log_files_path(const struct log_files *files, size_t number, char *path, size_t size)
{
	const struct found_log *const log = &files->found.logs.items[number];

	snprintf(path, size, "%s/%s", files->found.folders.items[log->folder], log->name);
	return path;
}

int log_files_put(struct log_files *files, size_t number, enum file_state state, sqlite3_int64 job,
		  const char *reason, struct error *err)
{
	const struct found_log *const log = &files->found.logs.items[number];
	struct log_file *const file = &files->files[number];
	sqlite3_stmt *const row = files->put;

	sqlite3_reset(row);
	sqlite3_clear_bindings(row);
	if (file->id)
		sqlite3_bind_int64(row, 1, file->id);
	sqlite3_bind_int64(row, 2, files->folder_ids[log->folder]);
	sqlite3_bind_text(row, 3, log->name, -1, SQLITE_STATIC);
	sqlite3_bind_int64(row, 4, log->mtime_ns);
	sqlite3_bind_int64(row, 5, log->bytes);
	sqlite3_bind_int(row, 6, state);
	if (job)
		sqlite3_bind_int64(row, 7, job);
	sqlite3_bind_text(row, 8, reason, -1, SQLITE_STATIC);
	TRY(usage_db_step(files->db, row, err));
	if (!file->id)
		file->id = sqlite3_last_insert_rowid(files->db->handle);
	file->state = (uint8_t)state;
	file->job = job;
	file->changed = false;
	return 0;
}
