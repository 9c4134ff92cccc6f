/* Command goal info: the size of a graph. */
#include "common/output.h"
#include "common/report/report.h"
#include "goal/commands.h"
#include "goal/counts.h"

struct info {
	uint32_t ranks;
	struct goal_counts counts;
};

static const struct report_field info_fields[] = {
	{"ranks", "ranks", VALUE_COUNT, .flags = FIELD_POSITIVE},
	{"operations", "operations", .kind = VALUE_COUNT},
	{"sends", "sends", .kind = VALUE_COUNT},
	{"recvs", "recvs", .kind = VALUE_COUNT},
	{"calcs", "calcs", .kind = VALUE_COUNT},
	{"dependencies", "dependencies", .kind = VALUE_COUNT},
	{"bytes", "bytes", VALUE_COUNT, .meaning = "Sum over all sends", .unit = "B"},
	{0},
};

static void info_row(struct report_row *row, const void *data, size_t number)
{
	const struct info *info = data;

	(void)number;
	put_count(row, info->ranks);
	put_count(row, info->counts.operations);
	put_count(row, info->counts.sends);
	put_count(row, info->counts.recvs);
	put_count(row, info->counts.calcs);
	put_count(row, info->counts.dependencies);
	put_count(row, info->counts.bytes);
}

static void info_report(struct report *report, const struct info *info)
{
	report_begin(report, "goal-info-1");
	report_facts(report,
		     &(struct report_facts){.fields = info_fields, .row = info_row, .data = info});
	report_end(report);
}

static int cmd_info(char **operands, int operand_count, struct error *err)
{
	struct info info = {0};
	struct output output;
	struct goal goal;
	int result = 0;

	(void)operand_count;
	TRY(open_graph(&goal, operands[0], err));
	info.ranks = goal.rank_count;
	for (uint32_t rank = 0; rank < goal.rank_count && result == 0; rank++)
		result = goal_count(&info.counts, &goal.ranks[rank], err);
	if (result < 0)
		error_prefix(err, "%s", operands[0]);
	else
		result = output_open(&output, print_output.path, err);
	if (result == 0) {
		info_report(&(struct report){.stream = output.stream,
					     .file = operands[0],
					     .format = (enum report_format)print_output.format,
					     .label_width = sizeof "dependencies",
					     .csv_facts = true},
			    &info);
		result = output_commit(&output, err);
	}
	goal_release(&goal);
	return result;
}

static const struct help_entry info_examples[] = {
	{"goal info app.bin --format json", "the size of a graph for programs to read"},
	{0},
};

static const struct option_spec *const info_options[] = {NULL};

const struct command info_command = {
	.name = "info", .operands = "FILE", .least_operands = 1, .most_operands = 1,
	.summary = "print the size of a graph: ranks, operations, dependencies, bytes",
	.notes = FILE_NOTES " bytes is the sum over all sends.",
	.options = info_options, .output = &print_output, .run = cmd_info, .examples = info_examples,
};
