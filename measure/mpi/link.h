/*
 * A pair of ranks between which messages are timed.
 *
 * Rank 0 takes all times and all decisions.  Rank 1 serves: it follows orders until the last one,
 * so that both agree on what is sent.  Further ranks sleep.
 */
#ifndef MEASURE_LINK_H
#define MEASURE_LINK_H

#include "measure/statistics/samples.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

enum { MOST_BYTES = 4 << 20 }; /* of a message */

struct link {
	MPI_Comm comm;
	void *buffer;	 /* MOST_BYTES */
	double clock_ns; /* that reading the clock takes */
};

/* Prepare a link of ranks 0 and 1; all ranks call it. */
int link_init(struct link *link, struct error *err);

void link_release(struct link *link);

/* Follow the orders of rank 0 until link_end: what all other ranks do. */
void link_serve(struct link *link);

/* End link_serve on all other ranks. */
void link_end(struct link *link);

/*
 * Time `rounds` rounds after one that is not counted: `messages` blocking sends of `bytes`, then the
 * receive of one answer of `answer_bytes`.  Adds one sample for each round.
 */
int link_time_trips(struct link *link, unsigned messages, uint64_t bytes, uint64_t answer_bytes,
		    unsigned rounds, struct samples *trips, struct error *err);

/*
 * Time the sends themselves in such rounds, where the sender stays away from MPI for `delay_ns`
 * after each send.  Adds one sample for each send.
 */
int link_time_sends(struct link *link, unsigned messages, uint64_t bytes, uint64_t delay_ns,
		    unsigned rounds, struct samples *sends, struct error *err);

/*
 * Time receives of `bytes`, where the receiver stays away from MPI for `delay_ns` between its
 * request and the receive.  Adds one sample for each round.
 */
int link_time_receives(struct link *link, uint64_t bytes, uint64_t delay_ns, unsigned rounds,
		       struct samples *receives, struct error *err);

/*
 * Whether a send completes before its receiver receives.  The receiver answers small messages
 * meanwhile, so that neither a busy machine nor a library that works only in calls of MPI keeps
 * the send.  It has at least `least_ns` to complete.
 */
bool link_completes_early(struct link *link, uint64_t bytes, uint64_t least_ns);

#endif
