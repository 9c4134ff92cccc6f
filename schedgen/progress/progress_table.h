/*
 * Progress table: which part of a message moves while a rank computes.
 *
 * An MPI library without a thread of its own moves the data of a rendezvous message only while the
 * ranks are in MPI calls.  The table says which fraction f of a message moves meanwhile: 1 is what
 * the model assumes (doc/model.md), 0 is a library that works in MPI calls only.  Messages of at most
 * `threshold` bytes are eager and always have 1.
 */
#ifndef SCHEDGEN_PROGRESS_TABLE_H
#define SCHEDGEN_PROGRESS_TABLE_H

#include "common/array.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Fraction from 0 to 1, for messages of from_bytes to to_bytes, both included. */
struct progress_row {
	uint64_t from_bytes, to_bytes;
	double receiver, sender; /* that moves while this side computes */
};

struct progress_table {
	const char *name;   /* argument of --progress; not owned */
	uint64_t threshold; /* S: larger messages use the rendezvous protocol, in bytes */
	ARRAY(struct progress_row) rows; /* by size */
};

/*
 * Fill *table for a library that moves data only while the receiver is in MPI calls, or both sides.  Release
 * it in the end.
 */
int progress_table_calls(struct progress_table *table, uint64_t threshold, bool both,
			 struct error *err);

/*
 * Read the shares that `llamp-measure overlap` has measured with the benchmarks receiver and, if the
 * file has it, sender (else nothing waits for senders).  `threshold`: NULL, or instead of that of the
 * file.  STATUS_USAGE if there is none.  STATUS_LIMIT if there is no receiver, or if a benchmark has no
 * certain cell.  `path` must outlive the table.  On failure there is nothing to release.
 */
int progress_table_read(struct progress_table *table, const char *path, const uint64_t *threshold,
			struct error *err);
void progress_table_release(struct progress_table *table);

/* Write the options that make the table: " --progress calls --rendezvous-threshold 65536". */
void progress_table_print(const struct progress_table *table, FILE *stream);

/*
 * Bytes of a message that move while its receiver, or its sender, computes: f times its size, rounded.  All of it, if
 * it is eager or no row has its size.  None, if one of the parts would be eager: it would not wait for
 * the receiver.
 */
uint64_t progress_table_early(const struct progress_table *table, bool sender, uint64_t bytes);

#endif
