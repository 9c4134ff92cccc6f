/*
 * The execution graph with its costs: what both engines work on.
 *
 * Vertices are instants: the start s(v) of every operation v, for every receive
 * the instant m(v) at which message and receiver have met, and the end of the
 * program.  The value of a vertex is the largest of value(from) + cost over its
 * incoming edges, or 0 where there are none; the value of the last vertex is
 * T.  A cost is a linear form in the parameters with integer coefficients, so
 * that the graph does not change when L, o, g or G do (it does with S and with
 * the protocol).
 *
 * How the operations become edges (design of the model: doc/model.md).  e(u) is
 * the end of u: s(u) + cost (calc), s(u) + o (eager send), m(u) + o (receive of
 * an eager message), and with rendezvous
 *	read	receive m + o + 2L + B, send m + o + 3L + B
 *	sync	receive m + o, send m + o
 *	paper	receive m + 2o + 3L + B, send m + 3o + 3L + B
 *	v requires u		s(v) >= e(u)
 *	v irequires u		s(v) >= s(u) + busy(u)
 *	message u to v, eager	m(v) >= s(v), m(v) >= s(u) + o + L + B; sync likewise
 *			read	m(v) >= s(v), m(v) >= s(u) + o + L
 *			paper	m(v) >= s(v), m(v) >= s(u) + L
 *	g > 0			s(v) >= s(u) + g and s(v) >= s(u) + bytes G for successive sends
 *				u, v of a rank in file order that no path within the rank connects
 *				(directed otherwise where that makes a cycle)
 *	end of the program	>= e(u) of every u that no operation requires
 */
#ifndef LLAMP_COST_GRAPH_H
#define LLAMP_COST_GRAPH_H

#include "goal/goal.h"
#include "llamp/loggps.h"

#include <stdbool.h>
#include <stdint.h>

/* ns + latencies L + overheads o + bytes G + gaps g */
struct cost {
	uint64_t ns;
	uint64_t bytes;		/* s - 1 for a message of s > 0 bytes: B = (s - 1) G */
	uint8_t latencies, overheads, gaps;
};

struct cost_edge {
	uint32_t from;		/* vertex */
	uint32_t op;		/* number of the operation whose cost it is */
	struct cost cost;
};

/*
 * Sums over all vertices of the largest coefficient among the edges into each:
 * no path has more.
 */
struct cost_bound {
	double ns, bytes, latencies, overheads, gaps;
};

struct cost_graph {
	uint32_t vertex_count;	/* the last is the end of the program */
	uint64_t edge_count;
	/*
	 * Vertices are numbered in topological order: from < to on every edge.
	 * The edges into v are edges[first_edge[v]] ... edges[first_edge[v + 1] - 1].
	 */
	uint64_t *first_edge;
	struct cost_edge *edges;
	uint32_t *vertex_op;	/* number of the vertex's operation; the end: UINT32_MAX */
	uint32_t *start_vertex;	/* s(v) of every operation, by number */
	/* m of every message, by number of its receive and of its send; UINT32_MAX: none */
	uint32_t *match_vertex;
	uint32_t op_count, message_count;
	struct cost_bound most;
	/*
	 * Room for two numbers per vertex in which the path engine works, kept
	 * from pass to pass: one thread at a time may evaluate a graph.
	 */
	__int128 *scratch;
};

/*
 * Build the graph for S, the protocol and whether g is positive; linear.  A
 * cycle is STATUS_DATA: it names the operations on it, as a possible deadlock
 * of the program where it goes through a rendezvous send that waits for its
 * receiver.  2^32 vertices or more are STATUS_LIMIT.
 */
int cost_graph_build(struct cost_graph *graph, const struct goal *goal,
		     const struct loggps *loggps, struct error *err);

void cost_graph_release(struct cost_graph *graph);

/*
 * When an operation ends: vertex and cost from which e(op) follows, and the
 * vertex s(op).
 */
struct cost_end {
	uint32_t vertex;
	struct cost cost;
};
struct cost_end cost_graph_end(const struct cost_graph *graph, const struct goal *goal,
			       const struct loggps *loggps, uint32_t op);

#endif
