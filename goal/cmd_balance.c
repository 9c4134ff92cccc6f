/* Command goal balance: what if all ranks computed equally long before a call? */
#include "goal/balance.h"
#include "goal/commands.h"

static ARRAY(struct goal_balance_key) keys;

static int option_key(const char *text, void *target, struct error *err)
{
	struct goal_balance_key key;
	char *copy = strdup(text);

	(void)target;
	if (!copy)
		return error_set_memory(err, strlen(text));
	TRY(goal_balance_key_parse(copy, &key, err));
	return array_push(&keys, key, err);
}

static const struct option_spec balance_own_options[] = {
	{"before", 0, "FUNCTION[@SITE]",
	 "share the computation before the calls of FUNCTION equally, as MPI_Barrier, or of those at one call site, as"
	 " MPI_Barrier@cg.c:57; may be repeated", option_key, NULL},
	{0},
};
static const struct option_spec *const balance_options[] = {balance_own_options, NULL};

static struct command_output balance_output = {
	.formats = goal_output_formats,
	.required = "FILE.bin for a binary graph, FILE.goal for text",
};

static int open_calls(struct goal_calls *calls, const struct goal *goal, const char *path,
		      struct error *err)
{
	const int found = goal_calls_open(calls, goal, path, err);

	if (found == 1)
		return error_set(err, STATUS_DATA,
				 "%s has no file %s.calls beside it, so its calls are not known; schedgen writes both",
				 path, path);
	return found;
}

static int write_balanced(const struct goal *goal, const struct goal_calls *calls, struct error *err)
{
	struct source_lines *lines = NULL;
	struct goal_writer writer;
	int result;

	TRY(goal_writer_open(&writer, balance_output.path, (enum goal_format)balance_output.format,
			     goal->rank_count, err));
	result = calls->origin.sites ? source_lines_open(&lines, err) : 0;
	if (result == 0)
		result = goal_balance(goal, calls, keys.items, keys.count, lines, &writer, err);
	source_lines_close(lines);
	if (result == 0)
		return goal_writer_close(&writer, err);
	goal_writer_discard(&writer);
	return -1;
}

static int cmd_balance(char **operands, int operand_count, struct error *err)
{
	struct goal goal;
	struct goal_calls calls;
	int result;

	(void)operand_count;
	if (!keys.count)
		return error_set(err, STATUS_USAGE, "--before FUNCTION is missing: which computation to share");
	TRY(goal_declare_calls(balance_output.path, err));
	TRY(open_graph(&goal, operands[0], err));
	result = open_calls(&calls, &goal, operands[0], err);
	if (result == 0) {
		result = write_balanced(&goal, &calls, err);
		goal_calls_release(&calls);
	}
	goal_release(&goal);
	return result;
}

static const struct help_entry balance_examples[] = {
	{"goal balance app.bin --before MPI_Allreduce -o balanced.bin && llamp analyze balanced.bin",
	 "T if the ranks computed equally long before each MPI_Allreduce"},
	{0},
};

const struct command balance_command = {
	.name = "balance",
	.operands = "FILE",
	.least_operands = 1,
	.most_operands = 1,
	.summary = "share computation equally among the ranks",
	.notes = FILE_NOTES " The i-th calls of the ranks belong together: of what the ranks compute before them, each"
			    " gets the mean. The operations and their dependencies stay the same. FILE needs its"
			    " FILE.calls, and the output gets one.",
	.options = balance_options,
	.output = &balance_output,
	.run = cmd_balance,
	.examples = balance_examples,
};
