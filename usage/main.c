/* Command `llamp-usage`: what the jobs of a computing centre do in MPI. */
#include "launch/launch_preload.h"
#include "usage/commands.h"

static const struct command *const usage_commands[] = {
	&run_command,
	&show_command,
	&from_trace_command,
	&index_command,
	&query_command,
	&collect_command,
	&report_command,
	&anonymise_command,
	NULL,
};

static const struct help_entry main_examples[] = {
	{"llamp-usage show 4711.0-20261128T013000-9d3f1c55a0b2e417.usage",
	 "print what a job did in MPI: functions, sizes of messages, balance of the ranks"},
	{0},
};

int main(int argc, char **argv)
{
	static const struct tool main_tool = {
		.name = "llamp-usage",
		.summary = "What do the jobs of a computing centre do in MPI?",
		.commands = usage_commands,
		.examples = main_examples,
		.before_message = launch_end_silently,
		.see_also = "llamp-trace(1), critpath(1), schedgen(1), llamp(1)",
	};

	const int status = tool_main(&main_tool, argc, argv);

	if (status != 0)
		launch_end_job(status);
	return status;
}
