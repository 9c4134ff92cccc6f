#include "critpath/report/run_report_graph.h"

#include "common/text.h"
#include "critpath/report/run_table.h"

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

static const char *function_of(const struct source *source, const struct program_vertex *vertex)
{
	const struct measured_run *run = source->findings->run;

	return measured_function(&run->names,
				 run->ranks[vertex->rank].calls.items[vertex->call].function);
}

static uint64_t time_of(const struct source *source, const struct program_vertex *vertex)
{
	const uint64_t begin_ns = source->findings->run->begin_ns;

	return vertex->at_ns > begin_ns ? vertex->at_ns - begin_ns : 0;
}

/* ------------------------------------------------------------------ JSON, CSV */

static void record_vertex(struct run_record *record, const struct source *source, uint32_t number)
{
	const struct program_vertex vertex = program_vertex_of(source->slice->graph, number);

	record_integer(record, number);
	record_text(record, point_of(source, number));
	if (vertex.call == NO_CALL) {
		record_none(record);
		record_none(record);
		record_none(record);
	} else {
		record_integer(record, vertex.rank);
		record_integer(record, vertex.call + UINT64_C(1));
		record_text(record, function_of(source, &vertex));
	}
	record_integer(record, time_of(source, &vertex));
}

static void vertex_record(struct run_record *record, const void *data, size_t number)
{
	const struct source *source = data;

	record_vertex(record, source, source->slice->vertices.items[number]);
}

static void record_edge(struct run_record *record, const struct sliced_edge *edge)
{
	record_text(record, program_edge_kind_name(edge->kind));
	record_integer(record, edge->activity_ns);
	record_integer(record, edge->wait_ns);
}

static void edge_record(struct run_record *record, const void *data, size_t number)
{
	const struct sliced_edge *edge = &((const struct source *)data)->slice->edges.items[number];

	record_integer(record, edge->from);
	record_integer(record, edge->to);
	record_edge(record, edge);
}

static void csv_record(struct run_record *record, const void *data, size_t number)
{
	const struct source *source = data;
	const struct sliced_edge *edge = &source->slice->edges.items[number];

	record_edge(record, edge);
	record_vertex(record, source, edge->from);
	record_vertex(record, source, edge->to);
}

static void graph_json(FILE *stream, const struct source *source)
{
	const struct run_table vertices = {"vertices", "vertex,point,rank,call,function,at_ns",
					   source->slice->vertices.count, vertex_record, source};
	const struct run_table edges = {"edges", "from,to,kind,activity_ns,wait_ns",
					source->slice->edges.count, edge_record, source};
	struct json json = {.stream = stream};

	json_begin(&json, NULL, '{', JSON_LINES);
	run_report_json_heading(&json, "critpath-graph-1", source->findings);
	run_table_json(&json, &vertices);
	run_table_json(&json, &edges);
	json_end(&json);
}

static void graph_csv(FILE *stream, const struct source *source)
{
	const struct run_table table = {"edges",
					"kind,activity_ns,wait_ns,"
					"from,from_point,from_rank,from_call,from_function,from_ns,"
					"to,to_point,to_rank,to_call,to_function,to_ns",
					source->slice->edges.count, csv_record, source};

	run_table_csv(stream, source->findings->path, &table);
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
		dot_text(stream, function_of(source, &vertex));
		fprintf(stream, " %u ", vertex.call + 1);
	}
	fprintf(stream, "%s\\n%s\"];\n", point_of(source, number),
		run_report_time(time_of(source, &vertex), time));
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
		[EDGE_COLLECTIVE] = "dashed",
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

void run_report_graph(FILE *stream, enum graph_format format, const struct findings *findings,
		      const struct graph_slice *slice)
{
	const struct source source = {findings, slice};

	switch (format) {
	case GRAPH_CSV:
		graph_csv(stream, &source);
		break;
	case GRAPH_JSON:
		graph_json(stream, &source);
		break;
	case GRAPH_DOT:
	case GRAPH_FORMATS:
		graph_dot(stream, &source);
		break;
	}
}
