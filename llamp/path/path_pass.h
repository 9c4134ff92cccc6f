/*
 * Passes over the cost graph in topological order: the innermost loops of the path
 * engine.  A pass finds the largest key of a path to the last vertex.
 */
#ifndef LLAMP_PATH_PASS_H
#define LLAMP_PATH_PASS_H

#include "llamp/path/path_key.h"

/* Evaluated together where keys have 64 bits. */
enum { PATH_LANES = 16 };

/* For keys of 64 bits; `tight` as in path_evaluate, or NULL. */
int path_pass_narrow(const struct cost_graph *graph, const struct path_key *key, int128 *longest,
		     uint32_t *tight, struct error *err);

/* For keys of 128 bits. */
int path_pass_wide(const struct cost_graph *graph, const struct path_key *key, int128 *longest,
		   uint32_t *tight, struct error *err);

/*
 * For PATH_LANES keys of 64 bits: longest[i] belongs to keys[i].  There is one
 * implementation for every processor (0) and some for instruction sets: those up to
 * path_lanes_best() run on this one.
 */
int path_lanes_best(void);
int path_pass_lanes(const struct cost_graph *graph, const struct path_key *const *keys,
		    int implementation, int128 *longest, struct error *err);

/* Blocks of PATH_LANES numbers of 64 bits, aligned for all of them. */
int path_lanes_allocate(void *pointer, size_t count, struct error *err);

#endif
