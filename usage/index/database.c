#include "usage/index/database.h"
#include "usage/index/schema.h"
#include "usage/log/function_names.h"
#include "usage/log/job_log.h"

#include "common/output.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int usage_db_error(struct usage_db *db, struct error *err)
{
	const int code = sqlite3_errcode(db->handle) & 0xff;
	const char *const text = sqlite3_errmsg(db->handle);

	switch (code) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return error_set(err, STATUS_SYSTEM, "%s: another process has locked the index",
				 db->path);
	case SQLITE_NOTADB:
	case SQLITE_CORRUPT:
		return error_set(err, STATUS_DATA, "%s: no index of llamp-usage, or damaged: %s",
				 db->path, text);
	case SQLITE_NOMEM:
	case SQLITE_IOERR:
	case SQLITE_FULL:
	case SQLITE_CANTOPEN:
	case SQLITE_PERM:
	case SQLITE_READONLY:
		return error_set(err, STATUS_SYSTEM, "%s: %s", db->path, text);
	default:
		return error_set(err, STATUS_DATA, "%s: %s", db->path, text);
	}
}

int usage_db_prepare(struct usage_db *db, sqlite3_stmt **statement, const char *sql,
		     struct error *err)
{
	*statement = NULL;
	if (sqlite3_prepare_v2(db->handle, sql, -1, statement, NULL) != SQLITE_OK)
		return usage_db_error(db, err);
	return 0;
}

int usage_db_run(struct usage_db *db, const char *sql, struct error *err)
{
	if (sqlite3_exec(db->handle, sql, NULL, NULL, NULL) != SQLITE_OK)
		return usage_db_error(db, err);
	return 0;
}

int usage_db_step(struct usage_db *db, sqlite3_stmt *statement, struct error *err)
{
	switch (sqlite3_step(statement)) {
	case SQLITE_ROW:
		return 1;
	case SQLITE_DONE:
		return 0;
	default:
		return usage_db_error(db, err);
	}
}

/* Called by SQLite while another process has the lock. */
static int wait_for_lock(void *data, int count)
{
	struct usage_db *const db = data;
	enum { SLEEP_US = 20000 };

	if (!db->waited && db->waits)
		db->waits(db->path);
	db->waited = true;
	if (count > USAGE_DB_PATIENCE * (1000000 / SLEEP_US))
		return 0;
	usleep(SLEEP_US);
	return 1;
}

/* First number of the rows of a statement, or -1 without rows. */
static int query_number(struct usage_db *db, const char *sql, sqlite3_int64 *number,
			struct error *err)
{
	sqlite3_stmt *statement;
	int status;

	TRY(usage_db_prepare(db, &statement, sql, err));
	status = usage_db_step(db, statement, err);
	*number = status > 0 ? sqlite3_column_int64(statement, 0) : -1;
	sqlite3_finalize(statement);
	return status < 0 ? -1 : 0;
}

#define PING_PONG "ping_pong(run TEXT NOT NULL, bytes INTEGER NOT NULL, latency_ns REAL NOT NULL)"

/*
 * An index of version 3 lacks one table, which is empty until it is given.  A writer adds it; a
 * reader, which must not write, has one of its own.
 */
static int add_ping_pong(struct usage_db *db, enum usage_db_mode mode, struct error *err)
{
	if (mode == USAGE_DB_READ)
		return usage_db_run(db, "PRAGMA temp_store = MEMORY; CREATE TEMP TABLE " PING_PONG,
				    err);
	return usage_db_run(db,
			    "BEGIN IMMEDIATE; CREATE TABLE " PING_PONG "; UPDATE meta SET value = "
			    "'" USAGE_SCHEMA "' WHERE key = 'schema'; COMMIT",
			    err);
}

static int check_version(struct usage_db *db, enum usage_db_mode mode, struct error *err)
{
	sqlite3_stmt *statement;
	const char *version;
	bool is_before_ping_pong;
	int status;

	TRY(usage_db_prepare(db, &statement, "SELECT value FROM meta WHERE key = 'schema'", err));
	status = usage_db_step(db, statement, err);
	version = status > 0 ? (const char *)sqlite3_column_text(statement, 0) : NULL;
	is_before_ping_pong = version && !strcmp(version, "llamp-usage 3");
	if (status >= 0 && !is_before_ping_pong && (!version || strcmp(version, USAGE_SCHEMA)))
		status = error_set(err, STATUS_DATA,
				   "%s: an index of version '%s', and this program reads '%s'",
				   db->path, version ? version : "unknown", USAGE_SCHEMA);
	sqlite3_finalize(statement);
	if (status >= 0 && is_before_ping_pong)
		status = add_ping_pong(db, mode, err);
	return status < 0 ? -1 : 0;
}

