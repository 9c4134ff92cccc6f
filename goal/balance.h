/*
 * The same graph with computation shared equally among the ranks.
 *
 * A key is the computation before the calls of a function, or of those at one call site, or of several of both.  The
 * i-th of these calls on each rank belong together.  Balancing gives each rank that makes its i-th call the mean of
 * what they compute before it; what does not divide goes to the lowest ranks, ns by ns, so that no computation is lost.
 * A rank that computes nothing there gets computation if it goes on only after the call has begun (goal/insert.h): not
 * before MPI_Irecv.
 */
#ifndef GOAL_BALANCE_H
#define GOAL_BALANCE_H

#include "common/source/source_lines.h"
#include "common/string_map.h"
#include "goal/builder.h"

struct goal_balance_key {
	const char *function; /* "MPI_Barrier" */
	const char *site;     /* name of their call site (source_lines_name), or its text; NULL: any site */
	bool joins;	      /* part of a list: it belongs to the same key as the part before */
};

typedef ARRAY(struct goal_balance_key) goal_balance_key_list;

/* Computation of a key. */
struct goal_balance_sum {
	struct goal_balance_key key;
	uint64_t total_ns;
	uint64_t excess_ns;   /* sum over i of the largest less the mean: what balancing can save at most */
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
 * parts of keys balanced.  A call belongs to the first part that fits.  A key without computation is STATUS_DATA.  lines: names the
 * sites; NULL: their texts do.
 */
int goal_balance(const struct goal *goal, const struct goal_calls *calls,
		 const struct goal_balance_key *keys, size_t count, struct source_lines *lines,
		 struct goal_writer *writer, struct error *err);

/*
 * Read a key, "FUNCTION" or "FUNCTION@SITE", or several joined by "+" before "MPI_".  The text is changed and must outlive
 * them.  STATUS_USAGE.
 */
int goal_balance_key_parse(char *text, goal_balance_key_list *keys, struct error *err);

#endif
