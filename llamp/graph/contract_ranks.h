/*
 * Contraction of every rank of an execution graph by itself, all ranks in parallel.
 *
 * What a rank does between its messages depends on nothing but the rank.  Its nodes are
 * those of its events that are not left out (llamp/graph/cost_graph.h), and
 *	matches	of the messages that it receives.  They have in-edges from the sender's
 *		rank, too, which are stored with the sender's rank.
 *	returns	of its rendezvous sends.  Each is the same event as a match of another
 *		rank.
 * `from` of an edge is a node of the same rank, number + 1, or 0 for the beginning of the
 * program.  `expression` indexes the expression table of the rank's group.
 *
 * Memory: 28 bytes per operation of a halo exchange, and 4 more during the contraction.
 */
#ifndef LLAMP_CONTRACT_RANKS_H
#define LLAMP_CONTRACT_RANKS_H

#include "llamp/graph/cost_graph.h"
#include "llamp/graph/execution_graph.h"

enum contracted_kind { NODE_START, NODE_MATCH, NODE_RETURN };

struct contracted_node {
	uint32_t first_edge;	/* into it */
	uint32_t event;	/* 2 * operation, + 1 for a match */
	/* Of matches and returns: */
	uint32_t peer;		/* rank of the message's other half */
	uint32_t peer_place;	/* of a match: number of the sender's first edge into it; */
				/* of a return: node of the match */
	uint8_t kind;		/* enum contracted_kind */
	uint8_t uses;		/* edges out of it, at most NODE_USES */
	uint8_t state;		/* 0, for the caller */
};

enum { NODE_USES = 2 };		/* this number or more */

struct contracted_rank {
	struct contracted_node *nodes;	/* in a topological order of the rank alone */
	struct cost_edge *edges;
	uint32_t node_count;
	uint64_t edge_count;
	uint32_t end;			/* first edge into the end of the program */
	uint32_t group;			/* index of its group, which has the expressions */
};

/* Successive ranks that are contracted together. */
struct rank_group {
	uint32_t first_rank, end_rank;
	ARRAY(struct contracted_node) nodes;
	ARRAY(struct cost_edge) edges;
	struct cost_expressions expressions;
};

struct contracted_ranks {
	struct contracted_rank *ranks;
	struct rank_group *groups;
	uint32_t group_count;
	bool cyclic;		/* operations wait for each other: not complete */
};

/* Contract all ranks.  End with contracted_ranks_release also on failure. */
int contracted_ranks_init(struct contracted_ranks *ranks, const struct execution_graph *execution,
			  struct error *err);
void contracted_ranks_release(struct contracted_ranks *ranks);

#endif
