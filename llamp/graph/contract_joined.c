#include "llamp/graph/contract_joined.h"

#include "common/progress.h"
#include "llamp/graph/edge_merge.h"
#include "llamp/graph/contract_ranks.h"
#include "llamp/graph/cycle.h"

/*
 * State of a node.  A node that has been joined is replaced by one edge from a vertex
 * (NODE_EDGE), or by the list of its in-edges, which its only use takes (NODE_LIST).  The
 * node's first edge holds the replacement.
 */
enum node_state { NODE_WAITS, NODE_STARTED, NODE_EDGE, NODE_LIST };

/* A node by rank and index. */
struct node_place {
	uint32_t rank, node;
};

struct joiner {
	const struct execution_graph *execution;
	struct contracted_ranks ranks;
	struct cost_writer writer;
	struct edge_merge merge;
	uint32_t **expressions;		/* [group][its expression]: number + 1 in the graph, or 0 */
	uint32_t *next;			/* [rank]: its first node that was not visited */
	ARRAY(struct node_place) path;	/* each node waits for the next one */
	struct error *err;
};

static struct contracted_node *node_at(const struct joiner *joiner, struct node_place place)
{
	return &joiner->ranks.ranks[place.rank].nodes[place.node];
}

/* Number in the graph of an expression of a group, or EXPRESSION_FAILED. */
static uint32_t joiner_expression(struct joiner *joiner, uint32_t group, uint32_t expression)
{
	uint32_t *known = &joiner->expressions[group][expression];

	if (!*known)
		*known = cost_expressions_copy(&joiner->writer.expressions,
					       &joiner->ranks.groups[group].expressions,
					       expression) + 1;
	return *known - 1;
}

/* ------------------------------------------------------------------ vertices */

/* Add a vertex for the edges from `first` on.  *value becomes an edge from it without cost. */
static int joiner_add_vertex(struct joiner *joiner, uint32_t event, uint64_t first,
			     struct cost_edge *value)
{
	TRY(cost_writer_vertex(&joiner->writer,
			       cost_event(event / 2, event % 2 ? EVENT_MATCH : EVENT_START),
			       joiner->err));
	TRY(edge_merge_add_source(&joiner->merge, joiner->writer.edges.items, first));
	*value = (struct cost_edge){.from = (uint32_t)joiner->writer.vertices.count};
	return 0;
}

/* Turn a node that was replaced by edges into a vertex. */
static int keep_node(struct joiner *joiner, struct contracted_node *node, struct cost_edge *value)
{
	const uint64_t first = joiner->writer.edges.count;

	if (node->state == NODE_LIST) {
		const struct in_edge *edge;

		for (uint32_t i = value->from; i; i = edge->next) {
			edge = &joiner->merge.pool.items[i];
			TRY(cost_writer_edge(&joiner->writer, edge->source, edge->ns,
					     edge->expression, joiner->err));
		}
		edge_merge_free(&joiner->merge, value->from);
		node->state = NODE_EDGE;
	} else {
		TRY(cost_writer_edge(&joiner->writer, value->from, value->ns, value->expression,
				     joiner->err));
	}
	return joiner_add_vertex(joiner, node->event, first, value);
}

/* ------------------------------------------------------------- edges into nodes */

/* Take the list that replaces a node, extended.  False if a sum does not fit 64 bits. */
static bool take_list(struct edge_merge *merge, uint32_t list, uint64_t ns, uint32_t expression)
{
	struct in_edge sum;

	for (uint32_t i = list; i; i = merge->pool.items[i].next) {
		if (!edge_merge_extend(merge, &merge->pool.items[i], ns, expression, &sum))
			return false;
		edge_merge_take(merge, sum.ns, sum.source, sum.expression);
	}
	edge_merge_free(merge, list);
	return true;
}

/* Take a list.  If a path is too long for 64 bits, turn the node into a vertex. */
static int take_other(struct joiner *joiner, struct contracted_node *node, struct cost_edge *value,
		      uint64_t ns, uint32_t expression)
{
	if (node->state == NODE_LIST && take_list(&joiner->merge, value->from, ns, expression))
		return 0;
	if (joiner->writer.expressions.failed)
		return -1;
	/* The edge from the vertex dominates the edges of the list that were taken. */
	TRY(keep_node(joiner, node, value));
	edge_merge_take(&joiner->merge, ns, value->from, expression);
	return 0;
}

/* Take the replacement of a node, extended by ns and expression. */
static inline int take_node(struct joiner *joiner, struct contracted_node *node,
			    struct cost_edge *value, uint64_t ns, uint32_t expression)
{
	const struct in_edge edge = {value->ns, value->from, value->expression, 0};
	struct in_edge sum;

