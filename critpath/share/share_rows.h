/*
 * Rows of a table that the processes have one after the other, for process 0, which never has more of them
 * than one batch.
 *
 *	struct share_rows rows = {.dist = dist, .row_bytes = sizeof(struct row),
 *				  .count = own rows, .make = make, .data = data};
 *
 *	share_rows_open(&rows, err);
 *	process 0:	for (i = 0; i < rows.total; i++) use(share_rows_next(&rows));
 *	others:		share_rows_serve(&rows, err);
 *	share_rows_close(&rows);
 *
 * Without dist, the only process is process 0.
 */
#ifndef CRITPATH_SHARE_ROWS_H
#define CRITPATH_SHARE_ROWS_H

#include "dist/dist.h"

struct share_rows {
	struct dist *dist; /* NULL: alone */
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
int share_rows_open(struct share_rows *rows, struct error *err);

/* Next row of all, valid until the next call. */
const void *share_rows_next(struct share_rows *rows);

/* Send the rows of this process; process 0 has none to send. */
int share_rows_serve(struct share_rows *rows, struct error *err);

void share_rows_close(struct share_rows *rows);

#endif
