/* Command eventflow compare: what differs between two runs, or two ranks of a run. */
#include "common/units.h"
#include "eventflow/commands.h"
#include "eventflow/graph/flow_sums.h"

#include <stdio.h>

static struct {
	bool given;
	uint64_t rank;
} other;

static int option_other_rank(const char *text, void *target, struct error *err)
{
	(void)target;
	other.given = true;
	return parse_count(text, 0, UINT32_MAX - 1, &other.rank, err);
}

static const struct option_spec compare_own_options[] = {
	{"other-rank", 0, "RANK", "of the second run, or of FILE if it is the only one: this rank",
	 option_other_rank, &other},
	{0},
};

struct compare {
	struct flow_sums nodes, edges;
	uint64_t calls[SIDES], total_ns[SIDES];
	const char *names[SIDES];
};

static const struct report_field compare_facts[] = {
	{"a", "a", .kind = VALUE_NAME},
	{"b", "b", .kind = VALUE_NAME},
	{"a_calls", "calls of a", .kind = VALUE_COUNT},
	{"b_calls", "calls of b", .kind = VALUE_COUNT},
	{"a_ns", "time of a", VALUE_TIME, .unit = "ns",
	 .meaning = "Sum over its ranks; 0 without times"},
	{"b_ns", "time of b", VALUE_TIME, .unit = "ns",
	 .meaning = "Sum over its ranks; 0 without times"},
	{"nodes_common", "nodes", VALUE_COUNT, .meaning = "Different calls that both have"},
	{"nodes_only_a", "only in a", .kind = VALUE_COUNT},
	{"nodes_only_b", "only in b", .kind = VALUE_COUNT},
	{"edges_common", "edges", VALUE_COUNT,
	 .meaning = "Pairs of successive calls that both have"},
	{"edges_only_a", "only in a", .kind = VALUE_COUNT},
	{"edges_only_b", "only in b", .kind = VALUE_COUNT},
	{0},
};

static void compare_facts_row(struct report_row *row, const void *data, size_t number)
{
	const struct compare *compare = data;

	(void)number;
	put_name(row, compare->names[0]);
	put_name(row, compare->names[1]);
	put_count(row, compare->calls[0]);
	put_count(row, compare->calls[1]);
	put_count(row, compare->total_ns[0]);
	put_count(row, compare->total_ns[1]);
	row_note(row, "in both");
	put_count(row, flow_sums_common(&compare->nodes));
	put_count(row, flow_sums_only(&compare->nodes, 0));
	put_count(row, flow_sums_only(&compare->nodes, 1));
	row_note(row, "in both");
	put_count(row, flow_sums_common(&compare->edges));
	put_count(row, flow_sums_only(&compare->edges, 0));
	put_count(row, flow_sums_only(&compare->edges, 1));
}

static const struct report_field sum_fields[] = {
	{"a_visits", "visits of a", VALUE_COUNT, .width = 11},
	{"b_visits", "of b", VALUE_COUNT, .width = 9},
	{"a_ns", "time in a", VALUE_TIME, .width = 10, .unit = "ns"},
	{"b_ns", "in b", VALUE_TIME, .width = 10, .unit = "ns"},
	{"name", "  call", VALUE_NAME, .left = true,
	 .meaning = "Call, or two calls with \" -> \" between them"},
	{0},
};

static void sum_row(struct report_row *row, const void *data, size_t number)
{
	const struct flow_sums *sums = data;
	const struct flow_sum *sum = &sums->sums.items[number];
	const char *name = string_table_get(&sums->names, (uint32_t)number);
	char text[104];

	put_count(row, sum->visits[0]);
	put_count(row, sum->visits[1]);
	put_count(row, sum->time_ns[0]);
	put_count(row, sum->time_ns[1]);
	snprintf(text, sizeof text, "  %.100s", name);
	put_name(row, row_in_text(row) ? text : name);
}

