/*
 * Blocks of intervals of computation as processes send them: columns, compressed.
 *
 *	byte		version of the format, COLUMNS_RECORDS or COLUMNS_ZSTD
 *	varint		number of intervals
 *	records		start, end (8 bytes each), rank, thread, the call after it, its function
 *			and call site (4 bytes each), little-endian
 *	or zstd frame	runs of one rank and thread: their number, then length, rank, thread of each, as
 *			varints (critpath/parts/varint.h)
 *			columns: functions, call sites plus 1, calls, durations, starts
 *
 * A column has the unit of its numbers, a varint, and the number of bytes of the largest one, then the
 * lowest bytes of all, the second bytes, and so on: low bytes are random, the others are alike.  Numbers
 * are signed, in zigzag.  Calls are differences to the one before, starts to what
 * critpath/parts/start_guess.h expects.
 *
 * Blocks are shortest if each rank and thread is one run, in order of time.  This extends the columnar
 * format of "Finding Bottlenecks in Message Passing Interface Programs by Scalable Critical Path
 * Analysis", Algorithms 16(11), 2023, section 4.5: run lengths, differences, varints and zstd.
 */
#ifndef CRITPATH_COLUMNS_H
#define CRITPATH_COLUMNS_H

#include "critpath/parts/varint.h"
#include "critpath/path/groups.h"

enum columns_format { COLUMNS_RECORDS = 1, COLUMNS_ZSTD = 2 };

/* Bytes of an interval as a record. */
enum { COLUMNS_RECORD_BYTES = 36 };

/*
 * Append the block of `count` intervals, in any order, to `block`.  Level: of zstd
 * (critpath/parts/frame.h), or 0 for records.
 */
int columns_encode(struct byte_array *block, const struct compute_interval *intervals, size_t count,
		   int level, struct error *err);

/*
 * Append the intervals of a block to `intervals`.  A block that is damaged, or has more than `most`
 * intervals, is STATUS_DATA, and memory stays within what `most` intervals need.
 */
int columns_decode(struct compute_intervals *intervals, const unsigned char *block, size_t bytes,
		   size_t most, struct error *err);

#endif
