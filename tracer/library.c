#include "tracer/library.h"

#include <dlfcn.h>

#define DEFINE(Name) __typeof__(library_##Name) library_##Name;
LIBRARY_FUNCTIONS(DEFINE)

void library_find(void)
{
	/* One that mpi.h has and the library has not, stays NULL: the program cannot call it. */
#define FIND(Name) *(void **)&library_##Name = dlsym(RTLD_NEXT, "PMPI_" #Name);
	LIBRARY_FUNCTIONS(FIND)
}
