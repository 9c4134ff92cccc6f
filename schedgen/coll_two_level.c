/*
 * Collectives in two levels: within the nodes, and among one rank of each node.
 * MPICH ("smp"); M. Kühnemann, T. Rauber, G. Rünger, "Optimizing MPI collective
 * communication by orthogonal structures", Cluster Computing 9 (2006).
 */
#include "schedgen/coll_algorithms.h"

/* Where this rank is. */
struct seat {
	struct coll_group node, leaders;
	uint32_t rank;		/* in the node; 0 leads */
	uint32_t node_number;	/* and so the leader's number among the leaders */
};

/* Ranks in the order of their numbers, so many on each node. */
static struct seat seat_in_blocks(const struct coll_run *run, uint32_t node_ranks)
{
	struct seat seat = {.node_number = run->rank / node_ranks};
	const uint32_t first = seat.node_number * node_ranks, rest = run->size - first;

	seat.rank = run->rank - first;
	seat.node = (struct coll_group){.size = rest < node_ranks ? rest : node_ranks,
					.first = first, .stride = 1};
	seat.leaders = (struct coll_group){.size = (run->size - 1) / node_ranks + 1,
					   .stride = node_ranks};
	return seat;
}

static struct seat seat_of(const struct coll_run *run)
{
	const struct coll_parameters *parameters = &run->call->parameters;
	const struct coll_nodes *nodes = run->call->nodes;
	struct seat seat;
	uint32_t end, middle;

	if (parameters->node_ranks || !nodes)
		return seat_in_blocks(run, parameters->node_ranks ? parameters->node_ranks : 1);
	seat.node_number = nodes->of[run->rank];
	seat.node = (struct coll_group){.members = nodes->members + nodes->first[seat.node_number]};
	seat.node.size = nodes->first[seat.node_number + 1] - nodes->first[seat.node_number];
	seat.leaders = (struct coll_group){.size = nodes->count, .members = nodes->leaders};
	for (seat.rank = 0, end = seat.node.size; end - seat.rank > 1;) {
		middle = seat.rank + (end - seat.rank) / 2;
		if (seat.node.members[middle] <= run->rank)
			seat.rank = middle;
		else
			end = middle;
	}
	return seat;
}

static int node_up(struct coll_run *run)
{
	return coll_binomial_up(run, COLL_VECTOR, COLL_COMBINE);
}

static int node_down(struct coll_run *run)
{
	return coll_binomial_down(run, COLL_VECTOR);
}

/* Binomial to the leaders, an algorithm of the same kind among these, binomial back. */
static int up_across_down(struct coll_run *run)
{
	const struct coll_algorithm *leaders = run->call->parameters.leaders;
	const struct seat seat = seat_of(run);

	if (!leaders)
		leaders = coll_find(run->call->kind, NULL);
	coll_vector(run, 1);
	TRY(coll_run_group(run, &seat.node, seat.rank, 0, node_up));
	if (seat.rank == 0)
		TRY(coll_run_group(run, &seat.leaders, seat.node_number, 0, leaders->generate));
	coll_vector(run, 1);
	return coll_run_group(run, &seat.node, seat.rank, 0, node_down);
}

int coll_allreduce_two_level(struct coll_run *run)
{
	return up_across_down(run);
}

int coll_barrier_two_level(struct coll_run *run)
{
	return up_across_down(run);
}
