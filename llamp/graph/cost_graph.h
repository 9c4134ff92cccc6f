/*
 * The cost graph, on which both engines work.
 *
 * It has the same longest paths as the execution graph for all values
 * of L, o, g and G at least 0, with far fewer vertices.  The value of a vertex is
 * the largest of value(from) + cost over the edges into it; the value of the last
 * vertex is T.
 *
 * Vertices are those events of the execution at which several edges come together
 * and from which several go out.  Left out are
 *	chains		an event with one edge into it: the edges out of it begin
 *			where that one does, with the sum of the costs
 *	small joins	an event with one edge out of it: the edges into it lead to
 *			where that one does
 *	dominated edges	of two edges between the same vertices the one that costs no more
 *			in any coefficient, edges from the beginning of the program
 *			that cost no more than another edge, and edges past a vertex
 *			that cost no more than the two by way of it
 * An event also becomes a vertex where a sum of costs would not fit 64 bits, and
 * where too many edges would bypass it.
 *
 * The operations of an edge are not stored.  Where they are needed they are found by
 * visiting the execution (llamp/analysis/critical_path.h).
 *
 * Memory: 16 bytes per edge and 8 per vertex, about 15 per operation of a halo
 * exchange.  While its graph is built, 54 per operation.
 */
#ifndef LLAMP_COST_GRAPH_H
#define LLAMP_COST_GRAPH_H

#include "llamp/graph/cost_expressions.h"

/*
 * Edges are in the order of the vertices they lead to.  Values are kept in slots: a vertex
 * takes a slot that no later edge reads, so that the slots in use stay in the cache.  Slot 0
 * is the beginning of the program, with the value 0.
 */
struct cost_edge {
	uint64_t ns;
	uint32_t from;		/* slot of the vertex from which it comes */
	uint32_t expression;	/* its number; COST_LAST_EDGE is added if it is its vertex's last */
};

#define COST_LAST_EDGE (UINT32_C(1) << 31)

/* Number of the edge's expression. */
static inline uint32_t cost_edge_expression(const struct cost_edge *edge)
{
	return edge->expression & ~COST_LAST_EDGE;
}

struct cost_vertex {
	uint32_t slot;
	uint32_t event;	/* of the execution: 2 * operation, + 1 for a match */
};

/* The event of the last vertex: the end of the program. */
#define COST_EVENT_END UINT32_MAX

/* Upper bounds of the ns and of each coefficient of any path. */
struct cost_bound {
	double ns, of[VARIABLES_MOST];
};

struct cost_graph {
	uint32_t vertex_count;		/* the last is the end of the program */
	uint32_t slot_count;
	uint64_t edge_count;		/* every vertex has an edge into it */
	struct cost_edge *edges;
	struct cost_vertex *vertices;
	struct cost_expressions expressions;
	uint32_t variable_count;	/* more than the index of any in the expressions */
	uint64_t coefficient_unit[VARIABLES_MOST];	/* greatest common divisor, or 0 */
	struct cost_bound most;
	uint64_t most_edge_ns;		/* on one edge */
	uint32_t op_count, message_count;
};

void cost_graph_release(struct cost_graph *graph);

/*
 * Where the edges come from: sources[i] becomes the vertex of edge i, UINT32_MAX
 * for the beginning of the program.
 */
int cost_graph_sources(const struct cost_graph *graph, uint32_t **sources, struct error *err);

#endif
