/* llamp: how much network latency can an MPI application take? */
#include "llamp/commands.h"

#include "common/progress.h"

static const char input_notes[] =
	"FILE is a GOAL graph, text or binary; - is stdin.\n"
	"Times accept ns us ms s (bare: ns), sizes B KB KiB MB MiB (bare: bytes).\n"
	"A parameter file has lines such as \"L: 3us\", \"G: 56Gbit/s\", \"S: 256KB\";\n"
	"options go over it.";

static const char lp_notes[] =
	"The program minimises the runtime t in ns; the reduced costs of l, G and o are the\n"
	"sensitivities lambda.  With --tolerance it maximises l (or G or o) with t bounded; in "
	"MPS,\n"
	"which has no maximum, it minimises the negative.  FILE and the parameters are as for\n"
	"llamp analyze.";

static const struct command commands[] = {
	{"analyze", "FILE", "runtime, latency sensitivity and latency tolerance of a program",
	 input_notes, analyze_options, 1, 1, cmd_analyze},
	{"sweep", "FILE", "runtime as a function of the latency, or of G or o", input_notes,
	 sweep_options, 1, 1, cmd_sweep},
	{"path", "FILE", "where the time on the critical path goes", input_notes, path_options,
	 1, 1, cmd_path},
	{"lp", "FILE", "write a program as a linear program, for any solver", lp_notes, lp_options,
	 1, 1, cmd_lp},
	{0},
};

static const struct tool tool = {
	.name = "llamp",
	.summary = "How much network latency can an MPI application take?",
	.commands = commands,
};

int open_program(struct model *model, const char *path, struct error *err)
{
	struct loggps loggps;
	int result;

	TRY(model_options_loggps(&loggps, err));
	progress_begin("llamp", "reading the program");
	result = model_open(model, path, &loggps, err);
	progress_end();
	return result;
}

int main(int argc, char **argv)
{
	return tool_main(&tool, argc, argv);
}
