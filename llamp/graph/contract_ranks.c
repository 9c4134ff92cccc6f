#include "llamp/graph/contract_ranks.h"

#include "common/parallel.h"
#include "common/progress.h"
#include "llamp/graph/edge_merge.h"

#include <stdatomic.h>
#include <string.h>

/* State of an operation. */
struct pending {
	uint32_t arrived;	/* in-edges visited, less those of gaps: see is_ready */
	uint32_t list;		/* in-edges of its start */
};

/* Contraction of a rank. */
struct contraction {
	const struct execution_graph *execution;
	struct rank_group *group;
	struct edge_merge merge;
	uint32_t *places;		/* see struct contractions */
	/* Arrays with room for the largest rank: */
	struct pending *ops;
	uint32_t *queue;
	uint32_t queued;
	uint32_t end_list;
	/* The rank that is being contracted: */
	const struct goal_block *block;
	size_t first_node, first_edge;
	const struct located *at;	/* operation whose edges are being visited */
	bool rendezvous;		/* it belongs to a rendezvous message */
	const struct cost *cost;	/* of the edge that was visited last, or NULL */
	ARRAY(struct in_edge) extended;	/* the edges of the open event, extended by `cost` */
	bool failed;
	struct error *err;
};

static int keep_start(struct contraction *c);

/* Write the in-edges of the open event, extended by a cost.  Returns the first one's number. */
static int64_t write_edges(struct contraction *c, uint64_t ns, uint32_t expression)
{
	struct edge_merge *merge = &c->merge;
	size_t first = c->group->edges.count;
	struct cost_edge *edge;

	TRY(array_reserve(&c->group->edges, merge->open.count, c->err));
	for (size_t i = 0; i < merge->open.count; i++) {
		struct in_edge sum = {0};

		if (!edge_merge_extend(merge, &merge->open.items[i], ns, expression, &sum)) {
			if (merge->expressions->failed)
				return -1;
			c->group->edges.count = first;
			TRY(keep_start(c));
			return write_edges(c, ns, expression);
		}
		edge = &c->group->edges.items[c->group->edges.count++];
		*edge = (struct cost_edge){sum.ns, sum.source, sum.expression};
		if (sum.source) {
			uint8_t *uses = &c->group->nodes.items[c->first_node + sum.source - 1].uses;

			*uses += *uses < NODE_USES;
		}
	}
	c->group->edges.items[c->group->edges.count - 1].expression |= COST_LAST_EDGE;
	if (c->group->edges.count - c->first_edge > UINT32_MAX)
		return error_set(c->err, STATUS_LIMIT, "a rank has more than %u edges", UINT32_MAX);
	return (int64_t)(first - c->first_edge);
}

/* Turn the open event into a node with the edges from `first_edge` on. */
static int add_node(struct contraction *c, enum contracted_kind kind, size_t first_edge)
{
	const struct contracted_node node = {
		.first_edge = (uint32_t)first_edge,
		.event = 2 * c->at->number + (kind == NODE_MATCH),
		.peer = c->at->op.peer,
		.kind = (uint8_t)kind,
		/* The match of a rendezvous has an edge to each of the two ranks. */
		.uses = kind == NODE_MATCH && c->rendezvous ? NODE_USES : 0,
	};

	TRY(array_push(&c->group->nodes, node, c->err));
	TRY(edge_merge_add_source(&c->merge, c->group->edges.items + c->first_edge, first_edge));
	edge_merge_keep_last(&c->merge);
	c->cost = NULL;
	return 0;
}

/* Keep the start of the operation as a node. */
static int keep_start(struct contraction *c)
{
	int64_t first;

	TRY(first = write_edges(c, 0, EXPRESSION_NONE));
	return add_node(c, NODE_START, (size_t)first);
}

/* Extend the edges of the open event by a cost that several edges share. */
static int extend_by(struct contraction *c, const struct cost *cost)
{
	struct edge_merge *merge = &c->merge;
	const uint32_t expression = cost_expressions_of(merge->expressions, cost);
	struct in_edge *extended;

	TRY(array_reserve(&c->extended, merge->open.count, c->err));
	extended = c->extended.items;
	for (size_t i = 0; i < merge->open.count; i++) {
		if (edge_merge_extend(merge, &merge->open.items[i], cost->ns, expression,
				      &extended[i]))
			continue;
		if (merge->expressions->failed)
			return -1;
		TRY(keep_start(c));
		return extend_by(c, cost);
	}
	c->extended.count = merge->open.count;
	c->cost = cost;
	return 0;
}

