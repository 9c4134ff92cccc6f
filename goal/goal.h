/*
 * GOAL graphs in memory.
 *
 * A graph in memory is the image of its binary form (doc/goal-format.md).  A binary file is
 * mapped and used as it is.  Text is compiled to an image.  Graphs are built rank by rank as
 * blocks of an image (goal/builder.h).  There is no other representation.  It takes 39 bytes per
 * operation and 4 per edge.
 *
 *	header | jump table | block of rank 0 | block of rank 1 | ...
 *	block:   op count | root count | roots | operations | successors
 *
 * Invariants of an open graph (goal_open checks them all in linear time): blocks lie within
 * the image and do not overlap; every kind is one of the three; peers are ranks, or GOAL_ANY
 * for the source of a receive; successor lists lie within the block and name operations of
 * the block; dependency counts and roots agree with the successor lists; no operation depends
 * on itself.  goal/match.h checks that messages match, goal/traversal/check.h that no operation waits
 * for itself in a cycle.
 *
 * Operations are addressed by rank and index in the rank (the order of the
 * file), or by their number in the whole graph: first_op of the rank + index.
 */
#ifndef GOAL_GOAL_H
#define GOAL_GOAL_H

#include "common/error.h"
#include "common/input.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum goal_kind { GOAL_SEND = 1, GOAL_RECV = 2, GOAL_CALC = 3 };

/* Any source, or any tag. */
#define GOAL_ANY UINT32_MAX

/* Operation as it is stored. */
struct goal_op {
	enum goal_kind kind;
	uint8_t cpu, nic;
	uint32_t peer;		/* destination of a send, source of a receive, 0 for a calc */
	uint32_t tag;		/* 0 for a calc */
	uint64_t size;		/* bytes of a message; cost of a calc in ns */
	uint32_t dependencies;	/* number of operations that this one requires or irequires */
	/* Slices of the block's successors: operations that require or irequire this one. */
	uint32_t requires_first, requires_count;
	uint32_t irequires_first, irequires_count;
};

/* Operations of one rank. */
struct goal_block {
	const uint8_t *ops;		/* op_count records of GOAL_OP_BYTES */
	const uint8_t *roots;		/* root_count indices: operations that depend on none */
	const uint8_t *successors;	/* successor_count indices */
	uint32_t op_count, root_count, successor_count;
	uint32_t first_op;		/* number of the rank's first operation in the graph */
};

struct goal {
	struct input image;		/* owned */
	uint32_t rank_count;		/* at least 1 */
	uint32_t op_count;		/* of all ranks */
	uint64_t successor_count;	/* dependencies over all ranks */
	bool depends_backward;		/* an operation depends on a later one of the file */
	struct goal_block *ranks;	/* rank_count blocks, owned */
};

enum { GOAL_OP_BYTES = 39 };

/*
 * Open a GOAL file, text or binary, which is recognized by the content and not by the name.
 * Errors name the file, the line (text) or the offset (binary), and what was expected.  On
 * failure there is nothing to release.
 */
int goal_open(struct goal *goal, const char *path, struct error *err);

/*
 * Open an image in memory as a graph.  Takes ownership of `image` also on failure.
 * Errors name the graph as `name`.
 */
int goal_from_image(struct goal *goal, struct input *image, const char *name, struct error *err);

void goal_release(struct goal *goal);

static inline uint32_t goal_load32(const uint8_t *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof value);
	return value;
}

static inline uint64_t goal_load64(const uint8_t *bytes)
{
	uint64_t value;

	memcpy(&value, bytes, sizeof value);
	return value;
}

/* Read operation `op` of a rank. */
static inline struct goal_op goal_op(const struct goal_block *block, uint32_t op)
{
	const uint8_t *record = block->ops + (size_t)op * GOAL_OP_BYTES;

	return (struct goal_op){
		.dependencies = goal_load32(record),
		.kind = (enum goal_kind)record[4],
		.peer = goal_load32(record + 5),
		.size = goal_load64(record + 9),
		.tag = goal_load32(record + 17),
		.cpu = record[21],
		.nic = record[22],
		.requires_count = goal_load32(record + 23),
		.requires_first = goal_load32(record + 27),
		.irequires_count = goal_load32(record + 31),
		.irequires_first = goal_load32(record + 35),
	};
}

/* Read entry `i` of a block's successor list: the index of an operation of the block. */
static inline uint32_t goal_successor(const struct goal_block *block, uint32_t i)
{
	return goal_load32(block->successors + (size_t)i * 4);
}

/* Find the rank of the operation with this number. */
uint32_t goal_rank_of(const struct goal *goal, uint32_t number);

/*
 * Describe an operation for people: "rank 3, operation 17 (send 8 bytes to 4, tag 1)".
 * Returns `text`.
 */
enum { GOAL_TEXT_BYTES = 160 };
const char *goal_describe(const struct goal *goal, uint32_t number,
			  char text[static GOAL_TEXT_BYTES]);

#endif
