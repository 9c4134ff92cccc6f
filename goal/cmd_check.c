/* Command goal check: whether a graph is sound, all messages match, and nothing waits for ever. */
#include "common/progress.h"
#include "common/text.h"
#include "common/units.h"
#include "goal/check.h"
#include "goal/cmd.h"

#include <stdio.h>

int cmd_check(char **operands, int operand_count, struct error *err)
{
	struct goal goal;
	uint32_t message_count;
	int result;

	(void)operand_count;
	TRY(open_graph(&goal, operands[0], err));
	progress_begin("goal", "checking the graph");
	result = goal_check(&goal, &message_count, err);
	progress_end();
	if (result == 0) {
		text_print(stdout, operands[0]);
		printf(": ok: %u rank%s, %u operation%s, %u message%s, %llu dependenc%s\n",
		       goal.rank_count, plural(goal.rank_count), goal.op_count,
		       plural(goal.op_count), message_count, plural(message_count),
		       (unsigned long long)goal.successor_count,
		       goal.successor_count == 1 ? "y" : "ies");
	} else {
		error_prefix(err, "%s", operands[0]);
	}
	goal_release(&goal);
	return result;
}
