#include "goal/goal.h"

#include "common/units.h"

#include <stdio.h>
#include <stdlib.h>

void goal_release(struct goal *goal)
{
	input_release(&goal->image);
	free(goal->ranks);
	memset(goal, 0, sizeof *goal);
}

uint32_t goal_rank_of(const struct goal *goal, uint32_t number)
{
	uint32_t low = 0, high = goal->rank_count;

	/* Find the last rank that begins at `number` or before it.  Empty ranks come before it. */
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (goal->ranks[middle].first_op <= number)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void describe_peer(const struct goal_op *op, char *text, size_t room)
{
	int used = snprintf(text, room, op->kind == GOAL_SEND ? "send %llu byte%s to "
			    : "recv %llu byte%s from ", (unsigned long long)op->size,
			    plural(op->size));

	if (op->peer == GOAL_ANY)
		used += snprintf(text + used, room - (size_t)used, "any rank");
	else
		used += snprintf(text + used, room - (size_t)used, "%u", op->peer);
	if (op->tag == GOAL_ANY)
		snprintf(text + used, room - (size_t)used, ", any tag");
	else
		snprintf(text + used, room - (size_t)used, ", tag %u", op->tag);
}

const char *goal_describe(const struct goal *goal, uint32_t number,
			  char text[static GOAL_TEXT_BYTES])
{
	uint32_t rank = goal_rank_of(goal, number);
	uint32_t index = number - goal->ranks[rank].first_op;
	struct goal_op op = goal_op(&goal->ranks[rank], index);
	char what[GOAL_TEXT_BYTES / 2];

	if (op.kind == GOAL_CALC)
		snprintf(what, sizeof what, "calc %llu ns", (unsigned long long)op.size);
	else
		describe_peer(&op, what, sizeof what);
	snprintf(text, GOAL_TEXT_BYTES, "rank %u, operation %u (%s)", rank, index, what);
	return text;
}
