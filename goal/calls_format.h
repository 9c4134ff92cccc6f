/*
 * The format of FILE.calls (doc/calls-format.md).  Private to goal/.
 */
#ifndef GOAL_CALLS_FORMAT_H
#define GOAL_CALLS_FORMAT_H

#include "goal/builder.h"

#define GOAL_CALLS_MAGIC "GOALCALL"

enum {
	GOAL_CALLS_VERSION = 6,
	/* Flags of the header. */
	GOAL_CALLS_TIMED = 1,
	GOAL_CALLS_NODES = 2,		/* the nodes of the ranks follow `how` */
	GOAL_CALLS_SITES = 4,		/* names of functions have sites */
	GOAL_CALLS_REPEATED = 8,	/* entries end with what they repeat */
	GOAL_CALLS_NODE_BYTES = 4,
	/*
	 * Magic, version, flags, rank count, begin, run, bytes of `how` and of `crowded`; these, the
	 * nodes and a checksum follow.
	 */
	GOAL_CALLS_HEADER_BYTES = 44,
	GOAL_CALLS_RUN_AT = 28,		/* place of run_ns in the header */
	GOAL_CALLS_LINES_AT = 36,	/* ... and of the bytes of the two lines */
	GOAL_CALLS_RANK_BYTES = 28,	/* operations, hash, bytes and checksum of the entries */

	/* Flags in the first number of an entry, below the number of operations. */
	GOAL_CALLS_BEFORE = 1,
	GOAL_CALLS_COMMUNICATOR = 2,	/* not the one of the last entry of the function */
	GOAL_CALLS_FLAG_BITS = 2,
};

/*
 * Hash of bytes whose number is known beforehand.  They are added in order and in pieces.  The
 * size of each piece except the last is a multiple of 64.
 */
enum { GOAL_HASH_LANES = 8, GOAL_HASH_STEP_BYTES = 64 };
struct goal_hash {
	uint64_t lanes[GOAL_HASH_LANES];
};
void goal_hash_begin(struct goal_hash *hash, uint64_t bytes);
void goal_hash_add(struct goal_hash *hash, const uint8_t *bytes, size_t count);
uint64_t goal_hash_end(const struct goal_hash *hash);

/* Hash of bytes that lie together, used as a checksum. */
uint64_t goal_hash_bytes(const uint8_t *bytes, size_t count);

/* Hash of an encoded block. */
uint64_t goal_calls_hash(const struct goal_block *block);

/* Write the entries of the next rank, which has `op_count` operations and whose hash is set. */
int goal_calls_write_rank(struct goal_writer *writer, const struct goal_calls_rank *rank,
			  uint32_t op_count, struct error *err);

/* Write run_ns and the checksum of the header, which are known last, and close the file. */
int goal_calls_close(struct goal_writer *writer, struct error *err);

/* Signed differences as small unsigned numbers: 0, -1, 1, -2, ... */
static inline uint64_t goal_calls_fold(uint64_t difference)
{
	return difference << 1 ^ (0 - (difference >> 63));
}

static inline uint64_t goal_calls_unfold(uint64_t folded)
{
	return folded >> 1 ^ (0 - (folded & 1));
}

#endif
