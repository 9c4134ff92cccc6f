/*
 * Makes the calls of MPI that a file lists for each rank, without computation:
 *
 *	replay PREFIX
 *
 * reads PREFIX.RANK.  Its lines are
 *
 *	isend BYTES PEER TAG REQUEST
 *	irecv BYTES PEER TAG REQUEST
 *	wait REQUEST			MPI_Wait
 *	waitall COUNT REQUEST...	MPI_Waitall
 *	allreduce COUNT			of doubles
 *	reduce COUNT ROOT
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_REQUESTS = 256, MOST_BYTES = 1 << 20 };

static MPI_Request requests[MOST_REQUESTS];
static char *sent, *received;

static MPI_Request *request_of(FILE *file)
{
	int number;

	if (fscanf(file, "%d", &number) != 1 || number < 0 || number >= MOST_REQUESTS)
		MPI_Abort(MPI_COMM_WORLD, 1);
	return &requests[number];
}

static void start(FILE *file, int send)
{
	int bytes, peer, tag;

	if (fscanf(file, "%d %d %d", &bytes, &peer, &tag) != 3 || bytes > MOST_BYTES)
		MPI_Abort(MPI_COMM_WORLD, 1);
	if (send)
		MPI_Isend(sent, bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD, request_of(file));
	else
		MPI_Irecv(received, bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD, request_of(file));
}

static void wait_for_all(FILE *file)
{
	MPI_Request list[MOST_REQUESTS], *places[MOST_REQUESTS];
	int count;

	if (fscanf(file, "%d", &count) != 1 || count > MOST_REQUESTS)
		MPI_Abort(MPI_COMM_WORLD, 1);
	for (int i = 0; i < count; i++) {
		places[i] = request_of(file);
		list[i] = *places[i];
	}
	MPI_Waitall(count, list, MPI_STATUSES_IGNORE);
	for (int i = 0; i < count; i++)
		*places[i] = list[i];
}

static void reduce(FILE *file, int all)
{
	int count, root = 0;

	if (fscanf(file, "%d", &count) != 1 || (!all && fscanf(file, "%d", &root) != 1))
		MPI_Abort(MPI_COMM_WORLD, 1);
	if (all)
		MPI_Allreduce(sent, received, count, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
	else
		MPI_Reduce(sent, received, count, MPI_DOUBLE, MPI_MAX, root, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	char name[512], call[16];
	FILE *file;
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	snprintf(name, sizeof name, "%s.%d", argv[1], rank);
	file = fopen(name, "r");
	sent = calloc(1, MOST_BYTES);
	received = calloc(1, MOST_BYTES);
	if (!file || !sent || !received)
		MPI_Abort(MPI_COMM_WORLD, 1);
	while (fscanf(file, "%15s", call) == 1) {
		if (!strcmp(call, "isend") || !strcmp(call, "irecv"))
			start(file, call[1] == 's');
		else if (!strcmp(call, "wait"))
			MPI_Wait(request_of(file), MPI_STATUS_IGNORE);
		else if (!strcmp(call, "waitall"))
			wait_for_all(file);
		else
			reduce(file, !strcmp(call, "allreduce"));
	}
	fclose(file);
	free(sent);
	free(received);
	return MPI_Finalize();
}
