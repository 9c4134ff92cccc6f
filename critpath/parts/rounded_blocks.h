/*
 * Blocks of rounded groups (critpath/parts/rounded_groups.h) as processes send them, by a range coder
 * (critpath/parts/range_code.h).  A block that is damaged gives wrong numbers, or STATUS_DATA.
 *
 * All blocks append to `block`.  A receiver has the same list as the sender, but for the first one.
 */
#ifndef CRITPATH_ROUNDED_BLOCKS_H
#define CRITPATH_ROUNDED_BLOCKS_H

#include "critpath/parts/rounded_groups.h"
#include "critpath/parts/varint.h"

/*
 * The first rounding: number of groups, then of each the first time since that of the group before, the
 * number of times, by how much fewer the longest interval has, and the number of intervals.
 */
int rounded_blocks_put(struct byte_array *block, const struct rounded_groups *groups, unsigned bits,
		       struct error *err);
int rounded_blocks_take(struct rounded_groups *groups, const unsigned char *block, size_t bytes,
			unsigned bits, struct error *err);

/* For each figure that was asked, whether it still is. */
int rounded_blocks_put_asked(struct byte_array *block, const struct rounded_groups *groups,
			     struct error *err);
int rounded_blocks_take_asked(struct rounded_groups *groups, const unsigned char *block,
			      size_t bytes, struct error *err);

/*
 * The `more` lowest bits of each figure that is asked; the receiver has the figures without them.  If
 * these are the last bits (`last`), the longest intervals that are asked follow.
 */
enum { ROUNDED_MORE_BITS = 3 }; /* at most */
int rounded_blocks_put_bits(struct byte_array *block, const struct rounded_groups *groups,
			    unsigned more, bool last, struct error *err);
int rounded_blocks_take_bits(struct rounded_groups *groups, const unsigned char *block,
			     size_t bytes, unsigned more, bool last, struct error *err);

/* The unit of a list, and the list with all bits at once; its groups are added to `groups`. */
int rounded_blocks_put_all(struct byte_array *block, const struct groups *groups,
			   struct error *err);
int rounded_blocks_take_all(struct groups *groups, const unsigned char *block, size_t bytes,
			    struct error *err);

#endif
