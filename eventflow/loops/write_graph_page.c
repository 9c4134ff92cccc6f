/* The page of a graph. */
#include "eventflow/loops/write_graph.h"

#include "common/draw/html.h"
#include "common/units.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
	ROW_PX = 24,
	TOP_PX = 16,
	LEFT_PX = 140,
	INDENT_PX = 12,
	RIGHT_PX = 560,
	LANES = 12,
	LANE_PX = 10
};
enum { LETTER_PX = 7, MOST_LETTERS = 55 };

struct page_graph {
	const struct shown_graph *graph;
	const struct flow_loops *loops;
	uint32_t *rows;	 /* [shown node]: row from the top */
	uint32_t *order; /* [row]: shown node */
	uint32_t count;	 /* rows so far */
	bool *placed;	 /* [loop] */
};

static uint32_t page_loop(const struct page_graph *page, uint32_t node)
{
	return page->loops->of[page->graph->nodes.items[node].node];
}

/* Give rows to the nodes of a loop, or of none, those of inner loops together. */
static void place(struct page_graph *page, uint32_t loop)
{
	for (uint32_t n = 0; n < page->graph->nodes.count; n++) {
		uint32_t own = page_loop(page, n);

		if (own == loop) {
			page->rows[n] = page->count;
			page->order[page->count++] = n;
			continue;
		}
		/* The loop in `loop` that has the node, if one has. */
		while (own != NO_LOOP && page->loops->loops.items[own].parent != loop)
			own = page->loops->loops.items[own].parent;
		if (own == NO_LOOP || page->placed[own])
			continue;
		page->placed[own] = true;
		place(page, own);
	}
}

static double row_y(uint32_t row)
{
	return TOP_PX + ROW_PX * (double)row;
}

static void draw_loops(const struct page_graph *page, const struct svg *svg)
{
	for (uint32_t l = 0; l < page->loops->loops.count; l++) {
		const struct flow_loop *loop = &page->loops->loops.items[l];
		const double x = LEFT_PX - 6 + INDENT_PX * (double)loop->depth;
		uint32_t first = UINT32_MAX, last = 0;
		char text[160];

		for (uint32_t n = 0; n < page->graph->nodes.count; n++)
			if (flow_loop_is_in(page->loops, page_loop(page, n), l)) {
				first = page->rows[n] < first ? page->rows[n] : first;
				last = page->rows[n] > last ? page->rows[n] : last;
			}
		if (first == UINT32_MAX)
			continue;
		snprintf(text, sizeof text,
			 "loop %u: %" PRIu64 " iterations, %" PRIu64 " entries%s", l,
			 loop->iterations, loop->entries, loop->irreducible ? ", irreducible" : "");
		svg_group(svg, "loop", text);
		svg_rect(svg, "box", x, row_y(first) + 2, RIGHT_PX - x - 4 * (double)loop->depth,
			 row_y(last + 1) - row_y(first) - 4);
		svg_group_end(svg);
	}
}

static double node_x(const struct page_graph *page, uint32_t number)
{
	const uint32_t loop = page_loop(page, number);

	return LEFT_PX +
	       INDENT_PX * (loop == NO_LOOP ? 0.0 : 1.0 + page->loops->loops.items[loop].depth);
}

static void draw_node(const struct page_graph *page, const struct svg *svg, uint32_t number)
{
	const struct shown_node *node = &page->graph->nodes.items[number];
	const double x = node_x(page, number);
	char hover[512], text[MOST_LETTERS + 8], time[UNIT_TEXT_BYTES];

	snprintf(hover, sizeof hover, "%.400s: %" PRIu64 " visits, %s", node->label, node->visits,
		 format_time((double)node->time_ns, 4, time));
	snprintf(text, sizeof text, "%.*s", MOST_LETTERS - (int)(x - LEFT_PX) / LETTER_PX,
		 node->label);
	svg_group(svg, "call", hover);
	svg_text(svg, node->visits > 1 ? "strong" : "", x, row_y(page->rows[number]) + 16,
		 SVG_START, text);
	svg_group_end(svg);
}

/* Class of an edge by how often it was taken. */
static const char *width_class(uint64_t count)
{
	return count < 2 ? "edge" : count < 100 ? "edge often" : "edge most";
}

/* Draw an edge to the next row: a short line under the call. */
static void draw_step(const struct page_graph *page, const struct svg *svg,
		      const struct shown_edge *edge)
{
	const double x = node_x(page, edge->from) + 6, y = row_y(page->rows[edge->from]);
	char hover[512], time[UNIT_TEXT_BYTES];

	snprintf(hover, sizeof hover, "%" PRIu64 " times after visits %.300s, %s between",
		 edge->count, edge->visits, format_time((double)edge->time_ns, 4, time));
	svg_group(svg, width_class(edge->count), hover);
	svg_path(svg, "way");
	svg_path_to(svg, true, x, y + 19);
	svg_path_to(svg, false, x, y + 29);
	svg_path_end(svg, false);
	svg_group_end(svg);
}

