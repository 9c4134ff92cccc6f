/*
 * Times of the visits of a node or edge outside windows: from templates, so that they add up to
 * those of the run.
 *
 * Visits far above the others are rare (struct repeat_sum): so many are delivered as the run has,
 * not as the repeated iterations would have.  A template that is rare more often than that has a
 * common time instead, and if there are too few, some visits with common templates have a rare
 * time: at random, another one on each rank.
 *
 *	repeat_sum_record(&sum, ns);		times in windows
 *	repeat_sum_leave_rest(&sum, seed);
 *	repeat_sum_note(&sum, ns, uses);	templates, and how often they are used
 *	repeat_sum_plan(&sum);
 *	repeat_sum_add(&sum, ns);		each visit, or REPEAT_NO_TIME without a template
 *	repeat_sum_begin(&sum);
 *	repeat_sum_deliver(&sum, ns);		each once more
 */
#ifndef TRACE_REPEAT_SUM_H
#define TRACE_REPEAT_SUM_H

#include "trace/flow/flow_stat.h"
#include "trace/repeat/repeat_window.h"

/* Visits that share a time in the proportion of their templates. */
struct repeat_share {
	uint64_t sum_ns;	 /* to deliver */
	uint64_t base_ns, count; /* of the templates, and visits */
	uint64_t done_ns, done;	 /* of these, so far */
	uint64_t delivered_ns;	 /* so far */
};

struct repeat_sum {
	struct flow_stat inside;	/* windows */
	struct flow_stat common_inside; /* templates that are not rare */
	struct flow_stat
		rest; /* of the run outside windows; before repeat_sum_leave_rest of all of it */
	uint64_t threshold_ns;			   /* from which on a time is rare */
	uint64_t rare_visits;			   /* outside windows */
	uint64_t rare_templates, common_templates; /* uses */
	double templates_ns;			   /* of the common ones */
	uint64_t common_ns, rare_ns;	 /* mean times, in place of templates of the other kind */
	uint64_t seen_common, seen_rare; /* templates so far */
	uint64_t seed;
	struct repeat_share common, rare;
	double squares; /* sum of squares of what was delivered */
	bool computes;	/* it counts as computation */
};

void repeat_sum_record(struct repeat_sum *sum, uint64_t ns);

/* Leave in `rest` what is not in windows.  seed: another number for each sum. */
void repeat_sum_leave_rest(struct repeat_sum *sum, uint64_t seed);

void repeat_sum_note(struct repeat_sum *sum, uint64_t ns, uint64_t uses);
void repeat_sum_plan(struct repeat_sum *sum);
void repeat_sum_add(struct repeat_sum *sum, uint64_t ns);
void repeat_sum_begin(struct repeat_sum *sum);
uint64_t repeat_sum_deliver(struct repeat_sum *sum, uint64_t ns);

/* What a common visit of this template has on average; of a rare template, what common ones have. */
double repeat_sum_common_time(const struct repeat_sum *sum, uint64_t ns);

#endif
