/*
 * Collectives as point-to-point operations.
 *
 * An algorithm is written for one rank, as rounds of sends and receives of
 * slots of a working buffer (schedgen/collectives/coll_run.h).  Sizes, operations and
 * dependencies follow from that; so does what the tests check, that the data
 * ends up where MPI wants it.  doc/collectives.md lists the algorithms with
 * their closed forms and says how to add one.
 *
 * All algorithms are for groups of any size.  A collective that moves no data at
 * all (zero bytes, or one rank) has no operations; a barrier has, and its
 * messages carry no bytes.
 */
#ifndef SCHEDGEN_COLLECTIVE_H
#define SCHEDGEN_COLLECTIVE_H

#include "goal/builder.h"
#include "schedgen/collectives/frontier.h"
#include "trace/call/mpi_call.h"

/*
 * Kinds of collectives beyond those of a trace (enum mpi_collective): of neighbours, and between
 * the two groups of an inter-communicator.
 */
#define COLL_KIND(offset, collective) ((enum mpi_collective)((offset) + (collective)))
#define COLL_NEIGHBOR_ALLGATHER COLL_KIND(32, COLL_ALLGATHER)
#define COLL_NEIGHBOR_ALLGATHERV COLL_KIND(32, COLL_ALLGATHERV)
#define COLL_NEIGHBOR_ALLTOALL COLL_KIND(32, COLL_ALLTOALL)
#define COLL_NEIGHBOR_ALLTOALLV COLL_KIND(32, COLL_ALLTOALLV)
#define COLL_NEIGHBOR_ALLTOALLW COLL_KIND(32, COLL_ALLTOALLW)
#define COLL_INTER_BARRIER COLL_KIND(64, COLL_BARRIER)
#define COLL_INTER_BCAST COLL_KIND(64, COLL_BCAST)
#define COLL_INTER_GATHER COLL_KIND(64, COLL_GATHER)
#define COLL_INTER_GATHERV COLL_KIND(64, COLL_GATHERV)
#define COLL_INTER_SCATTER COLL_KIND(64, COLL_SCATTER)
#define COLL_INTER_SCATTERV COLL_KIND(64, COLL_SCATTERV)
#define COLL_INTER_ALLGATHER COLL_KIND(64, COLL_ALLGATHER)
#define COLL_INTER_ALLGATHERV COLL_KIND(64, COLL_ALLGATHERV)
#define COLL_INTER_ALLTOALL COLL_KIND(64, COLL_ALLTOALL)
#define COLL_INTER_ALLTOALLV COLL_KIND(64, COLL_ALLTOALLV)
#define COLL_INTER_ALLTOALLW COLL_KIND(64, COLL_ALLTOALLW)
#define COLL_INTER_ALLREDUCE COLL_KIND(64, COLL_ALLREDUCE)
#define COLL_INTER_REDUCE COLL_KIND(64, COLL_REDUCE)
#define COLL_INTER_REDUCE_SCATTER COLL_KIND(64, COLL_REDUCE_SCATTER)
#define COLL_INTER_REDUCE_SCATTER_BLOCK COLL_KIND(64, COLL_REDUCE_SCATTER_BLOCK)

struct coll_algorithm;

/* What a user may tell an algorithm; zero bytes say nothing. */
struct coll_parameters {
	uint64_t segment_bytes;	/* of pipelines: the most bytes of a message; 0: no limit */
	uint32_t radix;		/* of trees; 0: 4 */
	uint32_t batch;		/* so many messages at once; 0: all */
	uint32_t node_ranks;	/* ranks of a node, in order; 0: as `nodes` of the call says */
	const struct coll_algorithm *leaders;	/* among one rank of each node; NULL: the default */
	/* Within each node (coll_inside_kind); NULL: binomial. */
	const struct coll_algorithm *inside;
	/* What a collective is made of; NULL: binomial. */
	const struct coll_algorithm *bcast, *reduce, *scatter;
};

