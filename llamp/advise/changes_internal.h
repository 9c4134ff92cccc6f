/* The search for changes, and the finders of those of the graph.  Private to llamp/advise/changes*.c. */
#ifndef LLAMP_CHANGES_INTERNAL_H
#define LLAMP_CHANGES_INTERNAL_H

#include "goal/change/balance.h"
#include "llamp/advise/changes.h"

struct search {
	change_list *changes;
	struct evaluation *evaluation;
	const struct model *model;
	const struct advised_path *path;
	const struct evaluated *base;
	const struct change_options *options;
	struct goal_balance_sums sums; /* of all functions that are called */
	uint32_t groups;
	ARRAY(struct goal_call_key)
	named; /* keys of the kind so far, by the names of their sites */
};

/* Each finder adds its changes (llamp/advise/changes.h). */
int find_balances(struct search *search, struct error *err);
int find_totals(struct search *search, struct error *err);
int find_merges(struct search *search, struct error *err);
int find_waits(struct search *search, struct error *err);

#endif
