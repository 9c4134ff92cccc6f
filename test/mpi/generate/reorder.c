/*
 * An MPI that puts ranks in another order, linked before the MPI library: with `reorder`, the first rank of a grid or graph is
 * the last one of the communicator before, and so on.
 */
#include <dlfcn.h>
#include <mpi.h>

/* Make a communicator of the same ranks from the last to the first one, if they may be reordered. */
static MPI_Comm turn(MPI_Comm comm, int reorder)
{
	static int (*split)(MPI_Comm, int, int, MPI_Comm *), (*find)(MPI_Comm, int *);
	MPI_Comm turned = comm;
	int rank;

	if (!reorder)
		return comm;
	if (!split) {
		split = (__typeof__(split))dlsym(RTLD_NEXT, "PMPI_Comm_split");
		find = (__typeof__(find))dlsym(RTLD_NEXT, "PMPI_Comm_rank");
	}
	find(comm, &rank);
	split(comm, 0, -rank, &turned);
	return turned;
}

int PMPI_Cart_create(MPI_Comm comm, int count, const int sizes[], const int periods[], int reorder,
		     MPI_Comm *made)
{
	static int (*next)(MPI_Comm, int, const int *, const int *, int, MPI_Comm *);

	if (!next)
		next = (__typeof__(next))dlsym(RTLD_NEXT, "PMPI_Cart_create");
	return next(turn(comm, reorder), count, sizes, periods, 0, made);
}

int PMPI_Graph_create(MPI_Comm comm, int count, const int ends[], const int edges[], int reorder,
		      MPI_Comm *made)
{
	static int (*next)(MPI_Comm, int, const int *, const int *, int, MPI_Comm *);

	if (!next)
		next = (__typeof__(next))dlsym(RTLD_NEXT, "PMPI_Graph_create");
	return next(turn(comm, reorder), count, ends, edges, 0, made);
}

/* The names that a program calls which is not traced. */
int MPI_Cart_create(MPI_Comm comm, int count, const int sizes[], const int periods[], int reorder,
		    MPI_Comm *made)
{
	return PMPI_Cart_create(comm, count, sizes, periods, reorder, made);
}

int MPI_Graph_create(MPI_Comm comm, int count, const int ends[], const int edges[], int reorder,
		     MPI_Comm *made)
{
	return PMPI_Graph_create(comm, count, ends, edges, reorder, made);
}
