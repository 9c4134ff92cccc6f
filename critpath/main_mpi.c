/* critpath-mpi: the commands of critpath, for traces that need the memory of several processes. */
#include "critpath/commands.h"
#include "launch/launch_preload.h"
#include "launch/launch_program.h"

#include <string.h>

enum { MOST_COMMANDS = 16 };

/* Words of the command line, for the program that works. */
static char **words;

static int main_mpi_start(char **operands, int count, struct error *err)
{
	(void)operands;
	(void)count;
	return launch_program("critpath-mpi", words, err);
}

static const char notes[] =
	"Start it with the launcher of an MPI, by any number of processes, on one node or on many:\n\n"
	"  mpiexec -n 4 critpath-mpi COMMAND ARCHIVE\n\n"
	"Each process reads some of the ranks of the archive, so each needs a part of the memory. Options "
	"and output are those of critpath.";

static const struct help_entry examples[] = {
	{"mpiexec -n 4 critpath-mpi path app.trace", "find the critical path by 4 processes"},
	{"srun -N 8 critpath-mpi waits app.trace --by rank",
	 "print which ranks waited, by 8 nodes of a cluster"},
	{0},
};

/* Whether processes can share the work of a command. */
static bool is_shared(const struct command *command)
{
	static const char *const names[] = {"path",	 "waits",      "causes",
					    "imbalance", "efficiency", "profile"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(command->name, names[i]))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	struct command own[MOST_COMMANDS];
	const struct command *commands[MOST_COMMANDS + 1] = {NULL};
	const struct tool tool = {
		.name = "critpath-mpi",
		.summary =
			"What determined the run time of an MPI program, found by many processes?",
		.commands = commands,
		.examples = examples,
		.before_message = launch_end_silently,
		.see_also = "critpath(1), llamp-trace(1)",
	};
	size_t count = 0;
	int status;

	for (const struct command *const *command = critpath_commands; *command; command++)
		if (is_shared(*command) && count < MOST_COMMANDS) {
			own[count] = **command;
			own[count].run = main_mpi_start;
			own[count].notes = notes;
			own[count].examples = examples;
			commands[count] = &own[count];
			count++;
		}
	words = argv;
	status = tool_main(&tool, argc, argv);
	if (status != 0)
		launch_end_job(status);
	return status;
}
