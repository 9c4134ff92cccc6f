/* Neighbourhood collectives on an open row, a torus, and graphs of all kinds. */
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

/* Use a row: neighbours are left and right, except at its ends. */
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
	sprintf(what, "ALLTOALL none %s%s;%s sends=%s receives=%s", text, back, list, vector,
		vector);
	RUN(alltoall, what, comm, in, 2, MPI_INT, out, 1, MPI_DOUBLE);
	sprintf(what, "ALLGATHER none %s%s;%s sends=%s receives=%s", text, back, list, vector,
		vector);
	RUN(allgather, what, comm, in, 2, MPI_INT, out, 2, MPI_INT);
	/* One number goes to the left, two to the right. */
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
 * Use a grid of 2 x 2 that is periodic in both dimensions: the neighbours above and below are the
 * same rank.
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

/* Use a graph in which each rank sends to the next one, and twice to itself. */
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
	did("MPI_Dist_graph_create_adjacent: create comm3"
	    " | coll CREATE_HANDLE none 0 0 MPI_COMM_WORLD");
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

enum { MOST_EDGES = 16 };

/* Neighbours of this rank, as returned by MPI. */
struct edges {
	MPI_Comm comm;
	const char *name;
	int own, in_count, out_count;
	int sources[MOST_EDGES], destinations[MOST_EDGES];
};

static void write_ranks(char *to, const int *ranks, int count)
{
	*to = 0;
	for (int i = 0; i < count; i++)
		to += sprintf(to, i ? ",%d" : "%d", ranks[i]);
}

/* Write a vector: BYTES or BYTES*REPEAT, separated by commas. */
static void write_vector(char *to, const int *counts, int count)
{
	*to = 0;
	for (int i = 0, next; i < count; i = next) {
		for (next = i + 1; next < count && counts[next] == counts[i]; next++)
			;
		to += sprintf(to, next - i > 1 ? "%s%d*%d" : "%s%d", i ? "," : "", 4 * counts[i],
			      next - i);
	}
}

static int sum_of(const int *counts, int count)
{
	int sum = 0;

	for (int i = 0; i < count; i++)
		sum += counts[i];
	return sum;
}

/* Write the record of a collective with these counts of ints. */
static void describe(char *to, const char *kind, const struct edges *edges, const int *send_counts,
		     const int *receive_counts)
{
	char sources[128], destinations[128], sends[128], receives[128];

	write_ranks(sources, edges->sources, edges->in_count);
	write_ranks(destinations, edges->destinations, edges->out_count);
	write_vector(sends, send_counts, edges->out_count);
	write_vector(receives, receive_counts, edges->in_count);
	sprintf(to, "%s none %d %d %s neighbours=%s;%s sends=%s receives=%s", kind,
		4 * sum_of(send_counts, edges->out_count),
		4 * sum_of(receive_counts, edges->in_count), edges->name, sources, destinations,
		sends, receives);
}

/*
 * Count of an edge, known at both ends.  All edges between two ranks have the same count: MPICH
 * 4.0 exchanges their messages.
 */
static int length_of(int source, int destination)
{
	return (source + 2 * destination) % 3 + 1;
}

static void use_edges(const struct edges *edges)
{
	int send_counts[MOST_EDGES], receive_counts[MOST_EDGES], offsets[MOST_EDGES];
	int ones[MOST_EDGES], failed = 0;
	char what[512];

	for (int i = 0; i < MOST_EDGES; i++) {
		offsets[i] = 4 * i;
		ones[i] = 1;
	}
	for (int i = 0; i < edges->out_count; i++) {
		in[i] = 100 * edges->own + edges->destinations[i];
		send_counts[i] = length_of(edges->own, edges->destinations[i]);
	}
	for (int i = 0; i < edges->in_count; i++)
		receive_counts[i] = length_of(edges->sources[i], edges->own);
	describe(what, "ALLTOALL", edges, ones, ones);
	RUN(alltoall, what, edges->comm, in, 1, MPI_INT, out, 1, MPI_INT);
	for (int i = 0; i < edges->in_count; i++)
		failed |= out[i] != 100 * edges->sources[i] + edges->own;
	if (failed)
		abort();
	describe(what, "ALLTOALLV", edges, send_counts, receive_counts);
	RUN(alltoallv, what, edges->comm, in, send_counts, offsets, MPI_INT, out, receive_counts,
	    offsets, MPI_INT);
	describe(what, "ALLGATHER", edges, ones, ones);
	RUN(allgather, what, edges->comm, in, 1, MPI_INT, out, 1, MPI_INT);
	describe(what, "ALLGATHERV", edges, ones, ones);
	RUN(allgatherv, what, edges->comm, in, 1, MPI_INT, out, ones, offsets, MPI_INT);
}

