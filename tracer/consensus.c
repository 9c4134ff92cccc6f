#include "tracer/consensus.h"

#include "pmpi/process.h"
#include "pmpi/together.h"

#include <string.h>

/* Least time between two tests: a test lets MPI work on all that is open. */
enum { TEST_NS = 10000 };

/* Values of the collective: those of the consensus, and whether a rank abandons it. */
enum { ABANDONED = CONSENSUS_VALUES, VALUES };

static struct {
	pthread_mutex_t lock;
	MPI_Comm comm;
	MPI_Request request;
	uint64_t values[VALUES];
	uint64_t tested_ns;
	uint32_t joined;    /* number of rounds of consensus that this rank has joined */
	volatile bool open; /* the last one is not known to be complete */
	bool failed;	    /* MPI has */
} consensus = {.lock = PTHREAD_MUTEX_INITIALIZER, .comm = MPI_COMM_NULL};

bool consensus_open(void)
{
	uint64_t opened;

	if (consensus.comm != MPI_COMM_NULL)
		return true;
	if (!together_duplicate(&consensus.comm))
		consensus.comm = MPI_COMM_NULL;
	opened = consensus.comm != MPI_COMM_NULL;
	return together_least(&opened, 1) && opened;
}

/* Begin the collective with consensus.values. */
static bool begin_collective(void)
{
	consensus.joined++;
	consensus.open = !consensus.failed &&
			 PMPI_Iallreduce(MPI_IN_PLACE, consensus.values, VALUES, MPI_UINT64_T,
					 MPI_MAX, consensus.comm,
					 &consensus.request) == MPI_SUCCESS;
	consensus.failed |= !consensus.open;
	return consensus.open;
}

bool consensus_join(const uint64_t values[static CONSENSUS_VALUES])
{
	bool joined = false;

	if (pthread_mutex_trylock(&consensus.lock) != 0)
		return false;
	if (consensus.comm != MPI_COMM_NULL && !consensus.open && !consensus.failed) {
		memcpy(consensus.values, values, CONSENSUS_VALUES * sizeof *values);
		consensus.values[ABANDONED] = 0;
		joined = begin_collective();
	}
	pthread_mutex_unlock(&consensus.lock);
	return joined;
}

static bool test_collective(void)
{
	const uint64_t time_ns = now_ns();
	int done = 0;

	if (passed_ns(consensus.tested_ns, time_ns) < TEST_NS)
		return false;
	consensus.tested_ns = time_ns;
	if (PMPI_Test(&consensus.request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
		consensus.failed = true;
	consensus.open = !done && !consensus.failed;
	return done && !consensus.failed;
}

bool consensus_test(uint64_t values[static CONSENSUS_VALUES])
{
	bool done;

	if (!consensus.open || pthread_mutex_trylock(&consensus.lock) != 0)
		return false;
	done = consensus.open && test_collective();
	memcpy(values, consensus.values, CONSENSUS_VALUES * sizeof *values);
	pthread_mutex_unlock(&consensus.lock);
	return done;
}

/* Let this rank have joined as many rounds of consensus as others, and complete the last one. */
static bool complete_last(bool *was_open)
{
	uint64_t counts[2] = {~(uint64_t)consensus.joined, !consensus.failed};

	*was_open = consensus.open;
	/* After a failure of MPI on a rank its collectives are left as they are. */
	if (!together_least(counts, 2) || !counts[1])
		return false;
	if (consensus.joined < ~counts[0]) {
		memset(consensus.values, 0, sizeof consensus.values);
		consensus.values[ABANDONED] = 1;
		if (!begin_collective())
			return false;
	}
	if (consensus.open && !together_wait(&consensus.request))
		return false;
	consensus.open = false;
	PMPI_Comm_free(&consensus.comm);
	return true;
}

bool consensus_end(uint64_t values[static CONSENSUS_VALUES])
{
	bool was_open = false, done;

	if (consensus.comm == MPI_COMM_NULL)
		return false;
	done = complete_last(&was_open) && was_open && !consensus.values[ABANDONED];
	memcpy(values, consensus.values, CONSENSUS_VALUES * sizeof *values);
	consensus.comm = MPI_COMM_NULL;
	return done;
}
