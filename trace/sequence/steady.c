#include "trace/sequence/steady.h"

/* Events before the first search, and between two of them at least; visits and laps without anything new. */
enum { FIRST_CHECK = 64, LEAST_EVENTS = 16, STEADY_LAPS = 3 };
/* Events in the log. */
enum { MOST_LOG = 1 << 20 };
/* Costs of a search on a slow machine, and the part of the time that searches may take. */
enum { EVENT_NS = 20, EDGE_NS = 200, COST_PART = 100 };

void steady_begin(struct steady *steady)
{
	*steady = (struct steady){.at = NO_LOOP,
				  .iteration = NO_ITERATION_YET,
				  .next_check = FIRST_CHECK,
				  .main_loop = {.loop = NO_LOOP}};
}

/* ------------------------------------------------------------------------- the graph */

/* What is counted is counted on; what is watched may be another loop now. */
static void steady_search_again(struct steady *steady)
{
	if (steady->watches)
		laps_release(&steady->watched);
	steady->watches = false;
	steady->state = STEADY_SEARCHES;
	steady->next_check = steady->events < FIRST_CHECK ? FIRST_CHECK : steady->events;
}

static void steady_grows(struct steady *steady)
{
	steady->growth++;
	steady->grown_at = steady->events;
	steady_search_again(steady);
}

/* Go along the edge to a node, which may be new. */
static int steady_follow(struct steady *steady, uint32_t to, uint64_t time_ns, struct error *err)
{
	struct steady_node *node = &steady->nodes.items[steady->at];
	uint32_t edge = node->latest;

	if (edge == NO_LOOP || steady->edges.items[edge].to != to)
		edge = number_map_get(&steady->edge_of, steady->at, to);
	if (edge == NUMBER_MAP_EMPTY) {
		edge = (uint32_t)steady->edges.count;
		TRY(number_map_add(&steady->edge_of, steady->at, to, edge, err));
		TRY(array_push(&steady->edges, ((struct steady_edge){.to = to, .next = NO_LOOP}),
			       err));
		if (node->first == NO_LOOP)
			node->first = edge;
		else
			steady->edges.items[node->last].next = edge;
		node->last = edge;
		steady_grows(steady);
	}
	node->latest = edge;
	steady->edges.items[edge].count++;
	steady->edges.items[edge].time_ns += time_ns;
	return 0;
}

/* Begin the log anew: numbers of visits go on. */
static void skip_log(struct steady *steady)
{
	for (size_t n = 0; n < steady->nodes.count; n++)
		steady->nodes.items[n].skipped = steady->nodes.items[n].visits;
	steady->log.count = 0;
}

static int visit_node(struct steady *steady, uint32_t number, uint64_t enter_ns, uint64_t leave_ns,
		      struct error *err)
{
	struct steady_node *node;

	if (number == steady->nodes.count) {
		TRY(array_push(&steady->nodes,
			       ((struct steady_node){
				       .first = NO_LOOP, .last = NO_LOOP, .latest = NO_LOOP}),
			       err));
		steady_grows(steady);
	}
	if (steady->at != NO_LOOP)
		TRY(steady_follow(steady, number, enter_ns - steady->last_ns, err));
	else
		steady->begin_ns = enter_ns;
	if (steady->log.count == MOST_LOG)
		skip_log(steady);
	TRY(array_push(&steady->log, number, err));
	node = &steady->nodes.items[number];
	node->recent = node->growth == steady->growth ? node->recent + 1 : 1;
	node->growth = steady->growth;
	node->visits++;
	node->time_ns += leave_ns - enter_ns;
	steady->at = number;
	steady->last_ns = leave_ns;
	steady->events++;
	return 0;
}

/* -------------------------------------------------------------------------- searches */

/* The graph as flow_loops_find wants it, and its times. */
struct steady_graph {
	struct flow_graph graph;
	uint64_t *node_ns, *edge_ns;
};

