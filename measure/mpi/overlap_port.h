/*
 * The port of the overlap benchmark (measure/overlap/port.h) by MPI.
 *
 * Ranks 2i and 2i + 1 are pairs, with a communicator each.  Collectives are those of all ranks.
 */
#ifndef MEASURE_OVERLAP_PORT_H
#define MEASURE_OVERLAP_PORT_H

#include "measure/mpi/overlap_collectives.h"
#include "measure/overlap/kernel.h"
#include "measure/overlap/load.h"
#include "measure/overlap/port.h"

struct overlap_port {
	struct port port; /* first */
	MPI_Comm all, pair, ring;
	int partner; /* in `pair` */
	struct kernels kernels;
	bool pin; /* threads of nload */

	/* Of the cell that was prepared. */
	struct cell_spec spec;
	bool both_types;
	char *memory; /* of all buffers; kept for later cells */
	size_t capacity;
	char *send, *receive; /* in it: `pending` messages each, every `spacing` bytes */
	size_t spacing;
	MPI_Datatype vector;
	MPI_Request *requests; /* that were begun */
	int request_count;
	MPI_Status *no_statuses; /* MPI_STATUSES_IGNORE, of which GCC warns */
	MPI_Request *starts[2];	 /* persistent: sends and receives */
	MPI_Win window;
	struct collective collective;
	struct load load;

	/* Of the round. */
	long switches;	  /* before it */
	double offset_ns; /* own clock less that of rank 0 */
	double margin_ns; /* from the order to begin until a common start */
	bool late;	  /* the order came after the start */
};

/*
 * Make the port of this rank; all ranks of MPI_COMM_WORLD call it.  Calibrates the kernels: `memory`
 * if that will be used.  End with overlap_port_release.
 */
int overlap_port_init(struct overlap_port *port, bool memory, bool pin, struct error *err);
void overlap_port_release(struct overlap_port *port);

#endif
