/* Which changes are worth a try: found in the trace, its graph and the parameters. */
#ifndef LLAMP_CHANGES_H
#define LLAMP_CHANGES_H

#include "llamp/advise/advised_path.h"

struct change_options {
	bool kinds[CHANGE_KINDS]; /* to try */
	double at_least;	  /* share of T that a change must gain */
};

/*
 * List the changes:
 *	algorithm	each algorithm of each collective that is called; where that is at several call sites or on
 *			several communicators, also for each of the PLACES_MOST with most time on the critical path
 *	eager		the least threshold with 90 % of what no threshold gains, if there is one
 *	balance		the keys (goal/change/balance.h) whose excess is at least `at_least` of T, most first, BALANCE_MOST of them
 *	totals		equal totals of computation (goal/change/totals.h), if the largest one is as much above the mean
 *	barriers	all of them; fails if the program has windows or files
 *	progress	if messages are deferred
 *	placement	the mapping that llamp place finds without options, if hosts differ
 *	network		L, o and G halved, and 0
 * `base` is what the program takes without a change, and `path` its critical path, which must outlive the changes.
 */
enum { BALANCE_MOST = 8 };

int changes_find(change_list *changes, struct evaluation *evaluation, const struct model *model,
		 const struct advised_path *path, const struct evaluated *base,
		 const struct change_options *options, struct error *err);

#endif
