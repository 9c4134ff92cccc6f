/*
 * The cost graph, on which both engines work.
 *
 * It has the same longest paths as the execution graph for all values of L, o, g and G that
 * are at least 0, with far fewer vertices.  With resources and loggps->asked that holds at all
 * points of this direction, and for values next to them: a third of the edges of NICs are left out,
 * since one of two bounds never binds.  The value of a vertex is the maximum of
 * value(from) + cost over its in-edges.  The value of the last vertex is T.
 *
 * A vertex is an event with several in-edges and several edges out of it.  Left out are
 *	chains		events with one in-edge: the edges out of such an event begin where
 *			its in-edge begins, and cost the sum
 *	small joins	events with one edge out of them: the in-edges of such an event lead
 *			to where this edge leads
 *	dominated edges	of two edges between the same vertices, the one that costs no more in
 *			any coefficient; edges from the beginning of the program that cost
 *			no more than another edge; edges past a vertex that cost no more
 *			than the two edges by way of it; with a direction also edges that cost
 *			less at each of its points
 * An event also becomes a vertex if a sum of costs would not fit 64 bits, or if too many
 * edges would bypass it.
 *
 * The operations of an edge are not stored.  llamp/analysis/critical_path.h finds them by
 * visiting the execution graph.
 *
 * Memory: 8 bytes per edge and 4 per vertex, about 6 per operation of a halo exchange.
 * Building it takes little more (llamp/traversal/traversal.h).
 */
#ifndef LLAMP_COST_GRAPH_H
#define LLAMP_COST_GRAPH_H

#include "llamp/graph/cost_edges.h"
#include "llamp/graph/cost_expressions.h"

/* Events that can be vertices; doc/model.md has those of the execution with resources. */
enum event_kind {
	EVENT_START,	  /* of a calc or a send; without resources also of a receive */
	EVENT_POST,	  /* of a receive */
	EVENT_MATCH,	  /* of a message with its receive */
	EVENT_INJECTION,  /* of a message, by its sender's NIC */
	EVENT_ARRIVAL,	  /* of its first byte, at its receiver's NIC */
	EVENT_COMPLETION, /* of a receive: its overhead begins */
	EVENT_WAIT,	  /* of an operation, for the receives that it requires */
};

/* Operations of a graph, so that the number of an event fits 32 bits. */
#define EXECUTION_MOST_OPS (UINT32_C(1) << 29)

/* The number of an event of a vertex. */
static inline uint32_t cost_event(uint32_t op, enum event_kind kind)
{
	return 8 * op + (uint32_t)kind;
}

static inline uint32_t cost_event_op(uint32_t event)
{
	return event / 8;
}

static inline enum event_kind cost_event_kind(uint32_t event)
{
	return (enum event_kind)(event % 8);
}

/* Event of the last vertex: the end of the program. */
#define COST_EVENT_END UINT32_MAX

/* Upper bounds of the ns and of each coefficient of any path. */
struct cost_bound {
	double ns, of[VARIABLES_MOST];
};

/*
 * Edges are in the order of the vertices that they lead to.  Values are kept in slots.  A vertex
 * takes a slot whose former value no later edge reads, so that the slots in use stay in the cache.
 * Slot 0 is the beginning of the program, with the value 0.  An edge names the slot of its source.
 */
struct cost_graph {
	uint32_t vertex_count; /* the last is the end of the program */
	uint32_t slot_count;
	uint64_t edge_count; /* at least one into each vertex */
	struct cost_edges edges;
	uint32_t *slots;  /* [vertex] */
	uint32_t *events; /* [vertex]: of the execution, see cost_event; NULL: not known */
	struct cost_expressions expressions;
	uint32_t variable_count; /* above the index of each variable in `expressions` */
	uint64_t coefficient_unit[VARIABLES_MOST]; /* greatest common divisor, or 0 */
	struct cost_bound most;
	uint64_t most_edge_ns; /* on one edge */
	uint32_t op_count, message_count;
};

void cost_graph_release(struct cost_graph *graph);

/* An edge of the graph. */
static inline struct cost_edge cost_graph_edge(const struct cost_graph *graph, uint64_t index)
{
	return cost_edges_at(&graph->edges, index);
}

/* Whether an edge is the last one into its vertex. */
static inline bool cost_graph_is_last(const struct cost_graph *graph, uint64_t index)
{
	return cost_edge_is_last(graph->edges.list.items[index]);
}

/*
 * Find where the edges begin.  (*sources)[i] becomes the vertex where edge i begins, or
 * UINT32_MAX for the beginning of the program.  The caller frees *sources.
 */
int cost_graph_sources(const struct cost_graph *graph, uint32_t **sources, struct error *err);

#endif
