/*
 * Collectives in two levels: within the nodes, and among one rank of each node.
 * MPICH ("smp"); M. Kühnemann, T. Rauber, G. Rünger, "Optimizing MPI collective
 * communication by orthogonal structures", Cluster Computing 9 (2006).
 */
#include "schedgen/collectives/coll_algorithms.h"

/* Place of a rank in its node and among the leaders. */
struct seat {
	struct coll_group node, leaders;
	uint32_t rank;		/* in the node; 0 leads */
	uint32_t node_number;	/* also the number of its leader among the leaders */
};

/* Nodes of ranks in the order of their numbers, each with the same number of ranks. */
static struct seat seat_in_blocks(const struct collective *call, uint32_t rank,
				  uint32_t node_ranks)
{
	struct seat seat = {.node_number = rank / node_ranks};
	const uint32_t first = seat.node_number * node_ranks, rest = call->size - first;

	seat.rank = rank - first;
	seat.node = (struct coll_group){.size = rest < node_ranks ? rest : node_ranks,
					.first = first, .stride = 1};
	seat.leaders = (struct coll_group){.size = (call->size - 1) / node_ranks + 1,
					   .stride = node_ranks};
	return seat;
}

static struct seat seat_of(const struct collective *call, uint32_t rank)
{
	const struct coll_parameters *parameters = &call->parameters;
	const struct coll_nodes *nodes = call->nodes;
	struct seat seat;
	uint32_t end, middle;

	if (parameters->node_ranks || !nodes)
		return seat_in_blocks(call, rank,
				      parameters->node_ranks ? parameters->node_ranks : 1);
	seat.node_number = nodes->of[rank];
	seat.node = (struct coll_group){.members = nodes->members + nodes->first[seat.node_number]};
	seat.node.size = nodes->first[seat.node_number + 1] - nodes->first[seat.node_number];
	seat.leaders = (struct coll_group){.size = nodes->count, .members = nodes->leaders};
	for (seat.rank = 0, end = seat.node.size; end - seat.rank > 1;) {
		middle = seat.rank + (end - seat.rank) / 2;
		if (seat.node.members[middle] <= rank)
			seat.rank = middle;
		else
			end = middle;
	}
	return seat;
}

void coll_levels(const struct collective *collective, uint32_t *leaders, uint32_t *inside)
{
	const struct seat seat = seat_of(collective, collective->rank);

	*leaders = seat.leaders.size;
	*inside = seat.node.size;
}

/* Run the same kind of collective among the leaders, with leader number `root` as its root. */
static int among_leaders(struct coll_run *run, const struct seat *seat, uint32_t root)
{
	if (seat->rank)
		return 0;
	return coll_run_group(run, &seat->leaders, seat->node_number, root, run->leaders->generate);
}

static int within_node(struct coll_run *run, const struct seat *seat, uint32_t root,
		       int (*generate)(struct coll_run *run))
{
	coll_vector(run, 1);
	return coll_run_group(run, &seat->node, seat->rank, root, generate);
}

static int node_up(struct coll_run *run)
{
	return coll_binomial_up(run, COLL_VECTOR, COLL_COMBINE);
}

static int node_down(struct coll_run *run)
{
	return coll_binomial_down(run, COLL_VECTOR);
}

enum mpi_collective coll_inside_kind(enum mpi_collective kind)
{
	return kind == COLL_SCAN ? COLL_BCAST : kind;
}

/* Algorithm within the nodes, binomial if none is chosen. */
static int inside(struct coll_run *run, const struct seat *seat, uint32_t root,
		  int (*binomial)(struct coll_run *run))
{
	const struct coll_algorithm *chosen = run->call->parameters.inside;

	return within_node(run, seat, root, chosen ? chosen->generate : binomial);
}