	if (node->state == NODE_LIST ||
	    !edge_merge_extend(&joiner->merge, &edge, ns, expression, &sum))
		return take_other(joiner, node, value, ns, expression);
	edge_merge_take(&joiner->merge, sum.ns, sum.source, sum.expression);
	return 0;
}

/* Take the in-edges of a rank's event, which begin with edge `first`. */
static inline int take_edges(struct joiner *joiner, const struct contracted_rank *graph,
			     uint32_t first)
{
	const struct cost_edge *edge = &graph->edges[first];

	for (;; edge++) {
		const uint32_t expression = joiner_expression(joiner, graph->group,
							      cost_edge_expression(edge));

		if (expression == EXPRESSION_FAILED)
			return -1;
		if (edge->from) {
			struct contracted_node *node = &graph->nodes[edge->from - 1];

			TRY(take_node(joiner, node, &graph->edges[node->first_edge], edge->ns,
				      expression));
		} else {
			edge_merge_take(&joiner->merge, edge->ns, 0, expression);
		}
		if (edge->expression & COST_LAST_EDGE)
			return 0;
	}
}

/* Match after which a rendezvous send returns. */
static struct node_place match_of(const struct contracted_node *node)
{
	return (struct node_place){node->peer, node->peer_place};
}

/* Replace a node by its edge or list.  It becomes a vertex if it has more uses or edges. */
static int contract_joined_set_node(struct joiner *joiner, struct contracted_node *node,
				    struct cost_edge *value)
{
	struct edge_merge *merge = &joiner->merge;
	const struct in_edge *open = merge->open.items;
	const uint64_t first = joiner->writer.edges.count;

	node->state = NODE_EDGE;
	if (merge->open.count == 1) {
		*value = (struct cost_edge){open->ns, open->source, open->expression};
		return 0;
	}
	if (node->uses < NODE_USES && merge->open.count <= MOST_BYPASSED) {
		node->state = NODE_LIST;
		return edge_merge_list(merge, &value->from);
	}
	TRY(edge_merge_write(&joiner->merge, &joiner->writer));
	return joiner_add_vertex(joiner, node->event, first, value);
}

/* Join a node.  The nodes where its in-edges begin have been joined. */
static int join_node(struct joiner *joiner, struct node_place place)
{
	const struct contracted_rank *graph = &joiner->ranks.ranks[place.rank];
	struct contracted_node *node = &graph->nodes[place.node];

	joiner->merge.open.count = 0;
	if (node->kind == NODE_RETURN) {
		const struct node_place met = match_of(node);
		struct contracted_node *match = node_at(joiner, met);

		TRY(take_node(joiner, match,
			      &joiner->ranks.ranks[met.rank].edges[match->first_edge], 0,
			      EXPRESSION_NONE));
	} else {
		TRY(take_edges(joiner, graph, node->first_edge));
	}
	if (node->kind == NODE_MATCH)
		TRY(take_edges(joiner, &joiner->ranks.ranks[node->peer], node->peer_place));
	TRY(edge_merge_close(&joiner->merge, joiner->writer.edges.items));
	return contract_joined_set_node(joiner, node, &graph->edges[node->first_edge]);
}

/* ---------------------------------------------------------------------- order */

/* Put the node on the path unless it has been joined. */
static inline int require(struct joiner *joiner, struct node_place place)
{
	const uint8_t state = node_at(joiner, place)->state;

	if (state >= NODE_EDGE)
		return 0;
	/* The node is on the path, so it waits for itself. */
	if (state == NODE_STARTED)
		return cycle_error_of_graph(joiner->execution, joiner->err);
	return array_push(&joiner->path, place, joiner->err);
}

static inline int require_sources(struct joiner *joiner, uint32_t rank, uint32_t first)
{
	const struct cost_edge *edge = &joiner->ranks.ranks[rank].edges[first];
	/* The nodes of the rank before this one have been joined. */
	const uint32_t next = joiner->next[rank];

	for (;; edge++) {
		if (edge->from > next)
			TRY(require(joiner, (struct node_place){rank, edge->from - 1}));
		if (edge->expression & COST_LAST_EDGE)
			return 0;
	}
}

static int require_all(struct joiner *joiner, struct node_place place)
{
	const struct contracted_rank *graph = &joiner->ranks.ranks[place.rank];
	const struct contracted_node *node = &graph->nodes[place.node];

	if (node->kind == NODE_RETURN)
		return require(joiner, match_of(node));
	if (node->kind == NODE_MATCH)
		TRY(require_sources(joiner, node->peer, node->peer_place));
	return require_sources(joiner, place.rank, node->first_edge);
}