static int add_function(struct usage_db *db, sqlite3_stmt *insert, unsigned id,
			const struct mpi_function *function, struct error *err)
{
	const size_t length = strlen(function->name);
	const bool big = length > 2 && !strcmp(function->name + length - 2, "_c");
	const uint16_t number = id == USAGE_REST_ID ? USAGE_REST : (uint16_t)id;

	sqlite3_reset(insert);
	sqlite3_bind_int(insert, 1, (int)id);
	sqlite3_bind_text(insert, 2, function->name, -1, SQLITE_STATIC);
	sqlite3_bind_text(insert, 3, usage_class_name(number), -1, SQLITE_STATIC);
	sqlite3_bind_text(insert, 4, usage_function_form(function), -1, SQLITE_STATIC);
	sqlite3_bind_text(insert, 5, usage_function_mode(function), -1, SQLITE_STATIC);
	sqlite3_bind_text(insert, 6, function->name, (int)(big ? length - 2 : length),
			  SQLITE_STATIC);
	return usage_db_step(db, insert, err);
}

static int add_functions(struct usage_db *db, struct error *err)
{
	const struct mpi_function rest = {.name = USAGE_REST_NAME, .class = MPI_CLASS_OTHER};
	sqlite3_stmt *insert;
	int status = 0;

	TRY(usage_db_prepare(db, &insert,
			     "INSERT INTO functions(id, name, class, form, mode, plain) "
			     "VALUES(?, ?, ?, ?, ?, ?)",
			     err));
	for (unsigned i = 0; i < MPI_FUNCTION_COUNT && status >= 0; i++)
		status = add_function(db, insert, i, &mpi_functions[i], err);
	if (status >= 0)
		status = add_function(db, insert, USAGE_REST_ID, &rest, err);
	sqlite3_finalize(insert);
	return status < 0 ? -1 : 0;
}

static int add_states(struct usage_db *db, struct error *err)
{
	/* Of Slurm.  Others are judged by their exit status. */
	return usage_db_run(
		db,
		"INSERT INTO states VALUES('COMPLETED', 'normal'), ('TIMEOUT', 'failed'), "
		"('CANCELLED', 'failed'), ('FAILED', 'failed'), ('NODE_FAIL', 'failed'), "
		"('PREEMPTED', 'failed'), ('OUT_OF_MEMORY', 'failed'), "
		"('BOOT_FAIL', 'failed'), ('DEADLINE', 'failed')",
		err);
}

/*
 * Keep other processes away until the index is closed: what a writer has read stays true.  Only a
 * process that has the lock keeps it.  Otherwise two of them could wait for each other.
 */
static int lock(struct usage_db *db, struct error *err)
{
	return usage_db_run(db,
			    "PRAGMA page_size = 8192; BEGIN EXCLUSIVE; "
			    "PRAGMA locking_mode = EXCLUSIVE; COMMIT",
			    err);
}

/* Make tables in an empty database. */
static int make_tables(struct usage_db *db, struct error *err)
{
	char sql[96];

	TRY(usage_db_run(db, "BEGIN IMMEDIATE", err));
	TRY(usage_db_run(db, usage_schema_sql, err));
	TRY(usage_db_run(db, "INSERT INTO meta VALUES('schema', '" USAGE_SCHEMA "')", err));
	TRY(add_functions(db, err));
	TRY(add_states(db, err));
	snprintf(sql, sizeof sql, "PRAGMA application_id = %d; COMMIT", USAGE_APPLICATION_ID);
	return usage_db_run(db, sql, err);
}

static int check_or_make(struct usage_db *db, enum usage_db_mode mode, struct error *err)
{
	sqlite3_int64 application = 0, tables = 0;

	TRY(query_number(db, "PRAGMA application_id", &application, err));
	TRY(query_number(db, "SELECT count(*) FROM sqlite_master", &tables, err));
	if (mode == USAGE_DB_WRITE && !tables && !application) {
		TRY(make_tables(db, err));
		TRY(query_number(db, "PRAGMA application_id", &application, err));
	}
	if (application != USAGE_APPLICATION_ID)
		return error_set(err, STATUS_DATA, "%s: no index of llamp-usage", db->path);
	return check_version(db, mode, err);
}

/* What a reader of an index needs: it answers questions, and nothing else. */
static int authorize_reading(void *data, int action, const char *first, const char *second,
			     const char *database, const char *trigger)
{
	(void)data, (void)first, (void)database, (void)trigger;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		return second && !sqlite3_stricmp(second, "load_extension") ? SQLITE_DENY
									    : SQLITE_OK;
	default:
		return SQLITE_DENY;
	}
}

