/* Command goal merge: what if messages that are awaited together were one? */
#include "goal/change/merge.h"
#include "goal/commands.h"

static int merge_messages(const struct goal *goal, const struct goal_calls *calls,
			  struct source_lines *lines, struct goal_writer *writer, struct error *err)
{
	(void)lines;
	return goal_merge(goal, calls, writer, err);
}

static int cmd_merge(char **operands, int operand_count, struct error *err)
{
	(void)operand_count;
	return write_changed(operands[0], merge_messages, err);
}

static const struct help_entry merge_examples[] = {
	{"goal merge app.bin -o merged.bin && llamp analyze merged.bin",
	 "T if the messages that a rank awaits from another one at a time were one message"},
	{0},
};

const struct command merge_command = {
	.name = "merge",
	.operands = "FILE",
	.least_operands = 1,
	.most_operands = 1,
	.summary = "make one message of those that are awaited together",
	.notes = FILE_NOTES
	" Messages from one rank to another whose receives the same operations wait for become one with"
	" the sum of their bytes, sent when the last one was. All else stays. FILE needs its FILE.calls, and the"
	" output gets one.",
	.output = &change_output,
	.run = cmd_merge,
	.examples = merge_examples,
};
