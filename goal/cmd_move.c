/* Command goal move: what if receives were posted earlier, and awaited later? */
#include "goal/change/move.h"
#include "goal/commands.h"

static struct {
	ARRAY(struct goal_call_key) keys;
	ARRAY(double) percent;
} given;

static int option_wait(const char *text, void *target, struct error *err)
{
	struct goal_call_key key;
	char *copy = strdup(text);
	double share;

	(void)target;
	if (!copy)
		return error_set_memory(err, strlen(text));
	if (goal_move_parse(copy, &key, &share, err) == 0 &&
	    array_push(&given.percent, share, err) == 0 && array_push(&given.keys, key, err) == 0)
		return 0;
	free(copy);
	return -1;
}

static const struct option_spec move_own_options[] = {
	{"wait", 0, "SHARE:FUNCTION[@SITE]",
	 "wait for the receives of FUNCTION, as 50%:MPI_Recv, or of those at one call site, as 50%:MPI_Irecv@cg.c:57, after this"
	 " share of the computation behind the wait; may be repeated",
	 option_wait, NULL},
	{0},
};
static const struct option_spec *const move_options[] = {move_own_options, NULL};

static int move_receives(const struct goal *goal, const struct goal_calls *calls,
			 struct source_lines *lines, struct goal_writer *writer, struct error *err)
{
	return goal_move(goal, calls, given.keys.items, given.percent.items, given.keys.count,
			 lines, writer, err);
}

static int cmd_move(char **operands, int operand_count, struct error *err)
{
	(void)operand_count;
	if (!given.keys.count)
		return error_set(err, STATUS_USAGE,
				 "--wait SHARE:FUNCTION is missing: which receives to move");
	return write_changed(operands[0], move_receives, err);
}

static const struct help_entry move_examples[] = {
	{"goal move app.bin --wait 50%:MPI_Recv -o moved.bin && llamp analyze moved.bin",
	 "T if half of the computation behind each MPI_Recv did not need its message"},
	{0},
};

const struct command move_command = {
	.name = "move",
	.operands = "FILE",
	.least_operands = 1,
	.most_operands = 1,
	.summary = "post receives earlier, and wait for them later",
	.notes = FILE_NOTES
	" A receive is posted in front of the computation before it, and the computation that waits for it begins"
	" without it, for a share of its time. All else stays. FILE needs its FILE.calls, and the output gets one.",
	.options = move_options,
	.output = &change_output,
	.run = cmd_move,
	.examples = move_examples,
};
