/*
 * The edges of the program graph (critpath/graph/program_graph.h), from what a process knows: the calls
 * of its ranks, be they all ranks of the run or some, and what these have to know of other calls.
 *
 * Vertices are numbers that the caller gives: a call of a rank has first_call[rank] + 2 * its number for
 * its begin, and the next one for its end.  Source and sink have the numbers below.  The hub of an
 * instance of a collective is first_hub[its owner] + its number there (struct measured_instance), and
 * is at the time when the last member, or the root, has begun.
 */
#ifndef CRITPATH_PROGRAM_EDGES_H
#define CRITPATH_PROGRAM_EDGES_H

#include "critpath/path/members.h"

enum { PROGRAM_SOURCE = 0, PROGRAM_SINK = 1, PROGRAM_FIRST_CALL = 2 };

struct program_edges {
	const struct waits *waits;  /* not owned */
	const uint64_t *first_call; /* [rank]; not owned */
	const uint64_t *first_hub;  /* [owner]; not owned */
	/*
	 * Take an edge.  `order` is 0 if it leads to a call, above if to a hub: in the order in which
	 * the call begins its collectives.  Returns 0, or -1 with *err filled.
	 */
	int (*take)(void *data, uint64_t from, uint64_t to, uint32_t order, uint64_t wait_ns,
		    struct error *err);
	void *data;
	struct error *err;
	uint64_t left_out; /* edges back in time */
};

/* Emit the edges of the ranks of this process, but for those of collectives as observed. */
int program_edges_of_ranks(struct program_edges *edges);

/* Emit those of an own rank, but for those from call to call of its threads and within calls. */
int program_edges_of_rank(struct program_edges *edges, uint32_t rank);

/*
 * Hubs of collectives as observed: one for each member that is the last one for some.  That of the last
 * of all is the hub of the instance, others are besides.
 */
struct member_hubs {
	const struct members *members; /* in the order of members_sort; not owned */
	size_t *last;		       /* [member]: the last one that it waits for */
	uint64_t *numbers;	       /* [member]: of its hub, if it has one besides */
	uint64_t more;		       /* hubs besides those of instances */
};

int member_hubs_find(struct member_hubs *hubs, const struct members *members, struct error *err);
void member_hubs_release(struct member_hubs *hubs);

/*
 * Emit the edges of collectives as observed.  The members are those of instances that `owner` keeps, by
 * their numbers there; hubs besides those of instances have the vertices from next_hub on.
 */
int program_edges_of_members(struct program_edges *edges, const struct member_hubs *hubs,
			     uint32_t owner, uint64_t next_hub);

/* Whether the graph has an edge from each rank to the hub of an instance, and to each rank. */
bool program_joins_all(const struct waits *waits, const struct measured_instance *instance);

/* The time of the hub of a collective as defined. */
uint64_t program_hub_ns(const struct measured_instance *instance);

/* The calls of a thread that have vertices with edges, in order: not MPI_Init and MPI_Finalize. */
struct thread_calls {
	const struct measured_rank *rank;
	uint32_t thread;
	uint32_t call;	  /* this one */
	uint64_t last_ns; /* its end; at the end of all that of the rank, if it was finalized */
	uint32_t next;
};

struct thread_calls thread_calls_of(const struct measured_rank *rank, uint32_t thread);

/* Go to the next call.  Returns false if there is none. */
bool thread_calls_next(struct thread_calls *calls);

#endif
