#include "llamp/graph/cost_reduce.h"

#include "common/progress.h"
#include "llamp/graph/cost_join.h"
#include "llamp/graph/cost_ranks.h"

/*
 * What became of a node.  Its first edge is used for what it stands for: one edge
 * from a vertex, or the list of the edges into it, which its only use takes.
 */
enum node_state { NODE_WAITS, NODE_STARTED, NODE_EDGE, NODE_LIST };

/* A node by rank and index. */
struct node_place {
	uint32_t rank, node;
};

struct reducer {
	const struct execution *execution;
	struct cost_ranks ranks;
	struct cost_writer writer;
	struct cost_join join;
	uint32_t **forms;		/* of every part: the form of each of its forms + 1, or 0 */
	uint32_t *next;			/* of every rank: the first node that was not looked at */
	ARRAY(struct node_place) path;	/* nodes that wait for those behind them */
	struct error *err;
};

static struct rank_node *node_at(const struct reducer *reducer, struct node_place place)
{
	return &reducer->ranks.ranks[place.rank].nodes[place.node];
}

/* The form of an edge of a part. */
static uint32_t translate(struct reducer *reducer, uint32_t part, uint32_t form)
{
	uint32_t *known = &reducer->forms[part][form];

	if (!*known)
		*known = cost_forms_find(&reducer->writer.forms,
					 &reducer->ranks.parts[part].forms.list.items[form]) + 1;
	return *known - 1;
}

/* ------------------------------------------------------------------ vertices */

/* A vertex of the edges written from `first` on, for which `value` stands then. */
static int add_vertex(struct reducer *reducer, uint32_t instant, uint64_t first,
		      struct cost_edge *value)
{
	TRY(cost_writer_vertex(&reducer->writer, instant, reducer->err));
	TRY(cost_join_add_base(&reducer->join, reducer->writer.edges.items, first));
	*value = (struct cost_edge){.from = (uint32_t)reducer->writer.vertices.count};
	return 0;
}

/* Make a vertex of a node that was none until now. */
static int keep_node(struct reducer *reducer, struct rank_node *node, struct cost_edge *value)
{
	const uint64_t first = reducer->writer.edges.count;

	if (node->state == NODE_LIST) {
		const struct candidate *edge;

		for (uint32_t i = value->from; i; i = edge->next) {
			edge = &reducer->join.pool.items[i];
			TRY(cost_writer_edge(&reducer->writer, edge->base, edge->ns, edge->form,
					     reducer->err));
		}
		cost_join_free(&reducer->join, value->from);
		node->state = NODE_EDGE;
	} else {
		TRY(cost_writer_edge(&reducer->writer, value->from, value->ns, value->form,
				     reducer->err));
	}
	return add_vertex(reducer, node->instant, first, value);
}

/* ------------------------------------------------------------- edges into nodes */

/* Take the list that a node stands for; false if a sum does not fit. */
static bool take_list(struct cost_join *join, uint32_t list, uint64_t ns, uint32_t form)
{
	struct candidate sum;

	for (uint32_t i = list; i; i = join->pool.items[i].next) {
		if (!cost_join_sum(join, &join->pool.items[i], ns, form, &sum))
			return false;
		cost_join_take(join, sum.ns, sum.base, sum.form);
	}
	cost_join_free(join, list);
	return true;
}

/* Take a list, or what would be too long a path for 64 bits. */
static int take_other(struct reducer *reducer, struct rank_node *node, struct cost_edge *value,
		      uint64_t ns, uint32_t form)
{
	if (node->state == NODE_LIST && take_list(&reducer->join, value->from, ns, form))
		return 0;
	if (reducer->writer.forms.failed)
		return -1;
	/* Those that were taken are dominated by the vertex's now. */
	TRY(keep_node(reducer, node, value));
	cost_join_take(&reducer->join, ns, value->from, form);
	return 0;
}

/* Take what a node stands for, gone on by ns and form. */
static inline int take_node(struct reducer *reducer, struct rank_node *node,
			    struct cost_edge *value, uint64_t ns, uint32_t form)
{
	const struct candidate edge = {value->ns, value->from, value->form, 0};
	struct candidate sum;

	if (node->state == NODE_LIST ||
	    !cost_join_sum(&reducer->join, &edge, ns, form, &sum))
		return take_other(reducer, node, value, ns, form);
	cost_join_take(&reducer->join, sum.ns, sum.base, sum.form);
	return 0;
}

