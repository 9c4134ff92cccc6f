/*
 * Measuring one cell.
 *
 * Each repetition has a round of the latency, one of the communication and one of both together, and some (every fifth
 * of 50) one of the computation, so that a change of the machine's state touches all alike.  One repetition goes
 * before that is not counted.  Rounds in which the system took a processor away are rejected and repeated, at
 * most as often as were ordered, but not in nload, of which they are the result.  If less than a fifth
 * remains all are used.
 */
#ifndef MEASURE_CELL_MEASURE_H
#define MEASURE_CELL_MEASURE_H

#include "measure/overlap/port.h"

struct cell_order {
	struct cell_spec spec;
	unsigned repeat; /* repetitions, at least 1 */
	bool both_types; /* the receiver of a vector has one, too */
};

/*
 * Measure a cell; all ranks call it with the same order.  Rank 0 gets the result, whose rank_ratios it
 * releases with cell_release.
 */
int cell_measure(struct port *port, const struct cell_order *order, struct cell *cell,
		 struct error *err);

#endif
