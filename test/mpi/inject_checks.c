/*
 * What a program sees whose messages are delayed (llamp-inject).
 *
 *	mpiexec -n 2 inject_checks LATENCY_NS GAP_NS_PER_BYTE
 *
 * Each check prints its name on rank 0 if it holds on both ranks, else what went wrong.  All ranks
 * must have one clock.  No check has an upper limit of time.
 */
#include <mpi.h>

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LARGE = 3 << 20, HUGE_MESSAGE = 64 << 20 };

static long long latency_ns, gap_ns;
static int rank;
static char fault[200];
static char *space;	/* for large messages */

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void __attribute__((format(printf, 1, 2))) wrong(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(fault, sizeof fault, format, arguments);
	va_end(arguments);
}

/* A message of `bytes` that was sent at `sent` has just been seen. */
static void not_early(long long sent, long long bytes, const char *what)
{
	const long long took = now_ns() - sent, least = latency_ns + bytes * gap_ns;

	if (took < least)
		wrong("%s of %lld bytes after %lld ns instead of %lld", what, bytes, took, least);
}

/* Send at least 8 bytes that begin with the time; the receiver checks it. */
static void send_time(int bytes, int tag, MPI_Comm comm)
{
	const long long now = now_ns();

	memcpy(space, &now, sizeof now);
	MPI_Send(space, bytes, MPI_BYTE, 1, tag, comm);
}

static void check_time(int bytes, const char *what)
{
	long long sent;

	memcpy(&sent, space, sizeof sent);
	not_early(sent, bytes, what);
	memset(space, 0, sizeof sent);
}

/* ------------------------------------------------------------------- receives */

static void receive(void)
{
	static const int sizes[] = {8, 100, 1000, 10000, 100000, LARGE, HUGE_MESSAGE};

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		if (rank == 0)
			send_time(sizes[i], 3, MPI_COMM_WORLD);
		else
			MPI_Recv(space, sizes[i], MPI_BYTE, 0, 3, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		if (rank == 1)
			check_time(sizes[i], "MPI_Recv");
	}
}