/* Add the in-edges of the open event, extended by a cost, to a list. */
static inline int extend_to(struct contraction *c, uint32_t *list, const struct cost *cost)
{
	if (cost != c->cost)
		TRY(extend_by(c, cost));
	for (size_t i = 0; i < c->extended.count; i++) {
		const struct in_edge *extended = &c->extended.items[i];
		const uint32_t number = edge_merge_new(&c->merge);
		struct in_edge *added = &c->merge.pool.items[number];

		if (!number)
			return -1;
		/* Write single fields: a field is read soon, and would wait for a wider store. */
		added->ns = extended->ns;
		added->source = extended->source;
		added->expression = extended->expression;
		added->next = *list;
		*list = number;
	}
	return 0;
}

/* Write the in-edges of a match that come from this rank.  The receiver's rank has its node. */
static int write_match(struct contraction *c, const struct edge *edge)
{
	const uint32_t expression = cost_expressions_of(c->merge.expressions, edge->cost);
	int64_t first;

	TRY(first = write_edges(c, edge->cost->ns, expression));
	if (c->at->op.kind == GOAL_SEND) {
		c->places[edge->to] = (uint32_t)first;
		return 0;
	}
	c->places[edge->to] = (uint32_t)(c->group->nodes.count - c->first_node);
	return add_node(c, NODE_MATCH, (size_t)first);
}

/* Whether all in-edges of an operation have been visited, of dependencies and of gaps. */
static inline bool is_ready(const struct contraction *c, uint32_t op)
{
	return c->ops[op].arrived == goal_load32(c->block->ops + (size_t)op * GOAL_OP_BYTES);
}

EXECUTION_INLINE void contract_edge(void *context, const struct edge *edge)
{
	struct contraction *c = context;
	const uint32_t op = edge->to - c->block->first_op;
	int result;

	if (edge->target == TARGET_START) {
		result = extend_to(c, &c->ops[op].list, edge->cost);
		c->ops[op].arrived++;
		if (is_ready(c, op))
			c->queue[c->queued++] = op;
	} else if (edge->target == TARGET_MATCH) {
		result = write_match(c, edge);
	} else {
		result = extend_to(c, &c->end_list, edge->cost);
	}
	if (result < 0)
		c->failed = true;
}

/* Contract the edges from the match of the operation's message to the operation's own rank. */
static int contract_match(struct contraction *c, const struct located *at, uint64_t bytes)
{
	const struct cost end = cost_after_match(c->execution->loggps, bytes,
						 execution_class(c->execution, at->number),
						 at->op.kind);

	if (at->op.kind == GOAL_SEND) {
		/* Put the return after the beginning.  The match is a node of the other rank. */
		const struct cost_edge edge = {.expression = EXPRESSION_NONE | COST_LAST_EDGE};
		const size_t first = c->group->edges.count - c->first_edge;

		TRY(array_push(&c->group->edges, edge, c->err));
		TRY(add_node(c, NODE_RETURN, first));
	}
	visit_end(at, &end, contract_edge, c);
	return 0;
}

/* Bytes that a receive gets.  Without rendezvous and O they do not matter, and 0 is returned. */
static uint64_t received_bytes(const struct execution_graph *execution, const struct located *recv)
{
	if (execution->loggps->S == LOGGPS_NO_RENDEZVOUS &&
	    !variable_is_on(&execution->loggps->variables.of[VARIABLE_O]))
		return 0;
	return execution_locate(execution, recv->op.peer,
				execution->matching.partner[recv->number]).op.size;
}

static int contract_op(struct contraction *c, const struct located *at)
{
	const struct execution_graph *execution = c->execution;
	const uint64_t bytes = at->op.kind == GOAL_RECV ? received_bytes(execution, at)
							: at->op.size;
	struct edge_merge *merge = &c->merge;

	c->at = at;
	c->cost = NULL;
	c->rendezvous = at->op.kind != GOAL_CALC && message_is_rendezvous(execution->loggps, bytes);
	merge->open.count = 0;
	edge_merge_take_list(merge, &c->ops[at->number - c->block->first_op].list);
	TRY(edge_merge_close(merge, c->group->edges.items + c->first_edge));
	if (merge->open.count > MOST_BYPASSED ||
	    (merge->open.count > 1 && execution_start_edges(execution, at) > 1))
		TRY(keep_start(c));
	execution_edges_of_start(execution, at, contract_edge, c);
	if (!c->failed && (at->op.kind == GOAL_RECV || c->rendezvous))
		TRY(contract_match(c, at, bytes));
	return c->failed ? -1 : 0;
}

