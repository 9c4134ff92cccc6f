/*
 * Distances between the hosts of a network, for placing ranks (llamp/placement/placement.h).
 *
 * The distance of two hosts is the latency of a message between them in as, without what depends on
 * its size.
 */
#ifndef LLAMP_PLACEMENT_HOSTS_H
#define LLAMP_PLACEMENT_HOSTS_H

#include "llamp/analysis/model.h"

struct placement_hosts {
	const struct loggps *loggps;
	uint32_t *order; /* all hosts, the nearest to host 0 first */
	uint32_t *place; /* [host]: its index in order */
	uint32_t count;	 /* of the first hosts in order, between which distances are known */
	uint32_t each;	 /* number of near hosts of each of them */
	uint32_t *near;	 /* [place * each + i]: a near host, itself first */
	double *as;	 /* [place * count + place], or NULL if there are too many */
};

/*
 * Put the hosts of a network in order, and find distances between the first `count` ones.  End with
 * placement_hosts_release.
 */
int placement_hosts_find(struct placement_hosts *hosts, const struct loggps *loggps,
			 uint32_t host_count, uint32_t count, struct error *err);
void placement_hosts_release(struct placement_hosts *hosts);

double placement_distance_as(const struct placement_hosts *hosts, uint32_t from, uint32_t to);

#endif
