#include "pmpi/together.h"

#include "pmpi/process.h"
#include "pmpi/sink.h"

#include <time.h>

/* Number of tests before a wait sleeps.  A process that yields instead may have to wait for a whole turn of another. */
enum { EAGER_TESTS = 50 };
enum { SHORTEST_SLEEP_NS = 20000, LONGEST_SLEEP_NS = 1000000 };

static unsigned limit_s;

void together_limit(unsigned seconds)
{
	limit_s = seconds;
}

static bool is_late(uint64_t since_ns)
{
	return limit_s && passed_ns(since_ns, now_ns()) >= limit_s * UINT64_C(1000000000);
}

/* Report it once. The request stays with MPI: a collective cannot be cancelled. */
static void give_up(void)
{
	struct error err;

	error_set(&err, STATUS_LIMIT,
		  "other ranks have not answered for %u s; start all programs"
		  " that share MPI_COMM_WORLD with %s",
		  limit_s, sink.name);
	limit_s = 0;
	if (sink.late)
		sink.late(&err);
	else if (sink.failed)
		sink.failed(&err);
}

static void give_way(unsigned tests, struct timespec *sleep)
{
	if (tests < EAGER_TESTS)
		return;
	nanosleep(sleep, NULL);
	if (sleep->tv_nsec < LONGEST_SLEEP_NS)
		sleep->tv_nsec *= 2;
}

bool together_wait(MPI_Request *request)
{
	struct timespec sleep = {.tv_nsec = SHORTEST_SLEEP_NS};
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
		give_way(tests, &sleep);
	}
}

bool together_wait_until(MPI_Request *request, uint64_t deadline_ns)
{
	struct timespec sleep = {.tv_nsec = SHORTEST_SLEEP_NS};
	int done = 0;

	for (unsigned tests = 0;; tests++) {
		if (PMPI_Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
			return false;
		if (done || now_ns() >= deadline_ns)
			return done;
		give_way(tests, &sleep);
	}
}

static bool duplicate(MPI_Comm comm, MPI_Comm *copy)
{
	MPI_Request request;

	if (PMPI_Comm_idup(comm, copy, &request) == MPI_SUCCESS && together_wait(&request))
		return true;
	*copy = MPI_COMM_NULL;
	return false;
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

static bool reduce(uint64_t *values, int count, MPI_Op operation)
{
	MPI_Request request;

	return PMPI_Iallreduce(MPI_IN_PLACE, values, count, MPI_UINT64_T, operation, process.comm,
			       &request) == MPI_SUCCESS &&
	       together_wait(&request);
}

bool together_least(uint64_t *values, int count)
{
	return reduce(values, count, MPI_MIN);
}

bool together_sum(uint64_t *values, int count)
{
	return reduce(values, count, MPI_SUM);
}

bool together_tell(void *bytes, int count, int root)
{
	MPI_Request request;

	return PMPI_Ibcast(bytes, count, MPI_BYTE, root, process.comm, &request) == MPI_SUCCESS &&
	       together_wait(&request);
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
