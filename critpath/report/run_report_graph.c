#include "critpath/report/run_report_graph.h"

#include "common/text.h"

#include <inttypes.h>

struct source {
	const struct findings *findings;
	const struct graph_slice *slice;
};

static bool is_hub(const struct source *source, uint32_t vertex)
{
	return vertex >= source->slice->graph->first_vertex[source->findings->run->rank_count];
}

static const char *point_of(const struct source *source, uint32_t vertex)
{
	if (vertex == source->slice->graph->source)
		return "source";
	if (vertex == source->slice->graph->sink)
		return "sink";
	if (is_hub(source, vertex))
		return "hub";
	return program_vertex_of(source->slice->graph, vertex).end ? "end" : "begin";
}

static const char *graph_function_of(const struct source *source,
				     const struct program_vertex *vertex)
{
	const struct measured_run *run = source->findings->run;

	return measured_function(&run->names,
				 run->ranks[vertex->rank].calls.items[vertex->call].function);
}

/* ------------------------------------------------------------------ JSON, CSV */

static const char *const points[] = {"source", "sink", "begin", "end", "hub", NULL};

#define VERTEX_FIELDS(number, point, rank, call, function, at)                                  \
	{number, NULL, VALUE_COUNT, .meaning = "Number that edges name"},                       \
	{point, NULL, VALUE_NAME, .values = points,                                             \
	 .meaning = "source: begin of the run; sink: its end; hub: the last begin of the members" \
		    " of a collective, or that of its root"},                                   \
	{rank, NULL, VALUE_COUNT, .flags = FIELD_NULL,                                          \
	 .meaning = "Of the call; null for source, sink and hubs"},                             \
	{call, NULL, VALUE_COUNT, .flags = FIELD_NULL | FIELD_POSITIVE,                         \
	 .meaning = "Number of the call on its rank, from 1"},                                  \
	{function, NULL, VALUE_NAME, .flags = FIELD_NULL},                                      \
	{at, NULL, VALUE_TIME, .meaning = "Since the run began"}

static void put_vertex(struct report_row *row, const struct source *source, uint32_t number)
{
	const struct program_vertex vertex = program_vertex_of(source->slice->graph, number);

	put_count(row, number);
	put_name(row, point_of(source, number));
	if (vertex.call == NO_CALL)
		put_none(row);
	else
		put_count(row, vertex.rank);
	put_call(row, vertex.call);
	put_name(row, vertex.call == NO_CALL ? NULL : graph_function_of(source, &vertex));
	put_count(row, measured_since_begin(source->findings->run, vertex.at_ns));
}

static const struct report_field vertex_fields[] = {
	VERTEX_FIELDS("vertex", "point", "rank", "call", "function", "at_ns"),
	{0},
};

static void vertex_row(struct report_row *row, const void *data, size_t number)
{
	const struct source *source = data;

	put_vertex(row, source, source->slice->vertices.items[number]);
}

#define EDGE_FIELDS                                                                             \
	{"kind", NULL, VALUE_NAME, .values = program_edge_kind_names},                          \
	{"activity_ns", NULL, VALUE_TIME,                                                       \
	 .meaning = "activity_ns + wait_ns is the time from one vertex to the other"},          \
	{"wait_ns", NULL, .kind = VALUE_TIME}

static void put_edge(struct report_row *row, const struct sliced_edge *edge)
{
	put_name(row, program_edge_kind_names[edge->kind]);
	put_count(row, edge->activity_ns);
	put_count(row, edge->wait_ns);
}

static const struct report_field edge_fields[] = {
	{"from", NULL, VALUE_COUNT, .meaning = "Vertex"},
	{"to", NULL, VALUE_COUNT, .meaning = "Vertex"},
	EDGE_FIELDS,
	{0},
};

static void edge_row(struct report_row *row, const void *data, size_t number)
{
	const struct sliced_edge *edge = &((const struct source *)data)->slice->edges.items[number];

	put_count(row, edge->from);
	put_count(row, edge->to);
	put_edge(row, edge);
}

/* In CSV an edge has its vertices beside it. */
static const struct report_field whole_edge_fields[] = {
	EDGE_FIELDS,
	VERTEX_FIELDS("from", "from_point", "from_rank", "from_call", "from_function", "from_ns"),
	VERTEX_FIELDS("to", "to_point", "to_rank", "to_call", "to_function", "to_ns"),
	{0},
};

