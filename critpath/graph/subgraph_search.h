/*
 * The search for the path with the minimum wait through a program graph that is divided into subgraphs: each
 * process has one, with the vertices of its ranks and the edges into them.  One process alone has the whole
 * graph.
 *
 * It is delta-stepping backwards, from the end of the run, as in "Finding Bottlenecks in Message
 * Passing Interface Programs by Scalable Critical Path Analysis", Algorithms 16(11), 2023, sections
 * 4.1 to 4.4: a vertex at a known wait from the end gives a wait to the vertices where its edges begin,
 * and if another subgraph has these, a step tells it.  All open vertices within the same delta are
 * taken in one round; with a delta of 0 that is Dijkstra's algorithm.  Rounds, of all subgraphs
 * together:
 *
 *	interval = the least minimum_wait_interval of all
 *	until no subgraph is open in that interval:
 *		minimum_wait_go, exchange of the steps, minimum_wait_take
 *	minimum_wait_finish, exchange of the steps, minimum_wait_take
 *
 * until no subgraph is open, or the interval of the source has been finished.  Then the waits of vertices
 * up to that interval are final, and so is the next vertex of each: of several with the same wait, that
 * of the edge with the lowest order, then the first vertex, whatever the subgraphs and the delta are.
 *
 * Synchronization points are vertices that all paths go through.  A search that starts at one finds the
 * waits until there, and ends at the one before.
 */
#ifndef CRITPATH_SUBGRAPH_SEARCH_H
#define CRITPATH_SUBGRAPH_SEARCH_H

#include "common/array.h"
#include "common/min_heap.h"

#include <stdbool.h>

/* A vertex of the run, below 2^40.  Those of a subgraph follow each other from first[subgraph] on. */
typedef uint64_t dist_vertex;

enum { DIST_VERTEX_BITS = 40, DIST_ORDERS = 1 << (64 - DIST_VERTEX_BITS) };

/* A vertex that a path may go to next, with the order of the edge: the least comes first. */
typedef uint64_t dist_next;

static inline dist_next dist_next_by(uint32_t order, dist_vertex vertex)
{
	return (dist_next)order << DIST_VERTEX_BITS | vertex;
}

static inline dist_vertex dist_next_vertex(dist_next next)
{
	return next & ((UINT64_C(1) << DIST_VERTEX_BITS) - 1);
}

/* Wait from a vertex to the end of the search, by way of the next vertex. */
struct minimum_wait_step {
	dist_vertex vertex;
	dist_next next;
	uint64_t wait_ns;
};

struct minimum_wait_steps {
	ARRAY(struct minimum_wait_step) list;
};

struct dist_edge {
	dist_vertex from : DIST_VERTEX_BITS;
	uint64_t order : 64 - DIST_VERTEX_BITS;
	uint64_t wait_ns;
};

/* Wait of a vertex without a path to the end, and interval of a search that is done. */
#define DIST_UNREACHED UINT64_MAX

struct subgraph {
	uint32_t number, count;	      /* of this subgraph, of all */
	const dist_vertex *first;     /* [subgraph]; [count]: number of all vertices.  Not owned. */
	const dist_vertex *first_hub; /* [subgraph]: its vertices from here on are hubs.  Not owned. */
	uint64_t delta_ns;
	uint64_t *first_edge; /* [own vertex]: of those into it */
	struct dist_edge *edges;
	uint64_t *wait_ns; /* [own vertex]: least known */
	dist_next *next;   /* [own vertex] */
	bool *sync_point;  /* [own hub]; NULL: no own hub is a synchronization point */
};

/* An edge between vertices, the second one of this subgraph. */
struct dist_raw_edge {
	dist_vertex from : DIST_VERTEX_BITS;
	uint64_t order : 64 - DIST_VERTEX_BITS; /* below DIST_ORDERS */
	dist_vertex to;
	uint64_t wait_ns;
};

/*
 * Begin with `edge_count` edges.  `number`, `count`, `first` and `delta_ns` are set; `first_hub`, too, if
 * there are synchronization points.  Memory: 16 bytes for each edge, 24 for each own vertex.  More than 2^32 own
 * vertices are STATUS_LIMIT.
 */
int subgraph_begin(struct subgraph *subgraph, const struct dist_raw_edge *edges, size_t edge_count,
		   struct error *err);
void subgraph_release(struct subgraph *subgraph);

/* Make hubs of any subgraph synchronization points: no edge leads past them. */
int subgraph_sync_points(struct subgraph *subgraph, const dist_vertex *hubs, size_t count,
			 struct error *err);

/*
 * The minimum wait that is known from an own vertex to the end of the search that reaches it: 0 from a
 * synchronization point, whose wait_ns is that of the search that ends there.
 */
uint64_t minimum_wait_to_end(const struct subgraph *subgraph, dist_vertex vertex);

/* Whether the subgraph has a vertex. */
bool minimum_wait_owns(const struct subgraph *subgraph, dist_vertex vertex);

/*
 * A search in the vertices of a subgraph.  Threads may search it at once from several synchronization points.
 * Zero bytes but for the subgraph are a search that is done.
 */
struct minimum_wait_search {
	struct subgraph *subgraph;
	struct minimum_wait_steps *out; /* [subgraph]: steps for the others; NULL if there are none */
	uint64_t looked_at;		/* edges */

	/* Private. */
	struct min_heap open; /* vertices by their interval, but for the one under way */
	bool under_way;
	uint64_t interval;     /* under way */
	ARRAY(uint32_t) taken; /* vertices in it */
	size_t looked_from;    /* of these, light edges have been looked at */
};

/* Start also at the sink or at a synchronization point, which the subgraph has. */
int minimum_wait_start(struct minimum_wait_search *search, dist_vertex vertex, struct error *err);

/* The first interval with an open vertex, or DIST_UNREACHED. */
uint64_t minimum_wait_interval(struct minimum_wait_search *search);

/* The interval of a wait. */
uint64_t minimum_wait_interval_of(const struct subgraph *subgraph, uint64_t wait_ns);

/* Take the open vertices of the interval, and their edges with a wait of up to delta. */
int minimum_wait_go(struct minimum_wait_search *search, uint64_t interval, struct error *err);

/* Take the other edges of the vertices of the interval. */
int minimum_wait_finish(struct minimum_wait_search *search, struct error *err);

/* Take steps of other subgraphs.  One to a vertex of another subgraph is STATUS_DATA. */
int minimum_wait_take(struct minimum_wait_search *search, const struct minimum_wait_step *steps,
		      size_t count, struct error *err);

/* Let go of what is open, for another start. */
void minimum_wait_clear(struct minimum_wait_search *search);
void minimum_wait_search_release(struct minimum_wait_search *search);

#endif
