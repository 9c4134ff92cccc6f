/* The rendezvous threshold S, by what sends do. */
#ifndef MEASURE_THRESHOLD_H
#define MEASURE_THRESHOLD_H

#include "measure/link/link.h"
#include "measure/params/estimate.h"

/*
 * Find the largest message whose send completes before its receive has begun, up to MOST_BYTES.
 * `trip_ns` is a round trip of MOST_BYTES.  Begins nothing after `deadline_ns`: then limits remain
 * between which S is.
 */
struct threshold threshold_find(struct link *link, double trip_ns, uint64_t deadline_ns);

#endif
