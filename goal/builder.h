/*
 * Building GOAL schedules rank by rank.
 *
 * A builder collects the operations and dependencies of one rank; a writer
 * takes finished ranks in ascending order and writes them as text or binary.
 * Memory is bounded by the largest rank.
 *
 *	goal_writer_open(&writer, "-", GOAL_TEXT, ranks, err);
 *	for each rank:
 *		goal_builder_clear(&builder);
 *		goal_builder_send(&builder, ...); goal_builder_requires(&builder, ...); ...
 *		goal_writer_rank(&writer, &builder, err);
 *	goal_writer_close(&writer, err);
 */
#ifndef GOAL_BUILDER_H
#define GOAL_BUILDER_H

#include "common/array.h"
#include "common/output.h"
#include "goal/calls.h"
#include "goal/goal.h"

#include <stdbool.h>

/* An operation to be; the fields mean what they mean in struct goal_op. */
struct goal_new_op {
	uint64_t size;
	uint32_t peer;
	uint32_t tag;
	uint8_t kind;	/* enum goal_kind */
	uint8_t cpu, nic;
};

/* `after` requires (or irequires) `before`. */
struct goal_dependency {
	uint32_t after, before;
	bool irequires;
};

/*
 * How many dependencies an operation has, and how many others depend on it; for
 * these later where the next one goes, and where the last one stands.
 */
struct goal_links {
	uint32_t dependencies, requires, irequires;
};

struct goal_builder {
	ARRAY(struct goal_new_op) ops;
	uint8_t cpu;					/* of operations that are added without */
	uint64_t sends, sent_bytes;			/* added so far, also if replaced since */
	ARRAY(struct goal_dependency) dependencies;	/* in the order they are to be written */
	struct goal_calls_rank calls;			/* who made the operations */

	/* Made of the above by goal_builder_measure (goal/encode.c). */
	ARRAY(struct goal_links) links;
	uint32_t root_count;
	uint64_t block_bytes;

	/* The encoded block, or a piece of it at a time. */
	ARRAY(uint8_t) bytes;
	ARRAY(uint32_t) successors;
	struct goal_block block;
	uint8_t max_cpu, max_nic;			/* of its operations */
	uint64_t place;					/* in the file, given by the writer */
};

/* Start a new rank; memory is kept. */
void goal_builder_clear(struct goal_builder *builder);
void goal_builder_release(struct goal_builder *builder);

/* How much of a rank there is, to come back to. */
struct goal_extent {
	size_t ops, dependencies;
};
struct goal_extent goal_builder_extent(const struct goal_builder *builder);

/*
 * Take away the operations and dependencies that have been added since the rank had this
 * extent; no call may have been given to them (goal_builder_call).
 */
void goal_builder_truncate(struct goal_builder *builder, struct goal_extent extent);

/*
 * Add an operation and store its index in *op (which may be NULL); STATUS_LIMIT
 * when a rank would have 2^32 - 1 operations or more.
 */
int goal_builder_add(struct goal_builder *builder, const struct goal_new_op *new_op, uint32_t *op,
		     struct error *err);
int goal_builder_calc(struct goal_builder *builder, uint64_t cost_ns, uint32_t *op,
		      struct error *err);
int goal_builder_send(struct goal_builder *builder, uint64_t bytes, uint32_t to, uint32_t tag,
		      uint32_t *op, struct error *err);
int goal_builder_recv(struct goal_builder *builder, uint64_t bytes, uint32_t from, uint32_t tag,
		      uint32_t *op, struct error *err);

/* Number of operations added so far. */
static inline uint32_t goal_builder_op_count(const struct goal_builder *builder)
{
	return (uint32_t)builder->ops.count;
}

/* Copy operation `op`, which must exist, to *found. */
int goal_builder_get(struct goal_builder *builder, uint32_t op, struct goal_new_op *found,
		     struct error *err);

/* Replace operation `op`, which must exist; its dependencies stay. */
int goal_builder_replace(struct goal_builder *builder, uint32_t op,
			 const struct goal_new_op *new_op, struct error *err);

