/*
 * Passes over the cost graph in topological order, the innermost loops of the path engine.  A
 * pass finds the largest key of a path to the last vertex.
 */
#ifndef LLAMP_LONGEST_PATH_H
#define LLAMP_LONGEST_PATH_H

#include "llamp/path/lexicographic_key.h"

/* Number of keys of 64 bits that are evaluated together. */
enum { BATCH_LANES = 16 };

/* Find the largest key of 64 bits.  `tight` is as in path_evaluate, or NULL. */
int longest_path_narrow(const struct cost_graph *graph, const struct lexicographic_key *key,
			int128 *longest, uint32_t *tight, struct error *err);

/* Find the largest key of 128 bits. */
int longest_path_wide(const struct cost_graph *graph, const struct lexicographic_key *key,
		      int128 *longest, uint32_t *tight, struct error *err);

/*
 * Find the largest keys for BATCH_LANES keys of 64 bits.  longest[i] belongs to keys[i].
 * Implementation 0 runs on all processors, the others need instruction sets.  Those up to
 * batch_best() run on this processor.
 */
int batch_best(void);
int longest_path_batch(const struct cost_graph *graph, const struct lexicographic_key *const *keys,
		       int implementation, int128 *longest, struct error *err);

/* Allocate `count` blocks of BATCH_LANES numbers of 64 bits, aligned for all implementations. */
int batch_allocate(void *pointer, size_t count, struct error *err);

#endif
