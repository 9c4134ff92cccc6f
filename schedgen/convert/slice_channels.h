/*
 * Cutting slices out of the ranks so that messages stay whole.
 *
 * A rank's slice is a range of its operations.  In each channel (source,
 * destination, tag) messages match first-in first-out, so the operations of a
 * slice are those with the numbers first ... first + count - 1 of the channel's
 * sends, or receives.  A message stays if both its halves are in the slices of
 * their ranks; else the half that is becomes a calc of no cost.
 *
 * All ranks are therefore converted twice: first to know the numbers.
 */
#ifndef SCHEDGEN_SLICE_CHANNELS_H
#define SCHEDGEN_SLICE_CHANNELS_H

#include "goal/builder.h"
#include "schedgen/convert/goal_tags.h"

/* One end of a channel, at the rank that is being converted. */
struct slice_end {
	uint32_t peer, tag;
	bool send;
	uint64_t first, count;
	uint64_t next;		/* used when it is cut */
};

/* What a rank has in its channels; zero bytes are valid. */
struct slice_rank {
	struct number_map places;
	ARRAY(struct slice_end) ends;
};

/* An operation before the slice, or (`inside`) in it; calcs do not count. */
int slice_rank_count(struct slice_rank *rank, const struct goal_new_op *op, bool inside,
		     struct error *err);
void slice_rank_clear(struct slice_rank *rank);
void slice_rank_release(struct slice_rank *rank);

/* Both ends of a channel. */
struct slice_channel {
	uint64_t first[2], count[2];	/* of receives, of sends */
};

/* The channels of all ranks that have operations in slices; zero bytes are valid. */
struct slice_channels {
	struct number_map places;
	ARRAY(struct slice_channel) channels;
};

/* Note the channels of a rank, whose tags have been joined. */
int slice_channels_add(struct slice_channels *channels, uint32_t rank,
		       const struct slice_rank *ends, const struct goal_tags *tags,
		       struct error *err);

/* Halves of messages that have been dropped. */
struct slice_dropped {
	uint64_t sends;		/* of messages that the program sends itself */
	uint64_t others;	/* receives; sends of collectives and of one-sided communication */
};

/* Drop the halves of a rank's messages that have lost the other one; add them to *dropped. */
int slice_channels_apply(const struct slice_channels *channels, uint32_t rank,
			 struct slice_rank *ends, const struct goal_tags *tags,
			 struct goal_builder *builder, struct slice_dropped *dropped,
			 struct error *err);

void slice_channels_release(struct slice_channels *channels);

#endif
