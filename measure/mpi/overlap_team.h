/* Threads of a rank that measure at once and meet.  Member 0 is the main thread. */
#ifndef MEASURE_OVERLAP_TEAM_H
#define MEASURE_OVERLAP_TEAM_H

#include "common/error.h"

#include <pthread.h>
#include <stddef.h>

struct overlap_team {
	unsigned count;
	pthread_barrier_t barrier;
	double **values; /* [count], while the largest are found */
	void *bytes;	 /* while they are shared */
};

/* Make a team of `count` threads, at least 1; end with overlap_team_release. */
int overlap_team_init(struct overlap_team *team, unsigned count, struct error *err);
void overlap_team_release(struct overlap_team *team);

/* Wait for all members. */
void overlap_team_meet(struct overlap_team *team);

/* All members: values[i] becomes the largest of all members at member 0. */
void overlap_team_largest(struct overlap_team *team, unsigned member, double *values, size_t count);

/* All members: the bytes become those of member 0. */
void overlap_team_share(struct overlap_team *team, unsigned member, void *bytes, size_t count);

#endif
