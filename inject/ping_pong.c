#include "inject/ping_pong.h"

#include "inject/fail.h"
#include "inject/library.h"
#include "inject/operation.h"

#include <stdlib.h>

/* Time for a measurement, within limits of the number of messages there and back. */
enum { WHOLE_NS = 20000000, LEAST_ROUNDS = 2, MOST_ROUNDS = 200 };

static int rounds(int64_t expected_ns)
{
	const int64_t count = WHOLE_NS / (2 * expected_ns + 1);

	return count < LEAST_ROUNDS ? LEAST_ROUNDS : count > MOST_ROUNDS ? MOST_ROUNDS : (int)count;
}

static int64_t round_trip_ns(MPI_Comm comm, int rank, void *buffer, int bytes)
{
	const int64_t start = now_ns();

	if (rank == 0)
		library.Send(buffer, bytes, MPI_BYTE, 1, 0, comm);
	library.Recv(buffer, bytes, MPI_BYTE, !rank, 0, comm, MPI_STATUS_IGNORE);
	if (rank == 1)
		library.Send(buffer, bytes, MPI_BYTE, 0, 0, comm);
	return now_ns() - start;
}

int64_t ping_pong_ns(MPI_Comm comm, int rank, size_t bytes, int64_t expected_ns)
{
	int64_t least = INT64_MAX, time;
	unsigned long long result;
	char *buffer = calloc(1, bytes);

	if (!buffer)
		fail("out of memory: %zu bytes are needed", bytes);
	/* The first round also makes connections. */
	for (int i = 0; rank < 2 && i <= rounds(expected_ns); i++) {
		time = round_trip_ns(comm, rank, buffer, (int)bytes);
		least = i > 0 && time < least ? time : least;
	}
	free(buffer);
	result = (unsigned long long)least / 2;
	library.Bcast(&result, 1, MPI_UNSIGNED_LONG_LONG, 0, comm);
	return (int64_t)result;
}
