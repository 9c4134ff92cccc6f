/* Rows of the page of a graph: calls, chains and the boxes of loops. */
#include "common/draw/markup.h"
#include "common/units.h"
#include "eventflow/graph/print_calls.h"
#include "eventflow/loops/graph_page.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Boxes in each other, at most: browsers limit how deep elements are, and boxes become narrow. */
enum { MOST_BOXES = 8 };

/* Innermost loop of a shown node that has a box, or NO_LOOP. */
static uint32_t row_loop(const struct page_rows *rows, uint32_t shown)
{
	const struct flow_loops *loops = rows->page->loops;
	uint32_t loop = loops->of[rows->page->shown->nodes.items[shown].node];

	while (loop != NO_LOOP && loops->loops.items[loop].depth >= MOST_BOXES)
		loop = loops->loops.items[loop].parent;
	return loop;
}

/* Per cent of a colour for a time: the square root of its share, so that small ones are seen. */
static int colour_share(uint64_t time_ns, uint64_t most_ns)
{
	return most_ns ? (int)lround(100 * sqrt((double)time_ns / (double)most_ns)) : 0;
}

/* Width of a line in px for the number of times that it was followed. */
static double line_width(uint64_t count)
{
	return fmin(1 + log10((double)count), 6);
}

static void print_time(FILE *stream, uint64_t ns)
{
	char text[UNIT_TEXT_BYTES];

	markup_print(stream, format_time((double)ns, 4, text));
}

/* Write the function of a label in bold, and the rest. */
static void print_label(FILE *stream, const char *label)
{
	size_t length = 0;
	char *function;

	while (label[length] && label[length] != ':')
		length++;
	function = strndup(label, length);
	fputs("<b>", stream);
	markup_print(stream, function ? function : "");
	fputs("</b>", stream);
	markup_print(stream, label + length);
	free(function);
}

/* Largest times of a call and of an edge, by which colours are chosen. */
struct page_most {
	uint64_t node_ns, edge_ns;
};

static struct page_most find_most(const struct shown_graph *shown)
{
	struct page_most most = {0};

	for (size_t n = 0; n < shown->nodes.count; n++)
		if (shown->nodes.items[n].time_ns > most.node_ns)
			most.node_ns = shown->nodes.items[n].time_ns;
	for (size_t e = 0; e < shown->edges.count; e++)
		if (shown->edges.items[e].time_ns > most.edge_ns)
			most.edge_ns = shown->edges.items[e].time_ns;
	return most;
}

static void print_exit(const struct page_rows *rows, const struct shown_edge *edge,
		       uint64_t most_ns, FILE *stream)
{
	const bool many = edge->count != 1;

	fprintf(stream,
		"<li data-to=\"n%u\" data-w=\"%.1f\" style=\"--t:%d%%\">%" PRIu64
		" time%s to <a href=\"#n%u\">",
		edge->to, line_width(edge->count), colour_share(edge->time_ns, most_ns),
		edge->count, many ? "s" : "", edge->to);
	markup_print(stream, rows->page->shown->nodes.items[edge->to].label);
	fprintf(stream, "</a>, after visit%s ", many ? "s" : "");
	markup_print(stream, edge->visits);
	fputs("; between them ", stream);
	print_time(stream, edge->time_ns);
	fputs("</li>\n", stream);
}

/* Write the calls of a chain. */
static int print_members(const struct page_rows *rows, const struct shown_node *node, FILE *stream,
			 struct error *err)
{
	const struct graph_page *page = rows->page;
	uint32_t at = node->node;

	fputs("<ol class=\"members\">\n", stream);
	for (uint32_t left = node->calls; left; left--) {
		char *label = flow_label_text(page->flow, page->graph->nodes.items[at].signature,
					      err);

		if (!label)
			return -1;
		fputs("<li>", stream);
		print_label(stream, label);
		free(label);
		if (page->times->threads && page->flow->times != FLOW_TIMES_NONE) {
			fputs(" <span class=\"n\">", stream);
			print_time(stream, page->times->nodes[at] / page->times->threads);
			fputs("</span>", stream);
		}
		fputs("</li>\n", stream);
		at = page->graph->edges.items[page->graph->nodes.items[at].edges].to;
	}
	fputs("</ol>\n", stream);
	return 0;
}

static int print_row(const struct page_rows *rows, uint32_t number, struct page_most most,
		     FILE *stream, struct error *err)
{
	const struct shown_graph *shown = rows->page->shown;
	const struct shown_node *node = &shown->nodes.items[number];

	fprintf(stream,
		"<details class=\"call%s\" id=\"n%u\" style=\"--t:%d%%\"><summary><span class=\"name\">",
		node->calls > 1 ? " chain" : "", number, colour_share(node->time_ns, most.node_ns));
	print_label(stream, node->label);
	fprintf(stream, "</span><span class=\"n\">%" PRIu64 "\u00d7</span>", node->visits);
	if (rows->page->flow->times != FLOW_TIMES_NONE) {
		fputs("<span class=\"n time\">", stream);
		print_time(stream, node->time_ns);
		fputs("</span>", stream);
	}
	fputs("</summary>\n", stream);
	if (node->calls > 1)
		TRY(print_members(rows, node, stream, err));
	fputs("<ul>\n", stream);
	/* Edges are in the order of the nodes that they leave, but for those of chains. */
	for (size_t e = 0; e < shown->edges.count; e++)
		if (shown->edges.items[e].from == number)
			print_exit(rows, &shown->edges.items[e], most.edge_ns, stream);
	fputs("</ul></details>\n", stream);
	return 0;
}

static void print_loop(const struct page_rows *rows, uint32_t number, FILE *stream)
{
	const struct graph_page *page = rows->page;
	const struct flow_loop *loop = &page->loops->loops.items[number];
	const uint64_t time_ns = rows->time_ns[number];

	fprintf(stream,
		"<div class=\"loop\"><p class=\"head\">loop %u: %" PRIu64 " iteration%s, %" PRIu64
		" entr%s",
		number, loop->iterations, loop->iterations == 1 ? "" : "s", loop->entries,
		loop->entries == 1 ? "y" : "ies");
	if (page->times->total)
		fprintf(stream, ", %.1f %% of the time",
			100.0 * (double)time_ns / (double)page->times->total);
	fprintf(stream, "%s</p>\n", loop->irreducible ? ", irreducible" : "");
}

/* Write the nodes of a loop, or of none, those of inner loops together. */
static int print_part(struct page_rows *rows, uint32_t loop, struct page_most most, FILE *stream,
		      struct error *err)
{
	for (uint32_t n = 0; n < rows->page->shown->nodes.count; n++) {
		uint32_t own = row_loop(rows, n);

		if (own == loop) {
			TRY(print_row(rows, n, most, stream, err));
			continue;
		}
		/* The loop in `loop` that has the node, if one has. */
		while (own != NO_LOOP && rows->page->loops->loops.items[own].parent != loop)
			own = rows->page->loops->loops.items[own].parent;
		if (own == NO_LOOP || rows->placed[own])
			continue;
		rows->placed[own] = true;
		print_loop(rows, own, stream);
		TRY(print_part(rows, own, most, stream, err));
		fputs("</div>\n", stream);
	}
	return 0;
}

int graph_page_rows(struct page_rows *rows, struct html *html, struct error *err)
{
	fprintf(html->stream, "<div class=\"flow\" data-most=\"%d\">\n", PAGE_MOST_LINES);
	TRY(print_part(rows, NO_LOOP, find_most(rows->page->shown), html->stream, err));
	fputs("</div>\n", html->stream);
	return 0;
}
