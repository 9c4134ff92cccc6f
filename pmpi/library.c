#include "pmpi/library.h"

#include "common/error.h"
#include "pmpi/sink.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define DEFINE(Name) __typeof__(library_##Name) library_##Name;
LIBRARY_FUNCTIONS(DEFINE)

void library_find(void)
{
	/* One that mpi.h has and the library has not, stays NULL: the program cannot call it. */
#define FIND(Name) *(void **)&library_##Name = dlsym(RTLD_NEXT, "PMPI_" #Name);
	LIBRARY_FUNCTIONS(FIND)
}

/*
 * Open MPI, and what is made of it, has this symbol, which MPI_COMM_WORLD is the address of.  The
 * tracer's own dependencies bring another MPI into the process, so the library that has MPI_Init
 * is asked.
 */
static bool is_open_mpi(const char *library)
{
	void *handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
	bool found = handle && dlsym(handle, "ompi_mpi_comm_world");

	if (handle)
		dlclose(handle);
	return found;
}

void library_must_fit(void)
{
#ifdef OPEN_MPI
	const bool wanted = true;
#else
	const bool wanted = false;
#endif
	Dl_info mpi, own;

	if (!dladdr(*(void **)&library_Init, &mpi) || is_open_mpi(mpi.dli_fname) == wanted ||
	    !dladdr(&library_Init, &own))
		return;
	fprintf(stderr, "%s: %s is for another MPI than the program's, which is in %s\n",
		sink.name, own.dli_fname, mpi.dli_fname);
	exit(STATUS_LIMIT);
}
