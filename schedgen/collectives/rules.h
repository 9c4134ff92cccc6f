/*
 * Rules in YAML that choose the algorithm of a collective call.  The first rule that fits applies
 * (doc/collectives.md, "Choice").
 *
 *	- {collective: allreduce, ranks: 8.., bytes: ..2KiB, algorithm: recursive-doubling}
 *	- {collective: [scan, exscan], blocking: no, algorithm: linear}
 *	- {collective: bcast, site: "solve.c:57", algorithm: chain}
 *
 * All ranks of a communicator must choose the same algorithm.  Rules therefore use only what all
 * ranks know: the number of ranks, whether ranks share nodes, whether the call blocks, the
 * communicator, and sizes that MPI requires to be equal everywhere.  The call site is the exception:
 * whoever writes it knows that all ranks call there.  Presets are rules too.
 */
#ifndef SCHEDGEN_RULES_H
#define SCHEDGEN_RULES_H

#include "schedgen/collectives/collective.h"

/* Range that includes both ends. */
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
	 * Sizes of struct rule_sizes.  A rule with sizes does not fit a call whose sizes are
	 * not known to all ranks.
	 */
	bool sized;	/* one of the next three is restricted */
	struct rule_range bytes, total_bytes, piece_bytes;
	/* Of the call (struct coll_place), owned; NULL: any. */
	char *site, *communicator;
	struct coll_choice choice;
	_Atomic bool used; /* a call was chosen for by it */
};

/* Rules in the order in which they were read; zero bytes: no rules. */
struct rules {
	ARRAY(struct rule) of[COLL_KINDS];
	bool by_nodes;	/* some rules depend on nodes */
	bool by_site;	/* some depend on call sites */
};

/*
 * Sizes that rules compare.
 *	block	block_bytes of struct collective; allgatherv and reduce_scatter:
 *		total / P, rounded down
 *	total	allgather(v), alltoall, gather, scatter and reduce_scatter(_block):
 *		the sum over the blocks of all ranks; else the block.  At most 2^64 - 1
 *	piece	total / p, rounded down, p being the largest power of two <= P
 * P counts the ranks of both groups of an inter-communicator.  Sizes are not known
 *	of gatherv, scatterv, alltoallv and alltoallw: a rank knows only its own
 *	of allgatherv and reduce_scatter if the trace lacks their vectors
 *	of calls between groups that may have different sizes
 *	to ranks other than the root in its group, which do nothing
 */
struct rule_sizes {
	bool known;
	uint64_t block, total, piece;
};
struct rule_sizes rules_sizes(const struct collective *collective);

/*
 * Append the rules of a file, of a preset ("mpich", "openmpi", "paper"), or one rule: "{collective:
 * ...}".  Errors of a file begin with "path:line: ".  An unknown preset is STATUS_USAGE, and so is all that
 * is wrong with the one rule.
 */
int rules_open(struct rules *rules, const char *path, struct error *err);
int rules_preset(struct rules *rules, const char *name, struct error *err);
int rules_add(struct rules *rules, const char *text, struct error *err);
void rules_release(struct rules *rules);

/* Text of a preset as a file of rules; NULL with the error set if it is unknown. */
const char *rules_preset_text(const char *name, struct error *err);

/*
 * Choice of the first rule that fits, owned by the rules; NULL if none fits.  Notes that the rule is used.
 * Several threads may choose.
 */
const struct coll_choice *rules_choose(struct rules *rules, const struct collective *collective,
				       bool blocking);

/* Find a rule that was never used.  NULL: all were. */
const struct rule *rules_unused(const struct rules *rules);

/*
 * Choose the algorithms of both levels of a two-level algorithm, unless the parameters of the
 * call have them: by the rules for the number of leaders, and (coll_inside_kind) for the number
 * of ranks on the rank's node.
 */
void rules_choose_levels(struct rules *rules, const struct coll_algorithm *algorithm,
			 struct collective *collective, bool blocking);

/* Preset as the text of a file of rules.  The table in presets.c ends with a NULL name. */
struct preset {
	const char *name, *text;
};
extern const struct preset presets[];

#endif