/* Binomial to the leaders, an allreduce among these, binomial back. */
int coll_allreduce_two_level(struct coll_run *run)
{
	const struct seat seat = seat_of(run->call, run->rank);

	TRY(within_node(run, &seat, 0, node_up));
	TRY(among_leaders(run, &seat, 0));
	return within_node(run, &seat, 0, node_down);
}

/* A barrier within each node, one among the leaders, who release their nodes. */
int coll_barrier_two_level(struct coll_run *run)
{
	const struct seat seat = seat_of(run->call, run->rank);

	TRY(within_node(run, &seat, 0, coll_barrier_dissemination));
	TRY(among_leaders(run, &seat, 0));
	return within_node(run, &seat, 0, node_down);
}

/* Send the vector from the root to the leader of its node. */
static int to_leader(struct coll_run *run)
{
	if (run->root && run->rank == run->root)
		TRY(coll_send(run, 0, coll_all(run, 0)));
	else if (run->root && run->rank == 0)
		TRY(coll_recv(run, run->root, coll_all(run, 0), COLL_STORE));
	return coll_round_end(run);
}

/* From the root to its leader, among the leaders, and down in all nodes, to the root too. */
int coll_bcast_two_level(struct coll_run *run)
{
	const struct seat seat = seat_of(run->call, run->rank),
			  root = seat_of(run->call, run->root);

	if (seat.node_number == root.node_number)
		TRY(within_node(run, &seat, root.rank, to_leader));
	TRY(among_leaders(run, &seat, root.node_number));
	return inside(run, &seat, 0, node_down);
}

/*
 * Reduce in the nodes other than the root's, then among the leaders to the leader of the root's
 * node, then in this node.
 */
int coll_reduce_two_level(struct coll_run *run)
{
	const struct seat seat = seat_of(run->call, run->rank),
			  root = seat_of(run->call, run->root);
	const bool at_root = seat.node_number == root.node_number;

	if (!at_root)
		TRY(inside(run, &seat, 0, node_up));
	TRY(among_leaders(run, &seat, root.node_number));
	return at_root ? inside(run, &seat, root.rank, node_up) : 0;
}

/* Scan among the leaders: the result of all nodes up to this one goes to the next node. */
static int to_next_leader(struct coll_run *run)
{
	coll_vector(run, 1);
	if (run->rank + 1 < run->size)
		TRY(coll_send(run, run->rank + 1, coll_all(run, 0)));
	TRY(coll_round_end(run));
	if (run->rank)
		TRY(coll_recv(run, run->rank - 1, coll_all(run, 0), COLL_STORE));
	return coll_round_end(run);
}

/*
 * A scan within each node, a message with the result of the node from its last rank to its
 * leader, a scan among the leaders, and a bcast of the result of the nodes before within each
 * node.  If the ranks of a node are not consecutive, MPICH uses one level.
 */
int coll_scan_two_level(struct coll_run *run)
{
	const struct coll_nodes *nodes = run->call->nodes;
	const struct seat seat = seat_of(run->call, run->rank);
	enum { OWN = COLL_AREAS - 1 };	/* scans need the lower areas */

	if (!run->call->parameters.node_ranks && nodes && !nodes->consecutive)
		return coll_scan_recursive_doubling(run);
	TRY(within_node(run, &seat, 0, coll_scan_recursive_doubling));
	coll_vector_area(run, OWN, 1);
	TRY(coll_copy(run, coll_all(run, OWN), coll_all(run, 0), COLL_STORE));
	TRY(coll_round_end(run));
	TRY(within_node(run, &seat, seat.node.size - 1, to_leader));
	TRY(among_leaders(run, &seat, 0));
	if (seat.rank == 0)
		TRY(coll_run_group(run, &seat.leaders, seat.node_number, 0, to_next_leader));
	if (seat.node_number)
		TRY(inside(run, &seat, 0, node_down));
	coll_vector(run, 1);
	TRY(coll_copy(run, coll_all(run, 0), coll_all(run, OWN),
		      seat.node_number ? COLL_COMBINE : COLL_STORE));
	return coll_round_end(run);
}