/* Draw an edge at the side: from the middle of a row to that of another one, and its head. */
static void draw_edge(const struct page_graph *page, const struct svg *svg, size_t number)
{
	const struct shown_edge *edge = &page->graph->edges.items[number];
	const double from = row_y(page->rows[edge->from]) + ROW_PX / 2.0,
		     to = row_y(page->rows[edge->to]) + ROW_PX / 2.0;
	const bool back = page->rows[edge->to] <= page->rows[edge->from];
	const double side = back ? LEFT_PX - 8 : RIGHT_PX + 4, sign = back ? -1 : 1;
	const double lane = side + sign * (10 + LANE_PX * (double)(number % LANES));
	char hover[512], time[UNIT_TEXT_BYTES];

	snprintf(hover, sizeof hover, "%" PRIu64 " times after visits %.300s, %s between",
		 edge->count, edge->visits, format_time((double)edge->time_ns, 4, time));
	svg_group(svg, width_class(edge->count), hover);
	svg_path(svg, "way");
	svg_path_to(svg, true, side, from + 3);
	svg_path_to(svg, false, lane, from + 3);
	svg_path_to(svg, false, lane, to - 3);
	svg_path_to(svg, false, side, to - 3);
	svg_path_to(svg, false, side + sign * 4, to - 6);
	svg_path_to(svg, false, side + sign * 4, to);
	svg_path_to(svg, false, side, to - 3);
	svg_path_end(svg, false);
	svg_group_end(svg);
}

static void draw_page_graph(const struct page_graph *page, const struct svg *svg)
{
	svg_begin(svg, TOP_PX + row_y(page->count), "Event flow graph");
	draw_loops(page, svg);
	for (uint32_t n = 0; n < page->graph->nodes.count; n++)
		draw_node(page, svg, n);
	for (size_t e = 0; e < page->graph->edges.count; e++) {
		const struct shown_edge *edge = &page->graph->edges.items[e];

		if (page->rows[edge->to] == page->rows[edge->from] + 1)
			draw_step(page, svg, edge);
		else
			draw_edge(page, svg, e);
	}
	svg_end(svg);
}

static void write_table(const struct page_graph *page, struct html *html)
{
	static const char *const columns[] = {"call", ">visits", ">time", ">loop"};
	char text[UNIT_TEXT_BYTES];

	html_table(html,
		   "Calls, chains as one, and their mean time over the threads with this graph",
		   columns, 4);
	for (uint32_t row = 0; row < page->count; row++) {
		const struct shown_node *node = &page->graph->nodes.items[page->order[row]];
		const uint32_t loop = page_loop(page, page->order[row]);

		html_row(html);
		html_cell(html, node->label);
		snprintf(text, sizeof text, "%" PRIu64, node->visits);
		html_number(html, text);
		html_number(html, format_time((double)node->time_ns, 4, text));
		snprintf(text, sizeof text, "%u", loop);
		html_number(html, loop == NO_LOOP ? "" : text);
		html_row_end(html);
	}
	html_table_end(html);
}

static const char page_style[] =
	".box{fill:none;stroke:var(--ink);stroke-opacity:.45}.loop:hover .box{stroke-opacity:1;stroke-width:2}"
	".way{fill:none;stroke:var(--ink);stroke-opacity:.45}.often .way{stroke-width:2}.most .way{stroke-width:3.5}"
	".edge:hover .way{stroke-opacity:1}";

int write_graph_page(const struct shown_graph *graph, const struct flow_loops *loops,
		     const char *title, FILE *stream, struct error *err)
{
	struct page_graph page = {.graph = graph, .loops = loops};
	struct html html = {.stream = stream, .style = page_style};
	struct svg svg;
	int result = allocate(&page.rows, graph->nodes.count, sizeof *page.rows, err);

	if (result == 0)
		result = allocate(&page.order, graph->nodes.count, sizeof *page.order, err);
	if (result == 0)
		result = allocate(&page.placed, loops->loops.count, sizeof *page.placed, err);
	if (result == 0) {
		place(&page, NO_LOOP);
		html_begin(&html, title);
		html_section(&html, "graph", "Calls and loops");
		html_paragraph(
			&html,
			"Calls from top to bottom in the order of the first visit. A short line under a call leads "
			"to the next row, lines at the right go further on, those at the left go back; wide ones "
			"were taken often. Boxes are loops. Point at anything for its numbers.");
		html_figure(&html, "Event flow graph");
		while (html_picture(&html, &svg)) {
			svg.width = RIGHT_PX + 4 + 10 + LANE_PX * (LANES + 1.0);
			draw_page_graph(&page, &svg);
		}
		html_figure_end(&html);
		html_section_end(&html);
		html_section(&html, "calls", "Numbers");
		write_table(&page, &html);
		html_section_end(&html);
		html_end(&html);
	}
	free(page.rows);
	free(page.order);
	free(page.placed);
	return result;
}
