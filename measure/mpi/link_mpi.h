/* The link (measure/link/link.h) between ranks 0 and 1.  Rank 1 serves; further ranks sleep. */
#ifndef MEASURE_LINK_MPI_H
#define MEASURE_LINK_MPI_H

#include "measure/link/link.h"
#include "measure/mpi/cores.h"

#include <mpi.h>

struct link {
	MPI_Comm comm;
	void *buffer;	 /* MOST_BYTES */
	double clock_ns; /* that reading the clock takes */
	struct cores cores;
};

/* Prepare a link of ranks 0 and 1; all ranks call it. */
int link_init(struct link *link, struct error *err);

void link_release(struct link *link);

/* Follow the orders of rank 0 until link_end, as all other ranks do. */
int link_serve(struct link *link, struct error *err);

/* End link_serve on all other ranks. */
void link_end(struct link *link);

#endif
