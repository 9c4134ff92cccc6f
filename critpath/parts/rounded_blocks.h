/*
 * Blocks of rounded groups (critpath/parts/rounded_groups.h) as processes send them, by a range coder
 * (critpath/parts/range_code.h).  Each function writes a block, or reads it if the coder takes numbers:
 * then the list is that of the writer before it wrote, and becomes that of the writer.
 *
 * Functions return -1 without memory, and of a damaged block with STATUS_DATA, or the numbers are wrong.
 */
#ifndef CRITPATH_ROUNDED_BLOCKS_H
#define CRITPATH_ROUNDED_BLOCKS_H

#include "critpath/parts/range_code.h"
#include "critpath/parts/rounded_groups.h"

/*
 * The first rounding, which a reader appends to an empty list: number of groups, then of each the first
 * time since that of the group before, the number of times, by how much fewer the longest interval has,
 * and the number of intervals.
 */
int rounded_blocks_first(struct range_coder *coder, struct rounded_groups *groups, unsigned bits,
			 struct error *err);

/* Ask a list that has been joined to `merged`, as rounded_groups_ask does; a reader needs no `merged`. */
int rounded_blocks_ask(struct range_coder *coder, struct rounded_groups *groups,
		       const struct rounded_groups *merged, struct error *err);

/*
 * The `more` lowest bits of each figure that is asked; a reader has the figures without them.  If these
 * are the last bits (`last`), the longest intervals that are asked follow.
 */
enum { ROUNDED_MORE_BITS = 3 }; /* at most */
int rounded_blocks_bits(struct range_coder *coder, struct rounded_groups *groups, unsigned more,
			bool last, struct error *err);

/* The unit of a list, and the list with all bits at once, which a reader appends to `groups`. */
int rounded_blocks_all(struct range_coder *coder, struct groups *groups, struct error *err);

#endif
