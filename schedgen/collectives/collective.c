#include "schedgen/collectives/collective.h"

#include "common/units.h"
#include "schedgen/collectives/coll_algorithms.h"

#include <stdio.h>
#include <string.h>

const struct coll_algorithm coll_algorithms[] = {
	{COLL_BARRIER, "dissemination", "ceil(log2 P) rounds at doubling distances (MPICH)",
	 coll_barrier_dissemination, 0},
	{COLL_BARRIER, "recursive-doubling", "pairs at doubling distances (Open MPI)",
	 coll_barrier_recursive_doubling, 0},
	{COLL_BARRIER, "binomial", "up and down a binomial tree (Open MPI)",
	 coll_barrier_binomial, 0},
	{COLL_BARRIER, "linear", "all to rank 0, rank 0 to all (Open MPI)", coll_barrier_linear, 0},
	{COLL_BARRIER, "two-level",
	 "barriers within nodes and among one rank of each, which releases its node (MPICH)",
	 coll_barrier_two_level, COLL_TAKES_NODE | COLL_TAKES_LEADERS},

	{COLL_BCAST, "binomial", "binomial tree; MPICH for short messages", coll_bcast_binomial, 0},
	{COLL_BCAST, "scatter-recursive-doubling-allgather",
	 "binomial scatter, then doubling allgather; MPICH for medium messages",
	 coll_bcast_scatter_recursive_doubling, 0},
	{COLL_BCAST, "scatter-ring-allgather",
	 "binomial scatter, then ring allgather; MPICH for long messages",
	 coll_bcast_scatter_ring, 0},
	{COLL_BCAST, "binary", "segments down a binary tree (Open MPI)", coll_bcast_binary,
	 COLL_TAKES_SEGMENT},
	{COLL_BCAST, "split-binary",
	 "half of the vector down each side of a binary tree, which then exchange (Open MPI)",
	 coll_bcast_split_binary, COLL_TAKES_SEGMENT},
	{COLL_BCAST, "binomial-doubling",
	 "segments down a binomial tree whose distances double (Open MPI)",
	 coll_bcast_binomial_doubling, COLL_TAKES_SEGMENT},
	{COLL_BCAST, "knomial", "segments down a tree of radix 4 (Open MPI)", coll_bcast_knomial,
	 COLL_TAKES_SEGMENT | COLL_TAKES_RADIX},
	{COLL_BCAST, "chain", "segments from rank to rank (Open MPI)", coll_bcast_chain,
	 COLL_TAKES_SEGMENT},
	{COLL_BCAST, "linear", "the root sends to all (Open MPI)", coll_bcast_linear, 0},
	{COLL_BCAST, "two-level",
	 "bcasts among one rank of each node and within nodes (MPICH)",
	 coll_bcast_two_level, COLL_TAKES_NODE | COLL_TAKES_LEADERS | COLL_TAKES_INSIDE},

	{COLL_GATHER, "binomial", "binomial tree (MPICH)", coll_gather_binomial, 0},
	{COLL_GATHER, "linear", "all send to the root (Open MPI)", coll_gather_linear, 0},
	{COLL_GATHER, "linear-sync", "the root asks one rank after another (Open MPI)",
	 coll_gather_linear_sync, 0},
	{COLL_GATHERV, "linear", "all send to the root (MPICH, Open MPI)", coll_gather_linear, 0},
	{COLL_GATHERV, "binomial", "binomial tree, as gather", coll_gather_binomial, 0},
	{COLL_SCATTER, "binomial", "binomial tree (MPICH)", coll_scatter_binomial, 0},
	{COLL_SCATTER, "linear", "the root sends to all (Open MPI)", coll_scatter_linear, 0},
	{COLL_SCATTERV, "linear", "the root sends to all (MPICH, Open MPI)",
	 coll_scatter_linear, 0},
	{COLL_SCATTERV, "binomial", "binomial tree, as scatter", coll_scatter_binomial, 0},

	{COLL_ALLGATHER, "recursive-doubling",
	 "pairs at doubling distances (Bruck if P is no power of two); MPICH for short and "
	 "medium messages", coll_allgather_recursive_doubling, 0},
	{COLL_ALLGATHER, "bruck", "ceil(log2 P) rounds for any P (MPICH, Open MPI)",
	 coll_allgather_bruck, 0},
	{COLL_ALLGATHER, "ring", "P - 1 rounds between neighbours; MPICH for long messages",
	 coll_allgather_ring, 0},
	{COLL_ALLGATHER, "neighbor-exchange",
	 "P / 2 rounds of pairs of blocks (ring if P is odd) (Open MPI)",
	 coll_allgather_neighbor_exchange, 0},
	{COLL_ALLGATHER, "linear", "all to all at once (Open MPI)", coll_allgather_linear, 0},
	{COLL_ALLGATHER, "gather-bcast", "linear gather to rank 0, binomial bcast (Open MPI)",
	 coll_allgather_gather_bcast, COLL_TAKES_BCAST},
	{COLL_ALLGATHER, "sparbit", "pairs at halving distances, block by block (Open MPI 5)",
	 coll_allgather_sparbit, 0},
	{COLL_ALLGATHERV, "recursive-doubling",
	 "pairs at doubling distances (Bruck if P is no power of two); MPICH for short and "
	 "medium messages", coll_allgather_recursive_doubling, 0},
	{COLL_ALLGATHERV, "bruck", "ceil(log2 P) rounds for any P (MPICH, Open MPI)",
	 coll_allgather_bruck, 0},
	{COLL_ALLGATHERV, "ring", "P - 1 rounds between neighbours; MPICH for long messages",
	 coll_allgatherv_ring,
	 COLL_TAKES_SEGMENT},
	{COLL_ALLGATHERV, "neighbor-exchange",
	 "P / 2 rounds of pairs of blocks (ring if P is odd) (Open MPI)",
	 coll_allgather_neighbor_exchange, 0},
	{COLL_ALLGATHERV, "linear", "all to all at once (Open MPI)", coll_allgather_linear, 0},
	{COLL_ALLGATHERV, "gather-bcast", "linear gather to rank 0, binomial bcast (Open MPI)",
	 coll_allgather_gather_bcast, COLL_TAKES_BCAST},
	{COLL_ALLGATHERV, "sparbit", "pairs at halving distances, block by block (Open MPI 5)",
	 coll_allgather_sparbit, 0},

	{COLL_ALLTOALL, "linear", "everything at once; MPICH for medium messages",
	 coll_alltoall_linear, COLL_TAKES_BATCH},
	{COLL_ALLTOALL, "pairwise", "P - 1 rounds of one exchange; MPICH for long messages",
	 coll_alltoall_pairwise, 0},
	{COLL_ALLTOALL, "bruck", "ceil(log2 P) rounds of half the data; MPICH for short messages",
	 coll_alltoall_bruck, 0},
	{COLL_ALLTOALLV, "linear", "everything at once, but no empty messages (MPICH)",
	 coll_alltoall_linear, COLL_TAKES_BATCH},
	{COLL_ALLTOALLV, "pairwise", "P - 1 rounds of one exchange (Open MPI)",
	 coll_alltoall_pairwise, 0},
	{COLL_ALLTOALLV, "bruck",
	 "log2 P rounds with blocks padded to the largest (Fan et al. 2022)",
	 coll_alltoallv_bruck, 0},
	{COLL_ALLTOALLW, "linear", "everything at once, but no empty messages (MPICH)",
	 coll_alltoall_linear, COLL_TAKES_BATCH},
	{COLL_ALLTOALLW, "pairwise", "P - 1 rounds of one exchange (Open MPI)",
	 coll_alltoall_pairwise, 0},
	{COLL_ALLTOALLW, "bruck",
	 "log2 P rounds with blocks padded to the largest (Fan et al. 2022)",
	 coll_alltoallv_bruck, 0},

	{COLL_ALLREDUCE, "recursive-doubling",
	 "pairs exchange the vector at doubling distances; MPICH for short messages",
	 coll_allreduce_recursive_doubling, 0},
	{COLL_ALLREDUCE, "rabenseifner",
	 "reduce-scatter by halving, then allgather by doubling; MPICH for long messages",
	 coll_allreduce_rabenseifner, 0},
	{COLL_ALLREDUCE, "ring", "reduce-scatter and allgather around a ring (Open MPI, NCCL)",
	 coll_allreduce_ring,
	 COLL_TAKES_SEGMENT},
	{COLL_ALLREDUCE, "reduce-bcast", "reduce to rank 0, then bcast, both binomial",
	 coll_allreduce_reduce_bcast, COLL_TAKES_REDUCE | COLL_TAKES_BCAST},
	{COLL_ALLREDUCE, "rabenseifner-halves",
	 "as rabenseifner; surplus ranks and their partners combine half the vector each (Open"
	 " MPI)",
	 coll_allreduce_rabenseifner_halves, 0},
	{COLL_ALLREDUCE, "dissemination",
	 "ceil(log2 P) rounds at about doubling distances, each contribution counted once",
	 coll_allreduce_dissemination, 0},
	{COLL_ALLREDUCE, "two-level",
	 "binomial within nodes, an allreduce among one rank of each (MPICH)",
	 coll_allreduce_two_level, COLL_TAKES_NODE | COLL_TAKES_LEADERS},

	{COLL_REDUCE, "binomial", "binomial tree; MPICH for short messages",
	 coll_reduce_binomial, 0},
	{COLL_REDUCE, "reduce-scatter-gather",
	 "reduce-scatter by halving, then binomial gather; MPICH for long messages",
	 coll_reduce_scatter_gather, 0},
	{COLL_REDUCE, "linear", "the root receives from one after another (Open MPI)",
	 coll_reduce_linear, 0},
	{COLL_REDUCE, "reduce-scatter-gather-halves",
	 "likewise; surplus ranks and their partners combine half the vector each (Open MPI)",
	 coll_reduce_scatter_gather_halves, 0},
	{COLL_REDUCE, "chain", "segments from rank to rank (Open MPI)", coll_reduce_chain,
	 COLL_TAKES_SEGMENT},
	{COLL_REDUCE, "binary", "segments up a binary tree (Open MPI)", coll_reduce_binary,
	 COLL_TAKES_SEGMENT},
	{COLL_REDUCE, "in-order-binary",
	 "segments up a binary tree that keeps the order, to the last rank and the root (Open MPI)",
	 coll_reduce_in_order_binary, COLL_TAKES_SEGMENT},
	{COLL_REDUCE, "two-level",
	 "reduces within nodes and among one rank of each (MPICH)",
	 coll_reduce_two_level, COLL_TAKES_NODE | COLL_TAKES_LEADERS | COLL_TAKES_INSIDE},

	{COLL_REDUCE_SCATTER, "recursive-halving",
	 "pairs exchange halves at halving distances; MPICH for short messages",
	 coll_reduce_scatter_recursive_halving, 0},
	{COLL_REDUCE_SCATTER, "pairwise", "P - 1 rounds of one piece; MPICH for long messages",
	 coll_reduce_scatter_pairwise, 0},
	{COLL_REDUCE_SCATTER, "ring", "P - 1 rounds between neighbours (Open MPI)",
	 coll_reduce_scatter_ring, 0},
	{COLL_REDUCE_SCATTER, "reduce-scatterv",
	 "reduce to rank 0, then scatter, both binomial (Open MPI)",
	 coll_reduce_scatter_reduce_scatterv, COLL_TAKES_REDUCE | COLL_TAKES_SCATTER},
	{COLL_REDUCE_SCATTER, "butterfly",
	 "pairs exchange halves at doubling distances, then hand pieces over (Open MPI)",
	 coll_reduce_scatter_butterfly, 0},
	{COLL_REDUCE_SCATTER, "recursive-doubling",
	 "groups at doubling distances exchange all but their own pieces (MPICH, Open MPI)",
	 coll_reduce_scatter_recursive_doubling, 0},

	{COLL_SCAN, "recursive-doubling", "pairs at doubling distances (MPICH)",
	 coll_scan_recursive_doubling, 0},
	{COLL_SCAN, "linear", "from rank to rank (Open MPI)", coll_scan_linear, 0},
	{COLL_SCAN, "two-level",
	 "doubling within nodes, a scan among one rank of each, bcasts within nodes (MPICH)",
	 coll_scan_two_level, COLL_TAKES_NODE | COLL_TAKES_LEADERS | COLL_TAKES_INSIDE},
	{COLL_EXSCAN, "recursive-doubling", "pairs at doubling distances (MPICH)",
	 coll_exscan_recursive_doubling, 0},
	{COLL_EXSCAN, "linear", "from rank to rank (Open MPI)", coll_exscan_linear, 0},

	{COLL_REDUCE_SCATTER_BLOCK, "recursive-halving",
	 "pairs exchange halves at halving distances; MPICH for short messages",
	 coll_reduce_scatter_recursive_halving, 0},
	{COLL_REDUCE_SCATTER_BLOCK, "pairwise",
	 "P - 1 rounds of one piece; MPICH for long messages", coll_reduce_scatter_pairwise, 0},
	{COLL_REDUCE_SCATTER_BLOCK, "ring", "P - 1 rounds between neighbours (Open MPI)",
	 coll_reduce_scatter_ring, 0},
	{COLL_REDUCE_SCATTER_BLOCK, "reduce-scatterv",
	 "reduce to rank 0, then scatter, both binomial (Open MPI)",
	 coll_reduce_scatter_reduce_scatterv, COLL_TAKES_REDUCE | COLL_TAKES_SCATTER},
	{COLL_REDUCE_SCATTER_BLOCK, "butterfly",
	 "pairs exchange halves at doubling distances, then hand pieces over (Open MPI)",
	 coll_reduce_scatter_block_butterfly, 0},
	{COLL_REDUCE_SCATTER_BLOCK, "recursive-doubling",
	 "groups at doubling distances exchange all but their own pieces (MPICH, Open MPI)",
	 coll_reduce_scatter_recursive_doubling, 0},

	{COLL_NEIGHBOR_ALLGATHER, "direct", "everything at once (MPICH, Open MPI)",
	 coll_neighbor_direct, 0},
	{COLL_NEIGHBOR_ALLGATHERV, "direct", "everything at once (MPICH, Open MPI)",
	 coll_neighbor_direct, 0},
	{COLL_NEIGHBOR_ALLTOALL, "direct", "everything at once (MPICH, Open MPI)",
	 coll_neighbor_direct, 0},
	{COLL_NEIGHBOR_ALLTOALLV, "direct", "everything at once (MPICH, Open MPI)",
	 coll_neighbor_direct, 0},
	{COLL_NEIGHBOR_ALLTOALLW, "direct", "everything at once (MPICH, Open MPI)",
	 coll_neighbor_direct, 0},

	{COLL_INTER_BARRIER, "bcast",
	 "local barriers, then a message and local bcast each way (MPICH)",
	 coll_inter_barrier, 0},
	{COLL_INTER_BARRIER, "reduce-exchange-bcast",
	 "as allreduce (Open MPI)",
	 coll_inter_barrier_exchange, 0},
	{COLL_INTER_BCAST, "remote-send-local-bcast",
	 "root to remote rank 0, then a local binomial tree (MPICH, Open MPI)",
	 coll_inter_bcast, 0},
	{COLL_INTER_BCAST, "linear",
	 "the root sends to all (Open MPI, non-blocking)",
	 coll_inter_bcast_linear, 0},
	{COLL_INTER_GATHER, "local-gather-remote-send",
	 "local binomial tree, then rank 0 to the root; MPICH for short messages, Open MPI",
	 coll_inter_gather, 0},
	{COLL_INTER_GATHER, "linear",
	 "all send to the root; MPICH for long messages",
	 coll_inter_gather_linear, 0},
	{COLL_INTER_GATHERV, "linear",
	 "all send to the root (MPICH)",
	 coll_inter_gather_linear, 0},
	{COLL_INTER_SCATTER, "remote-send-local-scatter",
	 "root to remote rank 0, then a local binomial tree; MPICH for short messages, Open MPI",
	 coll_inter_scatter, 0},
	{COLL_INTER_SCATTER, "linear",
	 "the root sends to all; MPICH for long messages",
	 coll_inter_scatter_linear, 0},
	{COLL_INTER_SCATTERV, "linear",
	 "the root sends to all (MPICH)",
	 coll_inter_scatter_linear, 0},
	{COLL_INTER_ALLGATHER, "local-gather-remote-bcast",
	 "local gathers, then a message and local bcast each way (MPICH)",
	 coll_inter_allgather, 0},
	{COLL_INTER_ALLGATHER, "gather-exchange-bcast",
	 "local gathers, the ranks 0 exchange, local bcasts (Open MPI)",
	 coll_inter_allgather_exchange, 0},
	{COLL_INTER_ALLGATHERV, "remote-gather-local-bcast",
	 "all send to the other rank 0, then local bcasts (MPICH)",
	 coll_inter_allgatherv, 0},
	{COLL_INTER_ALLTOALL, "pairwise",
	 "as many rounds as the larger group has ranks (MPICH)",
	 coll_inter_alltoall_pairwise, 0},
	{COLL_INTER_ALLTOALL, "linear",
	 "everything at once (Open MPI)",
	 coll_inter_alltoall_linear, 0},
	{COLL_INTER_ALLTOALLV, "pairwise",
	 "as many rounds as the larger group has ranks (MPICH)",
	 coll_inter_alltoall_pairwise, 0},
	{COLL_INTER_ALLTOALLV, "linear",
	 "everything at once, but no empty messages (Open MPI)",
	 coll_inter_alltoall_linear, 0},
	{COLL_INTER_ALLTOALLW, "pairwise",
	 "as many rounds as the larger group has ranks (MPICH)",
	 coll_inter_alltoall_pairwise, 0},
	{COLL_INTER_ALLTOALLW, "linear",
	 "everything at once, but no empty messages (Open MPI)",
	 coll_inter_alltoall_linear, 0},
	{COLL_INTER_ALLREDUCE, "reduce-exchange-bcast",
	 "local reduces, the ranks 0 exchange, local bcasts (MPICH, Open MPI)",
	 coll_inter_allreduce, 0},
	{COLL_INTER_REDUCE, "local-reduce-remote-send",
	 "local binomial tree, then rank 0 to the root (MPICH, Open MPI)",
	 coll_inter_reduce, 0},
	{COLL_INTER_REDUCE, "linear",
	 "all send to the root (Open MPI, non-blocking)",
	 coll_inter_reduce_linear, 0},
	{COLL_INTER_REDUCE_SCATTER, "remote-reduce-local-scatter",
	 "each group reduces to the other rank 0, which scatters (MPICH)",
	 coll_inter_reduce_scatter, 0},
	{COLL_INTER_REDUCE_SCATTER_BLOCK, "remote-reduce-local-scatter",
	 "each group reduces to the other rank 0, which scatters (MPICH)",
	 coll_inter_reduce_scatter, 0},
	{0},
};

