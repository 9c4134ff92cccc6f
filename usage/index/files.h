/* Files of logs that an index knows, compared with those that are there. */
#ifndef USAGE_INDEX_FILES_H
#define USAGE_INDEX_FILES_H

#include "usage/index/database.h"
#include "usage/index/walk.h"

/* Column `state` of the table files. */
enum file_state { FILE_WHOLE, FILE_PART, FILE_COPY, FILE_DAMAGED };

/* A file that was found. */
struct log_file {
	sqlite3_int64 id;  /* 0: new */
	sqlite3_int64 job; /* 0: none */
	uint8_t state;	   /* enum file_state, of known files */
	bool changed;	   /* new, or another size or time than when it was read */
};

struct log_files {
	struct usage_db *db;
	struct found_logs found;
	sqlite3_int64 *folder_ids; /* of found.folders */
	struct log_file *files;	   /* of found.logs */
	sqlite3_stmt *put;
};

/*
 * Find the logs of folders and compare them with the index, in a transaction that the caller has
 * begun.  Known files below the folders that are not there any more are marked as missing.  End
 * with log_files_release, also after an error.
 */
int log_files_find(struct log_files *files, struct usage_db *db, char **folders, uint32_t count,
		   struct error *err);
void log_files_release(struct log_files *files);

/* Path of found log `number`.  Returns `path`. */
const char *log_files_path(const struct log_files *files, size_t number, char *path, size_t size);

/* Write the row of found log `number`.  job: 0 is none; reason: NULL, or what is wrong with it. */
int log_files_put(struct log_files *files, size_t number, enum file_state state, sqlite3_int64 job,
		  const char *reason, struct error *err);

#endif
