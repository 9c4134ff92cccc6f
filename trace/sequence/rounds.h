/*
 * Rounds: how many laps of a loop of a graph are one iteration of the program.
 *
 * A lap is what happens between two visits of a loop's header.  Places of the program whose calls are equal are
 * one node of a graph, so an iteration of the program may be several laps, one for each place.  What laps of
 * different places do differs, and each place comes again after one iteration, which is `length` laps.
 *
 * A lap is a sequence of items.  Laps of which each has at least half of the other's items are of one place: they
 * differ in a condition.  The distance of a lap is the number of laps since its place occurred last.  The length is the
 * smallest distance that near half or more of the laps that have one have, and 1 if no distance is so frequent.
 */
#ifndef TRACE_ROUNDS_H
#define TRACE_ROUNDS_H

#include "common/array.h"
#include "common/number_map.h"

/* Items of a place, sorted, without doubles, as its first lap has them. */
struct round_place {
	ARRAY(uint32_t) items;
	uint32_t last; /* lap of the run at hand, or NUMBER_MAP_EMPTY */
};

/* Zero bytes are valid. */
struct rounds {
	ARRAY(uint32_t) items;	    /* of the lap at hand */
	uint64_t token;		    /* their hash */
	struct number_map variants; /* of hashes: the place */
	ARRAY(struct round_place) places;
	struct number_map distance_of; /* laps: place in `distances` */
	ARRAY(struct round_distance {
		uint32_t laps;	/* since the place occurred */
		uint32_t count; /* laps with this distance */
		uint32_t
			offset; /* of the first of these, less the distance: laps since the run began */
	})
	distances;
	uint32_t laps, begin; /* laps so far, and before the run at hand */
	uint64_t recurring;   /* laps that have a distance */
};

/* Add an item to the lap at hand, and end the lap. */
int rounds_item(struct rounds *rounds, uint32_t item, struct error *err);
int rounds_lap(struct rounds *rounds, struct error *err);

/* End the run: the loop is left, and entered again before the next lap. */
void rounds_break(struct rounds *rounds);

/*
 * Find the laps of a round, at least 1.  *offset becomes the laps of a run before its first whole round.  *sure becomes
 * whether the laps decide it: a whole round came again, or many laps did not come again in any order.
 */
uint32_t rounds_length(const struct rounds *rounds, uint32_t *offset, bool *sure);

void rounds_release(struct rounds *rounds);

#endif
