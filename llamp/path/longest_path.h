/*
 * Passes over the cost graph in topological order: the innermost loops of the path
 * engine.  A pass finds the largest key of a path to the last vertex.
 */
#ifndef LLAMP_LONGEST_PATH_H
#define LLAMP_LONGEST_PATH_H

#include "llamp/path/lexicographic_key.h"

/* Evaluated together where keys have 64 bits. */
enum { BATCH_LANES = 16 };

/* For keys of 64 bits; `tight` as in path_evaluate, or NULL. */
int longest_path_narrow(const struct cost_graph *graph, const struct lexicographic_key *key,
			int128 *longest, uint32_t *tight, struct error *err);

/* For keys of 128 bits. */
int longest_path_wide(const struct cost_graph *graph, const struct lexicographic_key *key,
		      int128 *longest, uint32_t *tight, struct error *err);

/*
 * For BATCH_LANES keys of 64 bits: longest[i] belongs to keys[i].  There is one
 * implementation for every processor (0) and some for instruction sets: those up to
 * batch_best() run on this one.
 */
int batch_best(void);
int longest_path_batch(const struct cost_graph *graph, const struct lexicographic_key *const *keys,
		       int implementation, int128 *longest, struct error *err);

/* Blocks of BATCH_LANES numbers of 64 bits, aligned for all of them. */
int batch_allocate(void *pointer, size_t count, struct error *err);

#endif