/* -------------------------------------------------------------------- numbers */

static int pack(const uint64_t *numbers, int count, uint8_t *bytes)
{
	int bytes_used = 0;

	while (count > 0 && !numbers[count - 1])
		count--;
	for (int i = 0; i < count; i++) {
		uint64_t rest = numbers[i];

		for (; rest >= 0x80; rest >>= 7)
			bytes[bytes_used++] = (uint8_t)(0x80 | (rest & 0x7f));
		bytes[bytes_used++] = (uint8_t)rest;
	}
	return bytes_used;
}

/* Unpack at most `most` numbers.  The others are 0.  Returns how many there were, or -1. */
static int unpack(uint64_t *numbers, int most, const uint8_t *bytes, int count)
{
	unsigned shift = 0;
	int number = 0;

	memset(numbers, 0, (size_t)most * sizeof *numbers);
	for (int i = 0; i < count; i++) {
		if (number == most || shift > 63)
			return -1;
		numbers[number] |= (uint64_t)(bytes[i] & 0x7f) << shift;
		shift = bytes[i] & 0x80 ? shift + 7 : 0;
		number += !shift;
	}
	return shift ? -1 : number;
}

/* ----------------------------------------------------------------------- bins */

int packed_bins(const uint64_t *bins, uint64_t calls, uint8_t *bytes)
{
	uint64_t numbers[1 + USAGE_TIME_BINS] = {0};
	int count = 1;

	for (int i = 0; i < USAGE_TIME_BINS; i++) {
		if (!bins[i])
			continue;
		numbers[0] |= UINT64_C(1) << i;
		numbers[count++] = bins[i];
	}
	for (int i = 1; i < count; i++)
		calls -= numbers[i];
	/* The last one is the rest. */
	if (count > 1 && calls == 0)
		count--;
	return pack(numbers, count, bytes);
}

int unpack_bins(uint64_t *bins, uint64_t calls, const void *bytes, int count)
{
	uint64_t numbers[1 + USAGE_TIME_BINS];
	const int given = unpack(numbers, 1 + USAGE_TIME_BINS, bytes, count);
	const int filled = __builtin_popcountll(numbers[0]);
	int next = 1;

	memset(bins, 0, USAGE_TIME_BINS * sizeof *bins);
	if (given < 0 || numbers[0] >> USAGE_TIME_BINS ||
	    (filled > 0 && given != filled && given != filled + 1) || (filled == 0 && given > 0))
		return -1;
	for (int i = 1; i < given; i++)
		calls -= numbers[i];
	if (given == filled)
		numbers[filled] = calls;
	for (int i = 0; i < USAGE_TIME_BINS; i++)
		if (numbers[0] >> i & 1)
			bins[i] = numbers[next++];
	return 0;
}

/* ------------------------------------------------------------------ quantiles */

int packed_quantiles(const uint64_t *quantiles, uint8_t *bytes)
{
	uint64_t numbers[JOB_QUANTILES];

	for (int i = 0; i < JOB_QUANTILES; i++)
		numbers[i] = quantiles[i] - (i ? quantiles[i - 1] : 0);
	return pack(numbers, JOB_QUANTILES, bytes);
}

int unpack_quantiles(uint64_t *quantiles, const void *bytes, int count)
{
	if (unpack(quantiles, JOB_QUANTILES, bytes, count) < 0)
		return -1;
	for (int i = 1; i < JOB_QUANTILES; i++)
		quantiles[i] += quantiles[i - 1];
	return 0;
}

/* ------------------------------------------------------------------------ SQL */

static void return_list(sqlite3_context *context, const uint64_t *numbers, int count)
{
	enum { NUMBER_TEXT = 21 };
	char text[JOB_QUANTILES * NUMBER_TEXT + 2];
	int length = 0;

	for (int i = 0; i < count; i++)
		length += snprintf(text + length, sizeof text - (size_t)length, "%c%" PRIu64,
				   i ? ',' : '[', numbers[i]);
	text[length++] = ']';
	sqlite3_result_text(context, text, length, SQLITE_TRANSIENT);
}

/* bins(bins, calls) */
static void sql_bins(sqlite3_context *context, int count, sqlite3_value **values)
{
	uint64_t bins[USAGE_TIME_BINS];
	const void *const bytes = sqlite3_value_blob(values[0]);

	(void)count;
	if (sqlite3_value_type(values[0]) == SQLITE_NULL)
		return;
	if (unpack_bins(bins, (uint64_t)sqlite3_value_int64(values[1]), bytes,
			sqlite3_value_bytes(values[0])) < 0)
		sqlite3_result_error(context, "bins(): no bins", -1);
	else
		return_list(context, bins, USAGE_TIME_BINS);
}

