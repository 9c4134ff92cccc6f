/*
 * The calls on the critical path of a program with some changes, and the most that another algorithm can gain.
 *
 * A collective in which each rank needs something of every other one (allreduce, barrier, alltoall ...) ends on no rank
 * before the last one has begun it, whatever its algorithm is.  The critical path without its time in such calls
 * therefore stays a path, and the gain is at most that time.  In other collectives the path may go from a rank
 * to another one that does not need it: only a path that never enters them bounds the gain, which is 0.
 */
#ifndef LLAMP_PATH_CALLS_H
#define LLAMP_PATH_CALLS_H

#include "llamp/advise/evaluation.h"
#include "llamp/analysis/critical_calls.h"

struct path_calls {
	struct model model;
	struct critical_path path;
	struct critical_calls calls;
	bool are_known; /* not of a graph with balanced computation, which has no side file */
	char *made;	/* the graph, or NULL */
};

/* Find them.  *path_calls must not be moved.  On failure there is nothing to release. */
int path_calls_open(struct path_calls *path_calls, struct evaluation *evaluation,
		    const struct change *const *changes, size_t count, struct error *err);
void path_calls_close(struct path_calls *path_calls);

/* Time on the path in calls whose algorithm the change sets. */
int128 path_calls_time(const struct path_calls *path_calls, const struct change *change);

/* The most that a change of an algorithm can take off T, in ns; INFINITY: not known. */
double path_calls_bound(const struct path_calls *path_calls, const struct change *change);

#endif
