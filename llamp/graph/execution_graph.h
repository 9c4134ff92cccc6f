/*
 * The execution graph: the events of a program, and the events that each of them waits for.
 *
 * Events are the start s(v) of each operation v, the match m of each message and its receive,
 * and the end of the program.  An edge from one event to another says that the second comes
 * later by at least the cost of the edge.  A cost is an affine expression in the variables with
 * integer coefficients (llamp/graph/cost_rules.h).  So the edges depend on S, on the protocol
 * and on whether g is 0, and not on other values of the variables.
 *
 * Edges of the operations (doc/model.md).  e(u) is the end of u:
 * s(u) + cost (calc), s(u) + o (eager send), m + o (receive of an eager message),
 * and with rendezvous
 *	read	receive m + o + 2L + B, send m + o + 3L + B
 *	sync	receive m + o, send m + o
 *	paper	receive m + 2o + 3L + B, send m + 3o + 3L + B
 *	v requires u		s(v) >= e(u)
 *	v irequires u		s(v) >= s(u) + busy(u)
 *	message u to v, eager	m >= s(v), m >= s(u) + o + L + B; the same for sync
 *			read	m >= s(v), m >= s(u) + o + L
 *			paper	m >= s(v), m >= s(u) + L
 *	g > 0			s(v) >= s(u) + g and s(v) >= s(u) + bytes G for successive sends
 *				u, v of a rank in file order that no path within the rank connects
 *				(llamp/graph/gaps.h directs them if that makes a cycle)
 *	end of the program	>= e(u) of each u that no operation requires
 *
 * The last rule is left out where another edge out of the same event implies it.  An eager
 * send ends before its receive, and a calc before the operations that irequire it.
 *
 * The edges are not stored, but derived from the GOAL image whenever they are needed.
 * Memory: 4 bytes per operation, 8 more with g, 2 more if messages have different classes.
 */
#ifndef LLAMP_EXECUTION_GRAPH_H
#define LLAMP_EXECUTION_GRAPH_H

#include "goal/match.h"
#include "llamp/graph/cost_graph.h"
#include "llamp/graph/cost_rules.h"
#include "llamp/graph/message_classes.h"
#include "llamp/graph/message_routes.h"

struct execution_graph {
	const struct goal *goal;	/* not owned */
	const struct loggps *loggps;	/* not owned */
	struct goal_matching matching;
	struct message_classes classes;
	struct message_routes routes;	/* first is NULL unless links are limited */
	/*
	 * Sends that the gap keeps apart.  gap_later[gap_first[u]] to
	 * gap_later[gap_first[u + 1] - 1] are the sends that must start after send u.
	 * NULL without gaps.
	 */
	uint32_t *gap_first, *gap_later;
};

void execution_graph_release(struct execution_graph *execution);

/* Number of the class of the message that an operation sends or receives; 0 for a calc. */
static inline uint32_t execution_class(const struct execution_graph *execution, uint32_t op)
{
	return execution->classes.of_op ? execution->classes.of_op[op] : 0;
}

/*
 * The operation of a number.  With limited links the numbers from op_count on are those of entries
 * into links (llamp/graph/message_routes.h), which belong to their sends.
 */
static inline uint32_t execution_operation(const struct execution_graph *execution,
					   uint32_t number)
{
	const uint32_t op_count = execution->goal->op_count;

	return number < op_count ? number
				 : message_routes_send(&execution->routes, op_count,
						       number - op_count);
}

/* The coefficient of a variable in a cost. */
static inline uint64_t execution_coefficient(const struct execution_graph *execution,
					     const struct cost *cost, uint32_t variable)
{
	if (cost->class)
		return cost_coefficient(&execution->classes.list[cost->class], cost, variable);
	return variable < LOGGPS_COUNT ? cost_symbol(cost, variable) : 0;
}

/* ------------------------------------------------------------------- edges */

/* Start of an operation, or match of the message that it receives. */
struct event {
	uint32_t op;
	bool match;
};

/* Numbers of events: 2 v is the start of v, 2 v + 1 the match of the message that v receives. */
#define NO_EVENT UINT32_MAX

static inline uint32_t event_number(struct event event)
{
	return 2 * event.op + event.match;
}

static inline struct event event_of(uint32_t number)
{
	return (struct event){number / 2, number % 2 != 0};
}

/* Target of an edge. */
enum target {
	TARGET_START,		/* start of operation `to` */
	TARGET_MATCH,		/* match of the message that `to` sends or receives */
	TARGET_END,		/* end of the program; `to` is the operation that ends */
};

/* Edge out of an event. */
struct edge {
	enum target target;
	uint32_t to;		/* operation, see enum target */
	uint32_t rank;		/* its rank */
	uint32_t op;		/* operation that causes the cost */
	const struct cost *cost;
};

/* Receives one edge. */
typedef void edge_visitor(void *context, const struct edge *edge);

/* An operation, its block, number and rank. */
struct located {
	struct goal_op op;
	const struct goal_block *block;
	uint32_t number, rank;
};

static inline struct located execution_locate(const struct execution_graph *execution,
					      uint32_t rank, uint32_t number)
{
	const struct goal_block *block = &execution->goal->ranks[rank];

	return (struct located){goal_op(block, number - block->first_op), block, number, rank};
}

