#include "trace/call/mpi_functions.h"

#include <stddef.h>
#include <string.h>

const struct mpi_function mpi_functions[MPI_FUNCTION_COUNT] = {
#define MPI_FUNCTION(name, class, role) \
	{"MPI_" #name, MPI_CLASS_##class, MPI_ROLE_##role},
#include "trace/call/mpi_functions.def"
#undef MPI_FUNCTION
};

const struct mpi_function *mpi_function_find(const char *name)
{
	for (unsigned i = 0; i < MPI_FUNCTION_COUNT; i++)
		if (strcmp(mpi_functions[i].name, name) == 0)
			return &mpi_functions[i];
	return NULL;
}