/* Queue the operations that wait for none. */
static void queue_first(struct contraction *c)
{
	const struct goal_block *block = c->block;
	const struct execution_graph *execution = c->execution;

	memset(c->ops, 0, block->op_count * sizeof *c->ops);
	if (execution->gap_first)
		for (uint32_t i = execution->gap_first[block->first_op];
		     i < execution->gap_first[block->first_op + block->op_count]; i++)
			c->ops[execution->gap_later[i] - block->first_op].arrived -= 2;
	c->queued = 0;
	for (uint32_t i = 0; i < block->root_count; i++) {
		const uint32_t root = goal_load32(block->roots + (size_t)i * 4);

		if (is_ready(c, root))
			c->queue[c->queued++] = root;
	}
}

/* Write the edges of the rank into the end of the program. */
static int close_rank(struct contraction *c, struct contracted_rank *graph)
{
	int64_t first;

	c->merge.open.count = 0;
	edge_merge_take_list(&c->merge, &c->end_list);
	TRY(edge_merge_close(&c->merge, c->group->edges.items + c->first_edge));
	TRY(first = write_edges(c, 0, EXPRESSION_NONE));
	graph->end = (uint32_t)first;
	graph->node_count = (uint32_t)(c->group->nodes.count - c->first_node);
	graph->edge_count = c->group->edges.count - c->first_edge;
	return 0;
}

/* Contract a rank.  Returns 1 if its operations wait for each other. */
static int contract_rank(struct contraction *c, uint32_t rank, struct contracted_rank *graph)
{
	c->block = &c->execution->goal->ranks[rank];
	c->first_node = c->group->nodes.count;
	c->first_edge = c->group->edges.count;
	edge_merge_restart(&c->merge);
	queue_first(c);
	for (uint32_t i = 0; i < c->queued; i++) {
		const struct located at = execution_locate(c->execution, rank,
							   c->block->first_op + c->queue[i]);

		TRY(contract_op(c, &at));
	}
	return c->queued < c->block->op_count ? 1 : close_rank(c, graph);
}

/* ------------------------------------------------------------------ all ranks */

struct contractions {
	const struct execution_graph *execution;
	struct contracted_ranks *ranks;
	/*
	 * [send]: number of the first edge from its rank into the match of its message.
	 * [receive]: node of that match.
	 */
	uint32_t *places;
	atomic_uint_least64_t done;
	atomic_bool cyclic;
};

static int init_contraction(struct contraction *c, struct error *err)
{
	const struct goal *goal = c->execution->goal;
	uint32_t largest = 0;
	size_t ops = 0;

	for (uint32_t rank = c->group->first_rank; rank < c->group->end_rank; rank++) {
		const uint32_t count = goal->ranks[rank].op_count;

		ops += count;
		largest = count > largest ? count : largest;
	}
	/* Reserve enough for halo exchanges, since arrays that grow lose their large pages. */
	TRY(array_reserve(&c->group->nodes, ops / 2, err));
	TRY(array_reserve(&c->group->edges, ops + ops / 4, err));
	TRY(allocate(&c->ops, largest, sizeof *c->ops, err));
	TRY(allocate(&c->queue, largest, sizeof *c->queue, err));
	TRY(cost_expressions_init(&c->group->expressions, err));
	TRY(cost_expressions_use(&c->group->expressions, c->execution->classes.list,
				 c->execution->classes.count, err));
	return edge_merge_init(&c->merge, &c->group->expressions, err);
}

