/*
 * Which algorithm a collective call gets: rules in YAML, the first that fits
 * counts (doc/collectives.md, "Choice").
 *
 *	- {collective: allreduce, ranks: 8.., bytes: ..2KiB, algorithm: recursive-doubling}
 *	- {collective: [scan, exscan], blocking: no, algorithm: linear}
 *
 * All ranks of a communicator must choose alike, so that rules look only at what
 * all of them know: the number of ranks, whether they share nodes, whether the call
 * blocks, and sizes that MPI wants to be the same everywhere.  The presets are rules as well.
 */
#ifndef SCHEDGEN_RULES_H
#define SCHEDGEN_RULES_H

#include "schedgen/collectives/collective.h"

/* Both ends belong to it. */
struct rule_range {
	uint64_t least, most;
};

enum rule_answer { RULE_EITHER, RULE_NO, RULE_YES };

struct rule {
	struct rule_range ranks;
	enum rule_answer power_of_two;	/* the number of ranks is one */
	enum rule_answer blocking;
	enum rule_answer shared_nodes;	/* some ranks of the communicator are on one node */
	/*
	 * The sizes of struct rule_sizes; a rule with one does not fit a call
	 * whose sizes not all ranks know.
	 */
	bool sized;
	struct rule_range bytes, total_bytes, piece_bytes;
	struct coll_choice choice;
};

/* Rules in the order in which they were read; zero bytes are a valid set without any. */
struct rules {
	ARRAY(struct rule) of[COLL_KINDS];
	bool by_nodes;	/* some of them look at nodes */
};

/*
 * The sizes that rules look at.
 *	block	block_bytes of struct collective; allgatherv and reduce_scatter:
 *		total / P, rounded down
 *	total	allgather(v), alltoall, gather, scatter and reduce_scatter(_block):
 *		the sum over the blocks of all ranks; else the block.  At most 2^64 - 1
 *	piece	total / p, rounded down, p being the largest power of two <= P
 * P are the ranks of both groups of an inter-communicator.  Sizes are known of all but
 * gatherv, scatterv, alltoallv and alltoallw, which have sizes that one rank alone
 * knows, but allgatherv and reduce_scatter where the trace lacks their vectors, and
 * but those calls between groups of which each group may have a size of its own.
 * Ranks beside a root in its group, which do nothing, know none.
 */
struct rule_sizes {
	bool known;
	uint64_t block, total, piece;
};
struct rule_sizes rules_sizes(const struct collective *collective);

/*
 * Add the rules of a file, or of a preset ("mpich", "openmpi", "paper"), behind
 * those that are there.  Errors of a file begin with "path:line: "; an unknown
 * preset is STATUS_USAGE.
 */
int rules_open(struct rules *rules, const char *path, struct error *err);
int rules_preset(struct rules *rules, const char *name, struct error *err);
void rules_release(struct rules *rules);

/* The preset as the text of a rules file; NULL with the error set if there is none. */
const char *rules_preset_text(const char *name, struct error *err);

/* What the first rule that fits chooses, or NULL; it lives as long as the rules. */
const struct coll_choice *rules_choose(const struct rules *rules,
				       const struct collective *collective, bool blocking);

/*
 * For a call whose parameters are those of a two-level algorithm: add what the rules
 * choose for as many ranks as there are leaders, and (coll_inside_kind) as there are on
 * the rank's node, unless the parameters say it already.
 */
void rules_choose_levels(const struct rules *rules, const struct coll_algorithm *algorithm,
			 struct collective *collective, bool blocking);

/* For rules.c, in presets.c: the presets; ends with a NULL name. */
struct preset {
	const char *name, *text;
};
extern const struct preset presets[];

#endif
