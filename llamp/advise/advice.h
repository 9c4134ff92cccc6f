/*
 * What to change, in which order: the gain of each change alone, and of one after the other.
 *
 * All gains are differences of T (doc/commands.md).  The first change is the one with the largest gain.  Then all
 * others are evaluated anew together with it, and so on, until none gains enough: gains do not add up.  If none gains
 * enough alone, but all together do, the next two steps are the pair that gains most.
 */
#ifndef LLAMP_ADVICE_H
#define LLAMP_ADVICE_H

#include "llamp/advise/changes.h"
#include "llamp/advise/withhold.h"

struct advice_options {
	struct change_options changes;
	uint32_t steps; /* most changes to make one after the other */
};

/* How far the numbers can be trusted; what is given where. */
enum confidence { CONFIDENCE_LOW, CONFIDENCE_MEDIUM, CONFIDENCE_HIGH };

extern const char *const confidence_names[]; /* ends with NULL */

/* A change, and what became of it. */
struct advised {
	const struct change *change;
	struct evaluated alone;
	double bound; /* the most that it can gain alone, as a share of T; INFINITY: not known */
	bool is_skipped; /* the bound is below what a change must gain, and it was not evaluated: gains are NAN */
	struct evaluated
		then; /* with it and all chosen changes; of a chosen one, with those chosen up to it */
	double gain_alone; /* share of T without changes */
	double gain_then; /* of a chosen one: what it adds as a share of T without changes; of others: beside the chosen */
	/*
	 * Least and largest gain_then over the extremes of the intervals of the parameters, less and more by what the times of a
	 * repeated trace may be off; both are gain_then if there is neither.
	 */
	double least_gain, most_gain;
	bool is_unsure;	  /* it might gain enough, or nothing: it is not chosen */
	uint32_t step;	  /* when it was chosen, from 1; 0: not */
	bool is_replaced; /* others that were chosen took half of its gain, or more */
	enum confidence confidence;
	char *failure; /* why it could not be evaluated; owned, or NULL */
};

struct advice {
	change_list changes;
	ARRAY(struct advised)
	advised; /* chosen ones in order, then by gain alone; those that failed last */
	size_t chosen;
	bool is_pair; /* the first two steps gain enough together only */
	struct evaluated base;
	uint64_t traced_ns;	   /* 0: not known */
	bool is_of_few_iterations; /* the traced run */
	double error;		   /* T / traced - 1; NAN if that is not known */
	struct reasons
		withheld; /* why there is no advice; if there are some, there are no changes */
	uint64_t runs;	  /* evaluations of T */
	struct advised_path *path; /* of the program without changes; owned, NULL: not found */
};

/*
 * Find advice for a program.  `model` is the graph without changes, with its calls.  On failure there is nothing to
 * release.
 */
int advice_find(struct advice *advice, struct evaluation *evaluation, const struct model *model,
		const struct advice_options *options, struct error *err);
void advice_release(struct advice *advice);

#endif
