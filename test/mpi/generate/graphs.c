/*
 * Graphs of ranks: graphs [reorder].  Each rank exchanges with its neighbours on a chain, on a star and on a ring of
 * all ranks but one, and blocks of different sizes on rows of a grid that end.
 */
#include <mpi.h>
#include <string.h>

enum { MOST = 32, STEPS = 4 };

static char out[1 << 12], in[1 << 12];
static int rank, ranks, reorder;

/* Edges of all places, as MPI_Graph_create takes them. */
static int ends[MOST], edges[4 * MOST], edge_count, places;

static void begin_edges(void)
{
	edge_count = places = 0;
}

static void add_edge(int to)
{
	edges[edge_count++] = to;
}

static void end_place(void)
{
	ends[places++] = edge_count;
}

/* Exchange along the edges, each with as many bytes as the ranks of both ends tell. */
static void exchange(MPI_Comm comm)
{
	int own, count, neighbours[MOST], counts[MOST], at[MOST];
	MPI_Request requests[2 * MOST];

	MPI_Comm_rank(comm, &own);
	MPI_Graph_neighbors_count(comm, own, &count);
	MPI_Graph_neighbors(comm, own, MOST, neighbours);
	for (int i = 0; i < count; i++) {
		counts[i] = 8 * (own + neighbours[i]);
		at[i] = i * 64;
	}
	for (int step = 0; step < STEPS; step++) {
		MPI_Neighbor_allgather(out, 8, MPI_BYTE, in, 8, MPI_BYTE, comm);
		MPI_Neighbor_alltoallv(out, counts, at, MPI_BYTE, in, counts, at, MPI_BYTE, comm);
		for (int i = 0; i < count; i++) {
			MPI_Irecv(in, 1000, MPI_BYTE, neighbours[i], 1, comm, &requests[i]);
			MPI_Isend(out, 100 + own, MPI_BYTE, neighbours[i], 1, comm,
				  &requests[count + i]);
		}
		MPI_Waitall(2 * count, requests, MPI_STATUSES_IGNORE);
	}
}

static void use_graph(void)
{
	MPI_Comm comm;

	MPI_Graph_create(MPI_COMM_WORLD, places, ends, edges, reorder, &comm);
	if (comm == MPI_COMM_NULL)
		return;
	exchange(comm);
	MPI_Comm_free(&comm);
}

static void chain(void)
{
	begin_edges();
	for (int i = 0; i < ranks; i++) {
		if (i)
			add_edge(i - 1);
		if (i + 1 < ranks)
			add_edge(i + 1);
		end_place();
	}
	use_graph();
}

static void star(void)
{
	begin_edges();
	for (int i = 1; i < ranks; i++)
		add_edge(i);
	end_place();
	for (int i = 1; i < ranks; i++) {
		add_edge(0);
		end_place();
	}
	use_graph();
}

static void ring_without_last(void)
{
	const int count = ranks - 1;

	begin_edges();
	for (int i = 0; i < count; i++) {
		add_edge((i + count - 1) % count);
		add_edge((i + 1) % count);
		end_place();
	}
	use_graph();
}

/* A grid of rows or, with one of them, a ring: arguments have a place for neighbours that do not exist. */
static void rows(int count)
{
	int sizes[] = {count, ranks / count}, periodic[] = {0, count == 1};
	int sends[] = {8, 16, 24, 32}, receives[] = {16, 8, 32, 24}, at[] = {0, 64, 128, 192};
	int own, back, below, above;
	MPI_Comm grid;

	MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periodic, reorder, &grid);
	if (grid == MPI_COMM_NULL)
		return;
	MPI_Comm_rank(grid, &own);
	MPI_Cart_shift(grid, 1, 1, &below, &above);
	back = own;
	for (int step = 0; step < STEPS; step++) {
		MPI_Neighbor_alltoallv(out, sends, at, MPI_BYTE, in, receives, at, MPI_BYTE, grid);
		MPI_Sendrecv(&back, 4, MPI_BYTE, above, 2, in, 4, MPI_BYTE, below, 2, grid,
			     MPI_STATUS_IGNORE);
		MPI_Bcast(out, 100, MPI_BYTE, 1, grid);
	}
	MPI_Comm_free(&grid);
}

int main(int argc, char **argv)
{
	reorder = argc > 1 && !strcmp(argv[1], "reorder");
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	chain();
	star();
	if (ranks > 3)
		ring_without_last();
	rows(2);
	if (ranks > 2)
		rows(1);
	MPI_Finalize();
	return 0;
}
