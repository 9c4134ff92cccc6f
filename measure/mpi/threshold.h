/* The rendezvous threshold S, by what sends do. */
#ifndef MEASURE_THRESHOLD_H
#define MEASURE_THRESHOLD_H

#include "measure/mpi/link.h"

/*
 * The largest message whose send completes before its receive has begun; UINT64_MAX if all up to
 * MOST_BYTES do.  `trip_ns` is a round trip of MOST_BYTES.  Bisects until
 * `deadline_ns`, and then keeps the largest size known to complete.
 */
uint64_t threshold_find(struct link *link, double trip_ns, uint64_t deadline_ns);

#endif
