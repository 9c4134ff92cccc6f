/* Random graphs and parameters, the same for the same state on every machine. */
#ifndef TEST_RANDOM_GRAPH_H
#define TEST_RANDOM_GRAPH_H

#include "goal/goal.h"
#include "llamp/network/loggps.h"

/* The next random number from 0 to count - 1 (splitmix64); any state is a seed. */
uint64_t random_below(uint64_t *numbers, uint64_t count);

/*
 * A graph of 1 to `most_ranks` ranks (at most 16) with up to `most_ops`
 * operations: random requires and irequires, messages between and within ranks
 * in any order of completion, several tags and cpus, sizes and costs that make
 * ties likely, ranks without operations.  Without rendezvous most of them are
 * acyclic.  Aborts when out of memory.
 */
void random_graph(struct goal *goal, uint64_t *numbers, uint32_t most_ranks,
		  uint32_t most_ops);

/* Parameters, each of them 0 now and then; `g` is positive in one of three. */
void random_loggps(struct loggps *loggps, uint64_t *numbers);

#endif
