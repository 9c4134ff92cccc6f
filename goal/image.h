/*
 * Binary form of a graph in a file and in memory (doc/goal-format.md).  Private to goal/.
 */
#ifndef GOAL_IMAGE_H
#define GOAL_IMAGE_H

#include "common/error.h"
#include "common/input.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* First eight bytes of an image, and of a file that a LogGOPSim --save-mem run has consumed. */
#define GOAL_COOKIE UINT64_C(4223)
#define GOAL_COOKIE_CONSUMED UINT64_C(2342)

enum {
	GOAL_BASE = 8,		/* file positions in the jump table count from here */
	GOAL_HEADER_BYTES = 14,	/* cookie, rank count, highest cpu and nic */
	GOAL_JUMP_BYTES = 16,	/* per rank: start and end of its block */
	GOAL_BLOCK_BYTES = 8,	/* before a block: counts of operations and roots */
};

/* Offsets of the fields of an operation in its record. */
enum {
	GOAL_AT_DEPENDENCIES = 0,
	GOAL_AT_KIND = 4,
	GOAL_AT_PEER = 5,
	GOAL_AT_SIZE = 9,
	GOAL_AT_TAG = 17,
	GOAL_AT_CPU = 21,
	GOAL_AT_NIC = 22,
	GOAL_AT_REQUIRES_COUNT = 23,
	GOAL_AT_REQUIRES_FIRST = 27,
	GOAL_AT_IREQUIRES_COUNT = 31,
	GOAL_AT_IREQUIRES_FIRST = 35,
};

static inline void goal_store32(uint8_t *bytes, uint32_t value)
{
	memcpy(bytes, &value, sizeof value);
}

static inline void goal_store64(uint8_t *bytes, uint64_t value)
{
	memcpy(bytes, &value, sizeof value);
}

struct goal_builder;

/* Minimum number of operations that a builder with temporary files keeps in memory. */
enum { GOAL_KEEP_OPS = 1 << 15 };
uint32_t goal_builder_keep(const struct goal_builder *builder);

/* Number of bytes of the encoded rank. */
uint64_t goal_builder_block_bytes(const struct goal_builder *builder);

/* Block of the rank with these bytes. */
struct goal_block goal_builder_block(const struct goal_builder *builder, const uint8_t *bytes);

/* Place of an encoded rank. */
struct goal_place {
	uint8_t *memory;	/* NULL if the place is in a file */
	int file;
	uint64_t at;
	const char *name;	/* of the output, for errors */
};

/* Encode a rank into its place, in bounded memory if the place is in a file. */
int goal_builder_write(struct goal_builder *builder, const struct goal_place *place,
		       struct error *err);

/*
 * Compile GOAL text to an image, which the caller then owns.  Errors begin with `name` and the
 * line.
 */
int goal_compile(const struct input *text, const char *name, struct input *image,
		 struct error *err);

#endif
