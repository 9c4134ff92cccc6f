#include "usage/log/function_names.h"
#include "common/string_map.h"
#include "trace/call/mpi_functions.h"
#include "usage/log/cell.h"

#include <pthread.h>
#include <string.h>

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

static struct string_map numbers;
static pthread_once_t numbers_once = PTHREAD_ONCE_INIT;
static bool lacks_numbers; /* there was no memory for all of them */

static void add_number(const char *name, uint16_t function)
{
	struct error err;

	if (string_map_add(&numbers, name, (uint32_t)strlen(name), function, &err) < 0)
		lacks_numbers = true;
}

static void number_names(void)
{
	for (uint16_t i = 0; i < MPI_FUNCTION_COUNT; i++)
		add_number(mpi_functions[i].name, i);
	add_number(USAGE_REST_NAME, USAGE_REST);
}

int usage_function_find(const char *name, uint32_t bytes, uint16_t *function, struct error *err)
{
	uint32_t number;

	pthread_once(&numbers_once, number_names);
	if (lacks_numbers)
		return error_set_memory(err, 0);
	number = string_map_get(&numbers, name, bytes);
	*function = (uint16_t)number;
	return number != STRING_MAP_EMPTY;
}

const char *usage_class_name(uint16_t function)
{
	return class_names
		[function < MPI_FUNCTION_COUNT ? mpi_functions[function].class : MPI_CLASS_OTHER];
}