/* Whether the operation ends a fixed time after its start. */
static inline bool ends_by_itself(const struct execution_graph *execution, const struct goal_op *op)
{
	return op->kind == GOAL_CALC ||
	       (op->kind == GOAL_SEND && !message_is_rendezvous(execution->loggps, op->size));
}

#define EXECUTION_INLINE static inline __attribute__((always_inline))

EXECUTION_INLINE void visit_start(const struct located *at, uint32_t to, const struct cost *cost,
				  edge_visitor *visit, void *context)
{
	visit(context, &(struct edge){TARGET_START, to, at->rank, at->number, cost});
}

/* Visit the edges from the end of an operation to the operations that require it. */
EXECUTION_INLINE void visit_end(const struct located *at, const struct cost *cost,
				edge_visitor *visit, void *context)
{
	for (uint32_t k = 0; k < at->op.requires_count; k++)
		visit_start(at, at->block->first_op +
			    goal_successor(at->block, at->op.requires_first + k),
			    cost, visit, context);
	if (at->op.requires_count == 0)
		visit(context, &(struct edge){TARGET_END, at->number, at->rank, at->number, cost});
}

/* Visit the edges of the gap to the sends that must start later. */
EXECUTION_INLINE void visit_gaps(const struct execution_graph *execution, const struct located *at,
				 edge_visitor *visit, void *context)
{
	const struct cost gap = {.rule = COST_GAP};
	const struct cost transfer = {.rule = COST_TRANSFER, .bytes = at->op.size,
				      .class = execution_class(execution, at->number)};

	for (uint32_t k = execution->gap_first[at->number];
	     k < execution->gap_first[at->number + 1]; k++) {
		visit_start(at, execution->gap_later[k], &gap, visit, context);
		visit_start(at, execution->gap_later[k], &transfer, visit, context);
	}
}

/* Number of edges out of the start of an operation. */
static inline uint32_t execution_start_edges(const struct execution_graph *execution,
					     const struct located *at)
{
	uint32_t edges = at->op.irequires_count + (at->op.kind != GOAL_CALC);

	if (ends_by_itself(execution, &at->op))
		edges += at->op.requires_count;
	if (at->op.kind == GOAL_SEND && execution->gap_first)
		edges += 2 * (execution->gap_first[at->number + 1] -
			      execution->gap_first[at->number]);
	return edges ? edges : 1;
}

/* Visit the edges out of the start of an operation. */
EXECUTION_INLINE void execution_edges_of_start(const struct execution_graph *execution,
					       const struct located *at, edge_visitor *visit,
					       void *context)
{
	const struct goal_op *op = &at->op;
	const uint32_t class = op->kind == GOAL_SEND ? execution_class(execution, at->number) : 0;
	const struct cost busy = cost_busy(execution->loggps, op, class);
	const struct cost message = op->kind == GOAL_SEND
					    ? cost_message(execution->loggps, op->size, class)
					    : (struct cost){0};

	for (uint32_t k = 0; k < op->irequires_count; k++)
		visit_start(at, at->block->first_op +
			    goal_successor(at->block, op->irequires_first + k),
			    &busy, visit, context);
	if (ends_by_itself(execution, op) &&
	    (op->requires_count || (op->kind == GOAL_CALC && !op->irequires_count)))
		visit_end(at, &busy, visit, context);
	if (op->kind == GOAL_SEND && execution->gap_first)
		visit_gaps(execution, at, visit, context);
	if (op->kind != GOAL_CALC)
		visit(context, &(struct edge){TARGET_MATCH, at->number, at->rank, at->number,
					      &message});
}

/* Visit the edges out of the match of a message. */
EXECUTION_INLINE void execution_edges_of_match(const struct execution_graph *execution,
					       const struct located *send,
					       const struct located *recv, edge_visitor *visit,
					       void *context)
{
	const uint64_t bytes = send->op.size;
	const uint32_t class = execution_class(execution, recv->number);
	struct cost end = cost_after_match(execution->loggps, bytes, class, GOAL_RECV);

	visit_end(recv, &end, visit, context);
	if (!message_is_rendezvous(execution->loggps, bytes))
		return;
	end = cost_after_match(execution->loggps, bytes, class, GOAL_SEND);
	visit_end(send, &end, visit, context);
}

/* Send and receive of the message that `half` sends or receives. */
static inline void execution_message(const struct execution_graph *execution,
				     const struct located *half, struct located *send,
				     struct located *recv)
{
	const struct located other = execution_locate(
		execution, half->op.peer, execution->matching.partner[half->number]);

	*send = half->op.kind == GOAL_SEND ? *half : other;
	*recv = half->op.kind == GOAL_SEND ? other : *half;
}

/* Visit all edges out of an event. */
void execution_edges(const struct execution_graph *execution, struct event from,
		     edge_visitor *visit, void *context);

/* Event that an edge leads to.  Not for TARGET_END. */
struct event execution_target(const struct execution_graph *execution, const struct edge *edge);

/* Find an operation by its number. */
struct located execution_find(const struct execution_graph *execution, uint32_t number);

#endif