static void wildcards(void)
{
	MPI_Status status;
	int bytes;

	if (rank == 0) {
		send_time(500, 77, MPI_COMM_WORLD);
		return;
	}
	MPI_Recv(space, 1000, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
	check_time(500, "MPI_Recv with wildcards");
	MPI_Get_count(&status, MPI_BYTE, &bytes);
	if (bytes != 500 || status.MPI_SOURCE != 0 || status.MPI_TAG != 77)
		wrong("%d bytes from %d with tag %d", bytes, status.MPI_SOURCE, status.MPI_TAG);
}

static void no_bytes(void)
{
	long long sent = now_ns();

	if (rank == 0) {
		MPI_Send(NULL, 0, MPI_BYTE, 1, 4, MPI_COMM_WORLD);
		MPI_Send(&sent, 1, MPI_LONG_LONG, 1, 5, MPI_COMM_WORLD);
		return;
	}
	MPI_Recv(NULL, 0, MPI_BYTE, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	const long long seen = now_ns();
	MPI_Recv(&sent, 1, MPI_LONG_LONG, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (seen - sent < latency_ns)
		wrong("no bytes after %lld ns", seen - sent);
}

static void test_loop(void)
{
	MPI_Request request;
	int done = 0;

	if (rank == 0) {
		send_time(64, 6, MPI_COMM_WORLD);
		return;
	}
	MPI_Irecv(space, 64, MPI_BYTE, 0, 6, MPI_COMM_WORLD, &request);
	while (!done)
		MPI_Test(&request, &done, MPI_STATUS_IGNORE);
	check_time(64, "MPI_Test");
}

/* The first message is due when the second one is, and so needs no more time. */
static void late(void)
{
	MPI_Request request;
	int done = 0;

	if (rank == 0) {
		send_time(64, 22, MPI_COMM_WORLD);
		send_time(64, 23, MPI_COMM_WORLD);
		return;
	}
	MPI_Recv(space, 64, MPI_BYTE, 0, 23, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Irecv(space, 64, MPI_BYTE, 0, 22, MPI_COMM_WORLD, &request);
	for (int i = 0; i < 10 && !done; i++)
		MPI_Test(&request, &done, MPI_STATUS_IGNORE);
	if (!done)
		wrong("a message that was due was delayed again");
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void persistent(void)
{
	MPI_Request request;

	if (rank == 0) {
		for (int i = 0; i < 3; i++)
			send_time(64, 7, MPI_COMM_WORLD);
		return;
	}
	MPI_Recv_init(space, 64, MPI_BYTE, 0, 7, MPI_COMM_WORLD, &request);
	for (int i = 0; i < 3; i++) {
		MPI_Start(&request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		check_time(64, "MPI_Start");
	}
	MPI_Request_free(&request);
}

/* Every second long long: numbers[0] is the time. */
static void strided(void)
{
	enum { NUMBERS = 20000 };
	long long *numbers = (long long *)space;
	MPI_Datatype type;

	MPI_Type_vector(NUMBERS, 1, 2, MPI_LONG_LONG, &type);
	MPI_Type_commit(&type);
	for (int i = 0; i < 2 * NUMBERS; i++)
		numbers[i] = rank ? -1 : i;
	numbers[0] = now_ns();
	if (rank == 0)
		MPI_Send(numbers, 1, type, 1, 8, MPI_COMM_WORLD);
	else
		MPI_Recv(numbers, 1, type, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank == 1)
		not_early(numbers[0], NUMBERS * 8, "a strided message");
	for (int i = 2; rank == 1 && i < 2 * NUMBERS; i++)
		if (numbers[i] != (i % 2 ? -1 : i))
			wrong("number %d is %lld", i, numbers[i]);
	MPI_Type_free(&type);
}

static void intercommunicator(void)
{
	MPI_Comm inter;

	MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, !rank, 9, &inter);
	if (rank == 0) {
		const long long now = now_ns();

		MPI_Send(&now, 8, MPI_BYTE, 0, 10, inter);
	} else {
		MPI_Recv(space, 8, MPI_BYTE, 0, 10, inter, MPI_STATUS_IGNORE);
		check_time(8, "a message of an intercommunicator");
	}
	MPI_Comm_free(&inter);
}

static void collective(void)
{
	long long sent = now_ns();

	MPI_Bcast(&sent, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
	if (rank == 1)
		not_early(sent, 8, "MPI_Bcast");
}

static void to_itself(void)
{
	int number = rank + 1, result = 0;

	MPI_Sendrecv(&number, 1, MPI_INT, rank, 11, &result, 1, MPI_INT, rank, 11, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	if (result != number)
		wrong("%d instead of %d", result, number);
}

/* --------------------------------------------------------------------- probes */

static void probe(void)
{
	MPI_Status status;
	int bytes, seen = 0;
	long long when;

	if (rank == 0) {
		send_time(300, 12, MPI_COMM_WORLD);
		send_time(200, 12, MPI_COMM_WORLD);
		return;
	}
	while (!seen)
		MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &seen, &status);
	when = now_ns();
	MPI_Get_count(&status, MPI_BYTE, &bytes);
	MPI_Recv(space, bytes, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
		 &status);
	if (bytes != 300 || when - *(long long *)space < latency_ns + bytes * gap_ns)
		wrong("MPI_Iprobe saw %d bytes after %lld ns", bytes, when - *(long long *)space);
	MPI_Probe(0, 12, MPI_COMM_WORLD, &status);
	when = now_ns();
	MPI_Recv(space, LARGE, MPI_BYTE, 0, 12, MPI_COMM_WORLD, &status);
	MPI_Get_count(&status, MPI_BYTE, &bytes);
	if (bytes != 200 || when - *(long long *)space < latency_ns + bytes * gap_ns)
		wrong("MPI_Probe saw %d bytes after %lld ns", bytes, when - *(long long *)space);
}

/* The larger first message takes longer, but the second must not overtake it. */
static void probe_order(void)
{
	MPI_Status status;
	int seen = 0;

	if (rank == 0) {
		send_time(LARGE, 13, MPI_COMM_WORLD);
		send_time(8, 14, MPI_COMM_WORLD);
		return;
	}
	while (!seen)
		MPI_Iprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &seen, &status);
	if (status.MPI_TAG != 13)
		wrong("the probe saw tag %d first", status.MPI_TAG);
	MPI_Recv(space, LARGE, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
	if (status.MPI_TAG != 13)
		wrong("the receive got tag %d first", status.MPI_TAG);
	check_time(LARGE, "a large message");
	MPI_Recv(space, LARGE, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
	check_time(8, "a small message");
}

static void matched_probe(void)
{
	MPI_Message message = MPI_MESSAGE_NULL;
	MPI_Datatype type;
	int seen = 0;

	MPI_Type_vector(50, 8, 16, MPI_BYTE, &type);
	MPI_Type_commit(&type);
	if (rank == 0) {
		send_time(400, 15, MPI_COMM_WORLD);
		send_time(400, 15, MPI_COMM_WORLD);
	} else {
		while (!seen)
			MPI_Improbe(0, 15, MPI_COMM_WORLD, &seen, &message, MPI_STATUS_IGNORE);
		MPI_Mrecv(space, 1, type, &message, MPI_STATUS_IGNORE);
		check_time(400, "MPI_Improbe");
		MPI_Mprobe(0, 15, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
		MPI_Mrecv(space, 400, MPI_BYTE, &message, MPI_STATUS_IGNORE);
		check_time(400, "MPI_Mprobe");
	}
	MPI_Type_free(&type);
}

/* ---------------------------------------------------------- synchronous sends */

static void synchronous(void)
{
	const long long start = now_ns();
	MPI_Request request;

	if (rank == 1) {
		MPI_Recv(space, 100, MPI_BYTE, 0, 16, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(space, 100, MPI_BYTE, 0, 16, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		return;
	}
	MPI_Ssend(space, 100, MPI_BYTE, 1, 16, MPI_COMM_WORLD);
	if (now_ns() - start < 2 * latency_ns + 100 * gap_ns)
		wrong("MPI_Ssend took %lld ns", now_ns() - start);
	const long long again = now_ns();
	MPI_Issend(space, 100, MPI_BYTE, 1, 16, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	if (now_ns() - again < 2 * latency_ns + 100 * gap_ns)
		wrong("MPI_Issend took %lld ns", now_ns() - again);
}

/* ----------------------------------------------------- cancelling, truncation */

static void cancel(void)
{
	MPI_Request request;
	MPI_Status status;
	int cancelled;

	MPI_Irecv(space, 8, MPI_BYTE, !rank, 17, MPI_COMM_WORLD, &request);
	MPI_Cancel(&request);
	MPI_Wait(&request, &status);
	MPI_Test_cancelled(&status, &cancelled);
	if (!cancelled)
		wrong("the receive was not cancelled");
}

static void truncation(void)
{
	int code, class = MPI_SUCCESS;

	if (rank == 0) {
		MPI_Send(space, 100, MPI_BYTE, 1, 18, MPI_COMM_WORLD);
		return;
	}
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	code = MPI_Recv(space, 99, MPI_BYTE, 0, 18, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
	MPI_Error_class(code, &class);
	if (class != MPI_ERR_TRUNCATE)
		wrong("the error is of class %d", class);
}

/* ---------------------------------------------------------------------- order */

/* Messages of many sizes with one tag; every third one is probed. */
static void order(void)
{
	enum { MESSAGES = 60 };
	MPI_Request requests[MESSAGES];
	int *numbers = (int *)space;

	if (rank == 0) {
		for (int i = 0; i < MESSAGES; i++) {
			int *own = numbers + i * 5000;

			*own = i;
			MPI_Isend(own, 1 + i * 7919 % 4000, MPI_INT, 1, 19, MPI_COMM_WORLD,
				  &requests[i]);
		}
		MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
		return;
	}
	for (int i = 0; i < MESSAGES; i++) {
		if (i % 3 == 0)
			MPI_Probe(0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Irecv(numbers + i * 5000, 5000, MPI_INT, 0, i % 2 ? 19 : MPI_ANY_TAG,
			  MPI_COMM_WORLD, &requests[i]);
		if (i % 3 == 1)
			MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
	}
	MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
	for (int i = 0; i < MESSAGES; i++)
		if (numbers[i * 5000] != i)
			wrong("message %d came as number %d", numbers[i * 5000], i);
}

/* --------------------------------------------- one-sided, partitioned messages */

static void one_sided(void)
{
	long long memory[2] = {0, 5}, start, number = 0;
	MPI_Win window;

	MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD,
		       &window);
	MPI_Win_fence(0, window);
	start = now_ns();
	if (rank == 0)
		MPI_Put(&start, 1, MPI_LONG_LONG, 1, 0, 1, MPI_LONG_LONG, window);
	MPI_Win_fence(0, window);
	if (rank == 1)
		not_early(memory[0], 8, "MPI_Put");
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1) {
		start = now_ns();
		MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
		MPI_Get(&number, 1, MPI_LONG_LONG, 0, 1, 1, MPI_LONG_LONG, window);
		MPI_Win_unlock(0, window);
		if (number != 5 || now_ns() - start < 2 * latency_ns)
			wrong("MPI_Get took %lld ns and got %lld", now_ns() - start, number);
	}
	MPI_Win_free(&window);
}

static void partitioned(void)
{
#if MPI_VERSION >= 4
	enum { PARTS = 4, BYTES = 1000 };
	MPI_Request request;
	const long long start = now_ns();

	if (rank == 0) {
		memcpy(space, &start, sizeof start);
		MPI_Psend_init(space, PARTS, BYTES, MPI_BYTE, 1, 21, MPI_COMM_WORLD, MPI_INFO_NULL,
			       &request);
	} else {
		MPI_Precv_init(space, PARTS, BYTES, MPI_BYTE, 0, 21, MPI_COMM_WORLD, MPI_INFO_NULL,
			       &request);
	}
	MPI_Start(&request);
	for (int i = 0; rank == 0 && i < PARTS; i++)
		MPI_Pready(i, request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	if (rank == 1)
		check_time(PARTS * BYTES, "a partitioned message");
	MPI_Request_free(&request);
#endif
}

/* ------------------------------------------------------------------------ all */

static void check(const char *name, void (*run)(void))
{
	char theirs[sizeof fault];

	fault[0] = 0;
	run();
	MPI_Sendrecv(fault, sizeof fault, MPI_CHAR, !rank, 20, theirs, sizeof theirs, MPI_CHAR,
		     !rank, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank == 0)
		printf("%s%s%s%s\n", name, *fault || *theirs ? ": " : "", fault, theirs);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	space = calloc(1, HUGE_MESSAGE);
	if (argc != 3 || !space)
		MPI_Abort(MPI_COMM_WORLD, 2);
	latency_ns = atoll(argv[1]);
	gap_ns = atoll(argv[2]);
	check("receive", receive);
	check("wildcards", wildcards);
	check("no_bytes", no_bytes);
	check("test_loop", test_loop);
	check("late", late);
	check("persistent", persistent);
	check("strided", strided);
	check("intercommunicator", intercommunicator);
	check("collective", collective);
	check("to_itself", to_itself);
	check("probe", probe);
	check("probe_order", probe_order);
	check("matched_probe", matched_probe);
	check("synchronous", synchronous);
	check("cancel", cancel);
	check("truncation", truncation);
	check("order", order);
	check("one_sided", one_sided);
	check("partitioned", partitioned);
	MPI_Finalize();
	free(space);
	return 0;
}
