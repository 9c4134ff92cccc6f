#include "eventflow/loops/graph_report.h"

static const struct report_field graph_node_fields[] = {
	{"label", NULL, VALUE_NAME, .meaning = "The call with what it has in common, or the chain"},
	{"calls", NULL, VALUE_COUNT, .flags = FIELD_POSITIVE,
	 .meaning = "1, or the length of a chain of calls that always follow each other"},
	{"visits", NULL, VALUE_COUNT, .flags = FIELD_POSITIVE},
	{"time_ns", NULL, VALUE_TIME, .meaning = "Time in the calls"},
	{"loop", NULL, VALUE_COUNT, .flags = FIELD_NULL,
	 .meaning = "Index of the innermost loop that has the node"},
	{0},
};

static void graph_node_row(struct report_row *row, const void *data, size_t number)
{
	const struct graph_report *graph = data;
	const struct shown_node *node = &graph->shown->nodes.items[number];
	const uint32_t loop = graph->loops->of[node->node];

	put_name(row, node->label);
	put_count(row, node->calls);
	put_count(row, node->visits);
	put_count(row, node->time_ns);
	put_count_or_none(row, loop, loop != NO_LOOP);
}

static const struct report_field graph_edge_fields[] = {
	{"from", NULL, VALUE_COUNT, .meaning = "Index of the node before"},
	{"to", NULL, VALUE_COUNT, .meaning = "Index of the node that comes after it"},
	{"count", NULL, VALUE_COUNT, .flags = FIELD_POSITIVE},
	{"visits", NULL, VALUE_NAME,
	 .meaning = "Visits of the node before, from 0, after which the edge is taken: blocks "
		    "[first,last,stride,length]"},
	{"gap_ns", NULL, VALUE_TIME, .meaning = "Time between the calls"},
	{0},
};

static void graph_edge_row(struct report_row *row, const void *data, size_t number)
{
	const struct shown_edge *edge =
		&((const struct graph_report *)data)->shown->edges.items[number];

	put_count(row, edge->from);
	put_count(row, edge->to);
	put_count(row, edge->count);
	put_name(row, edge->visits);
	put_count(row, edge->time_ns);
}

static const struct report_field graph_loop_fields[] = {
	{"parent", NULL, VALUE_COUNT, .flags = FIELD_NULL,
	 .meaning = "Index of the loop around it"},
	{"entries", NULL, .kind = VALUE_COUNT},
	{"iterations", NULL, .kind = VALUE_COUNT},
	{"irreducible", NULL, VALUE_TRUTH, .meaning = "It is also entered at other nodes"},
	{0},
};

static void graph_loop_row(struct report_row *row, const void *data, size_t number)
{
	const struct flow_loop *loop =
		&((const struct graph_report *)data)->loops->loops.items[number];

	put_count_or_none(row, loop->parent, loop->parent != NO_LOOP);
	put_count(row, loop->entries);
	put_count(row, loop->iterations);
	put_truth(row, loop->irreducible);
}

static const struct report_field graph_facts[] = {
	{"rank", NULL, .kind = VALUE_COUNT},
	{"thread", NULL, .kind = VALUE_COUNT},
	{"events", NULL, .kind = VALUE_COUNT},
	{0},
};

static void graph_facts_row(struct report_row *row, const void *data, size_t number)
{
	const struct graph_report *graph = data;

	(void)number;
	put_count(row, graph->rank);
	put_count(row, graph->thread);
	put_count(row, graph->events);
}

void graph_report_write(const struct graph_report *graph, const char *file,
			enum report_format format, FILE *stream)
{
	struct report report = {.stream = stream, .format = format, .file = file};

	report_begin(&report, "eventflow-graph-1");
	report_facts(&report, &(struct report_facts){.fields = graph_facts,
						     .row = graph_facts_row,
						     .data = graph});
	report_table(&report, &(struct report_table){"nodes", .meaning = "In the order of first visits",
						     .fields = graph_node_fields, .row = graph_node_row,
						     .data = graph,
						     .count = graph->shown->nodes.count});
	report_table(&report, &(struct report_table){"edges", .meaning = "Which node came after which",
						     .fields = graph_edge_fields, .row = graph_edge_row,
						     .data = graph,
						     .count = graph->shown->edges.count});
	report_table(&report, &(struct report_table){"loops", .meaning = "Outer ones before those in them",
						     .fields = graph_loop_fields, .row = graph_loop_row,
						     .data = graph,
						     .count = graph->loops->loops.count});
	report_end(&report);
}
