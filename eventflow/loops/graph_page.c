#include "eventflow/loops/graph_page.h"

#include "common/units.h"
#include "eventflow/loops/iterations.h"

#include <inttypes.h>
#include <stdlib.h>

/* Width of the heat map, which is in a column beside the graph. */
static const double side_px = 400;

static void write_facts(const struct graph_page *page, struct html *html)
{
	const uint32_t threads = page->times->threads;
	char text[128];

	html_list(html);
	snprintf(text, sizeof text, "%u", threads);
	html_item(html, "threads with this graph", text);
	snprintf(text, sizeof text, "%" PRIu64, page->graph->events);
	html_item(html, "events of each", text);
	snprintf(text, sizeof text, "%zu nodes, %zu edges, %zu blocks", page->graph->nodes.count,
		 page->graph->edges.count, page->graph->blocks.count);
	html_item(html, "graph", text);
	if (page->times->total && threads) {
		char time[UNIT_TEXT_BYTES];

		html_item(html, "mean time",
			  format_time((double)(page->times->total / threads), 4, time));
	}
	html_list_end(html);
}

static void write_legend(const struct graph_page *page, struct html *html)
{
	fputs("<p>Calls from top to bottom in the order of their first visit. Boxes are loops. "
	      "<span class=\"key\"></span> is time in calls, <span class=\"key between\"></span> "
	      "time between them; the stronger the colour, the longer it is. Wide lines were followed often. "
	      "Open a call to see where it leads to and after which of its visits, and a chain (\u25b8) to see its "
	      "calls. Blocks of visits are [first, last, stride, length].</p>\n",
	      html->stream);
	if (page->shown->edges.count > PAGE_MOST_LINES)
		html_note(
			html,
			"Lines are those that were followed most: point at a call for all of its lines.");
}

static int write_evolution(const struct graph_page *page, struct html *html, struct error *err)
{
	const struct svg svg = {.stream = html->stream,
				.place = SVG_PAGE,
				.width = side_px,
				.number = ++html->picture_count};
	int result;

	html_section(html, "iterations", "Iterations of the main loop");
	if (!page->evolution || !page->evolution->ranks) {
		html_note(
			html,
			page->evolution
				? "There is no main loop: no outermost loop takes a fifth of the time."
				: "The file lacks the times of calls (--times all).");
		html_section_end(html);
		return 0;
	}
	html_figure(html, "Time of each iteration on each rank");
	result = evolution_draw(page->evolution, &svg, err);
	html_figure_end(html);
	html_section_end(html);
	return result;
}

static void write_tree(const struct page_rows *rows, struct html *html)
{
	html_section(html, "tree", "Sequences and loops");
	if (rows->page->lines)
		graph_page_tree(rows, html);
	else
		html_note(html, "The tree is too large for a page: eventflow tree prints it.");
	html_section_end(html);
}

static int write_graph_page(struct page_rows *rows, FILE *stream, struct error *err)
{
	const struct graph_page *page = rows->page;
	struct html html = {.stream = stream,
			    .style = graph_page_style,
			    .script = graph_page_script};

	html_begin(&html, page->title);
	write_facts(page, &html);
	fputs("<div class=\"two\">\n", stream);
	html_section(&html, "graph", "Calls and loops");
	write_legend(page, &html);
	TRY(graph_page_rows(rows, &html, err));
	html_section_end(&html);
	fputs("<div class=\"side\">\n", stream);
	TRY(write_evolution(page, &html, err));
	write_tree(rows, &html);
	fputs("</div>\n</div>\n", stream);
	html_end(&html);
	return 0;
}

/* Find the shown node of each node: calls of a chain follow each other. */
static void find_shown(struct page_rows *rows)
{
	const struct graph_page *page = rows->page;

	for (uint32_t n = 0; n < page->shown->nodes.count; n++) {
		const struct shown_node *node = &page->shown->nodes.items[n];
		uint32_t at = node->node;

		rows->shown[at] = n;
		for (uint32_t left = node->calls; left > 1; left--) {
			at = page->graph->edges.items[page->graph->nodes.items[at].edges].to;
			rows->shown[at] = n;
		}
	}
}

int graph_page_write(const struct graph_page *page, FILE *stream, struct error *err)
{
	struct page_rows rows = {.page = page};
	int result = allocate(&rows.shown, page->graph->nodes.count, sizeof *rows.shown, err);

	if (result == 0)
		result = allocate(&rows.placed, page->loops->loops.count, sizeof *rows.placed, err);
	if (result == 0)
		result = allocate(&rows.time_ns, page->loops->loops.count, sizeof *rows.time_ns,
				  err);
	if (result == 0) {
		loop_times_find(rows.time_ns, page->graph, page->loops, page->times->nodes,
				page->times->edges);
		find_shown(&rows);
		result = write_graph_page(&rows, stream, err);
	}
	free(rows.shown);
	free(rows.placed);
	free(rows.time_ns);
	return result;
}