const struct coll_algorithm *coll_find(enum mpi_collective kind, const char *name)
{
	const struct coll_algorithm *algorithm;

	for (algorithm = coll_algorithms; algorithm->name; algorithm++) {
		if (algorithm->kind == kind && (!name || strcmp(algorithm->name, name) == 0))
			return algorithm;
	}
	return NULL;
}

void coll_list(int kind, char *text, size_t size)
{
	const char *last = "";

	*text = '\0';
	for (const struct coll_algorithm *each = coll_algorithms; each->name; each++) {
		const char *name = kind < 0 ? coll_name(each->kind) : each->name;
		size_t used = strlen(text);

		if ((kind >= 0 && (int)each->kind != kind) || !strcmp(name, last))
			continue;
		snprintf(text + used, size - used, "%s%s", used ? ", " : "", name);
		last = name;
	}
}

bool coll_needs_all_sizes(const struct coll_algorithm *algorithm)
{
	if (algorithm->kind == COLL_GATHERV || algorithm->kind == COLL_SCATTERV)
		return algorithm->generate == coll_gather_binomial ||
		       algorithm->generate == coll_scatter_binomial;
	return algorithm->generate == coll_alltoallv_bruck;
}

/* Find the kind of "MPI_Iallreduce", "allreduce_init" or "Allreduce_c"; -1 if there is none. */
static int find_form(const char *name, size_t length)
{
	static const char *const endings[] = {"_c", "_init"};
	int kind;

	if (length > 4 && !strncasecmp(name, "MPI_", 4))
		return find_form(name + 4, length - 4);
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		const size_t ending = strlen(endings[i]);

		if (length > ending &&
		    !strncasecmp(name + length - ending, endings[i], ending))
			length -= ending;
	}
	kind = coll_find_kind(name, length);
	if (kind >= 0 || length < 2 || (name[0] != 'i' && name[0] != 'I'))
		return kind;
	return coll_find_kind(name + 1, length - 1);
}

