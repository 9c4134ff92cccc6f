/* Random parameter files with sizes, nodes, mappings and topologies. */
#ifndef TEST_RANDOM_NETWORK_H
#define TEST_RANDOM_NETWORK_H

#include "llamp/network/parameters.h"

#include <stdio.h>

/* Write a random parameter file for graphs of up to 8 ranks.  It may name the file `mapping`. */
void random_network_write(FILE *file, const char *mapping, uint64_t *numbers);

/*
 * Make random parameters with a network, by way of a file, over the values of *loggps.  End with
 * parameters_release.
 */
void random_network(struct model_parameters *parameters, const struct loggps *loggps,
		    uint64_t *numbers);

#endif
