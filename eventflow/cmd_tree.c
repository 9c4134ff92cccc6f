/* Command eventflow tree: sequences and loops of a rank, with the iterations in which each happens. */
#include "eventflow/commands.h"
#include "eventflow/graph/graph_times.h"
#include "eventflow/graph/print_calls.h"
#include "eventflow/loops/tree_lines.h"
#include "trace/flow/recover/flow_recover.h"

#include <inttypes.h>
#include <stdlib.h>

/* Of a block, and of predicates in a text. */
enum { MOST_LINES = 1000000, BLOCK_BYTES = 90, TEXT_BYTES = 72 };

struct tree_report {
	const struct flow *flow;
	const struct flow_graph *graph;
	const struct graph_times *times;
	uint32_t rank, thread;
	struct tree_lines lines;
	char **labels; /* [node] */
	const struct flow_loops *loops;
};

static const char *const kind_names[] = {
	[TREE_ROOT] = "root", [TREE_LOOP] = "loop",   [TREE_SEQUENCE] = "sequence",
	[TREE_CALL] = "call", [TREE_CHAIN] = "chain", NULL};

static const struct report_field tree_facts[] = {
	{"rank", "rank", .kind = VALUE_COUNT},
	{"thread", "thread", .kind = VALUE_COUNT},
	{"threads_alike", "alike", VALUE_COUNT,
	 .meaning = "Threads of all ranks that have this tree"},
	{"events", "events", .kind = VALUE_COUNT},
	{0},
};

static void tree_facts_row(struct report_row *row, const void *data, size_t number)
{
	const struct tree_report *tree = data;

	(void)number;
	put_count(row, tree->rank);
	put_count(row, tree->thread);
	row_note(row, "threads with this tree");
	put_count(row, tree->times->threads);
	put_count(row, tree->graph->events);
}

static const struct report_field line_fields[] = {
	{NULL, "", .kind = VALUE_NAME, .left = true},
	{"parent", NULL, VALUE_COUNT, .flags = FIELD_NULL,
	 .meaning = "Number of the row that this one is in, from 0"},
	{"depth", NULL, .kind = VALUE_COUNT},
	{"kind", NULL, VALUE_NAME, .values = kind_names},
	{"call", NULL, VALUE_NAME, .flags = FIELD_NULL,
	 .meaning = "The call, the first of a chain, or the first of a loop's iterations"},
	{"node", NULL, VALUE_COUNT, .flags = FIELD_NULL, .meaning = "Its number in the graph"},
	{"loop", NULL, VALUE_COUNT, .flags = FIELD_NULL,
	 .meaning = "Number of the loop, as in eventflow loops"},
	{"count", NULL, VALUE_COUNT, .flags = FIELD_NULL,
	 .meaning = "Iterations of a loop, calls of a chain"},
	{"rounds", NULL, VALUE_COUNT, .flags = FIELD_NULL,
	 .meaning = "Times that the variants of a loop's iterations are repeated"},
	{"round_length", NULL, VALUE_COUNT, .flags = FIELD_NULL,
	 .meaning = "Iterations of a round"},
	{"predicate", NULL, VALUE_NAME, .flags = FIELD_NULL,
	 .meaning =
		 "Iterations of the loop in which the sequence happens: blocks [first, last, stride, length]; none: all"},
	{0},
};

/* Write the line of a text; to be freed. */
static char *line_text(const struct tree_report *tree, const struct tree_line *line,
		       const char *predicate)
{
	const int indent = 2 * (int)line->depth;
	char *text = NULL;
	int length = -1;

	switch (line->kind) {
	case TREE_ROOT:
		length = asprintf(&text, "+ROOT");
		break;
	case TREE_LOOP:
		length = line->rounds ? asprintf(&text,
						 "%*s+LOOP (%" PRIu64 "x, of which %" PRIu64
						 " rounds of %" PRIu64 ")",
						 indent, "", line->count, line->rounds,
						 line->round_length)
				      : asprintf(&text, "%*s+LOOP (%" PRIu64 "x)", indent, "",
						 line->count);
		break;
	case TREE_SEQUENCE:
		length = asprintf(&text, "%*s+SEQUENCE%s%s", indent, "", line->blocks ? " " : "",
				  predicate);
		break;
	case TREE_CALL:
		length = asprintf(&text, "%*s- %s", indent, "", tree->labels[line->node]);
		break;
	case TREE_CHAIN:
		length = asprintf(&text, "%*s- Seq %u (length %" PRIu64 ") from %s", indent, "",
				  line->chain + 1, line->count, tree->labels[line->node]);
		break;
	}
	return length < 0 ? NULL : text;
}