int coll_unknown_kind(const char *name, size_t length, struct error *err)
{
	const int kind = find_form(name, length);
	char names[COLL_LIST_BYTES];

	if (kind >= 0)
		return error_set(err, STATUS_USAGE,
				 "unknown collective '%.*s' (expected %s, for all its forms, blocking "
				 "or not)", (int)length, name, coll_name(kind));
	coll_list(-1, names, sizeof names);
	return error_set(err, STATUS_USAGE, "unknown collective '%.*s' (expected %s)",
			 (int)length, name, names);
}

/* ------------------------------------------------------------------ calls */

bool coll_is_rooted(enum mpi_collective kind)
{
	if (coll_is_inter(kind))
		kind = (enum mpi_collective)(kind - COLL_INTER_BARRIER + COLL_BARRIER);
	return kind == COLL_BCAST || kind == COLL_REDUCE || kind == COLL_GATHER ||
	       kind == COLL_GATHERV || kind == COLL_SCATTER || kind == COLL_SCATTERV;
}

static int coll_check(const struct coll_algorithm *algorithm, const struct collective *call,
		      struct error *err)
{
	const char *name = coll_name(call->kind);
	const bool inter = coll_is_inter(call->kind), rooted = coll_is_rooted(call->kind);

	if (algorithm->kind != call->kind)
		return error_set(err, STATUS_DATA, "%s is no algorithm for %s", algorithm->name,
				 name ? name : "this collective");
	if (call->size > UINT32_C(1) << 31 || call->remote_size > UINT32_C(1) << 31)
		return error_set(err, STATUS_LIMIT, "%s among %u ranks; the most is 2^31", name,
				 (unsigned)call->size);
	if (inter && rooted && call->root_place == COLL_ROOT_REMOTE &&
	    call->root >= call->remote_size)
		return error_set(err, STATUS_DATA, "%s with root %u among %u rank%s", name,
				 (unsigned)call->root, (unsigned)call->remote_size,
				 plural(call->remote_size));
	if (call->rank >= call->size)
		return error_set(err, STATUS_DATA, "%s on rank %u of %u rank%s", name,
				 (unsigned)call->rank, (unsigned)call->size, plural(call->size));
	if (!inter && rooted && call->root >= call->size)
		return error_set(err, STATUS_DATA, "%s with root %u among %u rank%s", name,
				 (unsigned)call->root, (unsigned)call->size, plural(call->size));
	return 0;
}

