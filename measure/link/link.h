/*
 * A pair of ranks between which messages are timed: what measurements need of MPI
 * (measure/mpi/link_mpi.h has it; tests have a network of their own).
 *
 * Rank 0 takes all times and all decisions.
 */
#ifndef MEASURE_LINK_H
#define MEASURE_LINK_H

#include "measure/statistics/samples.h"

#include <stdbool.h>
#include <stdint.h>

enum { MOST_BYTES = 4 << 20 }; /* of a message */

struct link;

/* The time on the clock of deadlines. */
uint64_t link_now_ns(const struct link *link);

/*
 * Place ranks 0 and 1 anew: on other cores, if they may choose among several, and with buffers in
 * other memory.  `placement` counts from 0; even ones are alike, and odd ones.
 */
int link_place(struct link *link, unsigned placement, struct error *err);

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
