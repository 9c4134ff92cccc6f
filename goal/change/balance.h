/*
 * The same graph with computation shared equally among the ranks.
 *
 * A key is the computation before the calls of a function, or of those at one call site.  The i-th of these calls
 * on each rank belong together.  Among the ranks that compute before their i-th call, balancing gives each the mean of
 * what they compute there; what does not divide goes to the lowest ranks, ns by ns, so that no computation is lost.
 * Computation before one call that is divided, as by goal_move, is one, and its parts keep their proportions.
 */
#ifndef GOAL_BALANCE_H
#define GOAL_BALANCE_H

#include "common/string_map.h"
#include "goal/builder.h"
#include "goal/change/call_keys.h"

/* Computation of a key. */
struct goal_balance_sum {
	struct goal_call_key key;
	uint64_t total_ns;
	uint64_t
		excess_ns; /* sum over i of the largest less the mean: what balancing can save at most */
	uint32_t occurrences; /* largest number of calls of a rank */
};

struct goal_balance_sums {
	ARRAY(struct goal_balance_sum) list; /* largest excess first, then by name */
};

/*
 * Add up the computation before the calls of each function, by call site if the calls have sites.  The names are
 * those of `calls`.  Memory: 24 bytes for each call of a rank that calls most.  End with goal_balance_sums_release.
 */
int goal_balance_survey(struct goal_balance_sums *sums, const struct goal *goal,
			const struct goal_calls *calls, struct error *err);
void goal_balance_sums_release(struct goal_balance_sums *sums);

/*
 * Write the graph to `writer`, which is open and has no rank yet, and its calls, with the computation of each of `count`
 * keys balanced.  A call belongs to the first key that fits.  A key without computation is STATUS_DATA.  lines: names the
 * sites; NULL: their texts do.
 */
int goal_balance(const struct goal *goal, const struct goal_calls *calls,
		 const struct goal_call_key *keys, size_t count, struct source_lines *lines,
		 struct goal_writer *writer, struct error *err);

#endif
