/* Texts that many rows share: their numbers in the table `texts`. */
#ifndef USAGE_INDEX_TEXTS_H
#define USAGE_INDEX_TEXTS_H

#include "common/array.h"
#include "common/string_map.h"
#include "usage/index/database.h"

struct texts {
	struct usage_db *db;
	sqlite3_stmt *find, *add;
	struct string_map known; /* numbers below STRING_MAP_EMPTY */
	ARRAY(char *) owned;
};

/* On failure nothing is to be released. */
int texts_init(struct texts *texts, struct usage_db *db, struct error *err);
void texts_release(struct texts *texts);

/* Forget what was found, as after a transaction that was undone. */
void texts_forget(struct texts *texts);

/* Find the number of a text, and add the text to the table if it is new. */
int texts_number(struct texts *texts, const char *text, sqlite3_int64 *number, struct error *err);

/* Bind the number of a text to a parameter, or NULL if there is no text. */
int texts_bind(struct texts *texts, sqlite3_stmt *statement, int parameter, const char *text,
	       struct error *err);

#endif
