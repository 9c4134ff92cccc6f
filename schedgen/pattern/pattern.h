/*
 * Synthetic patterns: GOAL graphs without a trace (doc/patterns.md).
 *
 *	pattern_open(&pattern, "halo-3d", &options, err);
 *	for each rank:
 *		pattern_rank(&pattern, rank, err);
 *		... pattern.builder holds the rank's graph ...
 *	pattern_release(&pattern);
 *
 * Every iteration of a rank waits for the one before.  A graph is a function
 * of the options alone: what is random comes from hashes of the seed and of what
 * is counted, so each rank is made without the others.  Time is linear in the
 * operations. Memory is that of the builder.
 */
#ifndef SCHEDGEN_PATTERN_H
#define SCHEDGEN_PATTERN_H

#include "schedgen/collectives/collective.h"

/* Keeps what a rank of the longest collectives needs below one gigabyte. */
enum { PATTERN_MOST_RANKS = 1 << 22 };

struct pattern_options {
	uint32_t ranks;			/* P; 1 ... PATTERN_MOST_RANKS */
	uint64_t bytes;			/* what has so many bytes depends on the pattern */
	uint32_t iterations;		/* at least 1 */
	uint64_t compute_ns;		/* computation of an iteration, before its messages */
	double jitter;			/* it varies evenly by up to this part of it; 0 ... 1 */
	uint64_t seed;
	double reduce_ns_per_byte;	/* as in struct collective */
};

struct pattern;

struct pattern_kind {
	const char *name;
	const char *help;	/* one line */
	const char *settings;	/* what may follow the name after ':', or NULL */
	/* Read the settings, check the number of ranks; may be NULL. */
	int (*prepare)(struct pattern *pattern, const char *settings, struct error *err);
	/* Add one iteration of the rank. */
	int (*iterate)(struct pattern *pattern, struct error *err);
};

/*
 * The patterns beside the collectives, whose names are "kind=algorithm" for all
 * of coll_algorithms.  Ends with a NULL name.
 */
extern const struct pattern_kind pattern_kinds[];

enum { PATTERN_MOST_SIDES = 4 };

struct pattern {
	struct pattern_options options;
	char *name;			/* without settings; owned */
	const struct pattern_kind *kind;
	struct coll_choice choice;			/* of collectives */
	uint32_t *ranks;		/* owned: 0, 1, ...; NULL but between groups */
	uint32_t side_count, sides[PATTERN_MOST_SIDES];	/* of a grid; the last one runs fastest */
	struct {
		uint64_t tensor, pipeline, data;	/* ranks in a group of each; product: P */
		uint64_t buckets, micro_batches;
		uint64_t activation_bytes;
		uint32_t *group;			/* owned: world ranks of a group */
	} training;
	bool empty;			/* no rank has any operation */
	uint64_t ops;			/* of all ranks so far */

	/* The rank that is being made. */
	uint32_t rank, iteration;
	uint64_t computations;		/* so far */
	struct goal_builder builder;	/* its graph */
	struct frontier frontier;		/* what comes next waits for this */
	struct frontier round;		/* messages beside each other */
	struct frontier side;		/* what runs beside the rest */
};

/*
 * Find a pattern by "name" or "name:settings".  STATUS_USAGE if there is none,
 * or if the options do not fit it; STATUS_LIMIT if there are too many ranks,
 * or if the graph would obviously have 2^32 operations or more, which no GOAL
 * graph can.  On failure there is nothing to release.
 */
int pattern_open(struct pattern *pattern, const char *name, const struct pattern_options *options,
		 struct error *err);
void pattern_release(struct pattern *pattern);

/* Make the graph of a rank; STATUS_LIMIT once there are 2^32 operations or more. */
int pattern_rank(struct pattern *pattern, uint32_t rank, struct error *err);

#endif
