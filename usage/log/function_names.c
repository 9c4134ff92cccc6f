#include "usage/log/function_names.h"
#include "trace/call/mpi_functions.h"

static const char *const class_names[MPI_CLASSES] = {
	[MPI_CLASS_INIT] = "init",
	[MPI_CLASS_FINALIZE] = "finalize",
	[MPI_CLASS_P2P] = "p2p",
	[MPI_CLASS_COMPLETION] = "completion",
	[MPI_CLASS_REQUEST] = "request",
	[MPI_CLASS_COLLECTIVE] = "collective",
	[MPI_CLASS_COMMUNICATOR] = "communicator",
	[MPI_CLASS_RMA] = "rma",
	[MPI_CLASS_IO] = "io",
	[MPI_CLASS_LOCAL] = "local",
	[MPI_CLASS_OTHER] = "other",
};

const char *usage_function_name(uint16_t function)
{
	return function < MPI_FUNCTION_COUNT ? mpi_functions[function].name : USAGE_REST_NAME;
}

const char *usage_class_name(uint16_t function)
{
	return class_names
		[function < MPI_FUNCTION_COUNT ? mpi_functions[function].class : MPI_CLASS_OTHER];
}
