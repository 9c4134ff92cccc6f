/* Figures of a whole topology: `llamp topology`. */
#ifndef LLAMP_TOPOLOGY_SURVEY_H
#define LLAMP_TOPOLOGY_SURVEY_H

#include "common/array.h"
#include "llamp/network/topology.h"

/* Pairs of different hosts whose routes have the same number of links. */
struct route_group {
	uint64_t pairs;
	__int128 least_as, most_as, sum_as;	/* of their latencies; 0 without pairs */
};

struct topology_survey {
	uint64_t links[TOPOLOGY_MOST_CLASSES], link_count;
	uint64_t pairs;
	ARRAY(struct route_group) groups;	/* [links of a route] */
	size_t distances;			/* groups that have pairs */
	/* Links of the longest route; the largest latency; the sums over all pairs. */
	uint32_t diameter_links;
	__int128 diameter_as, sum_as;
	double sum_links;
	/*
	 * Hosts whose routes were looked at, if that is a sample: pairs and sums are estimates then, and
	 * there may be longer routes.  Else 0.
	 */
	uint32_t sampled_hosts;
	/*
	 * Links that separate the first half of the hosts from the second, at least: the largest
	 * flow between the halves.  UINT64_MAX if the network is too large to compute it.
	 */
	uint64_t bisection;
};

/* Networks with more links have no bisection. */
#define TOPOLOGY_BISECTION_LINKS 2000000

/* Number of routes that are looked at, at most about. */
#define TOPOLOGY_SURVEY_ROUTES (UINT64_C(1) << 25)

/*
 * Count the routes of all pairs of hosts, on all processors: by the symmetry of the network, or
 * those of a sample of hosts if there would be too many.  End with topology_survey_release.
 */
int topology_survey_find(struct topology_survey *survey, const struct topology *topology,
			 struct error *err);
void topology_survey_release(struct topology_survey *survey);

#endif
