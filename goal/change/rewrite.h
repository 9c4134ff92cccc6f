/*
 * A rank of a graph written again, with more computation and other dependencies.
 *
 * Operations keep their order, calls and, but for those that the caller changes, their fields.  A computation that is
 * put in front of an operation comes before it in the file, and counts as computation before its call.
 */
#ifndef GOAL_REWRITE_H
#define GOAL_REWRITE_H

#include "common/array.h"
#include "goal/builder.h"

/* Operation that another one depends on. */
struct goal_cause {
	uint32_t op;
	bool irequires;
};

/* What the operations of a rank depend on: of operation op, causes[first[op]] to causes[first[op + 1] - 1]. */
struct goal_causes {
	uint32_t *first;
	struct goal_cause *causes;
};

/* End with goal_causes_release, also on failure. */
int goal_causes_find(struct goal_causes *causes, const struct goal_block *block, struct error *err);
void goal_causes_release(struct goal_causes *causes);

/* Computation to put in front of `op`, which is the first operation of its entry in the calls; several keep their order. */
struct goal_inserted {
	uint32_t op;
	uint64_t ns;
};

typedef ARRAY(struct goal_inserted) goal_inserted_list;

struct goal_rewrite {
	struct goal_block block; /* of the rank, maybe with other fields */
	const struct goal_causes *causes;
	const goal_inserted_list *inserted; /* in the order of their operations */
	struct goal_builder *builder;
	uint32_t *number; /* [operation, or op_count + computation]: in the builder; private */
};

/* Number of the last computation in front of an operation or of earlier ones, or their count. */
size_t goal_inserted_find(const goal_inserted_list *inserted, uint32_t op);

/*
 * Add the dependencies of operation `op`, and of the computation in front of it, by goal_rewrite_depend.  Operations come
 * in their order, but those that depend on later ones come at the end.
 */
typedef int goal_rewrite_op(void *data, const struct goal_rewrite *rewrite, uint32_t op,
			    struct error *err);

/* Let `after` depend on `before`; both are operations, or op_count + the number of a computation. */
int goal_rewrite_depend(const struct goal_rewrite *rewrite, uint32_t after, uint32_t before,
			bool irequires, struct error *err);

/*
 * Write a rank and its calls.  builder: of the writer, which goal_rewrite_begin has prepared.  All fields of `rewrite`
 * but `number` are set.
 */
int goal_rewrite_rank(struct goal_rewrite *rewrite, struct goal_writer *writer,
		      const struct goal_calls *calls, uint32_t rank, goal_rewrite_op *depend,
		      void *data, struct error *err);

/* Begin the calls of a changed graph.  This run was not traced: its run time is not known. */
int goal_changed_calls(struct goal_writer *writer, const struct goal_calls *calls,
		       struct error *err);

/* Begin the calls of the new graph, and prepare a builder, which is to be released. */
int goal_rewrite_begin(struct goal_writer *writer, struct goal_builder *builder,
		       const struct goal_calls *calls, struct error *err);

/* Copy a block, whose operations may then be changed through *ops.  *copy is to be freed. */
int goal_block_copy(struct goal_block *block, uint8_t **copy, uint8_t **ops, struct error *err);

#endif
