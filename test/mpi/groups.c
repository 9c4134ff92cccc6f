/* All collectives on an inter-communicator between even and odd ranks, in all forms. */
#include <mpi.h>
#include <stdlib.h>

enum { MOST_RANKS = 16 };

static double in[MOST_RANKS * MOST_RANKS], out[MOST_RANKS * MOST_RANKS];
static int rank, ranks, root;
static int me, own, others;	/* rank in the own group; sizes of own and remote group */
static MPI_Comm inter;

static void same(int index, double expected)
{
	if (out[index] != expected)
		abort();
}

#define WAIT(...)                                                                            \
	do {                                                                                 \
		__VA_ARGS__;                                                                 \
		MPI_Wait(&request, MPI_STATUS_IGNORE);                                       \
	} while (0)
#if MPI_VERSION >= 4
#define PERSISTENT(...)                                                                      \
	do {                                                                                 \
		__VA_ARGS__;                                                                 \
		WAIT(MPI_Start(&request));                                                   \
		MPI_Request_free(&request);                                                  \
	} while (0)
#else
#define PERSISTENT(...) (void)0
#endif
/* Call all forms of a collective: MPI_Gather, MPI_Igather, MPI_Gather_init. */
#define RUN(name, small, ...)                                                                \
	do {                                                                                 \
		MPI_Request request;                                                         \
		MPI_##name(__VA_ARGS__);                                                     \
		WAIT(MPI_I##small(__VA_ARGS__, &request));                                   \
		PERSISTENT(MPI_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &request));         \
	} while (0)

static void with_root(void)
{
	int counts[MOST_RANKS], places[MOST_RANKS];

	for (int i = 0; i < others; i++) {
		counts[i] = i + 1;
		places[i] = MOST_RANKS * i;
	}
	RUN(Bcast, bcast, out, 1, MPI_DOUBLE, root, inter);
	RUN(Gather, gather, in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, root, inter);
	RUN(Gatherv, gatherv, in, me + 1, MPI_DOUBLE, out, counts, places, MPI_DOUBLE, root, inter);
	RUN(Scatter, scatter, in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, root, inter);
	RUN(Scatterv, scatterv, in, counts, places, MPI_DOUBLE, out, me + 1, MPI_DOUBLE, root,
	    inter);
	RUN(Reduce, reduce, in, out, 1, MPI_DOUBLE, MPI_SUM, root, inter);
	if (root == MPI_ROOT)
		same(0, others);
}

/* Reduce vectors of equal lengths in both groups, with equal and unequal blocks. */
static void reductions(void)
{
	int counts[MOST_RANKS], total = own * others, rest = total;

	for (int i = 0; i < own; i++) {
		counts[i] = i < own - 1 ? i + 1 : rest;
		rest -= i + 1;
	}
	RUN(Allreduce, allreduce, in, out, 1, MPI_DOUBLE, MPI_SUM, inter);
	same(0, others);
	RUN(Reduce_scatter, reduce_scatter, in, out, counts, MPI_DOUBLE, MPI_SUM, inter);
	RUN(Reduce_scatter_block, reduce_scatter_block, in, out, others, MPI_DOUBLE, MPI_SUM,
	    inter);
}

static void without_root(void)
{
	int counts[MOST_RANKS], places[MOST_RANKS], bytes[MOST_RANKS];
	MPI_Datatype types[MOST_RANKS];

	for (int i = 0; i < others; i++) {
		counts[i] = i + 1;
		places[i] = MOST_RANKS * i;
	}
	RUN(Barrier, barrier, inter);
	RUN(Allgather, allgather, in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, inter);
	RUN(Allgatherv, allgatherv, in, me + 1, MPI_DOUBLE, out, counts, places, MPI_DOUBLE, inter);
	RUN(Alltoall, alltoall, in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, inter);
	for (int i = 0; i < others; i++) {
		counts[i] = me + i + 1;
		bytes[i] = 8 * places[i];
		types[i] = MPI_DOUBLE;
	}
	RUN(Alltoallv, alltoallv, in, counts, places, MPI_DOUBLE, out, counts, places, MPI_DOUBLE,
	    inter);
	RUN(Alltoallw, alltoallw, in, counts, bytes, types, out, counts, bytes, types, inter);
}

int main(int argc, char **argv)
{
	MPI_Comm half;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (int i = 0; i < MOST_RANKS * MOST_RANKS; i++)
		in[i] = 1;
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &inter);
	MPI_Comm_rank(inter, &me);
	MPI_Comm_size(inter, &own);
	MPI_Comm_remote_size(inter, &others);
	root = rank % 2 ? 0 : me ? MPI_PROC_NULL : MPI_ROOT;
	with_root();
	without_root();
	reductions();
	MPI_Comm_free(&inter);
	MPI_Comm_free(&half);
	MPI_Finalize();
	return 0;
}