/* Contract the ranks of a group.  Returns 1 if operations wait for each other. */
static int contract_ranks(struct contractions *all, struct contraction *c, uint32_t group)
{
	struct contracted_rank *graphs = all->ranks->ranks;
	const struct goal *goal = c->execution->goal;
	size_t nodes = 0, edges = 0;
	int result;

	for (uint32_t rank = c->group->first_rank; rank < c->group->end_rank; rank++) {
		TRY(result = contract_rank(c, rank, &graphs[rank]));
		if (result > 0)
			return 1;
		progress_show(atomic_fetch_add(&all->done, goal->ranks[rank].op_count),
			      2 * (uint64_t)goal->op_count);
	}
	for (uint32_t rank = c->group->first_rank; rank < c->group->end_rank; rank++) {
		graphs[rank].group = group;
		graphs[rank].nodes = c->group->nodes.items + nodes;
		graphs[rank].edges = c->group->edges.items + edges;
		nodes += graphs[rank].node_count;
		edges += graphs[rank].edge_count;
	}
	return 0;
}

static int contract_group(void *shared, void *state, uint32_t group, struct error *err)
{
	struct contractions *all = shared;
	struct contraction c = {
		.execution = all->execution,
		.group = &all->ranks->groups[group],
		.places = all->places,
		.err = err,
	};
	int result = init_contraction(&c, err);

	(void)state;
	if (result == 0)
		result = contract_ranks(all, &c, group);
	if (result > 0)
		atomic_store(&all->cyclic, true);
	edge_merge_release(&c.merge);
	cost_expressions_finish(&c.group->expressions);
	array_release(&c.extended);
	free(c.ops);
	free(c.queue);
	return result < 0 ? -1 : 0;
}

/* Set peer_place of the nodes of a group, after all ranks have been contracted. */
static int link_group(void *shared, void *state, uint32_t group, struct error *err)
{
	const struct contractions *all = shared;
	struct rank_group *linked = &all->ranks->groups[group];

	(void)state;
	(void)err;
	for (size_t i = 0; i < linked->nodes.count; i++) {
		struct contracted_node *node = &linked->nodes.items[i];

		if (node->kind != NODE_START)
			node->peer_place = all->places[
				all->execution->matching.partner[node->event / 2]];
	}
	return 0;
}

/* Divide the ranks into groups with about the same number of operations. */
static void cut_ranks(struct contracted_ranks *ranks, const struct goal *goal)
{
	uint32_t rank = 0;

	for (uint32_t i = 0; i < ranks->group_count; i++) {
		const uint64_t end = (uint64_t)goal->op_count * (i + 1) / ranks->group_count;

		ranks->groups[i].first_rank = rank;
		while (rank < goal->rank_count &&
		       (i + 1 == ranks->group_count || goal->ranks[rank].first_op < end))
			rank++;
		ranks->groups[i].end_rank = rank;
	}
}

int contracted_ranks_init(struct contracted_ranks *ranks, const struct execution_graph *execution,
			  struct error *err)
{
	/* More groups than threads, so that no thread waits long for the last one. */
	enum { GROUPS_PER_THREAD = 4 };
	const struct goal *goal = execution->goal;
	const unsigned threads = parallel_threads(goal->op_count);
	const uint32_t groups = threads > 1 ? GROUPS_PER_THREAD * threads : 1;
	struct contractions all = {.execution = execution, .ranks = ranks};
	const struct parallel_work contract = {.make = contract_group, .shared = &all};
	const struct parallel_work link = {.make = link_group, .shared = &all};
	int result;

	*ranks = (struct contracted_ranks){0};
	TRY(allocate(&ranks->ranks, goal->rank_count, sizeof *ranks->ranks, err));
	TRY(allocate(&ranks->groups, groups, sizeof *ranks->groups, err));
	ranks->group_count = groups;
	cut_ranks(ranks, goal);
	TRY(allocate(&all.places, goal->op_count, sizeof *all.places, err));
	result = parallel_run(&contract, groups, threads, err);
	ranks->cyclic = all.cyclic;
	if (result == 0 && !ranks->cyclic)
		result = parallel_run(&link, groups, threads, err);
	free(all.places);
	return result;
}

void contracted_ranks_release(struct contracted_ranks *ranks)
{
	for (uint32_t i = 0; i < ranks->group_count; i++) {
		array_release(&ranks->groups[i].nodes);
		array_release(&ranks->groups[i].edges);
		cost_expressions_release(&ranks->groups[i].expressions);
	}
	free(ranks->groups);
	free(ranks->ranks);
	*ranks = (struct contracted_ranks){0};
}