/* Which ranks of a communicator share a node.  Nodes are numbered by their first rank. */
struct coll_nodes {
	uint32_t count;
	const uint32_t *of;		/* the node of each rank */
	const uint32_t *first;		/* count + 1: where in `members` those of a node begin */
	const uint32_t *members;	/* the ranks, node by node, ascending */
	const uint32_t *leaders;	/* the first rank of each node */
	bool consecutive;		/* the ranks of each node follow each other */
};

/* One collective call as one rank sees it. */
struct collective {
	enum mpi_collective kind;
	uint32_t size;			/* P, number of ranks; 1 ... 2^31 */
	uint32_t rank;			/* this rank, 0 ... P - 1 */
	uint32_t root;			/* for rooted collectives */
	const uint32_t *world;		/* world rank of each rank; NULL: the same number */
	uint32_t world_offset;		/* added to all world ranks */
	uint32_t tag;			/* GOAL tag of its messages */
	/*
	 * Bytes of one block: what each rank contributes (allgather, gather),
	 * what each pair exchanges (alltoall), the whole vector (bcast, reduce,
	 * allreduce, scan, exscan), the piece each rank ends with (scatter,
	 * reduce_scatter_block).  Unused where the vectors below are given.
	 */
	uint64_t block_bytes;
	/*
	 * v-forms, entries by rank: alltoallv/w both; allgatherv receive_bytes;
	 * reduce_scatter send_bytes (the pieces); gatherv receive_bytes and
	 * scatterv send_bytes on the root, where the other ranks give their own
	 * size in block_bytes, or on all ranks (coll_needs_all_sizes).
	 *
	 * NULL if the trace does not tell: then every block has block_bytes.
	 * It must be NULL on all ranks then, for whether an alltoallv/w sends
	 * an empty block depends on it.
	 */
	const uint64_t *send_bytes, *receive_bytes;
	/*
	 * v-forms: the trace has all sizes, so that what goes directly between a root and
	 * another rank is no message if it is empty.
	 */
	bool sizes_told;
	uint64_t largest_bytes;	/* alltoallv/w, if coll_needs_all_sizes: of all blocks */
	/*
	 * Collectives of neighbours: ranks of the communicator, any number of times;
	 * the n-th time that this rank sends to another goes with the n-th time that
	 * the other receives from this one.  send_bytes (but for allgather(v), which
	 * sends block_bytes to all) has an entry for each destination, receive_bytes
	 * for each source.
	 */
	const uint32_t *sources, *destinations;
	uint32_t source_count, destination_count;
	/*
	 * Inter-communicators (kinds COLL_INTER_...): size, rank and world are those
	 * of the rank's own group, and of rooted collectives
	 *	on the root			root_place is COLL_ROOT_SELF
	 *	on others of its group		COLL_ROOT_BESIDE: they do nothing
	 *	in the other group		COLL_ROOT_REMOTE, and root is its rank
	 * block_bytes is a block that the rank sends to each, or else gets; of
	 * reduce_scatter(_block) the whole vector.  remote_bytes is what it gets from
	 * each (allgather, alltoall).  The vectors have entries for the ranks of the
	 * remote group, but receive_bytes of reduce_scatter is what those of the own
	 * group get.
	 */
	uint32_t remote_size;
	const uint32_t *remote_world;
	bool first_group;		/* of the two; where they do things in turn, it begins */
	enum { COLL_ROOT_REMOTE, COLL_ROOT_SELF, COLL_ROOT_BESIDE } root_place;
	uint64_t remote_bytes;
	double reduce_ns_per_byte;	/* cost of combining two vectors; 0: free */
	struct coll_parameters parameters;	/* of the algorithm */
	const struct coll_nodes *nodes;	/* NULL: each rank has its own */
};

enum { COLL_KINDS = COLL_INTER_REDUCE_SCATTER_BLOCK + 1 };

static inline bool coll_is_inter(enum mpi_collective kind)
{
	return kind >= COLL_INTER_BARRIER;
}

