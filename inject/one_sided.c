/*
 * One-sided communication that Open MPI cannot do by messages of UCX.  It would hang or be killed by
 * Open MPI with a message about networks, so that the program is ended with the reason.
 *
 * The component osc=pt2pt, which inject/settings.def chooses, makes messages of it.  With pml=ucx
 * calls that fetch and accumulate at another rank never end (seen with 4.1.4, also without delays), and it
 * refuses windows with MPI_THREAD_MULTIPLE.
 */
#include "inject/fail.h"
#include "inject/library.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#ifdef OPEN_MPI

static bool by_messages(void)
{
	const char *component = getenv("OMPI_MCA_osc");

	return library.Barrier && component && !strcmp(component, "pt2pt");
}

static void check_fetch(const char *function, int target, MPI_Win window)
{
	MPI_Group group;
	int rank;

	if (!by_messages() || target == MPI_PROC_NULL)
		return;
	library.Win_get_group(window, &group);
	library.Group_rank(group, &rank);
	library.Group_free(&group);
	if (rank != target)
		fail("%s at another rank never ends where Open MPI sends one-sided communication as"
		     " messages of UCX (osc=pt2pt): the program is ended; build it with MPICH",
		     function);
}

static void check_window(MPI_Comm comm)
{
	int level;

	if (!by_messages())
		return;
	library.Query_thread(&level);
	if (level == MPI_THREAD_MULTIPLE)
		refuse_together(comm, "Open MPI has no windows with MPI_THREAD_MULTIPLE where it sends"
				      " one-sided communication as messages (osc=pt2pt): the program is"
				      " ended; build it with MPICH");
}

/* A function of MPI and its PMPI name, for Fortran and other tools: check, then call the next one. */
#define CHECKED_(name, parameters, arguments, check)        \
	int name parameters                                 \
	{                                                   \
		static int (*next) parameters;              \
                                                            \
		check;                                      \
		if (!next)                                  \
			*(void **)&next = dlsym(RTLD_NEXT, #name); \
		return next arguments;                      \
	}
#define CHECKED(name, parameters, arguments, check) \
	CHECKED_(name, parameters, arguments, check) CHECKED_(P##name, parameters, arguments, check)

CHECKED(MPI_Fetch_and_op,
	(const void *origin, void *result, MPI_Datatype type, int target, MPI_Aint place, MPI_Op op,
	 MPI_Win window),
	(origin, result, type, target, place, op, window),
	check_fetch("MPI_Fetch_and_op", target, window))
CHECKED(MPI_Get_accumulate,
	(const void *origin, int count, MPI_Datatype type, void *result, int result_count,
	 MPI_Datatype result_type, int target, MPI_Aint place, int target_count,
	 MPI_Datatype target_type, MPI_Op op, MPI_Win window),
	(origin, count, type, result, result_count, result_type, target, place, target_count,
	 target_type, op, window),
	check_fetch("MPI_Get_accumulate", target, window))
CHECKED(MPI_Rget_accumulate,
	(const void *origin, int count, MPI_Datatype type, void *result, int result_count,
	 MPI_Datatype result_type, int target, MPI_Aint place, int target_count,
	 MPI_Datatype target_type, MPI_Op op, MPI_Win window, MPI_Request *request),
	(origin, count, type, result, result_count, result_type, target, place, target_count,
	 target_type, op, window, request),
	check_fetch("MPI_Rget_accumulate", target, window))
CHECKED(MPI_Win_create,
	(void *base, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *window),
	(base, bytes, unit, info, comm, window), check_window(comm))
CHECKED(MPI_Win_allocate,
	(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *window),
	(bytes, unit, info, comm, base, window), check_window(comm))
CHECKED(MPI_Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win *window),
	(info, comm, window), check_window(comm))

#endif
