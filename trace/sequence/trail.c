#include "trace/sequence/trail.h"

static int add_trail_edge(struct trail *trail, uint32_t to, uint32_t *number, struct error *err)
{
	struct trail_node *node = &trail->nodes.items[trail->at];

	*number = (uint32_t)trail->edges.count;
	TRY(number_map_add(&trail->edge_of, trail->at, to, *number, err));
	TRY(array_push(&trail->edges, ((struct trail_edge){.to = to, .next = NO_LOOP}), err));
	if (node->first == NO_LOOP)
		node->first = *number;
	else
		trail->edges.items[node->last].next = *number;
	node->last = *number;
	return 0;
}

/* Go along the edge to a node, after so much time. */
static int trail_follow(struct trail *trail, uint32_t to, uint64_t time_ns, bool *grows,
			struct error *err)
{
	struct trail_node *node = &trail->nodes.items[trail->at];

	if (node->latest == NO_LOOP || trail->edges.items[node->latest].to != to)
		node->latest = number_map_get(&trail->edge_of, trail->at, to);
	if (node->latest == NUMBER_MAP_EMPTY) {
		*grows = true;
		TRY(add_trail_edge(trail, to, &node->latest, err));
	}
	trail->edges.items[node->latest].count++;
	trail->edges.items[node->latest].time_ns += time_ns;
	return 0;
}

int trail_add(struct trail *trail, uint32_t number, uint64_t enter_ns, uint64_t leave_ns,
	      bool *grows, struct error *err)
{
	const struct trail_node none = {.first = NO_LOOP, .last = NO_LOOP, .latest = NO_LOOP};

	*grows = number == trail->nodes.count;
	if (*grows)
		TRY(array_push(&trail->nodes, none, err));
	if (trail->events)
		TRY(trail_follow(trail, number, enter_ns - trail->last_ns, grows, err));
	else
		trail->begin_ns = enter_ns;
	TRY(array_push(&trail->log, number, err));
	trail->nodes.items[number].visits++;
	trail->nodes.items[number].time_ns += leave_ns - enter_ns;
	trail->at = number;
	trail->last_ns = leave_ns;
	trail->events++;
	return 0;
}

void trail_forget(struct trail *trail)
{
	for (size_t n = 0; n < trail->nodes.count; n++)
		trail->nodes.items[n].skipped = trail->nodes.items[n].visits;
	trail->log.count = 0;
}

/* Append the edges of a node. */
static void put_edges(struct trail_graph *made, const struct trail *trail, uint32_t number)
{
	struct flow_graph *graph = &made->graph;
	struct flow_node *node = &graph->nodes.items[number];

	node->edges = (uint32_t)graph->edges.count;
	for (uint32_t e = trail->nodes.items[number].first; e != NO_LOOP;
	     e = trail->edges.items[e].next) {
		const struct trail_edge *edge = &trail->edges.items[e];

		made->edge_ns[graph->edges.count] = edge->time_ns;
		graph->edges.items[graph->edges.count++] = (struct flow_edge){.from = number,
									      .to = edge->to,
									      .count = edge->count};
		node->edge_count++;
	}
}

int trail_graph_make(struct trail_graph *made, const struct trail *trail, struct error *err)
{
	struct flow_graph *graph = &made->graph;

	*made = (struct trail_graph){.graph = {.events = trail->events, .end = trail->at}};
	TRY(allocate(&made->node_ns, trail->nodes.count, sizeof *made->node_ns, err));
	TRY(allocate(&made->edge_ns, trail->edges.count, sizeof *made->edge_ns, err));
	TRY(array_reserve(&graph->nodes, trail->nodes.count, err));
	TRY(array_reserve(&graph->edges, trail->edges.count, err));
	for (uint32_t n = 0; n < trail->nodes.count; n++) {
		graph->nodes.items[graph->nodes.count++] = (struct flow_node){
			.visits = trail->nodes.items[n].visits};
		made->node_ns[n] = trail->nodes.items[n].time_ns;
		put_edges(made, trail, n);
	}
	return 0;
}

void trail_graph_release(struct trail_graph *made)
{
	array_release(&made->graph.nodes);
	array_release(&made->graph.edges);
	free(made->node_ns);
	free(made->edge_ns);
}

int trail_laps(const struct trail *trail, struct laps *laps, const struct trail_graph *made,
	       const struct flow_loops *loops, uint32_t loop, uint64_t from, uint64_t *before,
	       struct error *err)
{
	const uint64_t first = trail->events - trail->log.count;

	*before = 0;
	TRY(laps_begin(laps, &made->graph, loops, loop, err));
	laps->visits = trail->nodes.items[laps->header].skipped;
	for (size_t i = 0; i < trail->log.count; i++) {
		const int begins = laps_add(laps, trail->log.items[i], err);

		TRY(begins);
		*before += begins && first + i < from;
	}
	return 0;
}

void trail_release(struct trail *trail)
{
	array_release(&trail->nodes);
	array_release(&trail->edges);
	array_release(&trail->log);
	number_map_release(&trail->edge_of);
}
