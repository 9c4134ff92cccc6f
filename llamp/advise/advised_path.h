/*
 * The calls on the critical path of a program with some changes, and the most that another algorithm can gain.
 *
 * A collective in which each rank needs something of every other one (allreduce, alltoall ...) ends on no rank
 * before the last one has begun it, whatever its algorithm is.  The critical path without its time in such calls
 * therefore stays a path, and the gain is at most that time.  In other collectives the path may go from a rank
 * to another one that does not need it: only a path that never enters them bounds the gain, which is 0.
 */
#ifndef LLAMP_ADVISED_PATH_H
#define LLAMP_ADVISED_PATH_H

#include "llamp/advise/evaluation.h"
#include "llamp/analysis/critical_calls.h"

struct advised_path {
	struct model model;
	struct critical_path path;
	struct critical_calls calls;
	bool are_known;
	bool is_bound; /* not beside a progress thread: T is then that of another path */
	char *made;    /* the graph, or NULL */
};

/* Find them.  *advised_path must not be moved.  On failure there is nothing to release. */
int advised_path_open(struct advised_path *advised_path, struct evaluation *evaluation,
		      const struct change *const *changes, size_t count, struct error *err);
void advised_path_close(struct advised_path *advised_path);

/* Time on the path in calls whose algorithm the change sets. */
int128 advised_path_time(const struct advised_path *advised_path, const struct change *change);

/* The most that a change of an algorithm can take off T, in ns; INFINITY: not known. */
double advised_path_bound(const struct advised_path *advised_path, const struct change *change);

#endif
