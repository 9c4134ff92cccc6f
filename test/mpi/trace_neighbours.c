/* Collectives of neighbours on a row without ends that meet, and on a graph. */
#include "trace_log.h"

static int in[64], out[64], started;

/* Log the three forms of a collective; `what` is its record without request. */
#define RUN(name, what, comm, ...)                                                          \
	do {                                                                                \
		MPI_Request request;                                                        \
		MPI_Neighbor_##name(__VA_ARGS__, comm);                                     \
		did("MPI_Neighbor_" #name ": coll %s", what);                               \
		MPI_Ineighbor_##name(__VA_ARGS__, comm, &request);                          \
		did("MPI_Ineighbor_" #name ": icoll #%d", started);                         \
		MPI_Wait(&request, no_status);                                              \
		did("MPI_Wait: completed %s #%d", what, started++);                         \
		PERSISTENT(name, what, comm, __VA_ARGS__);                                  \
	} while (0)
#if MPI_VERSION >= 4
#define PERSISTENT(name, what, comm, ...)                                                   \
	do {                                                                                \
		MPI_Neighbor_##name##_init(__VA_ARGS__, comm, MPI_INFO_NULL, &request);     \
		did("MPI_Neighbor_" #name "_init:");                                        \
		MPI_Start(&request);                                                        \
		did("MPI_Start: icoll #%d", started);                                       \
		MPI_Wait(&request, no_status);                                              \
		did("MPI_Wait: completed %s #%d", what, started++);                         \
		MPI_Request_free(&request);                                                 \
		did("MPI_Request_free:");                                                   \
	} while (0)
#else
#define PERSISTENT(...) (void)0
#endif

/* Left and right, but for the ends. */
static void row(void)
{
	int periodic = 0, left = rank > 0, right = rank < size - 1, there = left + right;
	char text[64], what[256], list[64] = "", back[64] = "";
	int send_counts[] = {1, 2}, receive_counts[] = {2, 1}, offsets[] = {0, 4};
	const char *vector = there == 2 ? "8*2" : there ? "8" : "";
	MPI_Comm comm;

	MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &comm);
	did("MPI_Cart_create: create comm2 | coll CREATE_HANDLE none 0 0 MPI_COMM_WORLD");
	if (left)
		sprintf(list, right ? "%d,%d" : "%d", rank - 1, rank + 1);
	else if (right)
		sprintf(list, "%d", rank + 1);
	if (right)
		sprintf(back, left ? "%d,%d" : "%d", rank + 1, rank - 1);
	else if (left)
		sprintf(back, "%d", rank - 1);
	sprintf(text, "%d %d comm2 neighbours=", 8 * there, 8 * there);
	sprintf(what, "ALLTOALL none %s%s;%s sends=%s receives=%s", text, back, list, vector, vector);
	RUN(alltoall, what, comm, in, 2, MPI_INT, out, 1, MPI_DOUBLE);
	sprintf(what, "ALLGATHER none %s%s;%s sends=%s receives=%s", text, back, list, vector, vector);
	RUN(allgather, what, comm, in, 2, MPI_INT, out, 2, MPI_INT);
	/* 1 to the left, 2 to the right. */
	sprintf(what, "ALLTOALLV none %d %d comm2 neighbours=%s;%s sends=%s receives=%s",
		4 * left + 8 * right, 8 * left + 4 * right, back, list,
		there == 2 ? "4,8" : left ? "4" : right ? "8" : "",
		there == 2 ? "4,8" : left ? "8" : right ? "4" : "");
	RUN(alltoallv, what, comm, in, send_counts, offsets, MPI_INT, out, receive_counts, offsets,
	    MPI_INT);
	MPI_Comm_free(&comm);
	did("MPI_Comm_free: destroy comm2 | coll DESTROY_HANDLE none 0 0 comm2");
}

/*
 * A grid of 2 x 2 that is closed in both dimensions: what goes below comes from
 * above, and both are the same rank.
 */
static void torus(void)
{
	int dimensions[] = {2, 2}, periodic[] = {1, 1}, failed = 0;
	char what[256];
	MPI_Comm comm;

	MPI_Cart_create(MPI_COMM_WORLD, 2, dimensions, periodic, 0, &comm);
	did("MPI_Cart_create: create comm4 | coll CREATE_HANDLE none 0 0 MPI_COMM_WORLD");
	for (int i = 0; i < 4; i++)
		in[i] = i;
	sprintf(what, "ALLTOALL none 16 16 comm4 neighbours=%d,%d,%d,%d;%d,%d,%d,%d sends=4*4 "
		"receives=4*4", rank ^ 2, rank ^ 2, rank ^ 1, rank ^ 1, rank ^ 2, rank ^ 2,
		rank ^ 1, rank ^ 1);
	MPI_Neighbor_alltoall(in, 1, MPI_INT, out, 1, MPI_INT, comm);
	did("MPI_Neighbor_alltoall: coll %s", what);
	for (int i = 0; i < 4; i++)
		failed |= out[i] != (i ^ 1);
	if (failed)
		abort();
	MPI_Comm_free(&comm);
	did("MPI_Comm_free: destroy comm4 | coll DESTROY_HANDLE none 0 0 comm4");
}

/* Each sends to the next one, and to itself twice. */
static void graph(void)
{
	int next = (rank + 1) % size, before = (rank + size - 1) % size;
	int sources[] = {rank, before, rank}, destinations[] = {rank, rank, next};
	int send_counts[] = {1, 2, 3}, receive_counts[] = {1, 3, 2}, offsets[] = {0, 4, 8};
	MPI_Aint places[] = {0, 16, 32};
	MPI_Datatype types[] = {MPI_INT, MPI_INT, MPI_INT};
	char list[64], what[256];
	MPI_Comm comm;

	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, sources, MPI_UNWEIGHTED, 3, destinations,
				       MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
	did("MPI_Dist_graph_create_adjacent: create comm3 | coll CREATE_HANDLE none 0 0 MPI_COMM_WORLD");
	sprintf(list, "24 24 comm3 neighbours=%d,%d,%d;%d,%d,%d", rank, before, rank, rank, rank,
		next);
	sprintf(what, "ALLTOALLV none %s sends=4,8,12 receives=4,12,8", list);
	RUN(alltoallv, what, comm, in, send_counts, offsets, MPI_INT, out, receive_counts, offsets,
	    MPI_INT);
	sprintf(what, "ALLTOALLW none %s sends=4,8,12 receives=4,12,8", list);
	RUN(alltoallw, what, comm, in, send_counts, places, types, out, receive_counts, places,
	    types);
	sprintf(what, "ALLGATHERV none %s sends=8*3 receives=8*3", list);
	for (int i = 0; i < 3; i++)
		receive_counts[i] = 2;
	RUN(allgatherv, what, comm, in, 2, MPI_INT, out, receive_counts, offsets, MPI_INT);
	MPI_Comm_free(&comm);
	did("MPI_Comm_free: destroy comm3 | coll DESTROY_HANDLE none 0 0 comm3");
}

int main(int argc, char **argv)
{
	begin(&argc, &argv);
	row();
	if (size > 1)
		graph();
	if (size == 4)
		torus();
	return end();
}