/*
 * Call see() for each operation in order.  It may change the operation and then returns 1;
 * else 0, or -1 to stop.  Returns 0 or -1.
 */
typedef int goal_builder_see(void *data, struct goal_new_op *op, struct error *err);
int goal_builder_each(struct goal_builder *builder, goal_builder_see *see, void *data,
		      struct error *err);

/*
 * Add a dependency between two different operations that exist (else
 * STATUS_DATA; STATUS_LIMIT when a rank would have 2^32 - 1 of them or more).
 * Duplicates are kept.
 */
int goal_builder_requires(struct goal_builder *builder, uint32_t after, uint32_t before,
			  struct error *err);
int goal_builder_irequires(struct goal_builder *builder, uint32_t after, uint32_t before,
			   struct error *err);

/* The operations that have been added since the last such call are of this call. */
int goal_builder_call(struct goal_builder *builder, const struct goal_call *call,
		      struct error *err);

/*
 * Encode the rank: *block is set to be what stands in builder->bytes (with
 * first_op 0) and is valid until the builder is changed or encoded again.
 */
int goal_builder_encode(struct goal_builder *builder, struct goal_block *block,
			struct error *err);

/* Find out how many bytes the encoded rank has; goal_builder_encode does it by itself. */
int goal_builder_measure(struct goal_builder *builder, struct error *err);

enum goal_format { GOAL_TEXT, GOAL_BINARY };

/* Binary for names that end in ".bin", else text. */
enum goal_format goal_format_of(const char *path);

/*
 * The header and the jump table of a binary file come last: a file is patched,
 * for a pipe or the memory the image is collected.
 */
struct goal_writer {
	struct output output;
	struct output calls;		/* the side file, if there is one */
	enum goal_format format;
	bool collect;			/* binary goes to image first */
	uint32_t rank_count, ranks_written;
	uint8_t max_cpu, max_nic;
	ARRAY(uint64_t) block_ends;	/* of the ranks reserved, from GOAL_BASE */
	ARRAY(uint8_t) image;
	ARRAY(uint32_t) scratch;	/* used while a rank is written (text) */
};

int goal_writer_open(struct goal_writer *writer, const char *path, enum goal_format format,
		     uint32_t rank_count, struct error *err);

/*
 * Before the first rank: write beside the file which calls made the operations
 * (goal/calls.h).  Does nothing where the schedule goes to stdout or to anything
 * but a regular file.
 */
int goal_writer_calls(struct goal_writer *writer, const struct goal_calls_origin *origin,
		      struct error *err);

/* Write to memory, for goal_writer_finish. */
int goal_writer_open_memory(struct goal_writer *writer, uint32_t rank_count, struct error *err);

/* Write the next rank. */
int goal_writer_rank(struct goal_writer *writer, struct goal_builder *builder, struct error *err);

/*
 * The same in four steps, of which those marked can be done by any thread, while
 * the others do the same with other ranks:
 *
 *	goal_builder_measure	any thread
 *	goal_writer_reserve	in the order of the ranks
 *	goal_writer_place	any thread: encodes the rank, and writes it where it can
 *	goal_writer_placed	in the order of the ranks
 *
 * The builder must not be changed between them.
 */
int goal_writer_reserve(struct goal_writer *writer, struct goal_builder *builder,
			struct error *err);
int goal_writer_place(const struct goal_writer *writer, struct goal_builder *builder,
		      struct error *err);
int goal_writer_placed(struct goal_writer *writer, const struct goal_builder *builder,
		       struct error *err);

/* Write the next rank from an open graph. */
int goal_writer_block(struct goal_writer *writer, const struct goal_block *block,
		      struct error *err);

/* Finish the file (all ranks must have been written); releases the writer also on failure. */
int goal_writer_close(struct goal_writer *writer, struct error *err);

/*
 * Finish what was opened with goal_writer_open_memory: take the image, which
 * the caller then owns (goal_from_image checks and opens it).
 */
int goal_writer_finish(struct goal_writer *writer, struct input *image, struct error *err);

/* Give up: leave no file. */
void goal_writer_discard(struct goal_writer *writer);

#endif
