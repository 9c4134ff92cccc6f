/*
 * The search for the path with the least wait (critpath/path/least_wait.h), by parts: each process
 * has the vertices of its ranks, the edges into them, and nothing else.
 *
 * It is delta-stepping backwards, from the end of the run, as in "Finding Bottlenecks in Message
 * Passing Interface Programs by Scalable Critical Path Analysis", Algorithms 16(11), 2023, section
 * 4.3: a vertex at a known wait from the end gives a wait to the vertices where its edges begin,
 * and if another part has these, a step tells it.  All open vertices within the same delta are
 * taken in one round.  Rounds, by all parts together:
 *
 *	interval = the least least_wait_part_interval of all
 *	until no part is open in that interval:
 *		least_wait_part_go, exchange of the steps, least_wait_part_take
 *	least_wait_part_finish, exchange of the steps, least_wait_part_take
 *
 * until no part is open, or the interval of the source has been finished.
 */
#ifndef CRITPATH_LEAST_WAIT_PART_H
#define CRITPATH_LEAST_WAIT_PART_H

#include "common/array.h"
#include "common/min_heap.h"

#include <stdbool.h>

/* A vertex of the run: that of its part after first[part]. */
typedef uint64_t part_vertex;

/* Wait from a vertex to the end of the run, by way of the next vertex. */
struct least_wait_step {
	part_vertex vertex, next;
	uint64_t wait_ns;
};

struct least_wait_steps {
	ARRAY(struct least_wait_step) list;
};

struct part_edge {
	part_vertex from;
	uint64_t wait_ns;
};

/* Wait of a vertex without a path to the end, and interval of a part that is done. */
#define PART_UNREACHED UINT64_MAX

struct least_wait_part {
	uint32_t part, parts;
	const part_vertex *first; /* [part]; [parts]: number of all vertices.  Not owned. */
	uint64_t delta_ns;
	uint64_t *first_edge; /* [own vertex]: of those into it */
	struct part_edge *edges;
	uint64_t *wait_ns;	      /* [own vertex]: least known */
	part_vertex *next;	      /* [own vertex] */
	struct least_wait_steps *out; /* [part]: steps for other parts */
	uint64_t looked_at;	      /* edges */

	/* Private. */
	struct min_heap open;
	ARRAY(uint32_t) taken;
};

/* An edge between vertices, the second one of this part. */
struct part_raw_edge {
	part_vertex from, to;
	uint64_t wait_ns;
};

/*
 * Begin with `count` edges.  `part`, `parts`, `first` and `delta_ns` are set.  Memory: 16 bytes for
 * each edge, 24 for each own vertex.  More than 2^32 own vertices are STATUS_LIMIT.
 */
int least_wait_part_begin(struct least_wait_part *part, const struct part_raw_edge *edges,
			  size_t count, part_vertex sink, struct error *err);
void least_wait_part_release(struct least_wait_part *part);

/* The first interval with an open vertex, or PART_UNREACHED. */
uint64_t least_wait_part_interval(struct least_wait_part *part);
uint64_t least_wait_interval_of(const struct least_wait_part *part, uint64_t wait_ns);

/* Take the open vertices of the interval, and their edges with a wait of up to delta. */
int least_wait_part_go(struct least_wait_part *part, uint64_t interval, struct error *err);

/* Take the other edges of the vertices of the interval. */
int least_wait_part_finish(struct least_wait_part *part, struct error *err);

/* Take steps of other parts.  One to a vertex of another part is STATUS_DATA. */
int least_wait_part_take(struct least_wait_part *part, const struct least_wait_step *steps,
			 size_t count, struct error *err);

/* The part that has a vertex. */
uint32_t least_wait_owner(const part_vertex *first, uint32_t parts, part_vertex vertex);

#endif
