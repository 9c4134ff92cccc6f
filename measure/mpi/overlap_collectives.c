#include "measure/mpi/overlap_collectives.h"

#include "common/array.h"

#include <limits.h>

enum { ROOT = 0, NEIGHBOURS = 2 };

size_t collective_send_blocks(enum bench bench, int ranks)
{
	switch (bench) {
	case BENCH_IALLTOALL:
	case BENCH_IALLTOALLV:
	case BENCH_ISCATTER:
	case BENCH_IREDUCE_SCATTER:
		return (size_t)ranks;
	case BENCH_INEIGHBOR_ALLTOALL:
		return NEIGHBOURS;
	default:
		return 1;
	}
}

size_t collective_receive_blocks(enum bench bench, int ranks)
{
	switch (bench) {
	case BENCH_IALLGATHER:
	case BENCH_IALLGATHERV:
	case BENCH_IALLTOALL:
	case BENCH_IALLTOALLV:
	case BENCH_IGATHER:
		return (size_t)ranks;
	case BENCH_INEIGHBOR_ALLGATHER:
	case BENCH_INEIGHBOR_ALLTOALL:
		return NEIGHBOURS;
	default:
		return 1;
	}
}

int collective_prepare(struct collective *collective, uint64_t bytes, struct error *err)
{
	int ranks;

	MPI_Comm_size(collective->comm, &ranks);
	collective->type = bytes % 8 == 0 ? MPI_DOUBLE : MPI_SIGNED_CHAR;
	collective->count = (int)(bytes % 8 == 0 ? bytes / 8 : bytes);
	if ((uint64_t)collective->count * (uint64_t)ranks > INT_MAX)
		return error_set(err, STATUS_LIMIT,
				 "blocks of %llu bytes are too large for collectives of %d ranks",
				 (unsigned long long)bytes, ranks);
	collective->counts = collective->offsets = NULL;
	TRY(allocate(&collective->counts, (size_t)ranks, sizeof(int), err));
	TRY(allocate(&collective->offsets, (size_t)ranks, sizeof(int), err));
	for (int i = 0; i < ranks; i++) {
		collective->counts[i] = collective->count;
		collective->offsets[i] = i * collective->count;
	}
	return 0;
}

void collective_release(struct collective *collective)
{
	free(collective->counts);
	free(collective->offsets);
	collective->counts = collective->offsets = NULL;
}

/* A function and its non-blocking form have the same arguments but for the request. */
#define COLLECTIVE(id, nonblocking, blocking, ...)         \
	case BENCH_##id:                                   \
		if (request)                               \
			nonblocking(__VA_ARGS__, request); \
		else                                       \
			blocking(__VA_ARGS__);             \
		break

void collective_call(const struct collective *c, MPI_Request *request)
{
	switch (c->bench) {
		COLLECTIVE(IBARRIER, MPI_Ibarrier, MPI_Barrier, c->comm);
		COLLECTIVE(IBCAST, MPI_Ibcast, MPI_Bcast, c->send, c->count, c->type, ROOT,
			   c->comm);
		COLLECTIVE(IREDUCE, MPI_Ireduce, MPI_Reduce, c->send, c->receive, c->count, c->type,
			   MPI_SUM, ROOT, c->comm);
		COLLECTIVE(IALLREDUCE, MPI_Iallreduce, MPI_Allreduce, c->send, c->receive, c->count,
			   c->type, MPI_SUM, c->comm);
		COLLECTIVE(IALLGATHER, MPI_Iallgather, MPI_Allgather, c->send, c->count, c->type,
			   c->receive, c->count, c->type, c->comm);
		COLLECTIVE(IALLGATHERV, MPI_Iallgatherv, MPI_Allgatherv, c->send, c->count, c->type,
			   c->receive, c->counts, c->offsets, c->type, c->comm);
		COLLECTIVE(IALLTOALL, MPI_Ialltoall, MPI_Alltoall, c->send, c->count, c->type,
			   c->receive, c->count, c->type, c->comm);
		COLLECTIVE(IALLTOALLV, MPI_Ialltoallv, MPI_Alltoallv, c->send, c->counts,
			   c->offsets, c->type, c->receive, c->counts, c->offsets, c->type,
			   c->comm);
		COLLECTIVE(IGATHER, MPI_Igather, MPI_Gather, c->send, c->count, c->type, c->receive,
			   c->count, c->type, ROOT, c->comm);
		COLLECTIVE(ISCATTER, MPI_Iscatter, MPI_Scatter, c->send, c->count, c->type,
			   c->receive, c->count, c->type, ROOT, c->comm);
		COLLECTIVE(IREDUCE_SCATTER, MPI_Ireduce_scatter, MPI_Reduce_scatter, c->send,
			   c->receive, c->counts, c->type, MPI_SUM, c->comm);
		COLLECTIVE(ISCAN, MPI_Iscan, MPI_Scan, c->send, c->receive, c->count, c->type,
			   MPI_SUM, c->comm);
		COLLECTIVE(INEIGHBOR_ALLGATHER, MPI_Ineighbor_allgather, MPI_Neighbor_allgather,
			   c->send, c->count, c->type, c->receive, c->count, c->type, c->ring);
		COLLECTIVE(INEIGHBOR_ALLTOALL, MPI_Ineighbor_alltoall, MPI_Neighbor_alltoall,
			   c->send, c->count, c->type, c->receive, c->count, c->type, c->ring);
	default:
		break;
	}
}
