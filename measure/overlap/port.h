/*
 * The world of one rank of the overlap benchmark: clock, computation and communication.
 *
 * measure/mpi/overlap_port.h is the one of MPI.  Tests have one in virtual time, whose answers are known.
 * Times are doubles in ns.
 */
#ifndef MEASURE_PORT_H
#define MEASURE_PORT_H

#include "measure/cells/cell.h"

struct port;

/* Operations that a half of a benchmark is made of (measure/overlap/benchmark.h). */
enum operation {
	OP_END,
	/* With the other rank of the pair; data is `pending` messages of `bytes`. */
	OP_SEND,
	OP_RECV, /* blocking */
	OP_ISEND,
	OP_IRECV, /* of data, completed by OP_WAIT */
	OP_START_SEND,
	OP_START_RECV, /* the same with persistent or partitioned requests */
	OP_NOTIFY,
	OP_AWAIT, /* a message without data, blocking, of a tag of its own */
	OP_PUT,
	OP_GET, /* in a passive epoch, completed by OP_FLUSH */
	OP_FLUSH,
	/* With all ranks. */
	OP_COLLECTIVE, /* the non-blocking one, completed by OP_WAIT */
	OP_BLOCKING,   /* its blocking counterpart */
	OP_WAIT,       /* for all that was begun */
	OP_COMPUTE, /* as the cell orders, with MPI_Test on all that was begun if it orders tests */
};

/* How data lies in memory. */
enum layout { LAYOUT_CONTIGUOUS, LAYOUT_VECTOR };

struct port_methods {
	double (*now_ns)(struct port *port);

	/*
	 * Prepare for a cell: buffers whose pages exist, datatypes, requests, windows, threads that compute
	 * (of nload).  All ranks call it with the same specification.
	 */
	int (*prepare)(struct port *port, const struct cell_spec *spec, bool both_types,
		       struct error *err);
	void (*finish)(struct port *port); /* what prepare has begun */

	/* Let the threads of nload compute from now on, or not; they begin without. */
	void (*load)(struct port *port, bool on);

	/* Perform one operation of the cell that was prepared; `layout` is that of the sender's data. */
	void (*perform)(struct port *port, enum operation operation, enum layout layout);

	/*
	 * Begin a round: return when the partner (in collectives: every rank) is ready for it, on rank 0 of a pair
	 * `rest_ns` later.  Collectives: return at the same time on all ranks, which is the result; others: now_ns.
	 */
	double (*begin_round)(struct port *port, double rest_ns);

	/*
	 * End a round: learn how often the system took the processor away from this rank and from its partner (in collectives
	 * from any rank) since begin_round.  The same on all ranks that take part.
	 */
	unsigned (*end_round)(struct port *port);

	double (*cpu_ns)(struct port *port); /* processor time of this process */

	/* Change of the time of an operation of `work` since it was calibrated, as a share; or NULL. */
	double (*drift)(struct port *port);

	/* All ranks: values[i] becomes the largest of all ranks on rank 0. */
	void (*largest)(struct port *port, double *values, size_t count);
	/* All ranks: rank 0 gets the value of all ranks, in order. */
	void (*gather)(struct port *port, double value, double *values);
	/* All ranks: the bytes become those of rank 0. */
	void (*broadcast)(struct port *port, void *bytes, size_t count);
};

/*
 * The rank of each port differs, and rank 0 gets the results.  Ports of one process, one for each of its threads
 * that communicate, count as ranks, too.
 */
struct port {
	const struct port_methods *methods;
	unsigned rank, size;
	unsigned
		role; /* in a round of two-sided and one-sided messages: 0 takes times, 1 is a partner */
};

#endif
