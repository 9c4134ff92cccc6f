#include "launch/launcher.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

const struct mpi_implementation mpi_implementations[] = {
#define LAUNCHER(name)
#define TEST_SETTING(key, variable, value)
#define MPI(key, title, macro, versions, symbol, rank, size, local_size) \
	{#key, title, versions, symbol, rank, size, local_size},
#include "launch/mpi_implementations.def"
};

/* What this library was compiled for. */
static const struct mpi_implementation *own;

/* Launcher of another MPI that has started the process, with its rank and number of processes. */
static struct {
	const struct mpi_implementation *mpi;
	long rank, size;
} foreign;

const struct mpi_implementation *launcher_mpi(void)
{
	for (size_t i = 0; i < MPI_IMPLEMENTATIONS; i++)
		if (getenv(mpi_implementations[i].size))
			return &mpi_implementations[i];
	/* Slurm starts processes of Open MPI this way. */
	return getenv("PMIX_RANK") ? &mpi_implementations[MPI_openmpi] : NULL;
}

long launcher_rank(const struct mpi_implementation *mpi)
{
	static const char *const others[] = {"PMIX_RANK", "SLURM_PROCID"};
	const char *rank = NULL;

	for (size_t i = 0; !rank && i < MPI_IMPLEMENTATIONS; i++)
		if (!mpi || mpi == &mpi_implementations[i])
			rank = getenv(mpi_implementations[i].rank);
	for (size_t i = 0; !rank && i < sizeof others / sizeof *others; i++)
		rank = getenv(others[i]);
	return rank ? atol(rank) : -1;
}

/* Number of a node in a list of Slurm such as "4(x2),3": 4 on the first two nodes, 3 on the third.  0: none. */
static long entry_of_node(const char *list, long node)
{
	while (*list) {
		char *end;
		const long ranks = strtol(list, &end, 10);
		long nodes = 1;

		if (strncmp(end, "(x", 2) == 0)
			nodes = strtol(end + 2, &end, 10);
		if (end == list)
			return 0;
		if (node < nodes)
			return ranks;
		node -= nodes;
		end += *end == ')';
		if (*end && *end != ',')
			return 0;
		list = end + (*end == ',');
	}
	return 0;
}

long launcher_local_size(void)
{
	const char *list = getenv("SLURM_STEP_TASKS_PER_NODE"), *node = getenv("SLURM_NODEID");

	for (size_t i = 0; i < MPI_IMPLEMENTATIONS; i++)
		if (getenv(mpi_implementations[i].local_size))
			return atol(getenv(mpi_implementations[i].local_size));
	return list && node ? entry_of_node(list, atol(node)) : 0;
}

const struct mpi_implementation *launcher_mpi_of_library(void *handle)
{
	const struct mpi_implementation *mpi = mpi_implementations;

	while (*mpi->symbol && !(handle && dlsym(handle, mpi->symbol)))
		mpi++;
	return mpi;
}

/* ------------------------------------------------- inside a process of a job */

const struct mpi_implementation *launcher_own_mpi(void)
{
	return own;
}

void launcher_note(const char *key)
{
	const struct mpi_implementation *mpi;

	for (own = mpi_implementations; strcmp(own->key, key) != 0;)
		own++;
	if (getenv(own->size))
		return;
	for (mpi = mpi_implementations; mpi < mpi_implementations + MPI_IMPLEMENTATIONS; mpi++) {
		const char *rank = getenv(mpi->rank), *size = getenv(mpi->size);

		if (mpi == own || !rank || !size || atol(size) <= foreign.size)
			continue;
		foreign.mpi = mpi;
		foreign.rank = atol(rank);
		foreign.size = atol(size);
	}
}

/* Find the process at the other end of a socket, or 0. */
static long peer_of(int socket)
{
	struct ucred peer = {0};
	socklen_t bytes = sizeof peer;

	return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 ? (long)peer.pid : 0;
}

/* Add the value of an option of a process, such as "--pgid 0", to the name.  False if it has none. */
static bool add_option(long process, const char *option, char *name, size_t bytes)
{
	const size_t used = strlen(name);
	char path[40], *word = NULL;
	size_t room = 0;
	bool found = false;
	FILE *words;

	snprintf(path, sizeof path, "/proc/%ld/cmdline", process);
	words = fopen(path, "re");
	while (words && !found && getdelim(&word, &room, 0, words) > 0)
		found = strcmp(word, option) == 0;
	found = found && getdelim(&word, &room, 0, words) > 0;
	if (found)
		snprintf(name + used, bytes - used, "%s%s", used ? "-" : "", word);
	if (words)
		fclose(words);
	free(word);
	return found;
}

/*
 * MPICH's launcher starts a proxy on each host, to which PMI_FD is connected.  All proxies of a job know
 * the address of mpiexec, and the number of the group of processes that it starts.
 */
static bool name_by_hydra(char *name, size_t bytes)
{
	const char *connection = getenv("PMI_FD");
	const long proxy = connection ? peer_of(atoi(connection)) : 0;

	return proxy > 0 && add_option(proxy, "--control-port", name, bytes) &&
	       add_option(proxy, "--pgid", name, bytes);
}

static bool name_by_environment(char *name, size_t bytes)
{
	const char *space = getenv("PMIX_NAMESPACE");
	const char *job = getenv("SLURM_JOB_ID"), *step = getenv("SLURM_STEP_ID");

	if (space)
		return snprintf(name, bytes, "%s", space) > 0;
	return job && step && snprintf(name, bytes, "%s.%s", job, step) > 0;
}

const char *launcher_job(void)
{
	static char name[200];

	if (*name)
		return name;
	if ((strcmp(own->rank, "PMI_RANK") != 0 || !name_by_hydra(name, sizeof name)) &&
	    !name_by_environment(name, sizeof name))
		strcpy(name, "unknown");
	for (char *slash = name; (slash = strchr(slash, '/'));)
		*slash = '_';
	return name;
}

int launcher_check(int size, bool *first, struct error *err)
{
	if (size != 1 || foreign.size <= 1)
		return 0;
	*first = foreign.rank == 0;
	return error_set(err, STATUS_DATA,
			 "the launcher started %ld processes, but MPI_COMM_WORLD has 1: the program"
			 " is linked with %s, mpiexec is %s's; start it with %s's (on Debian"
			 " mpiexec.%s)",
			 foreign.size, own->title, foreign.mpi->title, own->title, own->key);
}
