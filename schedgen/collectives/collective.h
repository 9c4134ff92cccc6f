/*
 * Collectives as point-to-point operations.
 *
 * An algorithm is written for one rank, as rounds of sends and receives of slots of a
 * working buffer (schedgen/collectives/coll_run.h).  Sizes, operations and dependencies follow
 * from the rounds.  Tests derive from them that data ends where MPI wants it.
 * doc/collectives.md lists the algorithms with their closed forms and says how to add one.
 *
 * All algorithms work for groups of any size.  A collective that moves no data (zero bytes, or
 * one rank) has no operations.  A barrier has messages of no bytes.
 */
#ifndef SCHEDGEN_COLLECTIVE_H
#define SCHEDGEN_COLLECTIVE_H

#include "goal/builder.h"
#include "schedgen/collectives/frontier.h"
#include "trace/call/mpi_call.h"

/*
 * Kinds of collectives that a trace (enum mpi_collective) does not have: of neighbours, and between
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

/* Parameters of an algorithm that a user may set; zero bytes: none is set. */
struct coll_parameters {
	uint64_t segment_bytes;	/* pipelines: largest message; 0: no limit */
	uint32_t radix;		/* of trees; 0: 4 */
	uint32_t batch;		/* number of messages at once; 0: all */
	uint32_t node_ranks;	/* ranks of a node, in order; 0: `nodes` of the call */
	const struct coll_algorithm *leaders;	/* among one rank of each node; NULL: the default */
	/* Within each node (coll_inside_kind); NULL: binomial. */
	const struct coll_algorithm *inside;
	/* Parts of a collective; NULL: binomial. */
	const struct coll_algorithm *bcast, *reduce, *scatter;
};

/* Nodes of the ranks of a communicator, numbered in the order of their first ranks. */
struct coll_nodes {
	uint32_t count;
	const uint32_t *of;		/* the node of each rank */
	const uint32_t *first;		/* count + 1: first index of a node in `members` */
	const uint32_t *members;	/* the ranks, node by node, ascending */
	const uint32_t *leaders;	/* the first rank of each node */
	bool consecutive;		/* the ranks of each node follow each other */
};

/* Where a program makes a call; NULL: not known, or no rule asks for it. */
struct coll_place {
	const char *site, *site_name; /* its text (common/source/call_site.h) and its name */
	const char *communicator;     /* as in goal/calls.h */
};

