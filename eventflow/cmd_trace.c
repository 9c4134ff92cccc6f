/* Command eventflow trace: the calls of an event flow file, as an archive or as text. */
#include "common/units.h"
#include "eventflow/commands.h"
#include "eventflow/cut.h"
#include "eventflow/graph/print_calls.h"
#include "trace/flow/recover/flow_backend.h"

#include <stdio.h>
#include <string.h>

static struct {
	const char *directory;
	bool print;
	bool cuts;
	struct cut_iterations iterations;
} given;

static int option_iterations(const char *text, void *target, struct error *err)
{
	const size_t length = strcspn(text, ":");
	char count[32];

	(void)target;
	given.cuts = true;
	snprintf(count, sizeof count, "%.*s", (int)length, text);
	if (length >= sizeof count)
		return error_set(err, STATUS_USAGE, "'%s' is not N or N:FROM", text);
	if (text[length])
		TRY(parse_count(text + length + 1, 1, UINT32_MAX, &given.iterations.first, err));
	return parse_count(count, 1, UINT32_MAX, &given.iterations.count, err);
}

static const struct option_spec trace_own_options[] = {
	{"output", 'o', "DIR", "write an OTF2 archive to the new folder DIR", option_text,
	 &given.directory},
	{"iterations", 0, "N[:FROM]",
	 "cut out N iterations of the main loop, from number FROM on, counted from 1 (those in the middle); flow.efg beside "
	 "them is of the whole run, for schedgen --repeat",
	 option_iterations, NULL},
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

static const char *if_print(const char *option)
{
	(void)option;
	return given.print ? "--print prints all calls" : NULL;
}

static const struct option_condition conditions[] = {
	{"rank", unless_print}, {"iterations", if_print}, {0}};

static int write_archive(struct flow *flow, const char *file, struct error *err)
{
	if (!given.cuts)
		return flow_write_archive(flow, given.directory, NULL, err);
	if (flow->times != FLOW_TIMES_ALL)
		return error_set(err, STATUS_DATA,
				 "%s lacks the times of calls, which an archive of iterations is for", file);
	if (cut_find(flow, &given.iterations, err) < 0)
		return error_prefix(err, "%s", file);
	return cut_write(flow, &given.iterations, given.directory, err);
}

static int cmd_trace(char **operands, int operand_count, struct error *err)
{
	char file[4096];
	struct flow *flow;
	int result;

	(void)operand_count;
	if (!given.print && !given.directory)
		return error_set(err, STATUS_USAGE, "-o DIR or --print is missing");
	if (given.print && given.directory)
		return error_set(err, STATUS_USAGE,
				 "-o writes an archive, --print prints: give one of them");
	TRY(output_note_input(operands[0], err));
	TRY(flow_read(&flow, flow_find(operands[0], file) ? file : operands[0], err));
	result = given.print ? print_them(flow, err)
			     : write_archive(flow, operands[0], err);
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
	{"eventflow trace app.efg -o ten.trace --iterations 10",
	 "write ten iterations of the main loop, and the flow graph of the whole run beside them"},
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
