/* Matching the calls of a measured run (trace/measured/measured_run.h). */
#ifndef TRACE_MEASURED_MATCH_H
#define TRACE_MEASURED_MATCH_H

#include "trace/measured/measured_run.h"

/* Messages of a rank with one peer, communicator and tag. */
struct match_channel {
	uint32_t peer, comm, tag;
	uint32_t end;  /* in the list of its side: where those of the next begin */
	uint32_t next; /* channel of the message that came after the latest one of this channel */
};

/* All sends of a rank, or all receives. */
struct match_side {
	struct number_map numbers; /* by peer and communicator, and tag: index in channels */
	ARRAY(struct match_channel) channels;
	uint32_t *
		list; /* channel after channel, each in order; NO_MATCH: the trace lacks the half */
	uint32_t last; /* channel of the message before */
};

/* Find the number of a channel, or NUMBER_MAP_EMPTY. */
uint32_t match_side_find(const struct match_side *side, uint32_t peer, uint32_t comm, uint32_t tag);

/* Halves of a channel, indices in the rank's sends or receives, in order, or NO_MATCH. */
const uint32_t *match_side_halves(const struct match_side *side, uint32_t number, uint32_t *count);

/* Join another part to an instance: note whether its kind and root, or NO_ROOT, are those of others. */
bool measured_instance_joins(struct measured_instance *instance, uint8_t kind, uint32_t root);

/* Collectives of a communicator, or of one persistent collective of it. */
struct match_stream {
	uint64_t key;		   /* communicator, persistent collective */
	ARRAY(uint32_t) instances; /* [k]: of the k-th collectives; NO_MATCH: of other processes */
	uint32_t rank, next;	   /* parts so far of the rank that came last */
};

struct measured_matching {
	struct measured_run *run;
	struct match_side *sends, *recvs; /* [rank] */
	struct number_map stream_numbers; /* by key */
	ARRAY(struct match_stream) streams;
	uint32_t last_stream; /* that was looked for last */
	/* [rank][part]: its number in its stream; NULL: they are counted (trace/measured/measured_align.h). */
	uint32_t **part_numbers;
};

/*
 * Match the ranks of this process with each other.  Halves with other processes have NO_MATCH,
 * instances and sums are of own ranks only.  End with measured_matching_release, on failure, too.
 */
int measured_match_own(struct measured_matching *matching, struct measured_run *run,
		       struct error *err);

/* The same once more, with other lists of halves, and numbers of parts. */
int measured_match_rejoin(struct measured_matching *matching, struct error *err);
void measured_matching_release(struct measured_matching *matching);

/*
 * Count unmatched sends and receives, violations of the clocks and instances that lack participants, when all of own
 * ranks have matched.
 */
void measured_match_check(struct measured_run *run);

/* Fail if no rank has a call. */
int measured_has_calls(const struct measured_run *run, struct error *err);

#endif
