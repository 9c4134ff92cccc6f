/*
 * Messages, collectives, one-sided operations and files of random sizes, with the calls and bytes that
 * doc/usage.md defines for each, as this program adds them up itself: lines FUNCTION CALLS BYTES of each rank.
 *
 *	tally SEED FILE
 *
 * With LARGE the functions that have counts are those with large counts (MPI_Send_c); with SESSION there is no MPI_Init, but a
 * session with a communicator of all processes.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 4, MOST = 4096, MOST_RANKS = 16, FUNCTIONS = 64 };

static MPI_Comm world = MPI_COMM_WORLD;
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

/* A function that has counts, and how it takes lists of them. */
#ifdef LARGE
#define COUNTED(bytes, function, ...) CALL(bytes, function##_c, __VA_ARGS__)
typedef MPI_Count number;
typedef MPI_Aint displacement;
#else
#define COUNTED(bytes, function, ...) CALL(bytes, function, __VA_ARGS__)
typedef int number, displacement;
#endif

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
		COUNTED(n * int_bytes, Send, out, n, MPI_INT, next, 1, world);
		COUNTED(n * int_bytes, Recv, in, MOST, MPI_INT, last, 1, world, MPI_STATUS_IGNORE);
	} else {
		COUNTED(n * int_bytes, Recv, in, MOST, MPI_INT, last, 1, world, MPI_STATUS_IGNORE);
		COUNTED(n * int_bytes, Ssend, out, n, MPI_INT, next, 1, world);
	}
	COUNTED(2 * n * int_bytes, Irecv, in, 2 * n, MPI_INT, last, 2, world, &requests[0]);
	COUNTED(n * int_bytes, Isend, out, n, MPI_INT, next, 2, world, &requests[1]);
	CALL(0, Waitall, 2, requests, MPI_STATUSES_IGNORE);
	COUNTED(n, Sendrecv, out, n, MPI_CHAR, next, 3, in, MOST, MPI_INT, last, 3, world,
		MPI_STATUS_IGNORE);
}

static void collectives(void)
{
	const int n = some(), root = n % size, bytes = n * int_bytes;
	number counts[MOST_RANKS];
	displacement places[MOST_RANKS];
	int all = 0;
	MPI_Request request;

	for (int i = 0; i < size; i++) {
		const int items = some();

		counts[i] = items;
		places[i] = i * MOST;
		all += items;
	}
	CALL(0, Barrier, world);
	COUNTED(bytes, Bcast, out, n, MPI_INT, root, world);
	COUNTED(bytes, Reduce, out, in, n, MPI_INT, MPI_SUM, root, world);
	COUNTED(bytes, Allreduce, out, in, n, MPI_INT, MPI_MAX, world);
	COUNTED(bytes, Scan, out, in, n, MPI_INT, MPI_MAX, world);
	COUNTED(bytes, Gather, out, n, MPI_INT, in, n, MPI_INT, root, world);
	COUNTED(bytes, Allgather, out, n, MPI_INT, in, n, MPI_INT, world);
	COUNTED(bytes, Alltoall, out, n, MPI_INT, in, n, MPI_INT, world);
	COUNTED((long)counts[rank] * int_bytes, Allgatherv, out, counts[rank], MPI_INT, in, counts,
		places, MPI_INT, world);
	COUNTED(all * int_bytes, Reduce_scatter, out, in, counts, MPI_INT, MPI_MAX, world);
	/* All ranks send equally much to a rank: it receives as much as it is said to. */
	for (int i = 0; i < size; i++)
		places[i] = i * n;
	for (int i = 0; i < size; i++)
		counts[i] = n;
	COUNTED(size * bytes, Alltoallv, out, counts, places, MPI_INT, in, counts, places, MPI_INT,
		world);
	COUNTED(bytes, Iallreduce, out, in, n, MPI_INT, MPI_MAX, world, &request);
	CALL(0, Wait, &request, MPI_STATUS_IGNORE);
}

