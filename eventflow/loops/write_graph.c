#include "eventflow/loops/write_graph.h"

#include "common/draw/markup.h"

#include <inttypes.h>

/* Clusters in each other, at most: deeper loops have none. */
enum { MOST_DEPTH = 64 };

static uint32_t shown_loop(const struct flow_loops *loops, const struct shown_node *node)
{
	return loops->of[node->node];
}

/* ---------------------------------------------------------------------------- DOT */

static void print_dot_text(FILE *stream, const char *text)
{
	fputc('"', stream);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', stream);
		fputc((unsigned char)*text < ' ' ? ' ' : *text, stream);
	}
	fputc('"', stream);
}

static void dot_node(const struct shown_graph *graph, size_t number, FILE *stream)
{
	const struct shown_node *node = &graph->nodes.items[number];

	fprintf(stream, "  n%zu [label=", number);
	print_dot_text(stream, node->label);
	fprintf(stream, ", visits=%" PRIu64 ", time_ns=%" PRIu64 "];\n", node->visits,
		node->time_ns);
}

/* Open the cluster of a loop and those around it, as far as they are not open; close others. */
static uint32_t change_cluster(const struct flow_loops *loops, uint32_t from, uint32_t to,
			       FILE *stream)
{
	uint32_t path[MOST_DEPTH], depth = 0;

	while (from != NO_LOOP && !flow_loop_is_in(loops, to, from)) {
		fputs("  }\n", stream);
		from = loops->loops.items[from].parent;
	}
	for (uint32_t loop = to; loop != from && depth < MOST_DEPTH;
	     loop = loops->loops.items[loop].parent)
		path[depth++] = loop;
	while (depth) {
		const struct flow_loop *loop = &loops->loops.items[path[--depth]];

		fprintf(stream, "  subgraph cluster_%u {\n  label=\"loop %u: %" PRIu64 "x\";\n",
			path[depth], path[depth], loop->iterations);
	}
	return to;
}

void write_graph_dot(const struct shown_graph *graph, const struct flow_loops *loops, FILE *stream)
{
	fputs("digraph eventflow {\n  node [shape=box];\n", stream);
	/* A cluster may be opened again: Graphviz joins the parts. */
	for (size_t n = 0; n < graph->nodes.count; n++) {
		const uint32_t last = change_cluster(loops, NO_LOOP,
						     shown_loop(loops, &graph->nodes.items[n]),
						     stream);

		dot_node(graph, n, stream);
		change_cluster(loops, last, NO_LOOP, stream);
	}
	for (size_t e = 0; e < graph->edges.count; e++) {
		const struct shown_edge *edge = &graph->edges.items[e];

		fprintf(stream,
			"  n%u -> n%u [label=\"%" PRIu64 "\", visits=\"%s\", time_ns=%" PRIu64
			"];\n",
			edge->from, edge->to, edge->count, edge->visits, edge->time_ns);
	}
	fputs("}\n", stream);
}

/* ------------------------------------------------------------------------- GraphML */

void write_graph_graphml(const struct shown_graph *graph, const struct flow_loops *loops,
			 FILE *stream)
{
	static const char *const keys[][3] = {{"label", "node", "string"},
					      {"visits", "node", "long"},
					      {"time_ns", "node", "long"},
					      {"loop", "node", "long"},
					      {"count", "edge", "long"},
					      {"after", "edge", "string"},
					      {"gap_ns", "edge", "long"}};

	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
	      stream);
	for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
		fprintf(stream, "<key id=\"%s\" for=\"%s\" attr.name=\"%s\" attr.type=\"%s\"/>\n",
			keys[k][0], keys[k][1], keys[k][0], keys[k][2]);
	fputs("<graph edgedefault=\"directed\">\n", stream);
	for (size_t n = 0; n < graph->nodes.count; n++) {
		const struct shown_node *node = &graph->nodes.items[n];

		fprintf(stream, "<node id=\"n%zu\"><data key=\"label\">", n);
		markup_print(stream, node->label);
		fprintf(stream,
			"</data><data key=\"visits\">%" PRIu64
			"</data><data key=\"time_ns\">%" PRIu64 "</data>",
			node->visits, node->time_ns);
		if (shown_loop(loops, node) != NO_LOOP)
			fprintf(stream, "<data key=\"loop\">%u</data>", shown_loop(loops, node));
		fputs("</node>\n", stream);
	}
	for (size_t e = 0; e < graph->edges.count; e++) {
		const struct shown_edge *edge = &graph->edges.items[e];

		fprintf(stream,
			"<edge source=\"n%u\" target=\"n%u\"><data key=\"count\">%" PRIu64
			"</data><data key=\"after\">%s</data><data key=\"gap_ns\">%" PRIu64
			"</data></edge>\n",
			edge->from, edge->to, edge->count, edge->visits, edge->time_ns);
	}
	fputs("</graph>\n</graphml>\n", stream);
}
