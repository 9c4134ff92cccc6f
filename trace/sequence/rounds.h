/*
 * Rounds: how many laps of a loop of a graph are one iteration of the program.
 *
 * A lap is what happens between two visits of a loop's header.  Places of the program whose calls
 * are equal are one node of a graph, so an iteration of the program may be several laps, one for
 * each place.
 *
 * A lap is a sequence of items.  Laps of which each has at least half of the other's items are of
 * one place: they differ in a condition.  The laps of a round of `length` laps are at the places of
 * the laps of the round before.  That is so for a share of all laps: the length is that with the
 * largest share, but a shorter one if its share is only little smaller, as with one lap in a
 * hundred that is different; and 1 if each share is below a half.
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
	ARRAY(uint32_t) laps;	 /* their places */
	ARRAY(uint32_t) runs;	 /* laps before each run */
	ARRAY(uint32_t) lengths; /* laps after which a place came again: a round may have so many */
	struct number_map has_length; /* of `lengths` */
};

/* Add an item to the lap at hand, and end the lap. */
int rounds_item(struct rounds *rounds, uint32_t item, struct error *err);
int rounds_lap(struct rounds *rounds, struct error *err);

/* Begin a run: the loop is entered. */
int rounds_run(struct rounds *rounds, struct error *err);

/*
 * Find the laps of a round, at least 1, in time for all laps.  *offset becomes the laps of a run
 * before its first whole round.  *sure becomes whether the laps decide it: a whole round came
 * again, or many laps are in no order.
 */
uint32_t rounds_length(const struct rounds *rounds, uint32_t *offset, bool *sure);

void rounds_release(struct rounds *rounds);

#endif
