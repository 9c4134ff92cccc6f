/*
 * The MPI functions that are traced, from the table mpi_functions.def.
 *
 * A function's number is its place in the table.  It is the id of its region in the archives we
 * write, but readers go by name.
 */
#ifndef TRACE_MPI_FUNCTIONS_H
#define TRACE_MPI_FUNCTIONS_H

#include <stdint.h>

enum mpi_class {
	MPI_CLASS_INIT,		/* MPI_Init, MPI_Init_thread, MPI_Session_init */
	MPI_CLASS_FINALIZE,	/* MPI_Finalize, MPI_Session_finalize */
	MPI_CLASS_P2P,		/* messages and probes */
	MPI_CLASS_COMPLETION,	/* requests: wait, test, start */
	MPI_CLASS_REQUEST,	/* makes, frees or cancels requests: concerns no other rank */
	MPI_CLASS_COLLECTIVE,
	MPI_CLASS_COMMUNICATOR,	/* makes or frees communicators */
	MPI_CLASS_RMA,		/* windows */
	MPI_CLASS_IO,		/* files */
	MPI_CLASS_LOCAL,	/* concerns no other rank */
	MPI_CLASS_OTHER,
	MPI_CLASSES
};

/* Further properties of a function; any combination. */
enum mpi_traits {
	MPI_POLLS = 1,		/* returns at once, with or without success */
	MPI_SILENT = 2,		/* probes or tests, without a record in any trace */
	MPI_BUFFERS = 4,	/* its sends end without their receiver */
	MPI_BY_MEMBERS = 8,	/* called only by the ranks of the communicator that it makes */
	MPI_OF_SESSION = 16,	/* begins or ends a session; a program may have several */
};

/* Roles of regions, as OTF2 has them for MPI. */
enum mpi_role {
	MPI_ROLE_FUNCTION,
	MPI_ROLE_P2P,
	MPI_ROLE_BARRIER,
	MPI_ROLE_ONE2ALL,
	MPI_ROLE_ALL2ONE,
	MPI_ROLE_ALL2ALL,
	MPI_ROLE_COLL_OTHER,
	MPI_ROLE_RMA,
	MPI_ROLE_ATOMIC,
	MPI_ROLE_FILE_IO,
};

/* MPI_Send has the number CALL_Send, and so on. */
enum {
#define MPI_FUNCTION(name, class, role, traits) CALL_##name,
#include "trace/call/mpi_functions.def"
#undef MPI_FUNCTION
	MPI_FUNCTION_COUNT
};

struct mpi_function {
	const char *name;	/* "MPI_Send" */
	enum mpi_class class;
	enum mpi_role role;
	unsigned traits;	/* enum mpi_traits */
};

extern const struct mpi_function mpi_functions[MPI_FUNCTION_COUNT];

/* Find the function of that name, "MPI_Send()" too, or NULL. */
const struct mpi_function *mpi_function_find(const char *name);

/*
 * Describe the function of any name in a trace.  A function outside the table has
 * no traits, and the class LOCAL if it is known to concern no other rank, else OTHER.
 */
struct mpi_function mpi_function_named(const char *name);

#endif
