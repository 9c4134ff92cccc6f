/*
 * Rounds: how many laps of a loop of a graph are one iteration of the program.
 *
 * A lap is what happens between two visits of a loop's header.  Places of the program whose calls are equal are
 * one node of a graph, so an iteration of the program may be several laps, one for each place.  The laps of
 * different places mostly differ, and each comes again after one iteration, which is `length` laps.
 *
 * Each lap is a token.  The distance of a lap is the number of laps since its token occurred last.  The length is the
 * smallest distance that near half or more of the laps that have one have, and 1 if no distance is so frequent: laps
 * with conditions, of one place.
 */
#ifndef TRACE_ROUNDS_H
#define TRACE_ROUNDS_H

#include "common/array.h"
#include "common/number_map.h"

/* Zero bytes are valid. */
struct rounds {
	struct number_map last;	  /* of tokens: their last lap */
	struct number_map places; /* of distances, in `distances` */
	ARRAY(struct round_distance {
		uint32_t laps;	/* since the token occurred */
		uint32_t count; /* laps with this distance */
		uint32_t
			offset; /* of the first of these, less the distance: laps since the run began */
	})
	distances;
	uint32_t laps, begin; /* laps so far, and before the run at hand */
	uint64_t recurring;   /* laps that have a distance */
};

/* Add a lap. */
int rounds_add(struct rounds *rounds, uint64_t token, struct error *err);

/* End the run: the loop is left, and entered again before the next lap. */
void rounds_break(struct rounds *rounds);

/*
 * Find the laps of a round, at least 1.  *offset becomes the laps of a run before its first whole round.  *sure becomes
 * whether the laps decide it: a whole round came again, or many laps did not come again in any order.
 */
uint32_t rounds_length(const struct rounds *rounds, uint32_t *offset, bool *sure);

void rounds_release(struct rounds *rounds);

#endif
