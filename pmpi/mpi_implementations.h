/* Table of MPI implementations from pmpi/mpi_implementations.def. */
#ifndef PMPI_MPI_IMPLEMENTATIONS_H
#define PMPI_MPI_IMPLEMENTATIONS_H

struct mpi_implementation {
	const char *key, *title;
	const char *versions;	/* of its libraries, with blanks between */
	const char *symbol;	/* or "" */
	const char *rank, *size;
};

#define LAUNCHER(name)
#define TEST_SETTING(key, variable, value)

static const struct mpi_implementation mpi_implementations[] = {
#define MPI(key, title, macro, versions, symbol, rank, size) \
	{#key, title, versions, symbol, rank, size},
#include "pmpi/mpi_implementations.def"
#undef MPI
};

#undef LAUNCHER
#undef TEST_SETTING

enum { MPI_IMPLEMENTATIONS = sizeof mpi_implementations / sizeof *mpi_implementations };

#endif
