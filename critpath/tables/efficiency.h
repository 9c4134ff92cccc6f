/*
 * Efficiencies of a run, as the POP project defines them.  C is the time outside of MPI of the first thread of a
 * rank, T the run time, ideal the run on an ideal network (critpath/graph/ideal_run.h).
 *
 *	load balance		mean C / most C
 *	serialisation		most C / ideal
 *	transfer		ideal / T = algorithms * network
 *	algorithms		ideal / graph ideal
 *	network			graph ideal / T
 *	communication		most C / T = serialisation * transfer
 *	parallel		mean C / T = load balance * communication
 *	computation scaling	sum of C of a reference run / sum of C
 *	global			parallel * computation scaling
 *
 * Graph ideal is the same of a GOAL graph of the run, in which collectives are the messages of their algorithms: its
 * longest path of computation (goal/traversal/check.h).  So algorithms is what these wait for beyond what the
 * collectives need, such as a late parent in a tree.  schedgen leaves out what is no computation of the program, as
 * polling.  So graph ideal can be below ideal, where the run has more of it than algorithms wait for.
 */
#ifndef CRITPATH_EFFICIENCY_H
#define CRITPATH_EFFICIENCY_H

#include "critpath/tables/efficiency_threads.h"

enum efficiency_kind {
	EFFICIENCY_PARALLEL,
	EFFICIENCY_LOAD_BALANCE,
	EFFICIENCY_COMMUNICATION,
	EFFICIENCY_SERIALISATION,
	EFFICIENCY_TRANSFER,
	EFFICIENCY_ALGORITHMS,
	EFFICIENCY_NETWORK,
	EFFICIENCY_SCALING,
	EFFICIENCY_GLOBAL,
	/* Of programs with OpenMP (critpath/tables/efficiency_threads.h). */
	EFFICIENCY_HYBRID,
	EFFICIENCY_OPENMP,
	EFFICIENCY_OPENMP_SERIALISATION,
	EFFICIENCY_OPENMP_LOAD_BALANCE,
	EFFICIENCY_OPENMP_SCHEDULING,
	EFFICIENCIES,
};

/* Computation of a run to compare with. */
struct efficiency_reference {
	const char *path;
	uint32_t ranks;
	uint64_t compute_ns; /* of all ranks */
	bool weak;	     /* the work grows with the ranks */
};

/* A GOAL graph of the run. */
struct efficiency_graph {
	const char *path;
	uint64_t ideal_ns;   /* its longest path of computation */
	uint64_t compute_ns; /* of all ranks */
};

/* Times of a run, or of a part of it. */
struct efficiency_times {
	uint32_t ranks, busiest; /* the lowest rank with the most computation */
	uint64_t run_ns, ideal_ns;
	uint64_t compute_ns, most_compute_ns; /* sum of all ranks; of one */
};

struct efficiency {
	struct efficiency_times times;
	struct efficiency_reference reference; /* path is NULL: there is none */
	struct efficiency_graph graph;	       /* the same */
	struct efficiency_threads threads;     /* threads are 0: there is no OpenMP */
	double values[EFFICIENCIES];	       /* NAN: not known */
	double additive_serialisation; /* 1 - (ideal - most C) / T: its loss adds to that of transfer */
};

/* Compute those of times alone, from EFFICIENCY_PARALLEL to EFFICIENCY_TRANSFER. */
void efficiency_values(double values[static EFFICIENCIES], const struct efficiency_times *times);

/* Compute all.  reference, graph: of no path if there is none. */
void efficiency_find(struct efficiency *efficiency, const struct measured_run *run,
		     const struct totals *totals, uint64_t ideal_ns,
		     const struct efficiency_reference *reference,
		     const struct efficiency_graph *graph,
		     const struct efficiency_threads *threads);

#endif
