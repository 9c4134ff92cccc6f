/*
 * Synthetic graphs of jobs that were never traced, from the counts of their logs.
 *
 * The skeleton is bulk-synchronous.  All ranks do the same in N steps, with N the greatest number of calls of one
 * cell by a rank.  A cell with k calls of a rank has floor(k (i + 1) / N) - floor(k i / N) of them in step i.  Each step
 * begins with computation: an Nth of the time that the average rank spent outside of MPI.
 *
 * - Collectives run by the chosen algorithms among consecutive ranks, as many as the communicator had; making a
 *   communicator is a barrier.
 * - A send is an exchange in a ring of all ranks: to the next rank and from the one before.  Receives and
 *   completions are part of it.  Of starts of persistent requests half are sends.
 * - A call has the mean size of its cell.
 *
 * It tells what other algorithms of collectives, or another network, would do to a job of such counts.  It
 * is no prediction of the job: who waits for whom is not in a log.
 */
#ifndef SCHEDGEN_SKELETON_H
#define SCHEDGEN_SKELETON_H

#include "schedgen/pattern/pattern.h"
#include "usage/log/job_log.h"

/* Calls that a rank makes in all steps together. */
struct skeleton_cell {
	const char *function;
	const struct coll_choice
		*choice; /* of a collective; its algorithm is never NULL.  NULL: an exchange */
	uint32_t ranks;	 /* of the communicator */
	uint64_t bytes;	 /* of a block, or a message */
	uint64_t calls;
};

struct skeleton {
	ARRAY(struct skeleton_cell) cells;
	struct coll_choice defaults[COLL_KINDS]; /* where no algorithm was chosen */
	uint64_t steps, compute_ns;		 /* of a rank */
	struct pattern pattern;			 /* pattern.builder has the rank's graph */
};

/*
 * Plan the skeleton of a log.  choices: by kind of collective, those without an algorithm get the default; they must
 * outlive the skeleton.  STATUS_DATA if the log has no ranks or no runtime, STATUS_LIMIT if the graph would
 * clearly have 2^32 operations or more.  On failure nothing is to be released.
 */
int skeleton_plan(struct skeleton *skeleton, const struct job_log *log,
		  const struct coll_choice choices[static COLL_KINDS], double reduce_ns_per_byte,
		  struct error *err);
void skeleton_release(struct skeleton *skeleton);

/* Make the graph of a rank. */
int skeleton_rank(struct skeleton *skeleton, uint32_t rank, struct error *err);

#endif
