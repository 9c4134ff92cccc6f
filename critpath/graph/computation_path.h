/*
 * The longest path of computation through a GOAL graph: T at L = o = g = G = O = 0, without rendezvous and without
 * limited resources (doc/model.md).
 *
 * With start s(v) and end e(v) of operation v, all as early as possible:
 *
 *	v requires u:	s(v) >= e(u)
 *	v irequires u:	s(v) >= s(u) + busy(u), where busy is the cost of a calc, and 0 of others
 *	calc:		e = s + cost
 *	send:		e = s
 *	receive:	e = max(s, s of the send)
 *
 * So messages take no time, but each receive waits for its send, as the algorithms of the collectives in the graph do.
 */
#ifndef CRITPATH_COMPUTATION_PATH_H
#define CRITPATH_COMPUTATION_PATH_H

#include "goal/goal.h"

/*
 * Find its length.  Time: that of goal_match, and a search of its rank for each operation; memory: 21 bytes for
 * each operation.  Errors of goal_match, STATUS_DATA if operations wait for each other, STATUS_LIMIT if the length does not fit 64 bits.
 */
int computation_path_find(uint64_t *path_ns, const struct goal *goal, struct error *err);

#endif
