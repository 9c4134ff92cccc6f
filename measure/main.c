/* llamp-measure: what a network and an MPI library do, measured between two ranks. */
#include "measure/commands.h"
#include "pmpi/launch/launch_preload.h"

static const char params_notes[] =
	"Start it with the launcher of the MPI that your programs use, as they are started:\n\n"
	"  mpiexec -n 2 llamp-measure params -o network.yaml\n\n"
	"Ranks 0 and 1 measure, on one node or on two, as the launcher places them; further ranks "
	"sleep. Give each a core of its own.\n\n"
	"L, o, g, G and S are estimated from round trips of messages from 1 byte to 1 MiB and from "
	"sends whose receiver does not receive. A ping-pong and a burst of 16 messages of other "
	"sizes are then compared with the prediction of the parameters. Warnings say if the "
	"times spread by more than 10 % or miss the model by more than 5 %.\n\n"
	"Four repeats on other cores and buffers show whether the time of a message depends on the "
	"place. If nothing can be said of L, the exit status is 3 and the file has no L: llamp then "
	"demands a value.\n\n"
	"L is without overhead: a message of 1 byte takes L + 2 o. With -o FILE tables go to stdout, else "
	"all does.";

static const struct help_entry params_examples[] = {
	{"mpiexec -n 2 llamp-measure params -o node.yaml",
	 "parameters between two ranks of a node"},
	{"mpiexec -n 2 -ppn 1 llamp-measure params -o network.yaml",
	 "parameters between two nodes (MPICH; with Open MPI --map-by node)"},
	{"llamp analyze app.bin --params network.yaml", "use them"},
	{0},
};

static const struct help_entry params_files[] = {
	{"FILE", "the parameters as YAML for llamp's option --params; comments have the place, the "
		 "date and all tables"},
	{0},
};

static const struct command commands[] = {
	{.name = "params",
	 .operands = "",
	 .summary = "Measure the LogGPS parameters between ranks 0 and 1.",
	 .notes = params_notes,
	 .options = params_options,
	 .output = &params_output,
	 .run = cmd_params,
	 .examples = params_examples,
	 .files = params_files},
	{0},
};

static const struct help_entry tool_examples[] = {
	{"mpiexec -n 2 llamp-measure params -o network.yaml",
	 "measure the parameters of a network for llamp analyze --params network.yaml"},
	{0},
};

int main(int argc, char **argv)
{
	static const struct tool tool = {
		.name = "llamp-measure",
		.summary = "Measure a network with the MPI whose launcher starts this command.",
		.commands = commands,
		.before_message = launch_end_silently,
		.see_also = "llamp(1), llamp-trace(1)",
		.examples = tool_examples,
	};
	const int status = tool_main(&tool, argc, argv);

	if (status != 0)
		launch_end_job(status);
	return status;
}
