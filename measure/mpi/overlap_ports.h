/* The ports of a rank: one for each thread that communicates, with the same thread of the partner. */
#ifndef MEASURE_OVERLAP_PORTS_H
#define MEASURE_OVERLAP_PORTS_H

#include "measure/mpi/overlap_port.h"
#include "measure/mpi/overlap_team.h"

struct overlap_ports {
	struct overlap_team team;
	struct overlap_port *items; /* by member of the team */
	pthread_t *threads;	    /* likewise; the first is not used */
};

/* What decides how the ports are made. */
struct ports_options {
	unsigned threads; /* that communicate, at least 1 */
	enum partners partners;
	bool memory; /* the kernel of this name is used; of one thread only */
	bool pin;    /* threads of nload */
};

/*
 * Make all ports, and start the threads, which follow the orders of rank 0 (measure/overlap/run.h); all ranks call
 * it.  Calibrates the kernels.  overlap_ports_release ends the threads when they have no more orders.
 */
int overlap_ports_init(struct overlap_ports *ports, const struct ports_options *options,
		       struct error *err);
void overlap_ports_release(struct overlap_ports *ports);

/* Print the error and end the job. */
void overlap_abort(const struct error *err);

#endif
