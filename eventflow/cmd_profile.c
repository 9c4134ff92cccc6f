/* Command eventflow profile: calls and times of a run, from its graphs without their order. */
#include "common/number_map.h"
#include "eventflow/commands.h"
#include "eventflow/graph/graph_times.h"
#include "trace/flow/recover/flow_times.h"

#include <stdio.h>

struct profile_function {
	const char *name;
	uint64_t calls, time_ns;
};

struct profile {
	const struct flow *flow;
	ARRAY(struct profile_function) functions;
	struct number_map function_of; /* string: function */
	uint64_t total_ns;
};

static const struct report_field profile_facts[] = {
	{"ranks", "ranks", .kind = VALUE_COUNT},
	{"time_ns", "time", VALUE_TIME, .unit = "ns",
	 .meaning =
		 "Sum over all threads, from the first call to the end of the last one; 0 without times"},
	{"calls_ns", "in calls", VALUE_TIME, .unit = "ns",
	 .meaning = "In MPI, summed over all threads"},
	{0},
};

static void profile_facts_row(struct report_row *row, const void *data, size_t number)
{
	const struct profile *profile = data;
	uint64_t calls_ns = 0;

	(void)number;
	for (size_t i = 0; i < profile->functions.count; i++)
		calls_ns += profile->functions.items[i].time_ns;
	put_count(row, profile->flow->world.rank_count);
	put_count(row, profile->total_ns);
	put_count(row, calls_ns);
}

static const struct report_field function_fields[] = {
	{"calls", "calls", VALUE_COUNT, .width = 10},
	{"time_ns", "time", VALUE_TIME, .width = 10, .unit = "ns",
	 .meaning = "Sum over all threads"},
	{"share", "share", VALUE_SHARE, .width = 8, .meaning = "Of the time of all threads"},
	{"function", "  function", VALUE_NAME, .left = true},
	{0},
};

static void function_row(struct report_row *row, const void *data, size_t number)
{
	const struct profile *profile = data;
	const struct profile_function *function = &profile->functions.items[number];
	char text[80];

	put_count(row, function->calls);
	put_count(row, function->time_ns);
	put_share(row, function->time_ns, profile->total_ns);
	snprintf(text, sizeof text, "  %s", function->name);
	put_name(row, row_in_text(row) ? text : function->name);
}

static report_weight time_or_calls(const void *data, size_t number)
{
	const struct profile_function *function =
		&((const struct profile *)data)->functions.items[number];

	return (report_weight)function->time_ns << 32 | (function->calls & UINT32_MAX);
}

static void profile_write(struct report *report, const void *data)
{
	const struct profile *profile = data;

	report_begin(report, "eventflow-profile-1");
	report_facts(report, &(struct report_facts){.fields = profile_facts,
						    .row = profile_facts_row,
						    .data = profile});
	report_table(report,
		     &(struct report_table){"functions", .title = "functions that take most time",
					    .meaning = "Calls of each function",
					    .fields = function_fields, .row = function_row,
					    .data = profile, .count = profile->functions.count,
					    .most = REPORT_MOST_ROWS, .weight = time_or_calls,
					    .counts_rest = true});
	report_end(report);
}

/* Find the row of a function, by its name, which is one of the flow's strings. */
static int profile_find(struct profile *profile, const char *name,
			struct profile_function **function, struct error *err)
{
	uint32_t number = number_map_get(&profile->function_of, (uintptr_t)name, 0);

	if (number == NUMBER_MAP_EMPTY) {
		number = (uint32_t)profile->functions.count;
		TRY(number_map_add(&profile->function_of, (uintptr_t)name, 0, number, err));
		TRY(array_push(&profile->functions, ((struct profile_function){.name = name}),
			       err));
	}
	*function = &profile->functions.items[number];
	return 0;
}

static int take_calls(void *data, const struct mpi_call *call, uint64_t count, struct error *err)
{
	struct profile *profile = data;
	struct profile_function *function;

	TRY(profile_find(profile, call->function, &function, err));
	function->calls += call->polls > 1 ? call->polls * count : count;
	return 0;
}

static int add_times(struct profile *profile, const struct graph_times *times, struct error *err)
{
	for (size_t g = 0; g < profile->flow->graphs.count; g++) {
		const struct flow_graph *graph = &profile->flow->graphs.items[g];

		profile->total_ns += times[g].total;
		for (size_t n = 0; times[g].threads && n < graph->nodes.count; n++) {
			const struct flow_label label = flow_signature_label(
				profile->flow, graph->nodes.items[n].signature);
			struct profile_function *function;

			TRY(profile_find(profile, label.function, &function, err));
			function->time_ns += times[g].nodes[n];
		}
	}
	return 0;
}

static int make_profile(struct profile *profile, uint32_t only_rank, struct error *err)
{
	const struct flow *flow = profile->flow;
	struct graph_times *times;
	int result = 0;

	for (uint32_t rank = 0; rank < flow->world.rank_count; rank++)
		for (size_t t = 0; t < flow->ranks[rank].threads.count; t++)
			if (only_rank == UINT32_MAX || only_rank == rank)
				TRY(flow_thread_calls(flow, rank,
						      &flow->ranks[rank].threads.items[t],
						      take_calls, profile, err));
	TRY(graph_times_find(&times, flow, only_rank, err));
	result = add_times(profile, times, err);
	graph_times_release(times, flow);
	return result;
}

static int cmd_profile(char **operands, int operand_count, struct error *err)
{
	struct profile profile = {0};
	struct flow *flow;
	uint32_t rank;
	int result;

	(void)operand_count;
	TRY(commands_open_flow(&flow, operands[0], err));
	profile.flow = flow;
	result = commands_given_rank(flow, &rank, err);
	if (result == 0)
		result = make_profile(&profile, rank, err);
	if (result == 0)
		result = commands_print(operands[0], "functions", profile_write, &profile, err);
	array_release(&profile.functions);
	number_map_release(&profile.function_of);
	flow_release(flow);
	return result;
}

static const struct help_entry profile_examples[] = {
	{"eventflow profile app.efg", "print calls and time of each function"},
	{"eventflow profile app.efg --rank 0 --format json",
	 "the same of rank 0, for programs to read"},
	{0},
};

static const struct option_spec *const profile_options[] = {rank_options, NULL};

const struct command profile_command = {
	.name = "profile",
	.operands = "FILE",
	.least_operands = 1,
	.most_operands = 1,
	.summary = "print calls and time of each MPI function, from the graphs alone",
	.notes = INPUT_NOTES
	" Calls are not put in order for it, so it takes time by the size of the graphs, not of the "
	"run, but for calls that differ at each visit and for times of each call.",
	.options = profile_options,
	.output = &print_output,
	.run = cmd_profile,
	.examples = profile_examples,
};