static int make_graph(struct steady_graph *made, const struct steady *steady, struct error *err)
{
	struct flow_graph *graph = &made->graph;

	graph->events = steady->events;
	graph->end = steady->at;
	TRY(allocate(&made->node_ns, steady->nodes.count, sizeof *made->node_ns, err));
	TRY(allocate(&made->edge_ns, steady->edges.count, sizeof *made->edge_ns, err));
	TRY(array_reserve(&graph->nodes, steady->nodes.count, err));
	TRY(array_reserve(&graph->edges, steady->edges.count, err));
	for (uint32_t n = 0; n < steady->nodes.count; n++) {
		const struct steady_node *node = &steady->nodes.items[n];
		struct flow_node *to = &graph->nodes.items[graph->nodes.count++];

		*to = (struct flow_node){.edges = (uint32_t)graph->edges.count,
					 .visits = node->visits};
		made->node_ns[n] = node->time_ns;
		for (uint32_t e = node->first; e != NO_LOOP; e = steady->edges.items[e].next) {
			const struct steady_edge *edge = &steady->edges.items[e];

			made->edge_ns[graph->edges.count] = edge->time_ns;
			graph->edges.items[graph->edges.count++] =
				(struct flow_edge){.from = n, .to = edge->to, .count = edge->count};
			to->edge_count++;
		}
	}
	return 0;
}

/* Watch a loop: see all events of the log. */
static int watch(struct steady *steady, const struct flow_graph *graph,
		 const struct flow_loops *loops, uint32_t loop, struct error *err)
{
	struct laps *laps = &steady->watched;
	const size_t grown = steady->log.count > steady->events - steady->grown_at
				     ? steady->log.count - (steady->events - steady->grown_at)
				     : 0;

	steady->watches = true;
	steady->state = STEADY_WATCHES;
	TRY(laps_begin(laps, graph, loops, loop, err));
	laps->visits = steady->nodes.items[laps->header].skipped;
	for (size_t i = 0; i < steady->log.count; i++) {
		if (i == grown)
			steady->watched_from = laps->begins.count;
		if (laps_add(laps, steady->log.items[i], err) < 0)
			return -1;
	}
	return 0;
}

/*
 * Choose the main loop among those of a run that goes on.  What went round twice may be a phase of the program that is run
 * twice: it is if its second time is long.
 */
static void steady_choose(struct main_loop *found, struct flow_loops *loops,
			  const struct steady_graph *made, const struct steady *steady)
{
	if (steady->events - steady->grown_at >= 2 * steady->grown_at)
		flow_loops_drop_phases(loops, &made->graph);
	main_loop_choose(found, &made->graph, loops, made->node_ns, made->edge_ns);
}

static int search_loops(struct steady *steady, struct error *err)
{
	struct steady_graph made = {0};
	struct flow_loops loops = {0};
	struct main_loop found = {.loop = NO_LOOP};
	int result = make_graph(&made, steady, err);

	if (result == 0)
		result = flow_loops_find_all(&loops, &made.graph, err);
	if (result == 0)
		steady_choose(&found, &loops, &made, steady);
	/* A loop that was left does not become steady. */
	if (result == 0 && found.loop != NO_LOOP &&
	    flow_loop_is_in(&loops, loops.of[steady->at], found.loop))
		result = watch(steady, &made.graph, &loops, found.loop, err);
	flow_loops_release(&loops);
	array_release(&made.graph.nodes);
	array_release(&made.graph.edges);
	free(made.node_ns);
	free(made.edge_ns);
	return result;
}

