/*
 * The index of logs: an SQLite database with what the logs of many jobs and the scheduler's
 * records say.
 *
 *	struct usage_db db;
 *
 *	if (usage_db_open(&db, "usage.db", USAGE_DB_READ, err) < 0)
 *		...
 *	if (usage_db_prepare(&db, &statement, "SELECT count(*) FROM jobs", err) < 0)
 *		...
 *	usage_db_close(&db);
 *
 * usage/index/schema.sql has its tables and views.  doc/usage.md says what their columns mean.
 */
#ifndef USAGE_INDEX_DATABASE_H
#define USAGE_INDEX_DATABASE_H

#include "common/error.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

enum usage_db_mode {
	USAGE_DB_READ,	/* nothing can be written, whatever the statements are */
	USAGE_DB_WRITE, /* create the file if there is none */
};

struct usage_db {
	sqlite3 *handle; /* for one thread at a time */
	const char *path;
	/* Called once when another process holds the lock, before the wait; NULL: no call. */
	void (*waits)(const char *path);
	bool waited; /* the call was made */
};

/* Seconds to wait for another process that holds the lock. */
enum { USAGE_DB_PATIENCE = 600 };

/*
 * Open an index.  Set everything in *db that is not set here to zero, or set `waits`.  The path
 * must stay valid.  A file that is no index, or one of another version, is STATUS_DATA; one of
 * version 3 is brought to version 4 by a writer, and read as it is by a reader.  On failure
 * nothing is to be closed.
 */
int usage_db_open(struct usage_db *db, const char *path, enum usage_db_mode mode,
		  struct error *err);
void usage_db_close(struct usage_db *db);

/*
 * Let the statements of a reader make temporary tables from now on.  What comes from outside has to be compiled
 * before, to know that it only reads.
 */
int usage_db_allow_temporary(struct usage_db *db, struct error *err);

/* Compile a statement.  The caller ends it with sqlite3_finalize. */
int usage_db_prepare(struct usage_db *db, sqlite3_stmt **statement, const char *sql,
		     struct error *err);

/* Run statements that return no rows. */
int usage_db_run(struct usage_db *db, const char *sql, struct error *err);

/* Step a statement.  Returns 1 if there is a row, 0 if it is done, -1. */
int usage_db_step(struct usage_db *db, sqlite3_stmt *statement, struct error *err);

/* Fill `err` with the last error of the database.  Returns -1. */
int usage_db_error(struct usage_db *db, struct error *err);

/*
 * Lists of numbers as columns of an index: a number of 7 bits per byte for each, least significant first.  Zeros at
 * the end are left out.
 *
 * The column `quantiles` has the least time, and how much each of the others is above the one before.  The column
 * `bins` has a mask of the bins that have calls, then their calls; the last of these is left out if it is the rest of
 * the cell's calls.
 *
 * In SQL there are quantiles(quantiles) and bins(bins, calls), which return a JSON array.
 */
enum { PACKED_NUMBER = 10, PACKED_BINS = 90, PACKED_QUANTILES = 170 }; /* most bytes */

/* Pack USAGE_TIME_BINS bins of a cell, or JOB_QUANTILES times.  Returns the number of bytes. */
int packed_bins(const uint64_t *bins, uint64_t calls, uint8_t *bytes);
int packed_quantiles(const uint64_t *quantiles, uint8_t *bytes);

/* Unpack them.  Returns 0, or -1 if the bytes are damaged. */
int unpack_bins(uint64_t *bins, uint64_t calls, const void *bytes, int count);
int unpack_quantiles(uint64_t *quantiles, const void *bytes, int count);

#endif
