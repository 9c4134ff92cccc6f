#include "dist/mpi/dist_mpi.h"

#include <sched.h>
#include <string.h>
#include <time.h>

/* Numbers of bytes of a message of MPI are of type int. */
#define MOST_BYTES ((uint64_t)1 << 30)

enum { TAG_TRANSFER = 1, TAG_SINGLE = 2 };

static struct dist_mpi *mpi_of(struct dist *dist)
{
	return (struct dist_mpi *)dist;
}

static int check(int code, struct error *err)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	int length;

	if (code == MPI_SUCCESS)
		return 0;
	PMPI_Error_string(code, text, &length);
	return error_set(err, STATUS_SYSTEM, "MPI failed: %.200s", text);
}

/* --------------------------------------------------------------------- waiting */

/* Number of tests at once, then of tests that yield to other processes before a wait sleeps. */
enum { EAGER_TESTS = 50, YIELDING_TESTS = 300 };
enum { SHORTEST_SLEEP_NS = 20000, LONGEST_SLEEP_NS = 500000 };

struct backoff {
	unsigned tests;
	struct timespec sleep;
};

static void give_way(struct backoff *backoff)
{
	if (backoff->tests++ < EAGER_TESTS)
		return;
	if (backoff->tests < YIELDING_TESTS) {
		sched_yield();
		return;
	}
	if (!backoff->sleep.tv_nsec)
		backoff->sleep.tv_nsec = SHORTEST_SLEEP_NS;
	nanosleep(&backoff->sleep, NULL);
	if (backoff->sleep.tv_nsec < LONGEST_SLEEP_NS)
		backoff->sleep.tv_nsec *= 2;
}

static int wait_for_request(MPI_Request *request, struct error *err)
{
	struct backoff backoff = {0};
	int done = 0;

	for (;;) {
		TRY(check(PMPI_Test(request, &done, MPI_STATUS_IGNORE), err));
		if (done)
			return 0;
		give_way(&backoff);
	}
}

/* ------------------------------------------------------------------ collective */

/*
 * MPICH 4.0 compares unsigned numbers as if they were signed.  This changes their order to that of
 * signed ones, and back.
 */
static void turn_order(uint64_t *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		values[i] ^= UINT64_C(1) << 63;
}

static int allreduce(struct dist *dist, uint64_t *values, size_t count,
		     enum dist_operation operation, struct error *err)
{
	const MPI_Op op = operation == DIST_SUM	  ? MPI_SUM
			  : operation == DIST_MIN ? MPI_MIN
						  : MPI_MAX;
	const bool compares = operation != DIST_SUM;
	MPI_Request request;

	if (compares)
		turn_order(values, count);
	TRY(check(PMPI_Iallreduce(MPI_IN_PLACE, values, (int)count,
				  compares ? MPI_INT64_T : MPI_UINT64_T, op, mpi_of(dist)->comm,
				  &request),
		  err));
	TRY(wait_for_request(&request, err));
	if (compares)
		turn_order(values, count);
	return 0;
}

static int bcast(struct dist *dist, uint32_t from, void *bytes, size_t size, struct error *err)
{
	for (size_t done = 0; done < size;) {
		const size_t part = size - done < MOST_BYTES ? size - done : MOST_BYTES;
		MPI_Request request;

		TRY(check(PMPI_Ibcast((char *)bytes + done, (int)part, MPI_BYTE, (int)from,
				      mpi_of(dist)->comm, &request),
			  err));
		TRY(wait_for_request(&request, err));
		done += part;
	}
	return 0;
}

static int alltoall(struct dist *dist, const uint64_t *values, uint64_t *received,
		    struct error *err)
{
	MPI_Request request;

	TRY(check(PMPI_Ialltoall(values, 1, MPI_UINT64_T, received, 1, MPI_UINT64_T,
				 mpi_of(dist)->comm, &request),
		  err));
	return wait_for_request(&request, err);
}

/* Bytes that are on their way to or from one process. */
struct parcel {
	char *bytes;
	uint64_t size;
	uint32_t peer;
};

/* Take what fits in a message off the parcel. */
static uint64_t next_part(struct parcel *parcel, char **bytes)
{
	const uint64_t part = parcel->size < MOST_BYTES ? parcel->size : MOST_BYTES;

	*bytes = parcel->bytes;
	parcel->bytes += part;
	parcel->size -= part;
	return part;
}

static int send_and_receive(const struct dist_mpi *mpi, struct parcel *out, struct parcel *in,
			    struct error *err)
{
	while (out->size || in->size) {
		MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
		char *bytes;
		uint64_t part = next_part(in, &bytes);

		if (part)
			TRY(check(PMPI_Irecv(bytes, (int)part, MPI_BYTE, (int)in->peer,
					     TAG_TRANSFER, mpi->comm, &requests[0]),
				  err));
		part = next_part(out, &bytes);
		if (part)
			TRY(check(PMPI_Isend(bytes, (int)part, MPI_BYTE, (int)out->peer,
					     TAG_TRANSFER, mpi->comm, &requests[1]),
				  err));
		TRY(wait_for_request(&requests[0], err));
		TRY(wait_for_request(&requests[1], err));
	}
	return 0;
}

static uint64_t sum_of(const uint64_t *sizes, uint32_t count)
{
	uint64_t sum = 0;

	for (uint32_t p = 0; p < count; p++)
		sum += sizes[p];
	return sum;
}

/* In round k each process sends to the k-th one after it, so that none gets all at once. */
static int alltoallv(struct dist *dist, const void *bytes, const uint64_t *sizes, void *received,
		     const uint64_t *received_sizes, struct error *err)
{
	const uint32_t size = dist->size;

	for (uint32_t round = 0; round < size; round++) {
		const uint32_t to = (dist->rank + round) % size;
		const uint32_t from = (dist->rank + size - round) % size;
		struct parcel out = {(char *)(uintptr_t)bytes + sum_of(sizes, to), sizes[to], to};
		struct parcel in = {(char *)received + sum_of(received_sizes, from),
				    received_sizes[from], from};

		if (!round && in.size)
			memcpy(in.bytes, out.bytes, in.size);
		if (round)
			TRY(send_and_receive(mpi_of(dist), &out, &in, err));
	}
	return 0;
}

/* -------------------------------------------------------------- point to point */

static int send(struct dist *dist, uint32_t to, const void *bytes, size_t size, struct error *err)
{
	MPI_Request request;

	TRY(check(PMPI_Isend(bytes, (int)size, MPI_BYTE, (int)to, TAG_SINGLE, mpi_of(dist)->comm,
			     &request),
		  err));
	return wait_for_request(&request, err);
}

static int receive(struct dist *dist, uint32_t from, void *bytes, size_t size, struct error *err)
{
	MPI_Request request;

	TRY(check(PMPI_Irecv(bytes, (int)size, MPI_BYTE,
			     from == ANY_PROCESS ? MPI_ANY_SOURCE : (int)from, TAG_SINGLE,
			     mpi_of(dist)->comm, &request),
		  err));
	return wait_for_request(&request, err);
}

int dist_mpi_open(struct dist_mpi *mpi, MPI_Comm comm, struct error *err)
{
	static const struct dist_transport transport = {allreduce, bcast, alltoall,
							alltoallv, send,  receive};
	int rank, size;

	*mpi = (struct dist_mpi){.comm = comm};
	TRY(check(PMPI_Comm_rank(comm, &rank), err));
	TRY(check(PMPI_Comm_size(comm, &size), err));
	mpi->dist = (struct dist){.rank = (uint32_t)rank,
				  .size = (uint32_t)size,
				  .transport = &transport};
	return 0;
}
