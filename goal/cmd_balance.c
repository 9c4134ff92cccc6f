/* Command goal balance: what if all ranks computed equally long before a call? */
#include "goal/change/balance.h"
#include "goal/change/totals.h"
#include "goal/commands.h"

static ARRAY(struct goal_call_key) keys;
static bool totals;

static int option_key(const char *text, void *target, struct error *err)
{
	struct goal_call_key key;
	char *copy = strdup(text);

	(void)target;
	if (!copy)
		return error_set_memory(err, strlen(text));
	if (goal_call_key_parse(copy, &key, err) == 0 && array_push(&keys, key, err) == 0)
		return 0;
	free(copy);
	return -1;
}

static const struct option_spec balance_own_options[] = {
	{"before", 0, "FUNCTION[@SITE]",
	 "share the computation before the calls of FUNCTION equally, as MPI_Barrier, or of those at one call site, as"
	 " MPI_Barrier@cg.c:57; may be repeated",
	 option_key, NULL},
	{"totals", 0, NULL,
	 "let all ranks compute equally long in total: each of its computations gets as much longer or shorter",
	 option_flag, &totals},
	{0},
};
static const struct option_spec *const balance_options[] = {balance_own_options, NULL};

static int balance(const struct goal *goal, const struct goal_calls *calls,
		   struct source_lines *lines, struct goal_writer *writer, struct error *err)
{
	return totals ? goal_balance_totals(goal, calls, writer, err)
		      : goal_balance(goal, calls, keys.items, keys.count, lines, writer, err);
}

static int cmd_balance(char **operands, int operand_count, struct error *err)
{
	(void)operand_count;
	if (totals && keys.count)
		return error_set(err, STATUS_USAGE, "--before and --totals exclude each other");
	if (!totals && !keys.count)
		return error_set(
			err, STATUS_USAGE,
			"--before FUNCTION or --totals is missing: which computation to share");
	return write_changed(operands[0], balance, err);
}

static const struct help_entry balance_examples[] = {
	{"goal balance app.bin --before MPI_Allreduce -o balanced.bin && llamp analyze balanced.bin",
	 "T if the ranks computed equally long before each MPI_Allreduce"},
	{"goal balance app.bin --totals -o balanced.bin && llamp analyze balanced.bin",
	 "T if the ranks computed equally long in total"},
	{0},
};

const struct command balance_command = {
	.name = "balance",
	.operands = "FILE",
	.least_operands = 1,
	.most_operands = 1,
	.summary = "share computation equally among the ranks",
	.notes = FILE_NOTES
	" The i-th calls of the ranks belong together: of what the ranks compute before them, each"
	" gets the mean. The operations and their dependencies stay the same. With --totals, a rank that"
	" computes nothing gets computation in front of its calls. FILE needs its"
	" FILE.calls, and the output gets one.",
	.options = balance_options,
	.output = &change_output,
	.run = cmd_balance,
	.examples = balance_examples,
};
