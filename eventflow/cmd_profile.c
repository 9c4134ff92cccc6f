/* Command eventflow profile: calls, times and messages of a run, from its graphs without their order. */
#include "common/number_map.h"
#include "eventflow/commands.h"
#include "eventflow/graph/graph_times.h"
#include "trace/flow/flow_times.h"

#include <stdio.h>

struct profile_function {
	const char *name;
	uint64_t calls, time_ns;
};

struct profile_pair {
	uint32_t from, to; /* world ranks */
	uint64_t messages, bytes;
};

struct profile {
	const struct flow *flow;
	ARRAY(struct profile_function) functions;
	ARRAY(struct profile_pair) pairs;
	struct number_map function_of; /* string: function */
	struct number_map pair_of;     /* from, to: pair */
	uint64_t total_ns;
	/* The rank at hand. */
	uint32_t rank;
};

static const struct report_field profile_facts[] = {
	{"ranks", "ranks", .kind = VALUE_COUNT},
	{"time_ns", "time", VALUE_TIME, .unit = "ns",
	 .meaning =
		 "Sum over all threads, from the first call to the end of the last one; 0 without times"},
	{"calls_ns", "in calls", VALUE_TIME, .unit = "ns",
	 .meaning = "In MPI, summed over all threads"},
	{"messages", "messages", VALUE_COUNT, .meaning = "Sent between ranks"},
	{"bytes", "bytes", VALUE_BYTES, .unit = "B"},
	{0},
};

static void profile_facts_row(struct report_row *row, const void *data, size_t number)
{
	const struct profile *profile = data;
	uint64_t calls_ns = 0, messages = 0, bytes = 0;

	(void)number;
	for (size_t i = 0; i < profile->functions.count; i++)
		calls_ns += profile->functions.items[i].time_ns;
	for (size_t i = 0; i < profile->pairs.count; i++) {
		messages += profile->pairs.items[i].messages;
		bytes += profile->pairs.items[i].bytes;
	}
	put_count(row, profile->flow->world.rank_count);
	put_count(row, profile->total_ns);
	put_count(row, calls_ns);
	put_count(row, messages);
	put_count(row, bytes);
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

static const struct report_field matrix_fields[] = {
	{"from", "from", VALUE_COUNT, .width = 7, .meaning = "World rank"},
	{"to", "to", VALUE_COUNT, .width = 7, .meaning = "World rank"},
	{"messages", "messages", VALUE_COUNT, .width = 10},
	{"bytes", "bytes", VALUE_BYTES, .width = 12, .unit = "B"},
	{0},
};

static void matrix_row(struct report_row *row, const void *data, size_t number)
{
	const struct profile_pair *pair = &((const struct profile *)data)->pairs.items[number];

	put_count(row, pair->from);
	put_count(row, pair->to);
	put_count(row, pair->messages);
	put_count(row, pair->bytes);
}

static report_weight time_or_calls(const void *data, size_t number)
{
	const struct profile_function *function =
		&((const struct profile *)data)->functions.items[number];

	return (report_weight)function->time_ns << 32 | (function->calls & UINT32_MAX);
}

static report_weight bytes_of(const void *data, size_t number)
{
	return (report_weight)((const struct profile *)data)->pairs.items[number].bytes + 1;
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
	report_table(report, &(struct report_table){
				     "matrix", .title = "pairs of ranks that send most",
				     .meaning = "Communication matrix: messages from rank to rank",
				     .fields = matrix_fields, .row = matrix_row, .data = profile,
				     .count = profile->pairs.count, .most = REPORT_MOST_ROWS,
				     .weight = bytes_of, .counts_rest = true});
	report_end(report);
}

/* World rank of a peer of the rank at hand, or NO_RANK. */
static uint32_t world_rank(const struct profile *profile, const struct mpi_event *event)
{
	const struct trace_world *world = &profile->flow->world;
	const struct trace_comm *comm;

	if (event->comm >= world->comm_count || !world->comms[event->comm].defined)
		return NO_RANK;
	comm = &world->comms[event->comm];
	if (comm->self)
		return profile->rank;
	if (comm->inter && trace_rank_among(comm->ranks, comm->size, profile->rank) != NO_RANK)
		return event->peer < comm->remote_size ? comm->remote_ranks[event->peer] : NO_RANK;
	return event->peer < comm->size ? comm->ranks[event->peer] : NO_RANK;
}

static int add_messages(struct profile *profile, const struct mpi_event *event, uint64_t count,
			struct error *err)
{
	const uint32_t to = world_rank(profile, event);
	uint32_t number;

	if (to == NO_RANK)
		return 0;
	number = number_map_get(&profile->pair_of, profile->rank, to);
	if (number == NUMBER_MAP_EMPTY) {
		number = (uint32_t)profile->pairs.count;
		TRY(number_map_add(&profile->pair_of, profile->rank, to, number, err));
		TRY(array_push(&profile->pairs,
			       ((struct profile_pair){.from = profile->rank, .to = to}), err));
	}
	profile->pairs.items[number].messages += count;
	profile->pairs.items[number].bytes += event->bytes * count;
	return 0;
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
	for (uint32_t i = 0; i < call->event_count; i++)
		if (call->events[i].kind == EVENT_SEND || call->events[i].kind == EVENT_ISEND)
			TRY(add_messages(profile, &call->events[i], count, err));
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

	for (profile->rank = 0; profile->rank < flow->world.rank_count; profile->rank++)
		for (size_t t = 0; t < flow->ranks[profile->rank].threads.count; t++)
			if (only_rank == UINT32_MAX || only_rank == profile->rank)
				TRY(flow_thread_calls(flow, profile->rank,
						      &flow->ranks[profile->rank].threads.items[t],
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
	array_release(&profile.pairs);
	number_map_release(&profile.function_of);
	number_map_release(&profile.pair_of);
	flow_release(flow);
	return result;
}

static const struct help_entry profile_examples[] = {
	{"eventflow profile app.efg", "print the time in each function, and who sends to whom"},
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
	.summary =
		"print calls and time of each MPI function, and the communication matrix, from the graphs alone",
	.notes = INPUT_NOTES
	" Calls are not put in order for it, so it takes time by the size of the graphs, not of the "
	"run, but for calls that differ at each visit and for times of each call.",
	.options = profile_options,
	.output = &print_output,
	.run = cmd_profile,
	.examples = profile_examples,
};
