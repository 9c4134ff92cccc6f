/* Command eventflow matrix: who sends how much to whom, from the graphs without their order. */
#include "common/draw/matrix.h"
#include "eventflow/commands.h"
#include "eventflow/graph/messages.h"

#include <stdlib.h>

/* Rows of cells of a picture, at most. */
enum { MOST_SIDE = 128 };

struct communication {
	uint32_t rank_count;
	struct flow_messages messages;
};

static const struct report_field matrix_facts[] = {
	{"ranks", "ranks", .kind = VALUE_COUNT},
	{"pairs", "pairs", VALUE_COUNT, .meaning = "Pairs of a sender and a receiver"},
	{"messages", "messages", .kind = VALUE_COUNT},
	{"bytes", "bytes", VALUE_BYTES, .unit = "B"},
	{0},
};

static void facts_row(struct report_row *row, const void *data, size_t number)
{
	const struct communication *communication = data;

	(void)number;
	put_count(row, communication->rank_count);
	put_count(row, communication->messages.pairs.count);
	put_count(row, communication->messages.messages);
	put_count(row, communication->messages.bytes);
}

static const struct report_field matrix_pair_fields[] = {
	{"from", "from", VALUE_COUNT, .width = 7, .meaning = "World rank of the sender"},
	{"to", "to", VALUE_COUNT, .width = 7, .meaning = "World rank of the receiver"},
	{"messages", "messages", VALUE_COUNT, .width = 10},
	{"bytes", "bytes", VALUE_BYTES, .width = 12, .unit = "B"},
	{0},
};

static void matrix_pair_row(struct report_row *row, const void *data, size_t number)
{
	const struct flow_pair *pair =
		&((const struct communication *)data)->messages.pairs.items[number];

	put_count(row, pair->from);
	put_count(row, pair->to);
	put_count(row, pair->messages);
	put_count(row, pair->bytes);
}

static report_weight bytes_of(const void *data, size_t number)
{
	return (report_weight)((const struct communication *)data)
		       ->messages.pairs.items[number]
		       .bytes +
	       1;
}

static void matrix_write(struct report *report, const void *data)
{
	const struct communication *communication = data;
	const size_t count = communication->messages.pairs.count;

	report_begin(report, "eventflow-matrix-1");
	report_facts(report, &(struct report_facts){.fields = matrix_facts,
						    .row = facts_row,
						    .data = data});
	report_table(report,
		     &(struct report_table){"pairs", .title = "messages from rank to rank",
					    .meaning = "Messages from rank to rank",
					    .fields = matrix_pair_fields, .row = matrix_pair_row,
					    .data = data, .count = count,
					    .most = count > REPORT_MOST_ROWS ? REPORT_MOST_ROWS : 0,
					    .weight = count > REPORT_MOST_ROWS ? bytes_of : NULL,
					    .counts_rest = true, .lists_all = "--format csv"});
	report_end(report);
}

/* Draw bytes, or messages if all are empty, with several ranks in a cell of a large matrix. */
static int matrix_picture(const struct svg *svg, const void *data, struct error *err)
{
	const struct communication *communication = data;
	const struct flow_messages *messages = &communication->messages;
	const uint32_t each = (communication->rank_count + MOST_SIDE - 1) / MOST_SIDE,
		       in_cell = each ? each : 1;
	const size_t side = (communication->rank_count + in_cell - 1) / in_cell;
	char name[64];
	double *values;

	TRY(allocate(&values, side * side, sizeof *values, err));
	for (size_t i = 0; i < messages->pairs.count; i++) {
		const struct flow_pair *pair = &messages->pairs.items[i];

		values[pair->from / in_cell * side + pair->to / in_cell] +=
			(double)(messages->bytes ? pair->bytes : pair->messages);
	}
	snprintf(name, sizeof name, in_cell > 1 ? "%s, %u \xc3\x97 %u ranks a cell" : "%s",
		 messages->bytes ? "bytes" : "messages", in_cell, in_cell);
	matrix_draw(&(struct matrix){.title = "messages from each rank to each rank",
				     .row_name = "from rank",
				     .column_name = "to rank",
				     .value_name = name,
				     .quantity = messages->bytes ? QUANTITY_BYTES : QUANTITY_COUNT,
				     .side = side,
				     .items_per_cell = in_cell,
				     .item_count = communication->rank_count,
				     .values = values},
		    svg);
	free(values);
	return 0;
}

static int count_messages(struct communication *communication, const struct flow *flow,
			  struct error *err)
{
	uint32_t only;

	TRY(commands_given_rank(flow, &only, err));
	for (uint32_t rank = 0; rank < flow->world.rank_count; rank++)
		if (only == UINT32_MAX || only == rank)
			TRY(flow_messages_add(&communication->messages, flow, rank, err));
	return 0;
}

static int cmd_matrix(char **operands, int operand_count, struct error *err)
{
	struct communication communication = {0};
	struct flow *flow;
	int result;

	(void)operand_count;
	TRY(commands_open_flow(&flow, operands[0], err));
	communication.rank_count = flow->world.rank_count;
	result = count_messages(&communication, flow, err);
	if (result == 0)
		result = commands_print_or_draw(operands[0], "pairs", matrix_write, matrix_picture,
						&communication, err);
	flow_messages_release(&communication.messages);
	flow_release(flow);
	return result;
}

static const struct help_entry matrix_examples[] = {
	{"eventflow matrix app.efg", "print which ranks send most to which"},
	{"eventflow matrix app.efg -o matrix.csv", "all pairs of ranks, as a table"},
	{"eventflow matrix app.efg -o matrix.svg", "draw the matrix"},
	{0},
};

static const struct option_spec *const matrix_options[] = {rank_options, NULL};

const struct command matrix_command = {
	.name = "matrix",
	.operands = "FILE",
	.least_operands = 1,
	.most_operands = 1,
	.summary = "print the communication matrix: messages and bytes by sender and receiver",
	.notes = INPUT_NOTES
	" The numbers come from the graphs: each send times its visits, without putting calls in order. "
	"--rank leaves what one rank has sent. A text has the 20 pairs with most bytes, other formats have all.",
	.options = matrix_options,
	.output = &picture_output,
	.run = cmd_matrix,
	.examples = matrix_examples,
};
