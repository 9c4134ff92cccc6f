#include "goal/builder.h"
#include "goal/calls.h"
#include "goal/cmd.h"

static const char *output;
static struct choice format = {
	"format", (const char *const[]){[GOAL_TEXT] = "text", [GOAL_BINARY] = "bin", NULL}, -1,
};

const struct option_spec convert_options[] = {
	{"output", 'o', "FILE", "write to FILE: binary if it ends in .bin, else text; - is stdout",
	 option_text, &output},
	{"to", 0, "FORMAT", "write text or bin whatever the name of the output", option_choice,
	 &format},
	{0},
};

static int write_goal(const struct goal *goal, struct error *err)
{
	const enum goal_format written =
		format.value < 0 ? goal_format_of(output) : (enum goal_format)format.value;
	struct goal_writer writer;

	TRY(goal_writer_open(&writer, output, written, goal->rank_count, err));
	for (uint32_t rank = 0; rank < goal->rank_count; rank++) {
		if (goal_writer_block(&writer, &goal->ranks[rank], err) < 0) {
			goal_writer_discard(&writer);
			return -1;
		}
	}
	return goal_writer_close(&writer, err);
}

int cmd_convert(char **operands, int operand_count, struct error *err)
{
	struct goal goal;
	int result;

	(void)operand_count;
	if (!output)
		return error_set(err, STATUS_USAGE, "option '--output' is missing");
	TRY(goal_refuse_output(output, operands[0], err));
	TRY(open_graph(&goal, operands[0], err));
	result = write_goal(&goal, err);
	goal_release(&goal);
	return result;
}