static bool any(const uint64_t *bytes, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (bytes[i])
			return true;
	}
	return false;
}

/*
 * Check whether the ranks must communicate at all; the answer is the same on all ranks.  MPI
 * libraries return at once from collectives without data if all ranks know that there is none.
 */
static bool is_needed(const struct collective *call)
{
	/* Their algorithms check this themselves. */
	if (coll_is_inter(call->kind) || coll_is_neighbor(call->kind))
		return true;
	switch (call->kind) {
	case COLL_BARRIER:
	case COLL_GATHERV:	/* a rank knows its own size only */
	case COLL_SCATTERV:
	case COLL_ALLTOALLV:
	case COLL_ALLTOALLW:
		return true;
	case COLL_ALLGATHERV:
		return call->receive_bytes ? any(call->receive_bytes, call->size) :
					     call->block_bytes > 0;
	case COLL_REDUCE_SCATTER:
		return call->send_bytes ? any(call->send_bytes, call->size) :
					  call->block_bytes > 0;
	default:
		return call->block_bytes > 0;
	}
}

int coll_generate_observed(const struct coll_algorithm *algorithm, const struct collective *call,
			   struct goal_builder *builder, struct frontier *frontier,
			   const struct coll_observer *observer, struct error *err)
{
	struct coll_run run = {
		.call = call,
		.size = call->size,
		.rank = call->rank,
		.root = call->root,
		.builder = builder,
		.frontier = frontier,
		.waited_for = frontier->entries.count,
		.leaders = call->parameters.leaders,
		.observer = observer,
		.err = err,
	};

	if (algorithm->parameters & COLL_TAKES_LEADERS && !run.leaders)
		run.leaders = coll_find(call->kind, NULL);
	TRY(coll_check(algorithm, call, err));
	if (!is_needed(call))
		return 0;
	return algorithm->generate(&run);
}

int coll_generate(const struct coll_algorithm *algorithm, const struct collective *collective,
		  struct goal_builder *builder, struct frontier *frontier, struct error *err)
{
	return coll_generate_observed(algorithm, collective, builder, frontier, NULL, err);
}