/* bcast, reduce, gather(v), scatter(v), within a group or between two. */
bool coll_is_rooted(enum mpi_collective kind);

static inline bool coll_is_neighbor(enum mpi_collective kind)
{
	return kind >= COLL_NEIGHBOR_ALLGATHER && !coll_is_inter(kind);
}

struct coll_run;
struct coll_observer;

struct coll_algorithm {
	enum mpi_collective kind;
	const char *name;	/* "recursive-doubling" */
	const char *help;	/* one line: what it does, where it is used */
	int (*generate)(struct coll_run *run);
	unsigned parameters;	/* which it takes: COLL_TAKES_... */
};

enum {
	COLL_TAKES_SEGMENT = 1,
	COLL_TAKES_RADIX = 2,
	COLL_TAKES_BATCH = 4,
	COLL_TAKES_NODE = 8,
	COLL_TAKES_LEADERS = 16,
	COLL_TAKES_BCAST = 32,
	COLL_TAKES_REDUCE = 64,
	COLL_TAKES_SCATTER = 128,
	COLL_TAKES_INSIDE = 256,
};

/* An algorithm and what it is told; without an algorithm: nothing is chosen. */
struct coll_choice {
	const struct coll_algorithm *algorithm;
	struct coll_parameters parameters;
};

/* All algorithms, by kind; the first of a kind is the default.  Ends with a NULL name. */
extern const struct coll_algorithm coll_algorithms[];

/* "allreduce" for COLL_ALLREDUCE; NULL for kinds that move no data, and numbers that are none. */
const char *coll_name(enum mpi_collective kind);

/*
 * The algorithm of a kind by name ("ring"), or NULL.  A NULL name asks for the
 * default.
 */
const struct coll_algorithm *coll_find(enum mpi_collective kind, const char *name);

/* Must all ranks know sizes that MPI tells the root, or those they concern, alone? */
bool coll_needs_all_sizes(const struct coll_algorithm *algorithm);

/* Of two levels: how many ranks lead nodes, and how many are on the node of the calling rank. */
void coll_levels(const struct collective *collective, uint32_t *leaders, uint32_t *inside);

/* What a two-level algorithm of this kind lets one choose within a node: of scan it is a bcast. */
enum mpi_collective coll_inside_kind(enum mpi_collective kind);

/*
 * The kind of a collective by the first `length` characters of a name, "allreduce" or
 * "MPI_Allreduce", or -1.
 */
int coll_find_kind(const char *name, size_t length);

enum { COLL_LIST_BYTES = 1024 };	/* enough for any list */

/* "linear, pairwise" for alltoall; the names of all collectives for -1; cut if too long. */
void coll_list(int kind, char *text, size_t size);

/*
 * Read "ring" or "ring:segment=64KiB,..." for a kind.  STATUS_USAGE if there is no
 * such algorithm, or it does not take the parameter, or its value is none.
 */
int coll_choice_parse(struct coll_choice *choice, enum mpi_collective kind, const char *text,
		      struct error *err);

/* "segment=SIZE, radix=K": the parameters that an algorithm takes; "" if none; cut if too long. */
void coll_list_parameters(const struct coll_algorithm *algorithm, char *text, size_t size);

/*
 * Add the rank's operations of one collective call to its graph.  They wait
 * for *frontier, which afterwards stands behind the call.  STATUS_DATA if the call
 * contradicts itself (a rank or root outside the communicator, another kind
 * than the algorithm's), STATUS_LIMIT beyond 2^31 ranks, 2^64 bytes or 2^63 ns.
 */
int coll_generate(const struct coll_algorithm *algorithm, const struct collective *collective,
		  struct goal_builder *builder, struct frontier *frontier, struct error *err);

/* Likewise; tells the observer (schedgen/collectives/coll_run.h), if any, what moves where. */
int coll_generate_observed(const struct coll_algorithm *algorithm,
			   const struct collective *collective, struct goal_builder *builder,
			   struct frontier *frontier, const struct coll_observer *observer,
			   struct error *err);

#endif