/* Rows with the largest difference come first: of the time, or of visits if it is equal. */
static report_weight difference(const void *data, size_t number)
{
	const struct flow_sum *sum = &((const struct flow_sums *)data)->sums.items[number];
	const uint64_t *visits = sum->visits, *times = sum->time_ns;
	const uint64_t time = times[0] > times[1] ? times[0] - times[1] : times[1] - times[0];
	const uint64_t count = visits[0] > visits[1] ? visits[0] - visits[1]
						     : visits[1] - visits[0];

	return (report_weight)time << 32 | (count > UINT32_MAX ? UINT32_MAX : count);
}

static void compare_write(struct report *report, const void *data)
{
	const struct compare *compare = data;

	report_begin(report, "eventflow-compare-1");
	report_facts(report, &(struct report_facts){.fields = compare_facts,
						    .row = compare_facts_row,
						    .data = compare});
	report_table(report, &(struct report_table){"nodes", .title = "calls that differ most",
						    .meaning = "Time in calls, summed over ranks",
						    .fields = sum_fields, .row = sum_row,
						    .data = &compare->nodes,
						    .count = compare->nodes.sums.count,
						    .most = REPORT_MOST_ROWS, .weight = difference,
						    .counts_rest = true});
	report_table(report,
		     &(struct report_table){
			     "edges", .title = "computation between calls that differs most",
			     .meaning = "Time between successive calls, summed over ranks",
			     .fields = sum_fields, .row = sum_row, .data = &compare->edges,
			     .count = compare->edges.sums.count, .most = REPORT_MOST_ROWS,
			     .weight = difference, .counts_rest = true});
	report_end(report);
}

static int add_side(struct compare *compare, const char *path, unsigned side, struct error *err)
{
	struct flow *flow;
	uint32_t rank = UINT32_MAX;
	int result = 0;

	TRY(commands_open_flow(&flow, path, err));
	if (side == 0)
		result = commands_given_rank(flow, &rank, err);
	else if (other.given && other.rank >= flow->world.rank_count)
		result = error_set(err, STATUS_USAGE, "--other-rank %llu: there are %u ranks",
				   (unsigned long long)other.rank, flow->world.rank_count);
	else if (other.given)
		rank = (uint32_t)other.rank;
	for (uint32_t r = 0; r < flow->world.rank_count; r++)
		for (size_t t = 0;
		     (rank == UINT32_MAX || rank == r) && t < flow->ranks[r].threads.count; t++)
			compare->calls[side] += flow->ranks[r].threads.items[t].calls;
	if (result == 0)
		result = flow_sums_add(&compare->nodes, &compare->edges, flow, rank, side,
				       &compare->total_ns[side], err);
	compare->names[side] = path;
	flow_release(flow);
	return result;
}

static int cmd_compare(char **operands, int operand_count, struct error *err)
{
	struct compare compare = {0};
	int result;

	if (operand_count == 1 && !other.given)
		return error_set(err, STATUS_USAGE,
				 "a second FILE, or --rank and --other-rank of one, is missing");
	result = add_side(&compare, operands[0], 0, err);
	if (result == 0)
		result = add_side(&compare, operands[operand_count - 1], 1, err);
	if (result == 0)
		result = commands_print(operands[0], "nodes", compare_write, &compare, err);
	flow_sums_release(&compare.nodes);
	flow_sums_release(&compare.edges);
	return result;
}

static const struct help_entry compare_examples[] = {
	{"eventflow compare before.efg after.efg",
	 "print which calls one run has and the other one has not, and where the time went"},
	{"eventflow compare app.efg --rank 0 --other-rank 1", "compare two ranks of a run"},
	{0},
};

static const struct option_spec *const compare_options[] = {rank_options, compare_own_options,
							    NULL};

const struct command compare_command = {
	.name = "compare",
	.operands = "FILE [FILE]",
	.least_operands = 1,
	.most_operands = 2,
	.summary = "print what differs between two runs, or two ranks: calls, their order, times",
	.notes = INPUT_NOTES
	" Calls are equal if their signatures are, peers counted from the rank. The first FILE is a, the "
	"other b. A text has the 20 calls, and the 20 pairs of successive calls, whose time differs "
	"most; other formats have all.",
	.options = compare_options,
	.output = &print_output,
	.run = cmd_compare,
	.examples = compare_examples,
};