/* Search now if something was visited often enough, and if the time suffices. */
static int steady_check(struct steady *steady, struct error *err)
{
	const uint64_t cost_ns = EDGE_NS * (steady->nodes.count + steady->edges.count) +
				 EVENT_NS * steady->log.count;
	uint64_t events;

	if (steady->events < steady->next_check ||
	    steady->nodes.items[steady->at].recent < STEADY_LAPS ||
	    steady->spent_ns + cost_ns > (steady->last_ns - steady->begin_ns) / COST_PART)
		return 0;
	steady->spent_ns += cost_ns;
	events = steady->events / 8;
	steady->next_check = steady->events + (events < LEAST_EVENTS ? LEAST_EVENTS : events);
	return search_loops(steady, err);
}

/* ------------------------------------------------------------------------ iterations */

/* Find whether the lap that begins is the first of a round: count it then. */
static bool begins_iteration(struct steady *steady)
{
	const struct laps *laps = &steady->counted;
	const size_t last = laps->runs.count - 1;
	const uint64_t lap = laps->begins.count - 1 - laps->runs.items[last];
	uint64_t number = steady->nodes.items[laps->header].skipped / steady->length;

	if (lap < steady->offset || (lap - steady->offset) % steady->length)
		return false;
	for (size_t r = 0; r < last; r++) {
		const uint64_t count = laps->runs.items[r + 1] - laps->runs.items[r];

		if (count > steady->offset)
			number += (count - steady->offset) / steady->length;
	}
	steady->iteration = number + (lap - steady->offset) / steady->length;
	steady->iteration_visit = laps->visits - 1;
	return true;
}

/* The watched loop is steady if enough laps began, and if they tell the length of a round: count it then. */
static int steady_decide(struct steady *steady, struct error *err)
{
	uint32_t length, offset;
	bool sure;

	length = rounds_length(&steady->watched.rounds, &offset, &sure);
	if (!sure || steady->watched.begins.count < steady->watched_from + STEADY_LAPS)
		return 0;
	if (steady->counts)
		laps_release(&steady->counted);
	steady->counted = steady->watched;
	steady->counts = true;
	steady->watches = false;
	steady->length = length;
	steady->offset = offset;
	steady->state = STEADY_FOUND;
	main_loop_release(&steady->main_loop);
	steady->main_loop = (struct main_loop){.header = steady->counted.header};
	return laps_find(&steady->counted, &steady->main_loop, err);
}

/* Go on with the laps of the counted loop. */
static int steady_count(struct steady *steady, uint32_t node, int *begins, struct error *err)
{
	const bool inside = steady->counted.in_run;

	*begins = laps_add(&steady->counted, node, err);
	if (*begins < 0)
		return -1;
	/* A loop that is left may be in another one. */
	if (inside && !steady->counted.in_run && steady->state == STEADY_FOUND)
		steady_search_again(steady);
	return 0;
}

int steady_add(struct steady *steady, uint32_t node, uint64_t enter_ns, uint64_t leave_ns,
	       enum steady_seen *seen, struct error *err)
{
	const uint32_t growth = steady->growth;
	int begins = 0;

	TRY(visit_node(steady, node, enter_ns, leave_ns, err));
	*seen = steady->growth != growth ? STEADY_NEW : STEADY_NOTHING;
	if (steady->counts)
		TRY(steady_count(steady, node, &begins, err));
	if (steady->state == STEADY_SEARCHES) {
		TRY(steady_check(steady, err));
	} else if (steady->state == STEADY_WATCHES) {
		const int watched = laps_add(&steady->watched, node, err);

		if (watched < 0)
			return -1;
		if (watched > 0)
			TRY(steady_decide(steady, err));
		if (steady->state == STEADY_FOUND)
			begins = true;
	}
	if (begins && begins_iteration(steady))
		*seen = STEADY_ITERATION;
	return 0;
}

void steady_release(struct steady *steady)
{
	array_release(&steady->nodes);
	array_release(&steady->edges);
	array_release(&steady->log);
	number_map_release(&steady->edge_of);
	main_loop_release(&steady->main_loop);
	if (steady->watches)
		laps_release(&steady->watched);
	if (steady->counts)
		laps_release(&steady->counted);
}
