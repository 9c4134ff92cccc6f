#include "goal/counts.h"

int goal_count(struct goal_counts *counts, const struct goal_block *block, struct error *err)
{
	for (uint32_t i = 0; i < block->op_count; i++) {
		struct goal_op op = goal_op(block, i);
		uint64_t *sum = op.kind == GOAL_CALC ? &counts->calc_ns : &counts->bytes;

		switch (op.kind) {
		case GOAL_SEND:
			counts->sends++;
			break;
		case GOAL_RECV:
			counts->recvs++;
			continue;
		case GOAL_CALC:
			counts->calcs++;
			break;
		}
		if (__builtin_add_overflow(*sum, op.size, sum))
			return error_set(err, STATUS_LIMIT, "the %s add up to 2^64 or more",
					 op.kind == GOAL_CALC ? "times of the calcs in ns"
							      : "sizes of the messages in bytes");
	}
	counts->operations += block->op_count;
	counts->dependencies += block->successor_count;
	return 0;
}

void goal_count_sizes(struct goal_size_class classes[static GOAL_SIZE_CLASSES],
		      const struct goal_block *block)
{
	for (uint32_t i = 0; i < block->op_count; i++) {
		struct goal_op op = goal_op(block, i);
		int class = op.size ? 64 - __builtin_clzll(op.size) : 0;

		if (op.kind != GOAL_SEND)
			continue;
		classes[class].messages++;
		classes[class].bytes += op.size;
	}
}
