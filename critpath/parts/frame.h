/*
 * Columns of numbers as a frame of zstd.  Damaged frames are errors, and memory stays within a bound
 * that the reader gives, since a frame may come from anywhere.
 */
#ifndef CRITPATH_FRAME_H
#define CRITPATH_FRAME_H

#include "critpath/parts/varint.h"

#include <stddef.h>

/* Levels of compression of zstd that are worth their time: 1 to 19. */
enum { FRAME_LEVEL_MOST = 19, FRAME_LEVEL = 3 };

/* Places in the raw bytes at which other kinds of bytes begin, which have codes of their own. */
struct frame_cuts {
	ARRAY(size_t) at;
};

/* Append the numbers in `raw`, compressed, to a block.  `cuts` may be NULL. */
int frame_put(struct byte_array *block, const struct byte_array *raw, const struct frame_cuts *cuts,
	      int level, struct error *err);

/*
 * Decompress the rest of a block, of at most `most` bytes, into *raw, which the caller frees, in
 * case of an error too.
 */
int frame_take(unsigned char **raw, struct varint_reader *columns, const struct varint_reader *rest,
	       unsigned long long most, struct error *err);

/* Fill `err` for a damaged block.  Returns -1. */
int frame_damaged(struct error *err, const char *what);

#endif
