/*
 * Measuring in visits: one visit takes a few samples of one quantity at one size.
 *
 * Visits to all sizes and quantities follow one another again and again until the time is over, so
 * that a change of the machine's state touches all of them alike.  A visit to a slow size has
 * fewer rounds.  Between them the ranks are placed anew a few times, each time with a table of its
 * own: what depends on the placement differs between the tables.
 */
#ifndef MEASURE_VISITS_H
#define MEASURE_VISITS_H

#include "measure/link/link.h"
#include "measure/params/checks.h"
#include "measure/params/estimate.h"

/*
 * Fill the table with sizes from 1 byte to 1 MiB, the checks with sizes in between, and the repeats
 * with a table for each placement.  Begins nothing after the deadline, so that on a busy machine sizes
 * may be without samples.
 */
int measure_trips(struct link *link, uint64_t deadline_ns, struct size_table *table,
		  struct repeats *repeats, struct checks *checks, struct error *err);

#endif
