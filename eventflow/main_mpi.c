/* eventflow-mpi: event flow files of traces that take one process too long. */
#include "eventflow/commands.h"
#include "launch/launch_preload.h"
#include "launch/launch_program.h"

/* Words of the command line, for the program that works. */
static char **words;

static int main_mpi_start(char **operands, int count, struct error *err)
{
	(void)operands;
	(void)count;
	return launch_program("eventflow-mpi", words, err);
}

static const char notes[] =
	"Start it with the launcher of an MPI, by any number of processes, on one node or on many:\n\n"
	"  mpiexec -n 4 eventflow-mpi build TRACE -o FILE.efg\n\n"
	"Each process reads some of the ranks of the trace and has their graphs, values and times. Processes "
	"merge their graphs by twos. The file is the same, to the last byte, as that of eventflow build. "
	"eventflow reads it with the memory of one process.";

static const struct help_entry examples[] = {
	{"mpiexec -n 4 eventflow-mpi build app.trace -o app.efg", "make the file by 4 processes"},
	{0},
};

int main(int argc, char **argv)
{
	struct command build = build_command;
	const struct command *const commands[] = {&build, NULL};
	const struct tool tool = {
		.name = "eventflow-mpi",
		.summary = "Make the event flow file of a large trace by many processes.",
		.commands = commands,
		.examples = examples,
		.before_message = launch_end_silently,
		.see_also = "eventflow(1), llamp-trace(1)",
	};
	int status;

	build.run = main_mpi_start;
	build.notes = notes;
	build.examples = examples;
	words = argv;
	status = tool_main(&tool, argc, argv);
	if (status != 0)
		launch_end_job(status);
	return status;
}