static void use_graph(const char *function, MPI_Comm comm, const char *name)
{
	struct edges edges = {.comm = comm, .name = name};
	int weighted, weights[2][MOST_EDGES], kind;

	did("MPI_%s: create %s | coll CREATE_HANDLE none 0 0 MPI_COMM_WORLD", function, name);
	MPI_Comm_set_name(comm, name);
	MPI_Comm_rank(comm, &edges.own);
	MPI_Topo_test(comm, &kind);
	if (kind == MPI_GRAPH) {
		MPI_Graph_neighbors_count(comm, edges.own, &edges.in_count);
		MPI_Graph_neighbors(comm, edges.own, MOST_EDGES, edges.sources);
		MPI_Graph_neighbors(comm, edges.own, MOST_EDGES, edges.destinations);
		edges.out_count = edges.in_count;
	} else {
		MPI_Dist_graph_neighbors_count(comm, &edges.in_count, &edges.out_count, &weighted);
		MPI_Dist_graph_neighbors(comm, edges.in_count, edges.sources, weights[0],
					 edges.out_count, edges.destinations, weights[1]);
	}
	use_edges(&edges);
	MPI_Comm_free(&comm);
	did("MPI_Comm_free: destroy %s | coll DESTROY_HANDLE none 0 0 %s", name, name);
}

/* Use a graph given by rank 0 alone: a ring, and an edge from rank 0 to each, itself too. */
static void graph_of_one(void)
{
	int sources[MOST_EDGES], degrees[MOST_EDGES], destinations[2 * MOST_EDGES];
	int weights[2 * MOST_EDGES];
	MPI_Comm comm;

	for (int i = 0; i < size; i++) {
		sources[i] = i;
		degrees[i] = 1;
		destinations[i] = (i + 1) % size;
		destinations[size + i] = i;
	}
	sources[size] = 0;
	degrees[size] = size;
	for (int i = 0; i < 2 * size; i++)
		weights[i] = i + 1;
	MPI_Dist_graph_create(MPI_COMM_WORLD, rank ? 0 : size + 1, sources, degrees, destinations,
			      rank ? MPI_WEIGHTS_EMPTY : weights, MPI_INFO_NULL, 0, &comm);
	use_graph("Dist_graph_create", comm, "star");
}

/*
 * Use a graph without weights in which each rank gives the edges of its right neighbour: two edges
 * to the next rank, and between them one to the rank after it.
 */
static void graph_of_others(void)
{
	int source = (rank + 1) % size, degree = 3;
	int destinations[] = {(rank + 2) % size, (rank + 3) % size, (rank + 2) % size};
	MPI_Comm comm;

	MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &source, &degree, destinations, MPI_UNWEIGHTED,
			      MPI_INFO_NULL, 1, &comm);
	use_graph("Dist_graph_create", comm, "others");
}

/* Use a graph given by all ranks: a ring without the last rank. */
static void graph_of_all(void)
{
	int count = size > 2 ? size - 1 : size, index[MOST_EDGES], edges[3 * MOST_EDGES];
	MPI_Comm comm;

	for (int i = 0; i < count; i++) {
		index[i] = 2 * i + 2;
		edges[2 * i] = (i + count - 1) % count;
		edges[2 * i + 1] = (i + 1) % count;
	}
	MPI_Graph_create(MPI_COMM_WORLD, count, index, edges, 1, &comm);
	if (comm == MPI_COMM_NULL)
		did("MPI_Graph_create: coll CREATE_HANDLE none 0 0 MPI_COMM_WORLD");
	else
		use_graph("Graph_create", comm, "ring");
}

int main(int argc, char **argv)
{
	begin(&argc, &argv);
	row();
	if (size > 1)
		graph();
	if (size == 4)
		torus();
	graph_of_one();
	graph_of_others();
	graph_of_all();
	return end();
}
