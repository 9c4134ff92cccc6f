/*
 * Synthetic patterns: GOAL graphs without a trace (doc/patterns.md).
 *
 *	pattern_open(&pattern, "halo-3d", &options, err);
 *	for each rank:
 *		pattern_rank(&pattern, rank, err);
 *		... pattern.builder holds the rank's graph ...
 *	pattern_release(&pattern);
 *
 * Every iteration of a rank waits for the one before.  A graph is a function of the options
 * alone: random numbers are hashes of the seed and of counters, so that a rank is made without
 * the other ranks.  Time is linear in the operations.  The builder alone uses memory.
 */
#ifndef SCHEDGEN_PATTERN_H
#define SCHEDGEN_PATTERN_H

#include "schedgen/collectives/collective.h"

#include <stdbool.h>

/* Limit that keeps the memory of a rank below one gigabyte for the longest collectives. */
enum { PATTERN_MOST_RANKS = 1 << 22 };

struct pattern_options {
	uint32_t ranks;	     /* P; 1 ... PATTERN_MOST_RANKS */
	uint64_t bytes;	     /* size of a message or vector, by pattern */
	uint32_t iterations; /* at least 1 */
	uint64_t compute_ns; /* computation of an iteration, before its messages */
	double jitter;	     /* largest relative deviation of compute_ns; 0 ... 1 */
	uint64_t seed;
	double reduce_ns_per_byte; /* as in struct collective */
	/*
	 * Which messages wait for the computation of a side: those that are not early as a
	 * whole.  NULL: none.  Not owned.  Only of pattern_overlaps.
	 */
	const struct progress_table *progress;
};

struct pattern;
struct progress_table;

struct pattern_kind {
	const char *name;
	const char *help;     /* one line */
	const char *settings; /* form of the settings after ':', or NULL */
	/* Read the settings and check the number of ranks.  May be NULL. */
	int (*prepare)(struct pattern *pattern, const char *settings, struct error *err);
	/* Add one iteration of the rank. */
	int (*iterate)(struct pattern *pattern, struct error *err);
};

/*
 * Patterns except collectives, whose names are "kind=algorithm" for all of coll_algorithms.  Ends
 * with a NULL name.
 */
extern const struct pattern_kind pattern_kinds[];

/* Whether the messages of a pattern, with or without settings, depend on the seed. */
bool pattern_is_random(const char *name);

/* Whether ranks of a pattern reduce vectors, which takes the time of the operator. */
bool pattern_reduces(const char *name);

/* Whether ranks of a pattern compute while they send or receive. */
bool pattern_overlaps(const char *name);

enum { PATTERN_MOST_SIDES = 4 };

struct pattern {
	struct pattern_options options;
	char *name; /* without settings; owned */
	const struct pattern_kind *kind;
	struct coll_choice choice; /* of collectives */
	uint32_t *ranks;	   /* owned: 0, 1, ... between groups; else NULL */
	uint32_t side_count, sides[PATTERN_MOST_SIDES]; /* of a grid; the last one runs fastest */
	struct {
		uint64_t tensor, pipeline, data; /* ranks in a group of each; product: P */
		uint64_t buckets, micro_batches;
		uint64_t activation_bytes;
		uint32_t *group; /* owned: world ranks of a group */
	} training;
	bool empty;		  /* no rank has any operation */
	uint64_t ops;		  /* of all ranks so far */
	uint64_t messages, bytes; /* of all ranks that are written */

	/* Rank that is being made. */
	uint32_t rank, iteration;
	uint64_t computations;	     /* so far */
	struct goal_builder builder; /* its graph */
	struct frontier frontier;    /* of the operations so far */
	struct frontier round;	     /* concurrent messages */
	struct frontier side;	     /* operations concurrent with the rest */
};

/*
 * Find a pattern by "name" or "name:settings".  STATUS_USAGE if it does not exist, or if the
 * options do not fit it.  STATUS_LIMIT if it has too many ranks, or clearly 2^32 operations or
 * more, the limit of a GOAL graph.  On failure nothing is to be released.
 */
int pattern_open(struct pattern *pattern, const char *name, const struct pattern_options *options,
		 struct error *err);
void pattern_release(struct pattern *pattern);

/* Make the graph of a rank; STATUS_LIMIT once there are 2^32 operations or more. */
int pattern_rank(struct pattern *pattern, uint32_t rank, struct error *err);

/* Count the messages that the rank in the builder sends, and write it.  STATUS_LIMIT for 2^64 bytes or more. */
int pattern_write_rank(struct pattern *pattern, struct goal_writer *writer, struct error *err);

#endif
