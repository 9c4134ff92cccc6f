/*
 * Lists of groups of overlapping computation (critpath/path/groups.h) whose times are known in part,
 * and get known bit by bit, as far as they may matter: how processes find the groups of all ranks
 * without telling each other the times of all groups.
 *
 * A group has three figures, of which the largest among the processes is that of the joint group: its
 * start, negated; its end; and the longest interval.  Of a figure the highest bits are known first:
 *
 *	1. Each process rounds the groups of its ranks to multiples of 2^bits units: a group has those
 *	   after its start and before its end.  Groups that have one in common are joined.  Up a
 *	   binomial tree, processes merge their lists in this way (rounded_groups_merge).
 *	2. Down the tree, a process asks another one for more bits of its figures: of those that are
 *	   the largest as far as is known (rounded_groups_ask).
 *	3. Up the tree, these bits are told and compared (rounded_groups_refine).
 *	4. Again from 2., until all bits are known.  The last time, the longest interval comes along.
 *
 * Groups too short to have a multiple are kept apart, unless they are between two multiples of another
 * one.  Groups that are kept apart may overlap: process 0 joins them in the end (rounded_groups_end).
 */
#ifndef CRITPATH_ROUNDED_GROUPS_H
#define CRITPATH_ROUNDED_GROUPS_H

#include "critpath/path/groups.h"

#include <stddef.h>

enum group_figure { FIGURE_START, FIGURE_END, FIGURE_LONGEST, FIGURES };

struct rounded_group {
	uint64_t figures[FIGURES]; /* without their lowest bits */
	uint64_t since; /* multiple before its first one; set where the first rounding is coded */
	uint64_t intervals;
	struct compute_interval longest; /* in units, when all bits are known */
	size_t into;			 /* number of the group that it is joined to */
	unsigned char asked;		 /* bit for each figure that may be the largest */
};

struct rounded_groups {
	uint64_t unit;			  /* of all times, in ns; 0 is 1 */
	ARRAY(struct rounded_group) list; /* by start, then by end */
};

void rounded_groups_release(struct rounded_groups *groups);

/* Find the unit of a list: all its times are multiples of it, as of a clock that counts in us.  0: no times. */
uint64_t rounded_groups_unit(const struct groups *groups);

/* Round the groups of a list; all figures are asked.  Its times must be multiples of the unit. */
int rounded_groups_make(struct rounded_groups *rounded, const struct groups *groups, uint64_t unit,
			unsigned bits, struct error *err);

/* Its multiples of 2^bits units: from the first one up to before the end. */
uint64_t rounded_first(const struct rounded_group *group, unsigned bits);
uint64_t rounded_end(const struct rounded_group *group);

/* Merge two lists after the first rounding; these keep what their groups are joined to. */
int rounded_groups_merge(struct rounded_groups *merged, struct rounded_groups *a,
			 struct rounded_groups *b, unsigned bits, struct error *err);

/*
 * Ask a list that has been merged for the figures that are asked of `merged`, if they are the largest of
 * the joint group; or find them for one group.
 */
unsigned rounded_group_asked(const struct rounded_group *group,
			     const struct rounded_groups *merged);
void rounded_groups_ask(struct rounded_groups *list, const struct rounded_groups *merged);

/* Set the figures that are asked to those of the list that was rounded. */
void rounded_groups_know(struct rounded_groups *rounded, const struct groups *groups,
			 unsigned bits);

/* Set them to the largest figures of the two lists that were merged, as far as they are asked. */
void rounded_groups_refine(struct rounded_groups *merged, const struct rounded_groups *a,
			   const struct rounded_groups *b);

/* Append the groups, all of whose bits are known, in ns, and join those that overlap. */
int rounded_groups_end(struct groups *groups, struct rounded_groups *rounded, struct error *err);

#endif
