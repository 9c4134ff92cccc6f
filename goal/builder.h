/*
 * Builder and writer of GOAL graphs, rank by rank.
 *
 * A builder collects the operations and dependencies of one rank. A writer takes finished
 * ranks in ascending order and writes them as text or binary.
 *
 *	goal_writer_open(&writer, "-", GOAL_TEXT, ranks, err);
 *	goal_builder_spill(&builder, &writer);
 *	for each rank:
 *		goal_builder_clear(&builder);
 *		goal_builder_send(&builder, ...); goal_builder_requires(&builder, ...); ...
 *		goal_writer_rank(&writer, &builder, err);
 *	goal_writer_close(&writer, err);
 *
 * After goal_builder_spill, memory does not grow with the length of a rank: a builder keeps
 * the newest operations and puts older ones into temporary files in the directory of the
 * output. Any operation may still be replaced, depended on or depend; for old ones this costs
 * two system calls. Without it, the builder keeps everything in memory.
 */
#ifndef GOAL_BUILDER_H
#define GOAL_BUILDER_H

#include "common/array.h"
#include "common/command_output.h"
#include "common/output.h"
#include "goal/calls.h"
#include "goal/goal.h"
#include "goal/spill.h"

#include <stdbool.h>

/* Numbers of dependencies of an operation. */
struct goal_links {
	uint32_t dependencies;		/* operations that it depends on */
	uint32_t requires, irequires;	/* operations that depend on it */
};

/* New operation, with the fields of struct goal_op. */
struct goal_new_op {
	uint64_t size;
	uint32_t peer;
	uint32_t tag;
	uint8_t kind;	/* enum goal_kind */
	uint8_t cpu, nic;
	struct goal_links links;	/* set by the builder */
};

/* Dependency of `after`, which requires (or irequires) `before`. */
struct goal_dependency {
	uint32_t after, before;
	uint32_t irequires : 1;
	uint32_t number : 31;	/* among those of its kind on `before`, from 0 */
};

struct goal_builder {
	uint8_t cpu;					/* of operations added without one */
	uint64_t sends, sent_bytes;			/* added so far, also those replaced since */
	struct goal_calls_rank calls;			/* calls that made the operations */

	/* Private: the newest operations and dependencies, in the order of adding ... */
	ARRAY(struct goal_new_op) ops;
	ARRAY(struct goal_dependency) dependencies;
	/* ... and those before them. */
	uint32_t first_op;				/* index of ops.items[0] */
	struct goal_spill old_ops, old_dependencies;
	const struct output *beside;			/* where they go; NULL: nowhere */
	uint32_t keep;					/* operations kept; 0: the default */
	uint32_t dependency_count, root_count;		/* of the rank */
	bool closed;
	uint32_t not_kept;				/* operations added since it was closed */

	/* Private to goal/encode.c and goal/writer.c. */
	ARRAY(uint8_t) bytes;				/* the encoded block */
	struct goal_spill encoded;			/* the same, if it is large and is text */
	ARRAY(uint8_t) work;
	struct goal_block block;
	uint8_t max_cpu, max_nic;			/* of its operations */
	uint64_t place;					/* in the file, given by the writer */
};

struct goal_writer;

/* Bound the memory by temporary files next to the output of the writer. It must stay open. */
void goal_builder_spill(struct goal_builder *builder, const struct goal_writer *writer);

/* Start a new rank. Memory is kept. */
void goal_builder_clear(struct goal_builder *builder);
void goal_builder_release(struct goal_builder *builder);

/*
 * Close the rank. Operations and dependencies added from now on are checked and numbered, but
 * do not become part of it. Operations added before can still be replaced.
 */
void goal_builder_close(struct goal_builder *builder);

/*
 * Add an operation and store its index in *op, which may be NULL. STATUS_LIMIT if the rank
 * would have 2^32 - 1 operations or more.
 */
int goal_builder_add(struct goal_builder *builder, const struct goal_new_op *new_op, uint32_t *op,
		     struct error *err);
int goal_builder_calc(struct goal_builder *builder, uint64_t cost_ns, uint32_t *op,
		      struct error *err);
int goal_builder_send(struct goal_builder *builder, uint64_t bytes, uint32_t to, uint32_t tag,
		      uint32_t *op, struct error *err);
int goal_builder_recv(struct goal_builder *builder, uint64_t bytes, uint32_t from, uint32_t tag,
		      uint32_t *op, struct error *err);

/* Number of operations of the rank so far. */
static inline uint32_t goal_builder_op_count(const struct goal_builder *builder)
{
	return builder->first_op + (uint32_t)builder->ops.count;
}

/* Copy operation `op` of the rank to *found. */
int goal_builder_get(struct goal_builder *builder, uint32_t op, struct goal_new_op *found,
		     struct error *err);

