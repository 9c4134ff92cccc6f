/* Command eventflow trace: the calls of an event flow file, as an archive or as text. */
#include "eventflow/commands.h"
#include "eventflow/graph/print_calls.h"
#include "eventflow/write_archive.h"

static struct {
	const char *directory;
	bool print;
} given;

static const struct option_spec trace_own_options[] = {
	{"output", 'o', "DIR", "write an OTF2 archive to the new folder DIR", option_text,
	 &given.directory},
	{"print", 0, NULL, "print the calls to stdout, a line each, instead", option_flag,
	 &given.print},
	{0},
};

static const struct option_spec *const trace_options[] = {trace_own_options, rank_options, NULL};

static int print_them(const struct flow *flow, struct error *err)
{
	struct output output;
	uint32_t rank;
	int result;

	TRY(commands_given_rank(flow, &rank, err));
	TRY(output_open(&output, "-", err));
	result = rank == UINT32_MAX
			 ? print_calls(flow, 0, flow->world.rank_count, output.stream, err)
			 : print_calls(flow, rank, rank + 1, output.stream, err);
	if (result == 0)
		return output_commit(&output, err);
	output_discard(&output);
	return result;
}

static const char *unless_print(const char *option)
{
	(void)option;
	return given.print ? NULL : "only --print is of one rank";
}

static const struct option_condition conditions[] = {{"rank", unless_print}, {0}};

static int cmd_trace(char **operands, int operand_count, struct error *err)
{
	struct flow *flow;
	int result;

	(void)operand_count;
	if (!given.print && !given.directory)
		return error_set(err, STATUS_USAGE, "-o DIR or --print is missing");
	if (given.print && given.directory)
		return error_set(err, STATUS_USAGE,
				 "-o writes an archive, --print prints: give one of them");
	TRY(output_note_input(operands[0], err));
	TRY(flow_read(&flow, operands[0], err));
	result = given.print ? print_them(flow, err)
			     : flow_write_archive(flow, given.directory, err);
	if (result == 0 && given.directory && flow->world.synthetic_times)
		tool_warning("eventflow",
			     "%s lacks the times of calls: those of the archive are %s",
			     operands[0],
			     flow->times == FLOW_TIMES_STATS ? "means" : "all the same");
	flow_release(flow);
	return result;
}

static const struct help_entry trace_examples[] = {
	{"eventflow trace app.efg -o app.trace",
	 "write the calls to an archive that other tools read"},
	{"eventflow trace app.efg --print --rank 0", "print the calls of rank 0"},
	{0},
};

const struct command trace_command = {
	.name = "trace",
	.operands = "FILE.efg",
	.least_operands = 1,
	.most_operands = 1,
	.summary = "recover the calls of an event flow file, as an OTF2 archive or as text",
	.notes =
		"A line has the rank, the thread, the times in ns at which the call was entered and left, its "
		"function and its events. A file with the times of each call gives the archive that it was made from: "
		"the same calls, fields and times.",
	.options = trace_options,
	.run = cmd_trace,
	.examples = trace_examples,
	.conditions = conditions,
};
