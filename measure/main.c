/* llamp-measure: what a network and an MPI library do, measured between two ranks. */
#include "measure/commands.h"
#include "launch/launch_preload.h"

static const struct command *const measure_commands[] = {&params_command, &overlap_command,
							 &report_command, NULL};

static const struct help_entry tool_examples[] = {
	{"mpiexec -n 2 llamp-measure params -o network.yaml",
	 "measure the parameters of a network for llamp analyze --params network.yaml"},
	{"mpiexec -n 2 llamp-measure overlap -o mpi.overlap --quick",
	 "measure whether messages move while the ranks compute"},
	{"llamp-measure report mpi.overlap", "tell for which messages they do"},
	{0},
};

int main(int argc, char **argv)
{
	static const struct tool tool = {
		.name = "llamp-measure",
		.summary = "Measure a network with the MPI whose launcher starts this command.",
		.commands = measure_commands,
		.before_message = launch_end_silently,
		.see_also = "llamp(1), llamp-trace(1)",
		.examples = tool_examples,
	};
	int status;

	measure_arguments = argv;
	status = tool_main(&tool, argc, argv);

	if (status != 0)
		launch_end_job(status);
	return status;
}