/* Collective call from the view of one rank. */
struct collective {
	enum mpi_collective kind;
	uint32_t size;			/* P, number of ranks; 1 ... 2^31 */
	uint32_t rank;			/* this rank, 0 ... P - 1 */
	uint32_t root;			/* for rooted collectives */
	const uint32_t *world;		/* world rank of each rank; NULL: the rank itself */
	uint32_t world_offset;		/* added to all world ranks */
	uint32_t tag;			/* GOAL tag of its messages */
	/*
	 * Bytes of one block: the contribution of each rank (allgather, gather), the
	 * message of each pair (alltoall), the whole vector (bcast, reduce, allreduce,
	 * scan, exscan), the result of each rank (scatter, reduce_scatter_block).
	 * Unused where the vectors below are given.
	 */
	uint64_t block_bytes;
	/*
	 * v-forms, entries by rank: alltoallv/w both; allgatherv receive_bytes;
	 * reduce_scatter send_bytes (the pieces); gatherv receive_bytes and
	 * scatterv send_bytes, on the root or on all ranks (coll_needs_all_sizes).
	 * If only the root has them, the other ranks have their own size in block_bytes.
	 *
	 * NULL if the trace lacks the sizes: every block has block_bytes.  It must be
	 * NULL on all ranks then, because it decides whether an alltoallv/w sends an empty block.
	 */
	const uint64_t *send_bytes, *receive_bytes;
	/*
	 * v-forms: the trace has all sizes.  A direct message between a root and another
	 * rank is left out if it is empty.
	 */
	bool sizes_told;
	uint64_t largest_bytes;	/* alltoallv/w, if coll_needs_all_sizes: largest block */
	/*
	 * Collectives of neighbours: ranks of the communicator, each any number of times.
	 * The n-th send of rank a to rank b matches the n-th receive of b from a.
	 * send_bytes has an entry for each destination, receive_bytes for each source.
	 * allgather(v) sends block_bytes to all destinations instead.
	 */
	const uint32_t *sources, *destinations;
	uint32_t source_count, destination_count;
	/*
	 * Inter-communicators (kinds COLL_INTER_...): size, rank and world refer to the rank's own
	 * group.  root_place of rooted collectives is
	 *	COLL_ROOT_SELF		on the root
	 *	COLL_ROOT_BESIDE	on other ranks of its group, which do nothing
	 *	COLL_ROOT_REMOTE	in the remote group, where root is a remote rank
	 * block_bytes is a block that the rank sends to each remote rank, or receives if
	 * it sends none.  For reduce_scatter(_block) it is the whole vector.  remote_bytes is a
	 * block that it receives from each remote rank (allgather, alltoall).  The vectors have
	 * entries for remote ranks, but receive_bytes of reduce_scatter has entries for the ranks
	 * of the own group.
	 */
	uint32_t remote_size;
	const uint32_t *remote_world;
	bool first_group;		/* first of the two: begins where they take turns */
	enum { COLL_ROOT_REMOTE, COLL_ROOT_SELF, COLL_ROOT_BESIDE } root_place;
	uint64_t remote_bytes;
	double reduce_ns_per_byte;	/* cost of combining two vectors; 0: free */
	struct coll_parameters parameters;	/* of the algorithm */
	const struct coll_nodes *nodes;	/* NULL: each rank has a node of its own */
	struct coll_place place;
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
	const char *help;	/* one line: steps, and libraries that use it */
	int (*generate)(struct coll_run *run);
	unsigned parameters;	/* sum of COLL_TAKES_... */
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

/* Algorithm with its parameters; zero bytes: no choice. */
struct coll_choice {
	const struct coll_algorithm *algorithm;
	struct coll_parameters parameters;
};

/* Table of all algorithms by kind, the default of a kind first; ends with a NULL name. */
extern const struct coll_algorithm coll_algorithms[];

/* Name of a kind, "allreduce" for COLL_ALLREDUCE; NULL if it moves no data or is invalid. */
const char *coll_name(enum mpi_collective kind);

/*
 * Find the algorithm of a kind by name ("ring"), or the default by NULL; NULL if there is none.
 */
const struct coll_algorithm *coll_find(enum mpi_collective kind, const char *name);

/* Must all ranks know sizes that MPI gives only to the root, or to sender and receiver? */
bool coll_needs_all_sizes(const struct coll_algorithm *algorithm);

/* Count the leaders of nodes, and the ranks on the node of the calling rank. */
void coll_levels(const struct collective *collective, uint32_t *leaders, uint32_t *inside);

/* Kind of the collective within a node in a two-level algorithm: bcast for scan. */
enum mpi_collective coll_inside_kind(enum mpi_collective kind);

/*
 * Find a kind by the first `length` characters of a name, "allreduce" or "MPI_Allreduce"; -1 if
 * there is none.
 */
int coll_find_kind(const char *name, size_t length);

/*
 * Say that a collective is unknown: STATUS_USAGE with the known ones, or with the kind of which
 * the name is another form ("MPI_Iallreduce", "allreduce_init").  Returns -1.
 */
int coll_unknown_kind(const char *name, size_t length, struct error *err);

enum { COLL_LIST_BYTES = 1024 };	/* enough for any list */

/* List the algorithms of a kind, "linear, pairwise", or for -1 all kinds; cut if too long. */
void coll_list(int kind, char *text, size_t size);

/*
 * Read "ring" or "ring:segment=64KiB,..." for a kind.  STATUS_USAGE if the algorithm does not
 * exist, does not take the parameter, or the value is invalid.
 */
int coll_choice_parse(struct coll_choice *choice, enum mpi_collective kind, const char *text,
		      struct error *err);

/* List the parameters of an algorithm, "segment=SIZE, radix=K" or ""; cut if too long. */
void coll_list_parameters(const struct coll_algorithm *algorithm, char *text, size_t size);

/*
 * Add the rank's operations of one collective call to its graph.  They wait for *frontier,
 * which is the frontier after the call on return.  STATUS_DATA if the call contradicts itself
 * (a rank or root outside the communicator, a kind that the algorithm is not for), STATUS_LIMIT
 * beyond 2^31 ranks, 2^64 bytes or 2^63 ns.
 */
int coll_generate(const struct coll_algorithm *algorithm, const struct collective *collective,
		  struct goal_builder *builder, struct frontier *frontier, struct error *err);

/* Call coll_generate and report each step to the observer (coll_run.h), which may be NULL. */
int coll_generate_observed(const struct coll_algorithm *algorithm,
			   const struct collective *collective, struct goal_builder *builder,
			   struct frontier *frontier, const struct coll_observer *observer,
			   struct error *err);

#endif