/* Take the edges from `first` on of a rank. */
static inline int take_edges(struct reducer *reducer, const struct rank_graph *graph,
			     uint32_t first)
{
	const struct cost_edge *edge = &graph->edges[first];

	for (;; edge++) {
		const uint32_t form = translate(reducer, graph->part, cost_edge_form(edge));

		if (form == FORM_FAILED)
			return -1;
		if (edge->from) {
			struct rank_node *node = &graph->nodes[edge->from - 1];

			TRY(take_node(reducer, node, &graph->edges[node->first_edge], edge->ns,
				      form));
		} else {
			cost_join_take(&reducer->join, edge->ns, 0, form);
		}
		if (edge->form & COST_LAST_EDGE)
			return 0;
	}
}

/* The meeting that a rendezvous send returns from. */
static struct node_place meeting_of(const struct rank_node *node)
{
	return (struct node_place){node->peer, node->peer_place};
}

/* Say what the node stands for: a vertex only if it must be one. */
static int set_node(struct reducer *reducer, struct rank_node *node, struct cost_edge *value)
{
	struct cost_join *join = &reducer->join;
	const struct candidate *open = join->open.items;
	const uint64_t first = reducer->writer.edges.count;

	node->state = NODE_EDGE;
	if (join->open.count == 1) {
		*value = (struct cost_edge){open->ns, open->base, open->form};
		return 0;
	}
	if (node->uses < NODE_USES && join->open.count <= MOST_LED_PAST) {
		node->state = NODE_LIST;
		return cost_join_list(join, &value->from);
	}
	TRY(cost_join_write(&reducer->join, &reducer->writer));
	return add_vertex(reducer, node->instant, first, value);
}

/* All nodes that edges into this one come from have been reduced. */
static int reduce_node(struct reducer *reducer, struct node_place place)
{
	const struct rank_graph *graph = &reducer->ranks.ranks[place.rank];
	struct rank_node *node = &graph->nodes[place.node];

	reducer->join.open.count = 0;
	if (node->kind == NODE_RETURN) {
		const struct node_place met = meeting_of(node);
		struct rank_node *meeting = node_at(reducer, met);

		TRY(take_node(reducer, meeting,
			      &reducer->ranks.ranks[met.rank].edges[meeting->first_edge], 0,
			      FORM_NONE));
	} else {
		TRY(take_edges(reducer, graph, node->first_edge));
	}
	if (node->kind == NODE_MEETING)
		TRY(take_edges(reducer, &reducer->ranks.ranks[node->peer], node->peer_place));
	TRY(cost_join_close(&reducer->join, reducer->writer.edges.items));
	return set_node(reducer, node, &graph->edges[node->first_edge]);
}

/* ---------------------------------------------------------------------- order */

/* A node has to be reduced before the last one of the path. */
static inline int require(struct reducer *reducer, struct node_place place)
{
	const uint8_t state = node_at(reducer, place)->state;

	if (state >= NODE_EDGE)
		return 0;
	/* It is on the path, for want of the last one. */
	if (state == NODE_STARTED)
		return execution_cycle_error(reducer->execution, reducer->err);
	return array_push(&reducer->path, place, reducer->err);
}

static inline int require_sources(struct reducer *reducer, uint32_t rank, uint32_t first)
{
	const struct cost_edge *edge = &reducer->ranks.ranks[rank].edges[first];
	/* All nodes before it have been reduced. */
	const uint32_t next = reducer->next[rank];

	for (;; edge++) {
		if (edge->from > next)
			TRY(require(reducer, (struct node_place){rank, edge->from - 1}));
		if (edge->form & COST_LAST_EDGE)
			return 0;
	}
}

static int require_all(struct reducer *reducer, struct node_place place)
{
	const struct rank_graph *graph = &reducer->ranks.ranks[place.rank];
	const struct rank_node *node = &graph->nodes[place.node];

	if (node->kind == NODE_RETURN)
		return require(reducer, meeting_of(node));
	if (node->kind == NODE_MEETING)
		TRY(require_sources(reducer, node->peer, node->peer_place));
	return require_sources(reducer, place.rank, node->first_edge);
}

/* Depth first: a node is reduced when what it requires has been. */
static int reduce_path(struct reducer *reducer)
{
	while (reducer->path.count) {
		const size_t length = reducer->path.count;
		const struct node_place place = reducer->path.items[length - 1];
		struct rank_node *node = node_at(reducer, place);

		if (node->state < NODE_EDGE) {
			TRY(require_all(reducer, place));
			if (reducer->path.count > length) {
				node->state = NODE_STARTED;
				continue;
			}
			TRY(reduce_node(reducer, place));
		}
		reducer->path.count--;
	}
	return 0;
}

