/* Parameters of the network, from the least times of the jobs of a sample. */
#ifndef USAGE_FIGURES_FIGURE_NETWORK_H
#define USAGE_FIGURES_FIGURE_NETWORK_H

#include "usage/index/database.h"

/*
 * Make the tables least_times and network (figure_source.h).  Sizes are those that have a class of their own, powers of
 * two: of other classes nobody knows the size of the fastest call.
 */
int figure_find_network(struct usage_db *db, struct error *err);

#endif
