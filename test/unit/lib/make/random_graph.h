/* Random graphs and parameters, the same for the same state on every machine. */
#ifndef TEST_RANDOM_GRAPH_H
#define TEST_RANDOM_GRAPH_H

#include "goal/goal.h"
#include "llamp/network/direction.h"
#include "llamp/network/loggps.h"

#include <stdbool.h>

/* Generate a random number from 0 to count - 1 (splitmix64); any state is a seed. */
uint64_t random_below(uint64_t *numbers, uint64_t count);

/* Kind of random graphs. */
struct random_traits {
	uint32_t most_ranks, most_ops;	/* at most 16 and 40000 */
	uint32_t cpus, nics;		/* that operations name at random; 0: only the first */
	uint32_t bursts;		/* percent of the steps that add messages in a row */
	bool small;			/* costs and sizes below 5, so that times are often equal */
};

/*
 * Make a graph of 1 to `most_ranks` ranks with up to `most_ops` operations; bursts may add a few
 * more.  It has random requires and irequires, messages between and within ranks in any order of
 * completion, several tags, sizes and costs that make ties likely, and ranks without operations.
 * Without rendezvous most graphs are acyclic.  Aborts when out of memory.
 */
void random_graph_of(struct goal *goal, uint64_t *numbers, const struct random_traits *traits);

/* The same with 3 cpus, one nic and no bursts. */
void random_graph(struct goal *goal, uint64_t *numbers, uint32_t most_ranks, uint32_t most_ops);

/* Make parameters, each of them 0 at times; `g` is positive in one of three sets. */
void random_loggps(struct loggps *loggps, uint64_t *numbers);

/*
 * Make a graph, and parameters with any resources.  Half of the programs have small integers for
 * all costs, so that requests are often made at the same time.
 */
void random_program(struct goal *goal, struct loggps *loggps, uint64_t *numbers,
		    uint32_t most_ranks, uint32_t most_ops);

/*
 * Make a direction that moves two to four of the variables that are on, with weights from 1 to 5.
 * Some origins and some starts are 0.
 */
void random_direction(struct direction *direction, const struct loggps *loggps, uint64_t *numbers);

#endif
