/* Command eventflow generate: a program with the calls of a run, and nothing else of its source. */
#include "eventflow/commands.h"
#include "eventflow/generate/write_proxy.h"

static struct {
	const char *output;
	bool matched;
} given = {.output = "-"};

static const struct option_spec generate_own_options[] = {
	{"output", 'o', "FILE", "write the program to FILE; - is stdout, the default", option_text,
	 &given.output},
	{"matched", 0, NULL,
	 "receives from any sender name the one whose message was received, as a program needs whose next steps "
	 "depend on it",
	 option_flag, &given.matched},
	{0},
};

static const struct option_spec *const generate_options[] = {generate_own_options, NULL};

/* Tell what the program lacks. */
static void warn_missing(const struct replay_program *program, const char *file)
{
	for (size_t i = 0; i < program->missing.count; i++) {
		const struct replay_missing *missing = &program->missing.items[i];

		tool_warning("eventflow", "%s: %llu calls of %s are left out, %.2f %% of the time",
			     file, (unsigned long long)missing->calls, missing->function,
			     program->total_ns
				     ? 100.0 * (double)missing->ns / (double)program->total_ns
				     : 0.0);
	}
}

static int generate(struct replay_program *program, const char *file, struct error *err)
{
	struct output output;

	TRY(output_open(&output, given.output, err));
	if (write_proxy(program, file, given.matched, output.stream, err) < 0) {
		output_discard(&output);
		return -1;
	}
	TRY(output_commit(&output, err));
	warn_missing(program, file);
	return 0;
}

static int cmd_generate(char **operands, int operand_count, struct error *err)
{
	struct replay_program program = {0};
	struct flow *flow;
	int result;

	(void)operand_count;
	TRY(output_declare(given.output, err));
	/* The times of each call tell the order of threads. */
	TRY(commands_open_flow_with(&flow, operands[0], FLOW_TIMES_ALL, err));
	program.flow = flow;
	result = generate(&program, operands[0], err);
	replay_release(&program);
	flow_release(flow);
	return result;
}

static const struct help_entry generate_examples[] = {
	{"eventflow generate app.efg -o proxy.c", "write a program with the same calls"},
	{"mpicc -O2 proxy.c -o proxy && mpiexec -n 64 ./proxy", "run it, under any MPI"},
	{"mpicc -O2 -DCOMPUTE=0.5 proxy.c -o faster", "run it as if processors were twice as fast"},
	{0},
};

const struct command generate_command = {
	.name = "generate",
	.operands = "FILE",
	.least_operands = 1,
	.most_operands = 1,
	.summary =
		"write a proxy program in C: the same MPI calls and times between them, without the code",
	.notes = INPUT_NOTES
	" The program runs with as many ranks, and threads if FILE has the times of each call. It makes the same calls, with the same peers, sizes, tags, communicators "
	"and windows, and computes between them for the mean time of each place. Data are zeros. Loops and "
	"conditions are code, long sequences without repetition tables. What cannot be imitated is left out and "
	"reported; if other ranks depend on it, no program is written.",
	.options = generate_options,
	.run = cmd_generate,
	.examples = generate_examples,
};