/*
 * Replace operation `op`, which must have been added, and keep its dependencies. Does nothing if
 * the rank was closed before it was added.
 */
int goal_builder_replace(struct goal_builder *builder, uint32_t op,
			 const struct goal_new_op *new_op, struct error *err);

/*
 * Call see() for each operation of the rank in order. It returns 1 if it has changed the
 * operation, 0 if not, and -1 to stop. Returns 0 or -1.
 */
typedef int goal_builder_see(void *data, struct goal_new_op *op, struct error *err);
int goal_builder_each(struct goal_builder *builder, goal_builder_see *see, void *data,
		      struct error *err);

/*
 * Add a dependency between two different operations that exist, else STATUS_DATA. STATUS_LIMIT
 * if the rank would have 2^32 - 1 dependencies or more, or 2^31 - 1 of one kind on `before`.
 * Duplicates are kept.
 */
int goal_builder_requires(struct goal_builder *builder, uint32_t after, uint32_t before,
			  struct error *err);
int goal_builder_irequires(struct goal_builder *builder, uint32_t after, uint32_t before,
			   struct error *err);

/* Note the call sites of calls, too, from now on; goal_writer_calls must be told. */
void goal_builder_sites(struct goal_builder *builder);
/* The same for what calls of a repeated run repeat. */
void goal_builder_repeated(struct goal_builder *builder);

/* Say that all operations added since the last such call were made by this call. */
int goal_builder_call(struct goal_builder *builder, const struct goal_call *call,
		      struct error *err);

/*
 * Encode the rank in memory. *block, with first_op 0, points into the builder and is valid
 * until the builder is changed or encoded again.
 */
int goal_builder_encode(struct goal_builder *builder, struct goal_block *block,
			struct error *err);

enum goal_format { GOAL_TEXT, GOAL_BINARY };

/* Formats of a file by their numbers, for commands that write graphs. */
extern const struct output_format goal_output_formats[];

/*
 * The header and the jump table of a binary graph come first but are known last. A file is
 * patched. A graph that goes to a pipe is written to a temporary file first.
 */
struct goal_writer {
	struct output output;
	struct output calls;		/* side file, or NULL */
	ARRAY(uint8_t) calls_header;	/* of the side file */
	enum goal_format format;
	bool in_memory;			/* binary, to image */
	uint32_t rank_count, ranks_written;
	uint8_t max_cpu, max_nic;
	ARRAY(uint64_t) block_ends;	/* of the ranks reserved, from GOAL_BASE */
	ARRAY(uint8_t) image;
	struct goal_spill ahead;	/* binary to what cannot be patched */
};

int goal_writer_open(struct goal_writer *writer, const char *path, enum goal_format format,
		     uint32_t rank_count, struct error *err);

/*
 * Write a side file that names the calls that made the operations (goal/calls.h). To be called
 * before the first rank. Does nothing if the output is stdout or no regular file. Control
 * characters of origin->how are shown as text_show does.
 */
int goal_writer_calls(struct goal_writer *writer, const struct goal_calls_origin *origin,
		      struct error *err);

/* Set the length of the traced run, if it is known only after the ranks, before the close. */
void goal_writer_run(struct goal_writer *writer, uint64_t run_ns);

/* Write to memory, for goal_writer_finish. */
int goal_writer_open_memory(struct goal_writer *writer, uint32_t rank_count, struct error *err);

/* Write the rank in the builder as the next one. */
int goal_writer_rank(struct goal_writer *writer, struct goal_builder *builder, struct error *err);

/*
 * Write a rank in three steps, which different threads may do with different ranks:
 *
 *	goal_writer_reserve	in the order of the ranks
 *	goal_writer_place	in any order: encodes the rank, and writes it if it has a place
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

/* Write a rank of an open graph as the next one. */
int goal_writer_block(struct goal_writer *writer, const struct goal_block *block,
		      struct error *err);

/*
 * Write a block, and the calls of `rank` of another graph, which has the same operations in the same order.
 * calls: its side file, which is open.
 */
int goal_writer_called_block(struct goal_writer *writer, const struct goal_block *block,
			     const struct goal_calls *calls, uint32_t rank, struct error *err);

/* Finish the file, after all ranks have been written. Releases the writer also on failure. */
int goal_writer_close(struct goal_writer *writer, struct error *err);

/*
 * Finish a graph opened with goal_writer_open_memory. The caller then owns the image.
 * goal_from_image checks and opens it.
 */
int goal_writer_finish(struct goal_writer *writer, struct input *image, struct error *err);

/* Give up: leave no file. */
void goal_writer_discard(struct goal_writer *writer);

#endif
