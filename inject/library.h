/* The functions of the MPI library that the injector uses itself, below all tools. */
#ifndef INJECT_LIBRARY_H
#define INJECT_LIBRARY_H

#include <mpi.h>

#define LIBRARY_FUNCTIONS(X) \
	X(Abort)             \
	X(Allreduce)         \
	X(Barrier)           \
	X(Bcast)             \
	X(Comm_dup)          \
	X(Comm_free)         \
	X(Comm_rank)         \
	X(Comm_size)         \
	X(Group_free)        \
	X(Group_rank)        \
	X(Query_thread)      \
	X(Recv)              \
	X(Send)              \
	X(Win_get_group)

struct library {
#define MEMBER(name) __typeof__(MPI_##name) *name;
	LIBRARY_FUNCTIONS(MEMBER)
#undef MEMBER
};

extern struct library library;

/* Find them in the library itself: those of a tracer would record the check. */
void library_find(void);

/* End the job with STATUS_LIMIT for a reason that all ranks of a communicator have; its first reports it. */
void refuse_together(MPI_Comm comm, const char *text);

#endif
