/*
 * The page of a graph: calls as rows in the order of their first visit, loops as boxes in each
 * other, chains that open, lines between calls; beside it the time of each iteration of the main
 * loop on each rank, and the loop tree.
 *
 * Rows open without the page's script, and tell where each call leads to.  The script
 * (graph_page.js) draws the lines.
 */
#ifndef EVENTFLOW_GRAPH_PAGE_H
#define EVENTFLOW_GRAPH_PAGE_H

#include "common/draw/html.h"
#include "eventflow/graph/shown_graph.h"
#include "eventflow/loops/evolution.h"
#include "eventflow/loops/tree_lines.h"

struct graph_page {
	const char *title;
	const struct flow *flow;
	const struct flow_graph *graph;
	const struct graph_times *times;
	const struct flow_loops *loops;
	const struct shown_graph *shown;
	const struct evolution *evolution; /* NULL: the file lacks the times of calls */
	const struct tree_lines *lines;	   /* NULL: the tree is too large for a page */
};

int graph_page_write(const struct graph_page *page, FILE *stream, struct error *err);

/* Lines that the script draws at once: those that were followed most. */
enum { PAGE_MOST_LINES = 1500 };

/* Internal to the page: where nodes are, and labels. */
struct page_rows {
	const struct graph_page *page;
	uint32_t *shown;   /* [node of the graph]: shown node that has it */
	bool *placed;	   /* [loop] */
	uint64_t *time_ns; /* [loop] */
};

/* Write the rows of all calls; the tree. */
int graph_page_rows(struct page_rows *rows, struct html *html, struct error *err);
void graph_page_tree(const struct page_rows *rows, struct html *html);

extern const char graph_page_style[], graph_page_script[];

#endif
