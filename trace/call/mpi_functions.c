#include "trace/call/mpi_functions.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

const struct mpi_function mpi_functions[MPI_FUNCTION_COUNT] = {
#define MPI_FUNCTION(name, class, role, traits) \
	{"MPI_" #name, MPI_CLASS_##class, MPI_ROLE_##role, traits},
#include "trace/call/mpi_functions.def"
#undef MPI_FUNCTION
};

/*
 * Functions that only other tools trace and that concern no other rank.  "*" matches any rest of
 * the name.
 */
static const char *const untraced_local[] = {
	"MPI_Abi_*", "MPI_Aint_*", "MPI_Attr_*", "MPI_Comm_get_*", "MPI_Comm_set_*",
	"MPI_Errhandler_*", "MPI_Finalized", "MPI_Get_library_version", "MPI_Get_version",
	"MPI_Group_*", "MPI_Info_*", "MPI_Initialized", "MPI_Is_thread_main", "MPI_Pcontrol",
	"MPI_Query_thread", "MPI_Remove_error_*", "MPI_Request_c2f", "MPI_Request_f2c",
	"MPI_Status_*", "MPI_Type_*", "MPI_Wtick", "MPI_Wtime",
};

/* Length of a name without the parentheses that some tools add to it. */
static size_t name_length(const char *name)
{
	const size_t all = strlen(name);

	return all > 2 && !strcmp(name + all - 2, "()") ? all - 2 : all;
}

const struct mpi_function *mpi_function_find(const char *name)
{
	const size_t length = name_length(name);

	for (unsigned i = 0; i < MPI_FUNCTION_COUNT; i++)
		if (!strncmp(mpi_functions[i].name, name, length) && !mpi_functions[i].name[length])
			return &mpi_functions[i];
	return NULL;
}

static bool is_untraced_local(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof untraced_local / sizeof *untraced_local; i++) {
		const size_t stem = strcspn(untraced_local[i], "*");

		if (!strncmp(untraced_local[i], name, stem) &&
		    (untraced_local[i][stem] ? length >= stem : length == stem))
			return true;
	}
	return false;
}

struct mpi_function mpi_function_named(const char *name)
{
	const struct mpi_function *function = mpi_function_find(name);

	if (function)
		return *function;
	return (struct mpi_function){
		.name = name,
		.class = is_untraced_local(name, name_length(name)) ? MPI_CLASS_LOCAL
								    : MPI_CLASS_OTHER,
	};
}
