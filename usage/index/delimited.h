/*
 * Tables as text: a line of headings, then a line for each row.  Fields are separated by '|', as
 * `sacct --parsable2` does, or by ',' with the quotes of CSV; the line of headings tells which.
 *
 *	struct delimited table;
 *
 *	TRY(delimited_open(&table, path, err));
 *	while (delimited_next(&table))
 *		use(delimited_field(&table, delimited_column(&table, "User")));
 *	delimited_release(&table);
 */
#ifndef USAGE_INDEX_DELIMITED_H
#define USAGE_INDEX_DELIMITED_H

#include "common/input.h"

#include <stdbool.h>
#include <stdint.h>

enum { DELIMITED_MOST = 256, DELIMITED_NONE = -1 };

struct delimited {
	const char *path;
	uint64_t line;	   /* of the row, from 1 on */
	const char *wrong; /* what is wrong with the row, or NULL; it has no fields then */

	/* Private. */
	struct input input;
	size_t next;
	char separator;
	char *texts[2]; /* of the headings, of the row */
	char *headings[DELIMITED_MOST], *fields[DELIMITED_MOST];
	uint32_t columns;
};

/* Open a file ("-": stdin) and read its headings.  The path must stay valid. */
int delimited_open(struct delimited *table, const char *path, struct error *err);
void delimited_release(struct delimited *table);

/* Read the next row that is not empty.  False if there is none. */
bool delimited_next(struct delimited *table);

/* Number of the column with a heading, in letters of any case, or DELIMITED_NONE. */
int delimited_column(const struct delimited *table, const char *heading);

/* Field of the row, valid until the next one.  "" of DELIMITED_NONE. */
const char *delimited_field(const struct delimited *table, int column);

#endif
