#include "pmpi/together.h"

#include "pmpi/process.h"
#include "pmpi/sink.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/*
 * Number of tests before a wait sleeps.  A process that yields instead may have to wait for a whole
 * turn of another.
 */
enum { EAGER_TESTS = 50 };

/* A sleep is this part of the time waited before: a wait is at most so much longer than it has to be. */
enum { SLEEP_PART = 4, SHORTEST_SLEEP_NS = 10000, LONGEST_SLEEP_NS = 1000000 };

static unsigned limit_s;
static bool given_up; /* other ranks may have gone on alone: later waits fail at once */

void together_limit(unsigned seconds)
{
	limit_s = seconds;
}

static bool is_late(uint64_t since_ns)
{
	return given_up ||
	       (limit_s && passed_ns(since_ns, now_ns()) >= limit_s * UINT64_C(1000000000));
}

/*
 * Report it once.  The request and its memory stay with MPI: a collective cannot be cancelled.  A sink can
 * only go on alone before process.comm is there.
 */
static void give_up(void)
{
	struct error err;

	if (given_up)
		return;
	given_up = true;
	error_set(&err, STATUS_LIMIT,
		  "other ranks have not answered for %u s; start all programs"
		  " that share MPI_COMM_WORLD with %s",
		  limit_s, sink.name);
	if (sink.late && process.comm == MPI_COMM_NULL)
		sink.late(&err);
	else if (sink.failed)
		sink.failed(&err);
}

static void give_way(unsigned tests, uint64_t since_ns)
{
	struct timespec sleep = {0};
	uint64_t ns;

	if (tests < EAGER_TESTS)
		return;
	ns = passed_ns(since_ns, now_ns()) / SLEEP_PART;
	if (ns < SHORTEST_SLEEP_NS)
		ns = SHORTEST_SLEEP_NS;
	sleep.tv_nsec = ns < LONGEST_SLEEP_NS ? (long)ns : LONGEST_SLEEP_NS;
	nanosleep(&sleep, NULL);
}

bool together_wait(MPI_Request *request)
{
	const uint64_t since_ns = now_ns();
	int done = 0;

	for (unsigned tests = 0;; tests++) {
		if (PMPI_Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
			return false;
		if (done)
			return true;
		if (is_late(since_ns)) {
			give_up();
			return false;
		}
		give_way(tests, since_ns);
	}
}

bool together_wait_until(MPI_Request *request, uint64_t deadline_ns)
{
	const uint64_t since_ns = now_ns();
	int done = 0;

	for (unsigned tests = 0;; tests++) {
		if (PMPI_Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
			return false;
		if (done || now_ns() >= deadline_ns)
			return done;
		give_way(tests, since_ns);
	}
}

static bool duplicate(MPI_Comm comm, MPI_Comm *copy)
{
	static MPI_Comm made; /* MPI may write to it after a wait was given up */
	MPI_Request request;

	*copy = MPI_COMM_NULL;
	if (given_up || PMPI_Comm_idup(comm, &made, &request) != MPI_SUCCESS ||
	    !together_wait(&request))
		return false;
	*copy = made;
	return true;
}

bool together_open(void)
{
	MPI_Errhandler handler;
	bool have_handler, opened;

	if (process.comm != MPI_COMM_NULL)
		return true;
	have_handler = PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler) == MPI_SUCCESS;
	PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	opened = duplicate(MPI_COMM_WORLD, &process.comm);
	if (opened)
		PMPI_Comm_set_errhandler(process.comm, MPI_ERRORS_RETURN);
	if (have_handler) {
		PMPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
		PMPI_Errhandler_free(&handler);
	}
	return opened;
}

bool together_duplicate(MPI_Comm *copy)
{
	if (!duplicate(process.comm, copy))
		return false;
	PMPI_Comm_set_errhandler(*copy, MPI_ERRORS_RETURN);
	return true;
}

void together_close(void)
{
	if (process.comm != MPI_COMM_NULL)
		PMPI_Comm_free(&process.comm);
}

/*
 * Memory of a collective, with the values: that of the caller, or a copy if the wait may be given up, as MPI may
 * write to it at any later time.  NULL without memory.
 */
static void *memory_of(void *values, size_t bytes)
{
	void *copy;

	if (!limit_s)
		return values;
	copy = malloc(bytes);
	return copy ? memcpy(copy, values, bytes) : NULL;
}

/* Wait for the collective on `memory`, unless it has `failed` to start. */
static bool wait_with(bool failed, MPI_Request *request, void *memory, void *values, size_t bytes)
{
	const bool is_copy = memory != values;

	if (!failed && !together_wait(request))
		return false;
	if (!failed && is_copy)
		memcpy(values, memory, bytes);
	if (is_copy)
		free(memory);
	return !failed;
}

static bool reduce(uint64_t *values, int count, MPI_Datatype type, MPI_Op operation)
{
	const size_t bytes = (size_t)count * sizeof *values;
	void *memory = memory_of(values, bytes);
	MPI_Request request;
	const bool failed = !memory || PMPI_Iallreduce(MPI_IN_PLACE, memory, count, type, operation,
						       process.comm, &request) != MPI_SUCCESS;

	return wait_with(failed, &request, memory, values, bytes);
}

bool together_least(uint64_t *values, int count)
{
	bool done;

	/* MPICH 4.0 compares unsigned numbers as if they were signed: these have the order of the others. */
	for (int i = 0; i < count; i++)
		values[i] ^= UINT64_C(1) << 63;
	done = reduce(values, count, MPI_INT64_T, MPI_MIN);
	for (int i = 0; i < count; i++)
		values[i] ^= UINT64_C(1) << 63;
	return done;
}

bool together_sum(uint64_t *values, int count)
{
	return reduce(values, count, MPI_UINT64_T, MPI_SUM);
}

bool together_tell(void *bytes, int count, int root)
{
	void *memory = memory_of(bytes, (size_t)count);
	MPI_Request request;
	const bool failed = !memory || PMPI_Ibcast(memory, count, MPI_BYTE, root, process.comm,
						   &request) != MPI_SUCCESS;

	return wait_with(failed, &request, memory, bytes, (size_t)count);
}

static bool agree(void (*undo)(void))
{
	const uint64_t size = (uint64_t)process.size;
	uint64_t first = process.state == PROCESS_FAILED ? (uint64_t)process.rank : size;
	const bool told = together_least(&first, 1);

	if (told && first == size)
		return true;
	if (undo)
		undo();
	if (!told || (undo && !together_least(&first, 1)))
		return false;
	if (first == (uint64_t)process.rank && sink.failed)
		sink.failed(&process.error);
	/* Wait for the report, after which the sink may end the run before the program begins. */
	together_least(&first, 1);
	return false;
}

bool together_agree(void)
{
	return agree(NULL);
}

bool together_agree_or(void (*undo)(void))
{
	return agree(undo);
}
