/*
 * One collective operation, called once on MPI_COMM_WORLD.
 *
 *	mpiexec -n RANKS collective NAME BYTES
 *
 * BYTES, a multiple of 8, is the size b of doc/collectives.md: the whole vector (bcast, reduce, allreduce, scan), or the
 * block of one rank.  Roots are rank 0, all values doubles.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct call {
	int count, ranks;     /* doubles of a block, and number of blocks */
	double *in, *out;     /* `ranks` blocks each */
	int *counts, *places; /* of every block: `count` and where it begins */
};

static void barrier(const struct call *call)
{
	(void)call;
	MPI_Barrier(MPI_COMM_WORLD);
}

static void bcast(const struct call *call)
{
	MPI_Bcast(call->out, call->count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void gather(const struct call *call)
{
	MPI_Gather(call->in, call->count, MPI_DOUBLE, call->out, call->count, MPI_DOUBLE, 0,
		   MPI_COMM_WORLD);
}

static void scatter(const struct call *call)
{
	MPI_Scatter(call->in, call->count, MPI_DOUBLE, call->out, call->count, MPI_DOUBLE, 0,
		    MPI_COMM_WORLD);
}

static void allgather(const struct call *call)
{
	MPI_Allgather(call->in, call->count, MPI_DOUBLE, call->out, call->count, MPI_DOUBLE,
		      MPI_COMM_WORLD);
}

static void allgatherv(const struct call *call)
{
	MPI_Allgatherv(call->in, call->count, MPI_DOUBLE, call->out, call->counts, call->places,
		       MPI_DOUBLE, MPI_COMM_WORLD);
}

static void alltoall(const struct call *call)
{
	MPI_Alltoall(call->in, call->count, MPI_DOUBLE, call->out, call->count, MPI_DOUBLE,
		     MPI_COMM_WORLD);
}

static void alltoallv(const struct call *call)
{
	MPI_Alltoallv(call->in, call->counts, call->places, MPI_DOUBLE, call->out, call->counts,
		      call->places, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void allreduce(const struct call *call)
{
	MPI_Allreduce(call->in, call->out, call->count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void reduce(const struct call *call)
{
	MPI_Reduce(call->in, call->out, call->count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void reduce_scatter(const struct call *call)
{
	MPI_Reduce_scatter(call->in, call->out, call->counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void scan(const struct call *call)
{
	MPI_Scan(call->in, call->out, call->count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static const struct {
	const char *name;
	void (*run)(const struct call *);
} kinds[] = {
	{"barrier", barrier},
	{"bcast", bcast},
	{"gather", gather},
	{"scatter", scatter},
	{"allgather", allgather},
	{"allgatherv", allgatherv},
	{"alltoall", alltoall},
	{"alltoallv", alltoallv},
	{"allreduce", allreduce},
	{"reduce", reduce},
	{"reduce_scatter", reduce_scatter},
	{"scan", scan},
};

static int call_init(struct call *call, int bytes)
{
	size_t blocks;

	MPI_Comm_size(MPI_COMM_WORLD, &call->ranks);
	call->count = bytes / (int)sizeof(double);
	blocks = (size_t)call->count * call->ranks + 1;
	call->in = calloc(blocks, sizeof *call->in);
	call->out = calloc(blocks, sizeof *call->out);
	call->counts = calloc(call->ranks, sizeof *call->counts);
	call->places = calloc(call->ranks, sizeof *call->places);
	if (!call->in || !call->out || !call->counts || !call->places)
		return -1;
	for (int rank = 0; rank < call->ranks; rank++) {
		call->counts[rank] = call->count;
		call->places[rank] = call->count * rank;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct call call;
	size_t kind = 0;

	MPI_Init(&argc, &argv);
	while (argc == 3 && kind < sizeof kinds / sizeof *kinds &&
	       strcmp(kinds[kind].name, argv[1]))
		kind++;
	if (argc != 3 || kind == sizeof kinds / sizeof *kinds ||
	    call_init(&call, atoi(argv[2])) < 0) {
		fprintf(stderr, "usage: collective NAME BYTES\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	kinds[kind].run(&call);
	free(call.in);
	free(call.out);
	free(call.counts);
	free(call.places);
	MPI_Finalize();
	return 0;
}
