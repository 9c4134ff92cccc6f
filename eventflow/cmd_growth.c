/*
 * Command eventflow growth: nodes and edges of the graphs by number of events, until they grow no
 * more.
 */
#include "common/draw/lines.h"
#include "eventflow/commands.h"
#include "eventflow/graph/growth.h"
#include "trace/flow/recover/flow_recover.h"

#include <stdlib.h>

/* Graphs in a picture, at most: those of most threads. */
enum { MOST_CURVES = 6, PANELS = 2, CURVE_LABEL_BYTES = 64 };

struct growth_graph {
	uint32_t graph, rank, threads; /* rank: the first that has it */
	struct growth growth;
};

/* A point of one of the graphs, for the rows of a table. */
struct growth_row {
	uint32_t of; /* in `graphs` */
	struct growth_point point;
};

struct growths {
	const struct flow *flow;
	ARRAY(struct growth_graph) graphs;
	ARRAY(struct growth_row) rows;
};

static const struct flow_graph *graph_of(const struct growths *growths, size_t number)
{
	return &growths->flow->graphs.items[growths->graphs.items[number].graph];
}

static const struct report_field graph_fields[] = {
	{"graph", "graph", VALUE_COUNT, .width = 5,
	 .meaning = "Threads with equal graphs have one"},
	{"rank", "rank", VALUE_COUNT, .width = 6, .meaning = "The first rank that has the graph"},
	{"threads", "threads", VALUE_COUNT, .width = 8, .meaning = "That have the graph"},
	{"events", "events", VALUE_COUNT, .width = 11},
	{"nodes", "nodes", VALUE_COUNT, .width = 8},
	{"edges", "edges", VALUE_COUNT, .width = 8},
	{"last_node", "last node", VALUE_COUNT, .width = 11,
	 .meaning = "Number of the event, from 1, with which the last node came"},
	{"last_edge", "last edge", VALUE_COUNT, .width = 11,
	 .meaning =
		 "Number of the event with which the last edge was taken first, 0 without edges"},
	{"steady_after", "steady after", VALUE_COUNT, .width = 13,
	 .meaning =
		 "Number of the event after which nothing new came until the last tenth of the events"},
	{0},
};

/*
 * Event after which a graph grew no more until the last tenth of its events: programs end with
 * calls of their own.
 */
static uint64_t steady_after(const struct growth *growth, uint64_t events)
{
	uint64_t last = 0;

	for (size_t i = 0; i < growth->points.count; i++)
		if (growth->points.items[i].events <= events - events / 10)
			last = growth->points.items[i].events;
	return last;
}

static void graph_row(struct report_row *row, const void *data, size_t number)
{
	const struct growths *growths = data;
	const struct growth_graph *own = &growths->graphs.items[number];
	const struct flow_graph *graph = graph_of(growths, number);

	put_count(row, own->graph);
	put_count(row, own->rank);
	put_count(row, own->threads);
	put_count(row, graph->events);
	put_count(row, graph->nodes.count);
	put_count(row, graph->edges.count);
	put_count(row, own->growth.last_node);
	put_count(row, own->growth.last_edge);
	put_count(row, steady_after(&own->growth, graph->events));
}

static report_weight threads_of(const void *data, size_t number)
{
	return ((const struct growths *)data)->graphs.items[number].threads;
}

static const struct report_field point_fields[] = {
	{"graph", NULL, .kind = VALUE_COUNT},
	{"rank", NULL, VALUE_COUNT, .meaning = "The first rank that has the graph"},
	{"events", NULL, VALUE_COUNT, .meaning = "Number of events so far"},
	{"nodes", NULL, VALUE_COUNT, .meaning = "Nodes of the graph after these events"},
	{"edges", NULL, VALUE_COUNT, .meaning = "Edges after these events"},
	{0},
};

static void point_row(struct report_row *row, const void *data, size_t number)
{
	const struct growths *growths = data;
	const struct growth_row *own = &growths->rows.items[number];

	put_count(row, growths->graphs.items[own->of].graph);
	put_count(row, growths->graphs.items[own->of].rank);
	put_count(row, own->point.events);
	put_count(row, own->point.nodes);
	put_count(row, own->point.edges);
}

static void growth_write(struct report *report, const void *data)
{
	const struct growths *growths = data;
	const size_t count = growths->graphs.count;

	report_begin(report, "eventflow-growth-1");
	report_table(report,
		     &(struct report_table){
			     "graphs", .title = "graphs, and the events with which they grew last",
			     .meaning = "Different graphs of the threads", .fields = graph_fields,
			     .row = graph_row, .data = data, .count = count, .no_gap = true,
			     .most = count > REPORT_MOST_ROWS ? REPORT_MOST_ROWS : 0,
			     .weight = count > REPORT_MOST_ROWS ? threads_of : NULL,
			     .counts_rest = true, .lists_all = "--format json"});
	report_table(report,
		     &(struct report_table){"points",
					    .meaning = "Events that brought a node or an edge",
					    .fields = point_fields, .row = point_row, .data = data,
					    .count = growths->rows.count});
	report_end(report);
}

/* ------------------------------------------------------------------------- picture */

/* Points of the curves of a graph: nodes, then edges, each up to the last event. */
static int make_curves(struct lines_point **points, const struct growths *growths, size_t number,
		       struct error *err)
{
	const struct growth *growth = &growths->graphs.items[number].growth;
	const size_t count = growth->points.count + 1;

	TRY(allocate(points, PANELS * count, sizeof **points, err));
	for (size_t i = 0; i < count; i++) {
		const bool last = i + 1 == count;
		const struct growth_point *point = &growth->points.items[last ? i - 1 : i];
		const double x = (double)(last ? graph_of(growths, number)->events : point->events);

		(*points)[i] = (struct lines_point){x, point->nodes};
		(*points)[count + i] = (struct lines_point){x, point->edges};
	}
	return 0;
}

