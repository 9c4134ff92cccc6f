/* The functions of the MPI library that the check at the start uses, below all tools. */
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
	X(Recv)              \
	X(Send)

struct library {
#define MEMBER(name) __typeof__(MPI_##name) *name;
	LIBRARY_FUNCTIONS(MEMBER)
#undef MEMBER
};

extern struct library library;

/* Find them in the library itself: those of a tracer would record the check. */
void library_find(void);

#endif
