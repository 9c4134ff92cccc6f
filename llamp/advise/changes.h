/* Which changes are worth a try: found in the trace, its graph and the parameters. */
#ifndef LLAMP_CHANGES_H
#define LLAMP_CHANGES_H

#include "llamp/advise/advised_path.h"

struct change_options {
	bool kinds[CHANGE_KINDS]; /* to try */
	double at_least;	  /* share of T that a change must gain */
	bool is_all;		  /* all are tried, none was named */
	bool are_deferred;	  /* messages move only in calls (schedgen --progress) */
};

/*
 * List the changes:
 *	algorithm	each algorithm of each collective that is called; where that is at several call sites or on
 *			several communicators, also for each of the PLACES_MOST with most time on the critical path
 *	eager		the least threshold with 90 % of what no threshold gains, if there is one
 *	balance		the keys (goal/change/balance.h) whose excess is at least `at_least` of T, most first, BALANCE_MOST of them
 *	totals		equal totals of computation (goal/change/totals.h), if the largest one is as much above the mean
 *	messages	all messages of a pair that are awaited together (goal/change/merge.h), if there are some
 *	waits		receives of a function at a call site posted earlier and awaited later (goal/change/move.h): of the
 *			WAITS_MOST behind which most is computed, the least share of it, of 25, 50 and 100 %, with 90 % of what
 *			all of it gains; where it also waits for other sites of the function, those of all sites, too;
 *			refused with deferred messages; no step if nobody named them, as data may be needed at
 *			once, and then 100 % only
 *	barriers	all of them; fails if the program has windows or files
 *	progress	if messages are deferred
 *	placement	the mapping that llamp place finds without options, if hosts differ
 *	network		L, o and G halved, and 0
 * `base` is what the program takes without a change, and `path` its critical path, which must outlive the changes.
 */
enum { BALANCE_MOST = 8, WAITS_MOST = 4 };

int changes_find(change_list *changes, struct evaluation *evaluation, const struct model *model,
		 const struct advised_path *path, const struct evaluated *base,
		 const struct change_options *options, struct error *err);

#endif
