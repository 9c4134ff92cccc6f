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
 * usage/index/schema.sql has its tables and views.  doc/usage.md says what their columns mean.  In SQL there are the
 * functions of usage/index/packed.h, too.
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
 * must stay valid. A file that is no index, or one of another version, is STATUS_DATA.  On failure
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

#endif
