/*
 * Blocks of intervals of computation as processes send them: columns, compressed.
 *
 *	byte		version of the format, COLUMNS_RECORDS or COLUMNS_ZSTD
 *	varint		number of intervals
 *	records		start, end (8 bytes each), rank, thread (4 bytes each), little-endian
 *	or zstd frame	runs of one rank and thread: their number, then length, rank, thread of each
 *			starts: time since the end of the interval before, signed
 *			durations
 *
 * Numbers of columns are varints: 7 bits a byte, the lowest first, the highest bit set in all but
 * the last byte.  Signed ones are zigzag: 0, -1, 1, -2, ...  The first interval of a run counts from
 * the first one of the run before, so blocks are shortest if each rank and thread is one run, in
 * order of time.  This is the columnar format of "Finding Bottlenecks in Message Passing Interface
 * Programs by Scalable Critical Path Analysis", Algorithms 16(11), 2023, section 4.5.
 */
#ifndef CRITPATH_COLUMNS_H
#define CRITPATH_COLUMNS_H

#include "critpath/parts/varint.h"
#include "critpath/path/groups.h"

enum columns_format { COLUMNS_RECORDS = 1, COLUMNS_ZSTD = 2 };

/* Bytes of an interval as a record. */
enum { COLUMNS_RECORD_BYTES = 24 };

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
