/*
 * Channels of slices, to keep only messages with both ends in a slice.
 *
 * A rank's slice is a range of its operations.  In each channel (source, destination, tag)
 * messages match first-in first-out.  The slice therefore has the sends, or receives, with the
 * numbers first ... first + count - 1 of the channel.  A message stays if both halves are in the
 * slices of their ranks.  A half without its counterpart becomes a calc of no cost.
 *
 * All ranks are converted twice, the first time to know the numbers.
 */
#ifndef SCHEDGEN_SLICE_CHANNELS_H
#define SCHEDGEN_SLICE_CHANNELS_H

#include "goal/builder.h"
#include "schedgen/convert/goal_tags.h"

/* End of a channel at the rank that is being converted. */
struct slice_end {
	uint32_t peer, tag;
	bool send;
	uint64_t first, count;
	uint64_t next;		/* used by slice_channels_apply */
};

/* Channels of a rank; zero bytes are valid. */
struct slice_rank {
	struct number_map places;
	ARRAY(struct slice_end) ends;
};

/* Count an operation before the slice, or in it if `inside`.  Calcs do not count. */
int slice_rank_count(struct slice_rank *rank, const struct goal_new_op *op, bool inside,
		     struct error *err);
void slice_rank_clear(struct slice_rank *rank);
void slice_rank_release(struct slice_rank *rank);

/* Channel with both ends. */
struct slice_channel {
	uint64_t first[2], count[2];	/* of receives, of sends */
};

/* Channels of all ranks with operations in slices; zero bytes are valid. */
struct slice_channels {
	struct number_map places;
	ARRAY(struct slice_channel) channels;
};

/* Add the channels of a rank, whose tags have been joined. */
int slice_channels_add(struct slice_channels *channels, uint32_t rank,
		       const struct slice_rank *ends, const struct goal_tags *tags,
		       struct error *err);

/* Numbers of dropped halves of messages. */
struct slice_dropped {
	uint64_t sends;		/* sends of the program */
	uint64_t others;	/* receives, and sends of collectives and one-sided communication */
};

/* Drop the halves of a rank's messages without counterpart, and add their number to *dropped. */
int slice_channels_apply(const struct slice_channels *channels, uint32_t rank,
			 struct slice_rank *ends, const struct goal_tags *tags,
			 struct goal_builder *builder, struct slice_dropped *dropped,
			 struct error *err);

void slice_channels_release(struct slice_channels *channels);

#endif
