/*
 * Cuts of the intervals of all processes into parts of equal counts, in order of time.
 *
 * In the order of start, process and list, part k of P has the intervals from number k n / P up to
 * number (k + 1) n / P.  Processes find the starts at which to cut together, by bisection of time:
 *
 *	cuts_begin(&cuts, parts, intervals of all, first start, last start, err);
 *	while (cuts_probe(&cuts, at_ns)) {
 *		cuts_count(&cuts, lists, list_count, at_ns, counts);
 *		... add the counts of all processes ...
 *		cuts_learn(&cuts, counts);
 *	}
 *
 * Then each process divides its intervals that start at the same time as the cut:
 *
 *	cuts_below(&cuts, lists, list_count, below, equal);
 *	... `below`: add up those of all processes; `equal`: those of the processes before ...
 *	cuts_place(&cuts, lists, list_count, below, equal, positions);
 *
 * Each array has parts - 1 entries, but `positions`.
 */
#ifndef CRITPATH_CUTS_H
#define CRITPATH_CUTS_H

#include "critpath/groups/groups.h"

struct cuts {
	uint32_t parts;
	uint64_t *numbers;	    /* of the first interval after each cut */
	uint64_t *low_ns, *high_ns; /* between which it starts */
};

int cuts_begin(struct cuts *cuts, uint32_t parts, uint64_t intervals, uint64_t first_ns,
	       uint64_t last_ns, struct error *err);
void cuts_release(struct cuts *cuts);

/* Set the times at which intervals are to be counted.  Returns false if all cuts are known. */
bool cuts_probe(const struct cuts *cuts, uint64_t *at_ns);

/* Count the intervals of sorted lists that start up to each time. */
void cuts_count(const struct cuts *cuts, const struct compute_intervals *lists, uint32_t list_count,
		const uint64_t *at_ns, uint64_t *counts);
void cuts_learn(struct cuts *cuts, const uint64_t *counts);

/* Count the intervals that start before each cut, and with it. */
void cuts_below(const struct cuts *cuts, const struct compute_intervals *lists, uint32_t list_count,
		uint64_t *below, uint64_t *equal);

/*
 * Set positions[list][part], of parts + 1 entries for each list: the first interval of the list in
 * the part.
 */
void cuts_place(const struct cuts *cuts, const struct compute_intervals *lists, uint32_t list_count,
		const uint64_t *below, const uint64_t *equal_before, uint64_t *positions);

#endif