/* Join the nodes on the path and the nodes that they require, depth first. */
static int join_path(struct joiner *joiner)
{
	while (joiner->path.count) {
		const size_t length = joiner->path.count;
		const struct node_place place = joiner->path.items[length - 1];
		struct contracted_node *node = node_at(joiner, place);

		if (node->state < NODE_EDGE) {
			TRY(require_all(joiner, place));
			if (joiner->path.count > length) {
				node->state = NODE_STARTED;
				continue;
			}
			TRY(join_node(joiner, place));
		}
		joiner->path.count--;
	}
	return 0;
}

static int join_up_to(struct joiner *joiner, struct node_place last)
{
	struct contracted_node *node = node_at(joiner, last);

	if (node->state >= NODE_EDGE)
		return 0;
	TRY(require_all(joiner, last));
	if (joiner->path.count) {
		node->state = NODE_STARTED;
		TRY(join_path(joiner));
	}
	return join_node(joiner, last);
}

/*
 * Prefetch the nodes and edges of the rank's next turns.  The ranks are read in turn, and
 * processors do not foresee that many streams.
 */
static void prefetch_ahead(const struct contracted_rank *graph, uint32_t node)
{
	enum { NODES_AHEAD = 8, EDGES_AHEAD = 4 };

	if (graph->node_count - node <= NODES_AHEAD)
		return;
	__builtin_prefetch(&graph->nodes[node + NODES_AHEAD], 1);
	__builtin_prefetch(&graph->edges[graph->nodes[node + EDGES_AHEAD].first_edge], 1);
}

/*
 * Advance all ranks together, each by its share.  Then few nodes wait for edges at a time, and
 * few vertices have values that are still needed.
 */
static int join_all(struct joiner *joiner, uint32_t *next)
{
	const struct goal *goal = joiner->execution->goal;
	uint64_t nodes = 0, rounds;

	for (uint32_t rank = 0; rank < goal->rank_count; rank++)
		nodes += joiner->ranks.ranks[rank].node_count;
	rounds = nodes / goal->rank_count + 1;
	for (uint64_t round = 0; round < rounds; round++) {
		progress_show(rounds + round, 2 * rounds);
		for (uint32_t rank = 0; rank < goal->rank_count; rank++) {
			const uint32_t share = (uint32_t)(joiner->ranks.ranks[rank].node_count *
							  (round + 1) / rounds);

			for (; next[rank] < share; next[rank]++) {
				prefetch_ahead(&joiner->ranks.ranks[rank], next[rank]);
				TRY(join_up_to(joiner, (struct node_place){rank, next[rank]}));
			}
		}
	}
	return 0;
}

static int join_end(struct joiner *joiner)
{
	const struct goal *goal = joiner->execution->goal;

	joiner->merge.open.count = 0;
	for (uint32_t rank = 0; rank < goal->rank_count; rank++)
		TRY(take_edges(joiner, &joiner->ranks.ranks[rank],
			       joiner->ranks.ranks[rank].end));
	TRY(edge_merge_close(&joiner->merge, joiner->writer.edges.items));
	TRY(edge_merge_write(&joiner->merge, &joiner->writer));
	return cost_writer_vertex(&joiner->writer, COST_EVENT_END, joiner->err);
}

static int join_ranks(struct joiner *joiner)
{
	struct error *err = joiner->err;

	TRY(contracted_ranks_init(&joiner->ranks, joiner->execution, err));
	if (joiner->ranks.cyclic)
		return cycle_error_of_graph(joiner->execution, err);
	TRY(cost_writer_init(&joiner->writer, err));
	TRY(edge_merge_init(&joiner->merge, &joiner->writer.expressions, err));
	TRY(allocate(&joiner->expressions, joiner->ranks.group_count, sizeof *joiner->expressions,
		     err));
	for (uint32_t i = 0; i < joiner->ranks.group_count; i++)
		TRY(allocate(&joiner->expressions[i],
			     joiner->ranks.groups[i].expressions.list.count,
			     sizeof *joiner->expressions[i], err));
	TRY(allocate(&joiner->next, joiner->execution->goal->rank_count, sizeof *joiner->next,
		     err));
	TRY(join_all(joiner, joiner->next));
	return join_end(joiner);
}

int contract_joined(struct cost_graph *graph, const struct execution_graph *execution,
		    struct error *err)
{
	struct joiner joiner = {.execution = execution, .err = err};
	const int result = join_ranks(&joiner);

	for (uint32_t i = 0; joiner.expressions && i < joiner.ranks.group_count; i++)
		free(joiner.expressions[i]);
	free(joiner.expressions);
	free(joiner.next);
	contracted_ranks_release(&joiner.ranks);
	edge_merge_release(&joiner.merge);
	array_release(&joiner.path);
	if (result < 0) {
		cost_writer_release(&joiner.writer);
		return -1;
	}
	TRY(cost_writer_finish(&joiner.writer, graph, err));
	graph->op_count = execution->goal->op_count;
	graph->message_count = execution->matching.message_count;
	return 0;
}
