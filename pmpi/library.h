/*
 * Functions of the MPI library, below the wrappers.
 *
 * A wrapper MPI_X has PMPI_X as another name.  Fortran bindings call either of them, after they
 * have translated handles, MPI_IN_PLACE, statuses and indices, so no Fortran entry point is needed
 * here.  Those of Open MPI always call PMPI_X.  MPICH's `use mpi_f08` calls it if no choice buffer
 * is involved.  A call from C or Fortran is recorded once, because calls
 * made inside a call are not recorded.
 *
 * In the code of pmpi/ and of sinks, PMPI_X is a pointer to the MPI library's function.  NEXT_X is the next
 * function of that name, of another tool that is loaded behind this one or of the MPI library: the calls of
 * the program go there, and what a tool asks MPI for itself does not.  The header with these pointers is made
 * from mpi.h.
 */
#ifndef PMPI_LIBRARY_H
#define PMPI_LIBRARY_H

#include <mpi.h>

#include <mpi_functions_of_library.h>

#include <stdbool.h>

void library_find(void);

/*
 * Find the file of another tool that wraps MPI functions below this library, so that no call
 * reaches it.  NULL without such a tool, and if a library that fits all programs leads calls to it.
 */
const char *library_other_tool(void);

/*
 * Find the file of another tool that gets the program's MPI_Init, in the program or in a library of it.  NULL
 * without such a tool.  If MPI is initialised and MPI_Init was not seen, that tool keeps calls from this library.
 */
const char *library_first_tool(void);

/*
 * End the program with a message if the tracer was compiled for another kind of MPI.  Handles have
 * other types then, so calls cannot even be passed on.
 */
void library_must_fit(void);

/*
 * Find the functions before the first one is called.  Normally they are found when the tracer is
 * loaded, but another library's constructor may call MPI earlier.
 */
static inline void library_need(void)
{
	if (!library_Init)
		library_find();
}

#endif
