/* llamp-measure params */
#include "common/units.h"
#include "measure/commands.h"
#include "launch/launch_program.h"

#include <inttypes.h>
#include <stdio.h>

#define NS_PER_S UINT64_C(1000000000)

static uint64_t limit_ns = 10 * NS_PER_S;

static int option_limit(const char *text, void *target, struct error *err)
{
	uint64_t *ns = target;

	TRY(parse_time_ns(text, ns, err));
	if (*ns < NS_PER_S / 10 || *ns > 3600 * NS_PER_S)
		return error_set(err, STATUS_USAGE, "'%s' is not between 100 ms and 3600 s", text);
	return 0;
}

static const struct option_spec params_own_options[] = {
	{"time-limit", 0, "TIME", "measure for about this time (default 10s)", option_limit,
	 &limit_ns},
	{0},
};

static const struct option_spec *const params_options[] = {params_own_options, NULL};

static const struct output_format params_formats[] = {{"yaml", ".yaml .yml", NULL}, {0}};
static struct command_output params_output = {.formats = params_formats};

static int cmd_params(char **operands, int operand_count, struct error *err)
{
	char limit[24], name[] = "llamp-measure", command[] = "params";
	char *words[] = {name, command, (char *)params_output.path, limit, NULL};

	(void)operands;
	(void)operand_count;
	snprintf(limit, sizeof limit, "%" PRIu64, limit_ns);
	return launch_program(name, words, err);
}

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

const struct command params_command = {
	.name = "params",
	.operands = "",
	.summary = "Measure the LogGPS parameters between ranks 0 and 1.",
	.notes = params_notes,
	.options = params_options,
	.output = &params_output,
	.run = cmd_params,
	.examples = params_examples,
	.files = params_files,
};