static void tree_row(struct report_row *row, const void *data, size_t number)
{
	const struct tree_report *tree = data;
	const struct tree_line *line = &tree->lines.items[number];
	const bool has_node = line->kind != TREE_ROOT && line->kind != TREE_SEQUENCE;
	char *predicate = NULL, *text;

	if (line->blocks) {
		const size_t room = row_in_text(row) ? TEXT_BYTES
						     : BLOCK_BYTES * (line->block_count + 1);

		predicate = malloc(room);
		if (predicate)
			flow_blocks_text(line->blocks, line->block_count, predicate, room);
	}
	text = row_in_text(row) ? line_text(tree, line, predicate ? predicate : "") : NULL;
	put_name(row, text ? text : "");
	free(text);
	put_count_or_none(row, line->parent, line->parent != UINT32_MAX);
	put_count(row, line->depth);
	put_name(row, kind_names[line->kind]);
	put_name(row, has_node ? tree->labels[line->node] : NULL);
	put_count_or_none(row, line->node, has_node);
	put_count_or_none(row, line->chain, line->kind == TREE_LOOP);
	put_count_or_none(row, line->count, line->kind == TREE_LOOP || line->kind == TREE_CHAIN);
	put_count_or_none(row, line->rounds, line->rounds > 0);
	put_count_or_none(row, line->round_length, line->rounds > 0);
	put_name(row, predicate);
	free(predicate);
}

static void tree_write(struct report *report, const void *data)
{
	const struct tree_report *tree = data;

	report_begin(report, "eventflow-tree-1");
	report_facts(report, &(struct report_facts){.fields = tree_facts,
						    .row = tree_facts_row,
						    .data = tree});
	report_table(report,
		     &(struct report_table){
			     "tree",
			     .meaning = "Lines of the tree, each after the one that it is in",
			     .fields = line_fields, .row = tree_row, .data = tree,
			     .count = tree->lines.count});
	report_end(report);
}

static int make_labels(struct tree_report *tree, struct error *err)
{
	TRY(allocate(&tree->labels, tree->graph->nodes.count, sizeof *tree->labels, err));
	for (size_t n = 0; n < tree->graph->nodes.count; n++) {
		tree->labels[n] = flow_label_text(tree->flow, tree->graph->nodes.items[n].signature,
						  err);
		if (!tree->labels[n])
			return -1;
	}
	return 0;
}

static int print_tree(struct tree_report *report, const char *file, struct error *err)
{
	struct flow_loops loops = {0};
	struct flow_chains chains = {0};
	struct flow_tree tree = {0};
	int result = flow_loops_find(&loops, report->graph, err);

	if (result == 0)
		result = flow_chains_find(&chains, report->graph, err);
	if (result == 0)
		result = flow_tree_make(&tree, report->graph, &loops, err);
	if (result == 0)
		result = tree_lines_make(&report->lines, &tree, &chains, MOST_LINES, err);
	if (result == 0)
		result = make_labels(report, err);
	if (result == 0)
		result = commands_print(file, "tree", tree_write, report, err);
	for (size_t n = 0; report->labels && n < report->graph->nodes.count; n++)
		free(report->labels[n]);
	free(report->labels);
	array_release(&report->lines);
	flow_tree_release(&tree);
	flow_chains_release(&chains);
	flow_loops_release(&loops);
	return result;
}

static int tree_of_rank(const struct flow *flow, const char *file, struct error *err)
{
	struct tree_report report = {.flow = flow};
	struct graph_times *times = NULL;
	uint32_t graph;
	int result;

	TRY(commands_given_rank(flow, &report.rank, err));
	report.rank = report.rank == UINT32_MAX ? 0 : report.rank;
	if (report.rank >= flow->world.rank_count || !flow->ranks[report.rank].threads.count)
		return error_set(err, STATUS_DATA, "%s: rank %u has no calls", file, report.rank);
	if (flow_refuse_lossy(flow, report.rank, err) < 0)
		return error_prefix(err, "%s: rank %u", file, report.rank);
	TRY(commands_given_thread(&flow->ranks[report.rank], &report.thread, err));
	graph = flow->ranks[report.rank].threads.items[report.thread].graph;
	report.graph = &flow->graphs.items[graph];
	TRY(graph_times_find(&times, flow, UINT32_MAX, err));
	report.times = &times[graph];
	result = print_tree(&report, file, err);
	graph_times_release(times, flow);
	return result;
}

static int cmd_tree(char **operands, int operand_count, struct error *err)
{
	struct flow *flow;
	int result;

	(void)operand_count;
	TRY(commands_open_flow(&flow, operands[0], err));
	result = tree_of_rank(flow, operands[0], err);
	flow_release(flow);
	return result;
}

static const struct help_entry tree_examples[] = {
	{"eventflow tree app.efg", "print what rank 0 does, as sequences and loops"},
	{"eventflow tree app.efg --rank 7 --format json",
	 "the same of rank 7, for programs to read"},
	{0},
};

static const struct option_spec *const tree_options[] = {rank_options, thread_options, NULL};

const struct command tree_command = {
	.name = "tree",
	.operands = "FILE",
	.least_operands = 1,
	.most_operands = 1,
	.summary =
		"print the sequences and loops of a rank, and in which iterations each sequence happens",
	.notes = INPUT_NOTES
	" The rank is 0 unless --rank is given. [0,8,2,1 | 11,12,0,2] after a sequence are the "
	"iterations of its loop that have it, as blocks: the first, the last, the distance between "
	"runs (0: there is one), and the length of a run. Rounds are iterations that are repeated together: "
	"several places of the program with the same calls.",
	.options = tree_options,
	.output = &print_output,
	.run = cmd_tree,
	.examples = tree_examples,
};