static int draw_curves(const struct growths *growths, const size_t *chosen, size_t count,
		       const struct svg *svg, struct lines_point **points, struct error *err)
{
	struct lines_series series[PANELS][MOST_CURVES];
	char labels[MOST_CURVES][CURVE_LABEL_BYTES];
	uint64_t most = 1;

	for (unsigned i = 0; i < count; i++) {
		const struct growth_graph *graph = &growths->graphs.items[chosen[i]];
		const size_t length = graph->growth.points.count + 1;

		TRY(make_curves(&points[i], growths, chosen[i], err));
		snprintf(labels[i], sizeof labels[i], "rank %u (%u thread%s)", graph->rank,
			 graph->threads, graph->threads == 1 ? "" : "s");
		most = graph_of(growths, chosen[i])->events > most
			       ? graph_of(growths, chosen[i])->events
			       : most;
		series[0][i] = (struct lines_series){labels[i], LINES_STEPS, i, points[i], length};
		series[1][i] = (struct lines_series){NULL, LINES_STEPS, i, points[i] + length,
						     length};
	}
	const struct lines_panel panels[PANELS] = {{"nodes", QUANTITY_COUNT, true, 150, series[0],
						    count, NULL, 0},
						   {"edges", QUANTITY_COUNT, true, 150, series[1],
						    count, NULL, 0}};

	return lines_draw(&(struct lines){.title = "nodes and edges by number of events",
					  .name = "events",
					  .quantity = QUANTITY_COUNT,
					  .low = 0,
					  .high = (double)most,
					  .panels = panels,
					  .panel_count = PANELS},
			  svg, err);
}

static int growth_picture(const struct svg *svg, const void *data, struct error *err)
{
	const struct growths *growths = data;
	struct lines_point *points[MOST_CURVES] = {NULL};
	size_t chosen[REPORT_MOST_ROWS];
	const size_t count = report_largest(growths->graphs.count, threads_of, growths, MOST_CURVES,
					    chosen);
	const int result = draw_curves(growths, chosen, count, svg, points, err);

	for (size_t i = 0; i < MOST_CURVES; i++)
		free(points[i]);
	return result;
}

/* ------------------------------------------------------------------------- command */

static int add_graph(struct growths *growths, uint32_t graph, uint32_t rank, uint32_t *places,
		     struct error *err)
{
	struct growth_graph made = {.graph = graph, .rank = rank};

	if (places[graph]) {
		growths->graphs.items[places[graph] - 1].threads++;
		return 0;
	}
	TRY(array_push(&growths->graphs, made, err));
	places[graph] = (uint32_t)growths->graphs.count;
	struct growth_graph *own = &growths->graphs.items[places[graph] - 1];

	own->threads = 1;
	TRY(growth_find(&own->growth, &growths->flow->graphs.items[graph], err));
	for (size_t i = 0; i < own->growth.points.count; i++)
		TRY(array_push(&growths->rows,
			       ((struct growth_row){places[graph] - 1,
						    own->growth.points.items[i]}),
			       err));
	return 0;
}

static int find_growths(struct growths *growths, uint32_t only, struct error *err)
{
	const struct flow *flow = growths->flow;
	uint32_t *places;
	int result = 0;

	for (uint32_t r = 0; r < flow->world.rank_count; r++)
		if ((only == UINT32_MAX || only == r) && flow_refuse_lossy(flow, r, err) < 0)
			return error_prefix(err, "rank %u", r);

	TRY(allocate(&places, flow->graphs.count, sizeof *places, err));
	for (uint32_t r = 0; r < flow->world.rank_count && result == 0; r++)
		for (size_t t = 0; t < flow->ranks[r].threads.count && result == 0; t++)
			if (only == UINT32_MAX || only == r)
				result = add_graph(growths, flow->ranks[r].threads.items[t].graph,
						   r, places, err);
	free(places);
	return result;
}

static int cmd_growth(char **operands, int operand_count, struct error *err)
{
	struct growths growths = {0};
	struct flow *flow;
	uint32_t only;
	int result;

	(void)operand_count;
	TRY(commands_open_flow(&flow, operands[0], err));
	growths.flow = flow;
	result = commands_given_rank(flow, &only, err);
	if (result == 0)
		result = find_growths(&growths, only, err);
	if (result == 0)
		result = commands_print_or_draw(operands[0], "points", growth_write, growth_picture,
						&growths, err);
	for (size_t i = 0; i < growths.graphs.count; i++)
		growth_release(&growths.graphs.items[i].growth);
	array_release(&growths.graphs);
	array_release(&growths.rows);
	flow_release(flow);
	return result;
}

static const struct help_entry growth_examples[] = {
	{"eventflow growth app.efg", "print when the graphs grew last"},
	{"eventflow growth app.efg -o growth.svg", "draw nodes and edges by number of events"},
	{"eventflow growth app.efg --rank 0 -o growth.csv", "the points of rank 0, as a table"},
	{0},
};

static const struct option_spec *const growth_options[] = {rank_options, NULL};

const struct command growth_command = {
	.name = "growth",
	.operands = "FILE",
	.least_operands = 1,
	.most_operands = 1,
	.summary = "print the number of nodes and edges by number of events: when a run is steady",
	.notes = INPUT_NOTES
	" A graph that has stopped to grow shows that the program is in its main loop. Threads with equal "
	"graphs are one row. A text tells when each graph grew last, CSV and JSON have each event that brought "
	"a node or an edge, a picture has curves of the graphs that most threads have.",
	.options = growth_options,
	.output = &picture_output,
	.run = cmd_growth,
	.examples = growth_examples,
};
