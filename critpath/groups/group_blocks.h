/*
 * Blocks of intervals of computation, and of groups of them, as processes send them:
 *
 *	byte		BLOCK_RECORDS or BLOCK_ZSTD
 *	varint		number of rows
 *	records		the fields of each row, as they are in memory
 *	or zstd frame	the columns, one after the other, as varints (dist/varint.h)
 *
 * A number of a column is the difference to another field of the row, or of the row before, in zigzag.
 * Functions return -1 without memory, and of a damaged block with STATUS_DATA.
 */
#ifndef CRITPATH_GROUP_BLOCKS_H
#define CRITPATH_GROUP_BLOCKS_H

#include "dist/varint.h"
#include "critpath/groups/groups.h"

#include <stddef.h>

enum { BLOCK_RECORDS, BLOCK_ZSTD };

/* Bytes of an interval and of a group as a record. */
enum { INTERVAL_RECORD_BYTES = 36, GROUP_RECORD_BYTES = 60 };

/* Append a block of `count` rows, in any order.  `level` is that of zstd, or 0 for records. */
int block_put_intervals(struct byte_array *block, const struct compute_interval *intervals,
			size_t count, int level, struct error *err);
int block_put_groups(struct byte_array *block, const struct compute_group *groups, size_t count,
		     int level, struct error *err);

/*
 * Append the rows of a block: of groups to the list alone, not to the sums.  Memory is bound by the size
 * of the block, as that of zstd's frames is.
 */
int block_take_intervals(struct compute_intervals *intervals, const unsigned char *block,
			 size_t bytes, struct error *err);
int block_take_groups(struct groups *groups, const unsigned char *block, size_t bytes,
		      struct error *err);

#endif
