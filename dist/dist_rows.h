/*
 * Rows of a table that the processes have one after the other, for process 0, which never has more of them
 * than one batch.
 *
 *	struct dist_rows rows = {.dist = dist, .row_bytes = sizeof(struct row),
 *				  .count = own rows, .make = make, .data = data};
 *
 *	dist_rows_open(&rows, err);
 *	process 0:	for (i = 0; i < rows.total; i++) use(dist_rows_next(&rows));
 *	all:		dist_rows_serve(&rows, err);
 *	dist_rows_close(&rows);
 */
#ifndef DIST_ROWS_H
#define DIST_ROWS_H

#include "dist/dist.h"

struct dist_rows {
	struct dist *dist;
	size_t row_bytes;
	size_t count; /* rows of this process */
	/* Make a row of this process; in ascending order of numbers. */
	void (*make)(void *data, size_t number, void *row);
	void *data;

	uint64_t total; /* rows of all processes */

	/* Private. */
	uint64_t *counts;     /* [process] */
	unsigned char *batch; /* rows of the process at hand */
	uint32_t process;
	size_t next, received; /* of its rows: number, end of the batch */
	size_t in_batch;       /* place of the next row */
	bool failed;	       /* to receive; the rows are zeros */
};

/* Collective. */
int dist_rows_open(struct dist_rows *rows, struct error *err);

/* Next row of all, valid until the next call. */
const void *dist_rows_next(struct dist_rows *rows);

/* Send the rows of this process.  Process 0 has none to send, and fails if it could not receive all. */
int dist_rows_serve(struct dist_rows *rows, struct error *err);

void dist_rows_close(struct dist_rows *rows);

#endif
