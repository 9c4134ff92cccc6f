/*
 * Cutting windows out of the ranks so that messages stay whole.
 *
 * A rank's window is a range of its operations.  In each channel (source,
 * destination, tag) messages match first-in first-out, so the operations of a
 * window are those with the numbers first ... first + count - 1 of the channel's
 * sends, or receives.  A message stays if both its halves are in the windows of
 * their ranks; else the half that is becomes a calc of no cost.
 *
 * All ranks are therefore converted twice: first to know the numbers.
 */
#ifndef SCHEDGEN_CUT_H
#define SCHEDGEN_CUT_H

#include "goal/builder.h"
#include "schedgen/convert/goal_tags.h"

/* One end of a channel, at the rank that is being converted. */
struct cut_end {
	uint32_t peer, tag;
	bool send;
	uint64_t first, count;
	uint64_t next;		/* used when it is cut */
};

/* What a rank has in its channels; zero bytes are valid. */
struct cut_rank {
	struct number_map places;
	ARRAY(struct cut_end) ends;
};

/* An operation before the window, or (`inside`) in it; calcs do not count. */
int cut_rank_count(struct cut_rank *rank, const struct goal_new_op *op, bool inside,
		   struct error *err);
void cut_rank_clear(struct cut_rank *rank);
void cut_rank_release(struct cut_rank *rank);

/* Both ends of a channel. */
struct cut_channel {
	uint64_t first[2], count[2];	/* of receives, of sends */
};

/* The channels of all ranks that have operations in windows; zero bytes are valid. */
struct cut {
	struct number_map places;
	ARRAY(struct cut_channel) channels;
};

/* Note the channels of a rank, whose tags have been joined. */
int cut_add(struct cut *cut, uint32_t rank, const struct cut_rank *ends, const struct tags *tags,
	    struct error *err);

/* Halves of messages that have been dropped. */
struct cut_dropped {
	uint64_t sends;		/* of messages that the program sends itself */
	uint64_t others;	/* receives; sends of collectives and of one-sided communication */
};

/* Drop the halves of a rank's messages that have lost the other one; add them to *dropped. */
int cut_apply(const struct cut *cut, uint32_t rank, struct cut_rank *ends,
	      const struct tags *tags, struct goal_builder *builder, struct cut_dropped *dropped,
	      struct error *err);

void cut_release(struct cut *cut);

#endif