/* quantiles(quantiles) */
static void sql_quantiles(sqlite3_context *context, int count, sqlite3_value **values)
{
	uint64_t quantiles[JOB_QUANTILES];
	const void *const bytes = sqlite3_value_blob(values[0]);

	(void)count;
	if (sqlite3_value_type(values[0]) == SQLITE_NULL)
		return;
	if (unpack_quantiles(quantiles, bytes, sqlite3_value_bytes(values[0])) < 0)
		sqlite3_result_error(context, "quantiles(): no quantiles", -1);
	else
		return_list(context, quantiles, JOB_QUANTILES);
}

static int packed_functions(struct usage_db *db, struct error *err)
{
	const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;

	if (sqlite3_create_function(db->handle, "bins", 2, flags, NULL, sql_bins, NULL, NULL) !=
		    SQLITE_OK ||
	    sqlite3_create_function(db->handle, "quantiles", 1, flags, NULL, sql_quantiles, NULL,
				    NULL) != SQLITE_OK)
		return usage_db_error(db, err);
	return 0;
}

static int set_up(struct usage_db *db, enum usage_db_mode mode, struct error *err)
{
	sqlite3_extended_result_codes(db->handle, 0);
	sqlite3_busy_handler(db->handle, wait_for_lock, db);
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	if (mode == USAGE_DB_WRITE)
		TRY(lock(db, err));
	TRY(check_or_make(db, mode, err));
	TRY(packed_functions(db, err));
	if (mode == USAGE_DB_WRITE)
		return usage_db_run(db, "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536",
				    err);
	TRY(usage_db_run(db,
			 "PRAGMA query_only = 1; PRAGMA cache_size = -65536; "
			 "PRAGMA temp_store = MEMORY",
			 err));
	sqlite3_set_authorizer(db->handle, authorize_reading, NULL);
	return 0;
}

/* SQLite says of a path that is no file only that it cannot open it. */
static int check_path(const char *path, enum usage_db_mode mode, struct error *err)
{
	struct stat entry;

	if (stat(path, &entry) < 0) {
		if (mode == USAGE_DB_WRITE)
			return 0;
		error_set_errno(err, "%s", path);
		err->status = STATUS_DATA;
		return -1;
	}
	if (!S_ISREG(entry.st_mode))
		return error_set(err, STATUS_DATA, "%s: no regular file", path);
	return 0;
}

/*
 * A writer that was killed leaves a journal, by which the next process that opens the index for
 * writing undoes half of a transaction.  A reader must not go on without that.
 */
static int undo_interrupted(struct usage_db *db, struct error *err)
{
	char journal[PATH_MAX];
	sqlite3_int64 tables;
	int result;

	snprintf(journal, sizeof journal, "%s-journal", db->path);
	if (access(journal, F_OK) < 0 || access(db->path, W_OK) < 0)
		return 0;
	if (sqlite3_open_v2(db->path, &db->handle, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK) {
		usage_db_close(db);
		return 0;
	}
	sqlite3_busy_handler(db->handle, wait_for_lock, db);
	result = query_number(db, "SELECT count(*) FROM sqlite_master", &tables, err);
	usage_db_close(db);
	return result;
}

int usage_db_open(struct usage_db *db, const char *path, enum usage_db_mode mode, struct error *err)
{
	const int flags = mode == USAGE_DB_READ ? SQLITE_OPEN_READONLY
						: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;

	/* Nobody asks how much memory SQLite has taken; counting it takes a lock for each piece. */
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	db->path = path;
	db->handle = NULL;
	TRY(check_path(path, mode, err));
	if (mode == USAGE_DB_READ) {
		TRY(output_note_input(path, err));
		TRY(undo_interrupted(db, err));
	}
	if (sqlite3_open_v2(path, &db->handle, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK) {
		if (db->handle)
			usage_db_error(db, err);
		else
			error_set_memory(err, 0);
	} else if (set_up(db, mode, err) == 0) {
		return 0;
	}
	usage_db_close(db);
	return -1;
}

int usage_db_allow_temporary(struct usage_db *db, struct error *err)
{
	/* The file itself was opened for reading. */
	sqlite3_set_authorizer(db->handle, NULL, NULL);
	return usage_db_run(db, "PRAGMA query_only = 0", err);
}

void usage_db_close(struct usage_db *db)
{
	sqlite3_close(db->handle);
	db->handle = NULL;
}
