/* The command `goal`: look at GOAL schedules, check and convert them. */
#include "goal/cmd.h"

#include "common/progress.h"

static const struct option_spec *const no_tables[] = {NULL};
static const struct option_spec *const info_tables[] = {info_options, NULL};
static const struct option_spec *const convert_tables[] = {convert_options, NULL};

static const struct command commands[] = {
	{
		.name = "info", .operands = "FILE", .least_operands = 1, .most_operands = 1,
		.summary = "print what a GOAL schedule consists of, in numbers",
		.notes = "FILE is GOAL text or binary, told apart by its content; - is stdin.\n"
			 "bytes is the sum over all sends.",
		.options = info_tables, .run = cmd_info,
	},
	{
		.name = "check", .operands = "FILE", .least_operands = 1, .most_operands = 1,
		.summary = "check that a GOAL schedule can run to its end",
		.notes = "FILE is GOAL text or binary, told apart by its content; - is stdin.\n"
			 "Besides the form of the file these must hold: every send has its "
			 "receive,\n"
			 "first-in first-out for a source, a destination and a tag, and no "
			 "operation\n"
			 "waits for itself through dependencies and messages.",
		.options = no_tables, .run = cmd_check,
	},
	{
		.name = "convert", .operands = "FILE", .least_operands = 1, .most_operands = 1,
		.summary = "convert a GOAL schedule between text and binary",
		.notes = "FILE is GOAL text or binary, told apart by its content; - is stdin.\n"
			 "The output is what LogGOPSim and its txt2bin read.",
		.options = convert_tables, .run = cmd_convert,
	},
	{
		.name = "stats", .operands = "FILE", .least_operands = 1, .most_operands = 1,
		.summary = "print the work of every rank and the sizes of the messages",
		.notes = "FILE is GOAL text or binary, told apart by its content; - is stdin.\n"
			 "bytes are those sent; compute is the sum of the calcs.",
		.options = no_tables, .run = cmd_stats,
	},
	{0},
};

static const struct tool tool = {
	.name = "goal",
	.summary = "Look at GOAL schedules, check and convert them.",
	.commands = commands,
};

int open_schedule(struct goal *goal, const char *path, struct error *err)
{
	int result;

	progress_begin(tool.name, "reading the schedule");
	result = goal_open(goal, path, err);
	progress_end();
	return result;
}

int main(int argc, char **argv)
{
	return tool_main(&tool, argc, argv);
}
