/* Command goal check: whether a graph is sound, all messages match, and nothing waits for ever. */
#include "common/progress.h"
#include "common/text.h"
#include "common/units.h"
#include "goal/traversal/check.h"
#include "goal/commands.h"

#include <stdio.h>

static int cmd_check(char **operands, int operand_count, struct error *err)
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

static const struct help_entry check_examples[] = {
	{"goal check app.goal", "whether a graph written by hand can run"},
	{0},
};

static const struct option_spec *const check_own_options[] = {NULL};

const struct command check_command = {
	.name = "check",
	.operands = "FILE",
	.least_operands = 1,
	.most_operands = 1,
	.summary = "check that a graph can run to its end",
	.notes = FILE_NOTES
	"\n\n"
	"Checks the form of the file; that every send has its receive, first-in "
	"first-out per source, destination and tag; and that no operation waits "
	"for itself through dependencies and messages.",
	.options = check_own_options,
	.run = cmd_check,
	.examples = check_examples,
};
