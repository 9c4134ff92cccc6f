/*
 * Preloaded into programs of MPICH over UCX: let MPI_Finalize return.
 *
 * In MPICH 4.0 a rank closes its connections and then waits for the launcher, without attending to UCX.
 * Another rank that needs its answer to close a connection waits for ever
 * (https://github.com/pmodels/mpich/pull/6596).  Here UCX goes on until the launcher has answered.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

enum { PAUSE_MS = 1 };

unsigned ucp_worker_progress(void *worker);
void ucp_worker_destroy(void *worker);

static void *last_worker; /* that has made progress, until it is destroyed */

unsigned ucp_worker_progress(void *worker)
{
	static unsigned (*progress)(void *);

	if (!progress)
		progress = (__typeof__(progress))dlsym(RTLD_NEXT, "ucp_worker_progress");
	last_worker = worker;
	return progress(worker);
}

void ucp_worker_destroy(void *worker)
{
	void (*destroy)(void *) = (__typeof__(destroy))dlsym(RTLD_NEXT, "ucp_worker_destroy");

	last_worker = NULL;
	destroy(worker);
}

ssize_t read(int file, void *bytes, size_t size)
{
	static ssize_t (*read_file)(int, void *, size_t);
	const char *launcher = getenv("PMI_FD");
	struct pollfd answer = {.fd = file, .events = POLLIN};

	if (!read_file)
		read_file = (__typeof__(read_file))dlsym(RTLD_NEXT, "read");
	while (last_worker && launcher && file == atoi(launcher) && poll(&answer, 1, PAUSE_MS) == 0)
		ucp_worker_progress(last_worker);
	return read_file(file, bytes, size);
}