static int reduce_up_to(struct reducer *reducer, struct node_place last)
{
	struct rank_node *node = node_at(reducer, last);

	if (node->state >= NODE_EDGE)
		return 0;
	TRY(require_all(reducer, last));
	if (reducer->path.count) {
		node->state = NODE_STARTED;
		TRY(reduce_path(reducer));
	}
	return reduce_node(reducer, last);
}

/*
 * Ask for what the rank needs in its next turns: so many places of memory are read in
 * turn that processors do not foresee it.
 */
static void prefetch_ahead(const struct rank_graph *graph, uint32_t node)
{
	enum { NODES_AHEAD = 8, EDGES_AHEAD = 4 };

	if (graph->node_count - node <= NODES_AHEAD)
		return;
	__builtin_prefetch(&graph->nodes[node + NODES_AHEAD], 1);
	__builtin_prefetch(&graph->edges[graph->nodes[node + EDGES_AHEAD].first_edge], 1);
}

/*
 * Take all ranks forward together, each by its share: what is held of nodes whose edges
 * lead further on stays small, and that of all vertices whose values are still needed.
 */
static int reduce_all(struct reducer *reducer, uint32_t *next)
{
	const struct goal *goal = reducer->execution->goal;
	uint64_t nodes = 0, rounds;

	for (uint32_t rank = 0; rank < goal->rank_count; rank++)
		nodes += reducer->ranks.ranks[rank].node_count;
	rounds = nodes / goal->rank_count + 1;
	for (uint64_t round = 0; round < rounds; round++) {
		progress_show(rounds + round, 2 * rounds);
		for (uint32_t rank = 0; rank < goal->rank_count; rank++) {
			const uint32_t share = (uint32_t)(reducer->ranks.ranks[rank].node_count *
							  (round + 1) / rounds);

			for (; next[rank] < share; next[rank]++) {
				prefetch_ahead(&reducer->ranks.ranks[rank], next[rank]);
				TRY(reduce_up_to(reducer, (struct node_place){rank, next[rank]}));
			}
		}
	}
	return 0;
}

static int reduce_end(struct reducer *reducer)
{
	const struct goal *goal = reducer->execution->goal;

	reducer->join.open.count = 0;
	for (uint32_t rank = 0; rank < goal->rank_count; rank++)
		TRY(take_edges(reducer, &reducer->ranks.ranks[rank],
			       reducer->ranks.ranks[rank].end));
	TRY(cost_join_close(&reducer->join, reducer->writer.edges.items));
	TRY(cost_join_write(&reducer->join, &reducer->writer));
	return cost_writer_vertex(&reducer->writer, COST_INSTANT_END, reducer->err);
}

static int reduce(struct reducer *reducer)
{
	struct error *err = reducer->err;

	TRY(cost_ranks_init(&reducer->ranks, reducer->execution, err));
	if (reducer->ranks.cyclic)
		return execution_cycle_error(reducer->execution, err);
	TRY(cost_writer_init(&reducer->writer, err));
	TRY(cost_join_init(&reducer->join, &reducer->writer.forms, err));
	TRY(allocate(&reducer->forms, reducer->ranks.part_count, sizeof *reducer->forms, err));
	for (uint32_t i = 0; i < reducer->ranks.part_count; i++)
		TRY(allocate(&reducer->forms[i], reducer->ranks.parts[i].forms.list.count,
			     sizeof *reducer->forms[i], err));
	TRY(allocate(&reducer->next, reducer->execution->goal->rank_count, sizeof *reducer->next,
		     err));
	TRY(reduce_all(reducer, reducer->next));
	return reduce_end(reducer);
}

int cost_reduce(struct cost_graph *graph, const struct execution *execution, struct error *err)
{
	struct reducer reducer = {.execution = execution, .err = err};
	const int result = reduce(&reducer);

	for (uint32_t i = 0; reducer.forms && i < reducer.ranks.part_count; i++)
		free(reducer.forms[i]);
	free(reducer.forms);
	free(reducer.next);
	cost_ranks_release(&reducer.ranks);
	cost_join_release(&reducer.join);
	array_release(&reducer.path);
	if (result < 0) {
		cost_writer_release(&reducer.writer);
		return -1;
	}
	TRY(cost_writer_finish(&reducer.writer, graph, err));
	graph->op_count = execution->goal->op_count;
	graph->message_count = execution->matching.message_count;
	return 0;
}
