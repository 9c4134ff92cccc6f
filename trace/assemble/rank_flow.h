/*
 * Event flow graphs made while a program runs: those of each rank in the folder of its journals,
 * and all of them in one file, with communicators, windows and groups by their ids in the run.
 *
 * Two files of a rank are written in turn: whenever a process ends, one of them is whole, or the
 * first is not yet.
 */
#ifndef TRACE_RANK_FLOW_H
#define TRACE_RANK_FLOW_H

#include "trace/assemble/global_ids.h"
#include "trace/flow/flow.h"

/* Save the part of a rank.  `number`: how often that was done before. */
int rank_flow_save(const struct flow *part, const char *directory, uint32_t rank, unsigned number,
		   struct error *err);

/* Whether the directory has a part of the rank. */
bool rank_flow_exists(const char *directory, uint32_t rank);

/* The file of the graphs of a run. */
struct run_flow_file {
	uint64_t bytes; /* 0: there is none */
	uint32_t lossy; /* ranks whose calls cannot be recovered, as their memory was bounded */
};

/* Graphs of all ranks. */
struct run_flow {
	const char *directory;
	const struct global_ids *all;
	bool incomplete; /* ranks may end before MPI_Finalize */
	struct flow *flow;
	uint64_t *calls; /* of each rank */
	bool *lost;	 /* ranks left out, as they use a communicator that nobody knows */
};

/* Join the parts of all ranks that have one.  On failure there is nothing to release. */
int run_flow_make(struct run_flow *run, struct error *err);

/* Write the file of the run, whole or not at all. */
int run_flow_write(const struct run_flow *run, struct run_flow_file *file, struct error *err);

void run_flow_release(struct run_flow *run);

#endif