static void whole_edge_row(struct report_row *row, const void *data, size_t number)
{
	const struct source *source = data;
	const struct sliced_edge *edge = &source->slice->edges.items[number];

	put_edge(row, edge);
	put_vertex(row, source, edge->from);
	put_vertex(row, source, edge->to);
}

/* ------------------------------------------------------------------------- DOT */

/* Write a name as part of a quoted string. */
static void dot_text(FILE *stream, const char *name)
{
	char shown[512];

	for (const char *at = text_show(name, shown, sizeof shown); *at; at++) {
		if (*at == '"' || *at == '\\')
			fputc('\\', stream);
		fputc(*at, stream);
	}
}

static void dot_vertex(FILE *stream, const struct source *source, uint32_t number)
{
	const struct program_vertex vertex = program_vertex_of(source->slice->graph, number);
	char time[RUN_TEXT_BYTES];

	fprintf(stream, "\t\tv%u [label=\"", number);
	if (vertex.call != NO_CALL) {
		dot_text(stream, graph_function_of(source, &vertex));
		fprintf(stream, " %u ", vertex.call + 1);
	}
	fprintf(stream, "%s\\n%s\"];\n", point_of(source, number),
		run_report_time(measured_since_begin(source->findings->run, vertex.at_ns), time));
}

/* Write the vertices, those of a rank in a box. */
static void dot_vertices(FILE *stream, const struct source *source)
{
	uint32_t rank = UINT32_MAX;

	for (size_t i = 0; i < source->slice->vertices.count; i++) {
		const uint32_t number = source->slice->vertices.items[i];
		const struct program_vertex vertex = program_vertex_of(source->slice->graph,
								       number);
		const uint32_t next = vertex.call == NO_CALL ? UINT32_MAX : vertex.rank;

		if (next != rank && rank != UINT32_MAX)
			fputs("\t}\n", stream);
		if (next != rank && next != UINT32_MAX)
			fprintf(stream, "\tsubgraph cluster_%u {\n\t\tlabel=\"rank %u\";\n", next,
				next);
		rank = next;
		dot_vertex(stream, source, number);
	}
	if (rank != UINT32_MAX)
		fputs("\t}\n", stream);
}

static void dot_edge(FILE *stream, const struct sliced_edge *edge)
{
	static const char *const styles[EDGE_KINDS] = {
		[EDGE_PROGRAM] = "solid",     [EDGE_CALL] = "bold",
		[EDGE_MESSAGE] = "dashed",    [EDGE_LATE_RECEIVER] = "dotted",
		[EDGE_COLLECTIVE] = "dashed", [EDGE_LOCK] = "dotted",
	};
	char activity[RUN_TEXT_BYTES], wait[RUN_TEXT_BYTES];

	fprintf(stream, "\tv%u -> v%u [style=%s, label=\"%s", edge->from, edge->to,
		styles[edge->kind], run_report_time(edge->activity_ns, activity));
	if (edge->wait_ns)
		fprintf(stream, " + wait %s", run_report_time(edge->wait_ns, wait));
	fputs("\"];\n", stream);
}

static void graph_dot(FILE *stream, const struct source *source)
{
	fputs("digraph critpath {\n\trankdir=LR;\n\tnode [shape=box];\n", stream);
	dot_vertices(stream, source);
	for (size_t i = 0; i < source->slice->edges.count; i++)
		dot_edge(stream, &source->slice->edges.items[i]);
	fputs("}\n", stream);
}

void run_report_graph(struct report *report, const struct findings *findings,
		      const struct graph_slice *slice)
{
	const struct source source = {findings, slice};
	const bool csv = report->format == REPORT_CSV;

	report->rows = "edges";
	run_report_begin(report, "critpath-graph-1", findings);
	report_table(report, &(struct report_table){
		"vertices", .meaning = "Vertices in the slice, at the ends of its edges",
		.fields = vertex_fields, .row = vertex_row, .data = &source,
		.count = slice->vertices.count});
	report_table(report, &(struct report_table){
		"edges", .meaning = "Edges with both ends in the slice",
		.fields = csv ? whole_edge_fields : edge_fields,
		.row = csv ? whole_edge_row : edge_row, .data = &source,
		.count = slice->edges.count});
	report_end(report);
}

void run_report_graph_dot(FILE *stream, const struct findings *findings,
			  const struct graph_slice *slice)
{
	graph_dot(stream, &(struct source){findings, slice});
}
