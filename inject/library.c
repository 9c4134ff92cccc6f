#include "inject/library.h"

#include "common/error.h"
#include "inject/fail.h"
#include "launch/forwarded.h"
#include "launch/launcher.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct library library;

/* Whether a library is of the MPI that this one was compiled for: there may be others, too. */
static bool is_own(void *handle)
{
	return launcher_mpi_of_library(handle) == launcher_own_mpi() && dlsym(handle, "PMPI_Init");
}

/* The first loaded library of MPI; looking up a name in its handle leaves out preloaded tools. */
static void *library_handle(void)
{
	void *program = dlopen(NULL, RTLD_LAZY), *handle;
	struct link_map *map = NULL;

	dlinfo(program, RTLD_DI_LINKMAP, &map);
	for (; map; map = map->l_next) {
		const char *slash = strrchr(map->l_name, '/');

		if (strncmp(slash ? slash + 1 : map->l_name, "libmpi", 6) != 0)
			continue;
		handle = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
		if (handle && is_own(handle))
			return handle;
	}
	return NULL;
}

void library_find(void)
{
	void *handle = library_handle();

	if (!handle)
		fail("the library of MPI is not found");
#define FIND(name)                                               \
	*(void **)&library.name = dlsym(handle, "PMPI_" #name);  \
	if (!library.name)                                       \
		fail("MPI has no function PMPI_" #name);
	LIBRARY_FUNCTIONS(FIND)
}

void refuse_together(MPI_Comm comm, const char *text)
{
	int rank;

	library.Comm_rank(comm, &rank);
	if (rank == 0) {
		fprintf(stderr, "llamp-inject: %s\n", text);
		forwarded_wait();
	} else {
		library.Barrier(comm);	/* until the first has ended the job */
	}
	library.Abort(MPI_COMM_WORLD, STATUS_LIMIT);
}
