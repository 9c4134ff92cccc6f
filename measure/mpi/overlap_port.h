/*
 * The port of the overlap benchmark (measure/overlap/port.h) by MPI, one for each thread that communicates.
 *
 * Ranks 2i and 2i + 1 are pairs, with a communicator each, or all other ranks are the partners of rank 0.
 * Collectives are those of all ranks.
 */
#ifndef MEASURE_OVERLAP_PORT_H
#define MEASURE_OVERLAP_PORT_H

#include "measure/mpi/overlap_collectives.h"
#include "measure/overlap/kernel.h"
#include "measure/overlap/load.h"
#include "measure/overlap/port.h"

struct overlap_team;

struct overlap_port {
	struct port port;   /* first */
	int rank, ranks;    /* of MPI_COMM_WORLD */
	MPI_Comm all, ring; /* all ranks */
	MPI_Comm pair;	    /* the ranks that exchange messages */
	int partner;	    /* in `pair`: the first one of this rank */
	int partner_count;
	bool is_one_of_several;	   /* partners of rank 0, each of which has one message */
	struct overlap_team *team; /* of this rank's threads */
	unsigned member;	   /* of it */
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
	int partitions;		 /* of a partitioned message */
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

/* Least time from the order to begin until a common start, ns. */
#define OVERLAP_LEAST_MARGIN_NS 20000.0

/* Who exchanges messages: ranks 2i and 2i + 1, or rank 0 with all others. */
enum partners { PARTNERS_PAIRS, PARTNERS_ALL_OTHERS };

/*
 * Make the port of a member of the team; all ranks of MPI_COMM_WORLD call it for all members in their order.  End
 * with overlap_port_release.
 */
void overlap_port_init(struct overlap_port *port, struct overlap_team *team, unsigned member,
		       enum partners partners);
void overlap_port_release(struct overlap_port *port);

/* The rounds of a port (measure/mpi/overlap_rounds.c). */
double overlap_begin_round(struct port *port, double rest_ns);
unsigned overlap_end_round(struct port *port);

/* Measure the clocks of all ranks anew; all call it. */
void overlap_find_offset(struct overlap_port *port);

/* Whether the cell that was prepared is of a collective. */
static inline bool overlap_is_collective(const struct overlap_port *port)
{
	return bench_descriptions[port->spec.bench].group == BENCH_COLLECTIVE;
}

#endif
