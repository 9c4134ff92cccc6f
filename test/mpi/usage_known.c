/*
 * Calls whose cells in the log of a job are known (usage_counts.sh): sizes at the borders of classes,
 * communicators that are freed and remade, the same bytes by several types, persistent messages, calls that
 * fail, and the same calls by one thread and by several.
 *
 *	usage_known sizes | comms | types | persistent | fails | one | threads
 */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 19, CALLS = 8, THREADS = 8 };

static int rank, size;
static char data[MOST], result[MOST];

static void sizes(void)
{
	static const int bytes[] = {0, 1, 256, 257, 524287, 524288};

	for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
		MPI_Bcast(data, bytes[i], MPI_BYTE, 0, MPI_COMM_WORLD);
}

/* The handle of a communicator that was freed comes again for one of another size. */
static void comms(void)
{
	for (int i = 0; i < CALLS; i++) {
		MPI_Comm comm;

		MPI_Comm_split(MPI_COMM_WORLD, i % 2 ? 0 : rank, rank, &comm);
		MPI_Barrier(comm);
		MPI_Comm_free(&comm);
	}
}

/* 800 bytes each; the datatype's handle comes again for a smaller one, which is the last. */
static void types(void)
{
	MPI_Datatype type;

	MPI_Bcast(data, 100, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	MPI_Bcast(data, 800, MPI_BYTE, 0, MPI_COMM_WORLD);
	MPI_Type_vector(100, 1, 2, MPI_DOUBLE, &type);
	MPI_Type_commit(&type);
	MPI_Bcast(data, 1, type, 0, MPI_COMM_WORLD);
	MPI_Type_free(&type);
	MPI_Type_contiguous(3, MPI_DOUBLE, &type);
	MPI_Type_commit(&type);
	MPI_Bcast(data, 1, type, 0, MPI_COMM_WORLD);
	MPI_Type_free(&type);
}

/* Each start counts, not the init; the receive counts its room. */
static void persistent(void)
{
	MPI_Request requests[2];

	MPI_Send_init(data, 10, MPI_BYTE, (rank + 1) % size, 0, MPI_COMM_WORLD, &requests[0]);
	MPI_Recv_init(result, 30, MPI_BYTE, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
		      &requests[1]);
	for (int i = 0; i < CALLS; i++) {
		MPI_Start(&requests[0]);
		MPI_Start(&requests[1]);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	}
	MPI_Request_free(&requests[0]);
	MPI_Request_free(&requests[1]);
}

static void fails(void)
{
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Send(data, 10, MPI_BYTE, size, 0, MPI_COMM_WORLD);
	MPI_Send(data, 10, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
	MPI_Sendrecv(data, 10, MPI_BYTE, rank, 0, result, 10, MPI_BYTE, rank, 0, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
}

static void *messages(void *number)
{
	const int tag = (int)(size_t)number;

	for (int i = 0; i < CALLS; i++)
		MPI_Sendrecv(data, 16 * (i + 1), MPI_BYTE, rank, tag, result, MOST, MPI_BYTE, rank,
			     tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return NULL;
}

static void by_one(void)
{
	for (size_t i = 0; i < THREADS; i++)
		messages((void *)i);
}

static void by_threads(void)
{
	pthread_t threads[THREADS];

	for (size_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, messages, (void *)i);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} parts[] = {{"sizes", sizes},		 {"comms", comms}, {"types", types},
		     {"persistent", persistent}, {"fails", fails}, {"one", by_one},
		     {"threads", by_threads}};
	int given;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (size_t i = 0; argc > 1 && i < sizeof parts / sizeof *parts; i++)
		if (strcmp(parts[i].name, argv[1]) == 0)
			parts[i].run();
	MPI_Finalize();
	return 0;
}
