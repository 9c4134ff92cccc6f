/* Command goal convert: text to binary and back. */
#include "goal/builder.h"
#include "goal/commands.h"

static struct command_output convert_output = {
	.formats = goal_output_formats,
	.required = "FILE.bin for a binary graph, FILE.goal for text",
};

static int write_goal(const struct goal *goal, struct error *err)
{
	struct goal_writer writer;

	TRY(goal_writer_open(&writer, convert_output.path, (enum goal_format)convert_output.format,
			     goal->rank_count, err));
	for (uint32_t rank = 0; rank < goal->rank_count; rank++) {
		if (goal_writer_block(&writer, &goal->ranks[rank], err) < 0) {
			goal_writer_discard(&writer);
			return -1;
		}
	}
	return goal_writer_close(&writer, err);
}

static int cmd_convert(char **operands, int operand_count, struct error *err)
{
	struct goal goal;
	int result;

	(void)operand_count;
	TRY(open_graph(&goal, operands[0], err));
	result = write_goal(&goal, err);
	goal_release(&goal);
	return result;
}

static const struct help_entry convert_examples[] = {
	{"goal convert app.bin -o app.goal", "print a binary graph as text"},
	{"goal convert app.goal -o app.bin", "compile text, as LogGOPSim's txt2bin does"},
	{0},
};

/* Old name of --format. */
static const struct option_spec convert_own_options[] = {
	{"to", 0, "FORMAT", NULL, option_output_format, &convert_output},
	{0},
};
static const struct option_spec *const convert_options[] = {convert_own_options, NULL};

const struct command convert_command = {
	.name = "convert", .operands = "FILE", .least_operands = 1, .most_operands = 1,
	.summary = "convert a graph between text and binary",
	.notes = FILE_NOTES " LogGOPSim and its txt2bin read the output.",
	.options = convert_options, .output = &convert_output, .run = cmd_convert, .examples = convert_examples,
};
