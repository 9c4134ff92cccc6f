/*
 * Every rank of an execution reduced by itself, all ranks in parallel.
 *
 * What a rank does between its messages depends on nothing but the rank.  Its nodes
 * are those of its instants that are not left out (llamp/graph/cost_graph.h), with
 *	the meetings of the messages that it receives, into which edges of the sender
 *	lead too: those are kept with the send
 *	the returns of its rendezvous sends, each the same instant as a meeting of
 *	another rank
 * Edges come from nodes of the same rank, number + 1, 0 being the beginning of the
 * program, and their costs are forms of the part of the ranks that they were made with.
 *
 * 28 bytes per operation of a halo exchange, and 4 while they are made.
 */
#ifndef LLAMP_COST_RANKS_H
#define LLAMP_COST_RANKS_H

#include "llamp/graph/cost_graph.h"

#include <stdbool.h>

enum rank_node_kind { NODE_START, NODE_MEETING, NODE_RETURN };

struct rank_node {
	uint32_t first_edge;	/* into it */
	uint32_t instant;	/* 2 * operation, + 1 for a meeting */
	/* Not for starts: */
	uint32_t peer;		/* rank of the message's other half */
	uint32_t peer_place;	/* there: of a meeting the sender's first edge into it, */
				/* of a return the node of the meeting */
	uint8_t kind;		/* enum rank_node_kind */
	uint8_t uses;		/* edges out of it, at most NODE_USES */
	uint8_t state;		/* 0; for who works with it */
};

enum { NODE_USES = 2 };		/* this many or more */

struct rank_graph {
	struct rank_node *nodes;	/* in a topological order of the rank alone */
	struct cost_edge *edges;
	uint32_t node_count;
	uint64_t edge_count;
	uint32_t end;			/* first edge into the end of the program */
	uint32_t part;			/* whose forms they are */
};

/* Successive ranks whose graphs are made together. */
struct rank_part {
	uint32_t first_rank, end_rank;
	ARRAY(struct rank_node) nodes;
	ARRAY(struct cost_edge) edges;
	struct cost_forms forms;
};

struct cost_ranks {
	struct rank_graph *ranks;
	struct rank_part *parts;
	uint32_t part_count;
	bool cyclic;		/* operations of a rank wait for each other: it is not whole */
};

/* End with cost_ranks_release also on failure. */
int cost_ranks_init(struct cost_ranks *ranks, const struct execution *execution,
		    struct error *err);
void cost_ranks_release(struct cost_ranks *ranks);

#endif
