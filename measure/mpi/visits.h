/*
 * Measuring in visits: one visit takes a few samples of one quantity at one size.
 *
 * Visits to all sizes and quantities follow one another again and again until the time is over, so
 * that a change of the machine's state touches all of them alike.  A visit to a slow size has
 * fewer rounds.
 */
#ifndef MEASURE_VISITS_H
#define MEASURE_VISITS_H

#include "measure/mpi/link.h"
#include "measure/params/checks.h"
#include "measure/params/estimate.h"

/*
 * Fill the table with sizes from 1 byte to 1 MiB, and the checks with sizes in between.  Takes until
 * the deadline; three times as long if each needs that for FEWEST_SAMPLES; and longer if each needs
 * that for one.
 */
int measure_trips(struct link *link, uint64_t deadline_ns, struct size_table *table,
		  struct checks *checks, struct error *err);

#endif
