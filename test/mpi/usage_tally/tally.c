/*
 * Messages, collectives, one-sided operations and files of random sizes, with the calls and bytes that
 * doc/usage.md defines for each, as this program adds them up itself: lines FUNCTION CALLS BYTES of each rank.
 *
 *	tally SEED FILE
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 4, MOST = 4096, MOST_RANKS = 16, FUNCTIONS = 64 };

static int rank, size;
static unsigned long long state;
static int out[MOST_RANKS * MOST], in[MOST_RANKS * MOST];
static const int int_bytes = sizeof(int);

static struct {
	const char *name;
	long calls, bytes;
} tally[FUNCTIONS];

static void count(const char *name, long bytes)
{
	int i = 0;

	while (tally[i].name && strcmp(tally[i].name, name))
		i++;
	tally[i].name = name;
	tally[i].calls++;
	tally[i].bytes += bytes;
}

#define CALL(bytes, function, ...) (MPI_##function(__VA_ARGS__), count("MPI_" #function, bytes))

/* A number of ints, the same on all ranks. */
static int some(void)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (int)((state >> 33) % MOST);
}

/* Receives have more room than comes; what they count is what comes, but for MPI_Irecv. */
static void messages(void)
{
	const int next = (rank + 1) % size, last = (rank + size - 1) % size, n = some();
	MPI_Request requests[2];

	if (rank % 2 == 0) {
		CALL(n * int_bytes, Send, out, n, MPI_INT, next, 1, MPI_COMM_WORLD);
		CALL(n * int_bytes, Recv, in, MOST, MPI_INT, last, 1, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	} else {
		CALL(n * int_bytes, Recv, in, MOST, MPI_INT, last, 1, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
		CALL(n * int_bytes, Ssend, out, n, MPI_INT, next, 1, MPI_COMM_WORLD);
	}
	CALL(2 * n * int_bytes, Irecv, in, 2 * n, MPI_INT, last, 2, MPI_COMM_WORLD, &requests[0]);
	CALL(n * int_bytes, Isend, out, n, MPI_INT, next, 2, MPI_COMM_WORLD, &requests[1]);
	CALL(0, Waitall, 2, requests, MPI_STATUSES_IGNORE);
	CALL(n, Sendrecv, out, n, MPI_CHAR, next, 3, in, MOST, MPI_INT, last, 3, MPI_COMM_WORLD,
	     MPI_STATUS_IGNORE);
}

static void collectives(void)
{
	const int n = some(), root = n % size, bytes = n * int_bytes;
	int counts[MOST_RANKS], places[MOST_RANKS], all = 0;
	MPI_Request request;

	for (int i = 0; i < size; i++) {
		counts[i] = some();
		places[i] = i * MOST;
		all += counts[i];
	}
	CALL(0, Barrier, MPI_COMM_WORLD);
	CALL(bytes, Bcast, out, n, MPI_INT, root, MPI_COMM_WORLD);
	CALL(bytes, Reduce, out, in, n, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
	CALL(bytes, Allreduce, out, in, n, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	CALL(bytes, Scan, out, in, n, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	CALL(bytes, Gather, out, n, MPI_INT, in, n, MPI_INT, root, MPI_COMM_WORLD);
	CALL(bytes, Allgather, out, n, MPI_INT, in, n, MPI_INT, MPI_COMM_WORLD);
	CALL(bytes, Alltoall, out, n, MPI_INT, in, n, MPI_INT, MPI_COMM_WORLD);
	CALL(counts[rank] * int_bytes, Allgatherv, out, counts[rank], MPI_INT, in, counts, places,
	     MPI_INT, MPI_COMM_WORLD);
	CALL(all * int_bytes, Reduce_scatter, out, in, counts, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	/* All ranks send equally much to a rank: it receives as much as it is said to. */
	for (int i = 0; i < size; i++)
		places[i] = i * n;
	for (int i = 0; i < size; i++)
		counts[i] = n;
	CALL(size * bytes, Alltoallv, out, counts, places, MPI_INT, in, counts, places, MPI_INT,
	     MPI_COMM_WORLD);
	CALL(bytes, Iallreduce, out, in, n, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
	CALL(0, Wait, &request, MPI_STATUS_IGNORE);
}

static void one_sided(void)
{
	const int next = (rank + 1) % size, n = some(), bytes = n * int_bytes;
	int *memory;
	MPI_Win window;

	CALL(0, Win_allocate, MOST * int_bytes, int_bytes, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
	     &window);
	CALL(0, Win_fence, 0, window);
	CALL(bytes, Put, out, n, MPI_INT, next, 0, n, MPI_INT, window);
	CALL(0, Win_fence, 0, window);
	CALL(bytes, Get, in, n, MPI_INT, next, 0, n, MPI_INT, window);
	CALL(0, Win_fence, 0, window);
	CALL(bytes, Accumulate, out, n, MPI_INT, next, 0, n, MPI_INT, MPI_SUM, window);
	CALL(0, Win_fence, 0, window);
	CALL(0, Win_free, &window);
}

static void files(const char *path)
{
	const int n = some(), bytes = n * int_bytes, mode = MPI_MODE_CREATE | MPI_MODE_RDWR;
	const MPI_Offset place = (MPI_Offset)rank * bytes;
	MPI_Request request;
	MPI_File file;

	CALL(0, File_open, MPI_COMM_WORLD, path, mode, MPI_INFO_NULL, &file);
	CALL(bytes, File_write_at, file, place, out, n, MPI_INT, MPI_STATUS_IGNORE);
	CALL(bytes, File_write_at_all, file, place, out, n, MPI_INT, MPI_STATUS_IGNORE);
	CALL(0, File_sync, file);
	MPI_Barrier(MPI_COMM_WORLD), count("MPI_Barrier", 0);
	CALL(bytes, File_read_at, file, place, in, n, MPI_INT, MPI_STATUS_IGNORE);
	CALL(bytes, File_read_at_all, file, place, in, n, MPI_INT, MPI_STATUS_IGNORE);
	CALL(0, File_set_view, file, place, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
	CALL(bytes, File_write_all, file, out, n, MPI_INT, MPI_STATUS_IGNORE);
	CALL(0, File_seek, file, 0, MPI_SEEK_SET);
	CALL(bytes, File_read_all, file, in, n, MPI_INT, MPI_STATUS_IGNORE);
	CALL(0, File_seek, file, 0, MPI_SEEK_SET);
	CALL(bytes, File_iwrite, file, out, n, MPI_INT, &request);
	CALL(0, Wait, &request, MPI_STATUS_IGNORE);
	CALL(0, File_seek, file, 0, MPI_SEEK_SET);
	CALL(bytes, File_read, file, in, n, MPI_INT, MPI_STATUS_IGNORE);
	CALL(0, File_seek, file, 0, MPI_SEEK_SET);
	CALL(bytes, File_write, file, out, n, MPI_INT, MPI_STATUS_IGNORE);
	CALL(0, File_close, &file);
}

int main(int argc, char **argv)
{
	char lines[64 * FUNCTIONS], *end = lines;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc < 3 || size > MOST_RANKS || size % 2)
		MPI_Abort(MPI_COMM_WORLD, 2);
	state = strtoull(argv[1], NULL, 10);
	for (int i = 0; i < ROUNDS; i++) {
		messages();
		collectives();
		one_sided();
		files(argv[2]);
	}
	MPI_Finalize();
	for (int i = 0; tally[i].name; i++)
		end += snprintf(end, (size_t)(lines + sizeof lines - end), "%s %ld %ld\n",
				tally[i].name, tally[i].calls, tally[i].bytes);
	/* In one piece, not mixed with the lines of other ranks. */
	fwrite(lines, 1, (size_t)(end - lines), stdout);
	return fflush(stdout) != 0;
}