static void one_sided(void)
{
	const int next = (rank + 1) % size, n = some(), bytes = n * int_bytes;
	int *memory;
	MPI_Win window;

	COUNTED(0, Win_allocate, MOST * int_bytes, int_bytes, MPI_INFO_NULL, world, &memory,
		&window);
	CALL(0, Win_fence, 0, window);
	COUNTED(bytes, Put, out, n, MPI_INT, next, 0, n, MPI_INT, window);
	CALL(0, Win_fence, 0, window);
	COUNTED(bytes, Get, in, n, MPI_INT, next, 0, n, MPI_INT, window);
	CALL(0, Win_fence, 0, window);
	COUNTED(bytes, Accumulate, out, n, MPI_INT, next, 0, n, MPI_INT, MPI_SUM, window);
	CALL(0, Win_fence, 0, window);
	CALL(0, Win_free, &window);
}

/* MPICH 4.0 has no files without MPI_Init. */
#ifndef SESSION
static void files(const char *path)
{
	const int n = some(), bytes = n * int_bytes, mode = MPI_MODE_CREATE | MPI_MODE_RDWR;
	const MPI_Offset place = (MPI_Offset)rank * bytes;
	MPI_Request request;
	MPI_File file;

	CALL(0, File_open, world, path, mode, MPI_INFO_NULL, &file);
	COUNTED(bytes, File_write_at, file, place, out, n, MPI_INT, MPI_STATUS_IGNORE);
	COUNTED(bytes, File_write_at_all, file, place, out, n, MPI_INT, MPI_STATUS_IGNORE);
	CALL(0, File_sync, file);
	MPI_Barrier(world), count("MPI_Barrier", 0);
	COUNTED(bytes, File_read_at, file, place, in, n, MPI_INT, MPI_STATUS_IGNORE);
	COUNTED(bytes, File_read_at_all, file, place, in, n, MPI_INT, MPI_STATUS_IGNORE);
	CALL(0, File_set_view, file, place, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
	COUNTED(bytes, File_write_all, file, out, n, MPI_INT, MPI_STATUS_IGNORE);
	CALL(0, File_seek, file, 0, MPI_SEEK_SET);
	COUNTED(bytes, File_read_all, file, in, n, MPI_INT, MPI_STATUS_IGNORE);
	CALL(0, File_seek, file, 0, MPI_SEEK_SET);
	COUNTED(bytes, File_iwrite, file, out, n, MPI_INT, &request);
	CALL(0, Wait, &request, MPI_STATUS_IGNORE);
	CALL(0, File_seek, file, 0, MPI_SEEK_SET);
	COUNTED(bytes, File_read, file, in, n, MPI_INT, MPI_STATUS_IGNORE);
	CALL(0, File_seek, file, 0, MPI_SEEK_SET);
	COUNTED(bytes, File_write, file, out, n, MPI_INT, MPI_STATUS_IGNORE);
	CALL(0, File_close, &file);
}
#else
static void files(const char *path)
{
	(void)path;
}
#endif

#ifdef SESSION
static MPI_Session session;

static void begin(void)
{
	MPI_Group group;

	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
	MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
	MPI_Comm_create_from_group(group, "tally", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &world);
	MPI_Group_free(&group);
}

static void end(void)
{
	MPI_Comm_free(&world);
	MPI_Session_finalize(&session);
}
#else
static void begin(void)
{
	MPI_Init(NULL, NULL);
}

static void end(void)
{
	MPI_Finalize();
}
#endif

static void print_tally(void)
{
	char lines[64 * FUNCTIONS], *at = lines;

	for (int i = 0; tally[i].name; i++)
		at += snprintf(at, (size_t)(lines + sizeof lines - at), "%s %ld %ld\n",
			       tally[i].name, tally[i].calls, tally[i].bytes);
	/* In one piece, not mixed with the lines of other ranks. */
	fwrite(lines, 1, (size_t)(at - lines), stdout);
}

int main(int argc, char **argv)
{
	begin();
	MPI_Comm_rank(world, &rank);
	MPI_Comm_size(world, &size);
	if (argc < 3 || size > MOST_RANKS || size % 2)
		MPI_Abort(world, 2);
	state = strtoull(argv[1], NULL, 10);
	for (int i = 0; i < ROUNDS; i++) {
		messages();
		collectives();
		one_sided();
		files(argv[2]);
	}
	end();
	print_tally();
	return fflush(stdout) != 0;
}
