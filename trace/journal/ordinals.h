/*
 * Ordinals: how many messages of each channel and how many collectives of each communicator and
 * window a rank has had.
 *
 * Where earlier calls of a journal have been dropped, ordinals tell which message of another rank
 * is the same: the k-th send of a channel is the k-th receive.  A rank has one for all its threads.
 */
#ifndef TRACE_JOURNAL_ORDINALS_H
#define TRACE_JOURNAL_ORDINALS_H

#include "common/array.h"
#include "common/number_map.h"
#include "trace/call/mpi_call.h"

#include <pthread.h>

/*
 * Kinds of sequences, by what tells one from another: peer and tag, the communicator alone, the
 * window.
 */
enum sequence_kind { SEQUENCE_SENDS, SEQUENCE_RECEIVES, SEQUENCE_COLLECTIVES, SEQUENCE_RMA };

struct sequence {
	enum sequence_kind kind;
	uint32_t object;    /* communicator or window, its id in the rank */
	uint32_t peer, tag; /* of messages, else 0 */
};

struct ordinals {
	pthread_mutex_t lock;
	struct number_map by_sequence;
	ARRAY(struct ordinals_entry {
		uint64_t next; /* ordinal of the next item */
		uint32_t
			stamp; /* of the chunk of a journal that tells the ordinal, see ordinals_take */
	})
	entries;
	uint32_t stamps;
};

/* Largest number of sequences: some 200 MB. */
enum { ORDINALS_MOST = 1 << 22 };

void ordinals_init(struct ordinals *ordinals);
void ordinals_release(struct ordinals *ordinals);

/* Sequence of which the event is an item.  False if it is none: completions of sends and the like. */
bool ordinals_sequence(const struct mpi_event *event, struct sequence *sequence);

/* Number of a sequence but for its tag.  Ids of objects are below 2^30. */
static inline uint64_t ordinals_key(const struct sequence *sequence)
{
	return (uint64_t)sequence->kind << 62 | (uint64_t)sequence->object << 32 | sequence->peer;
}

/*
 * Take the next item of a sequence; *ordinal counts from 0.  *known becomes whether the last item
 * has been taken with the same `stamp`: who has that one can count.  STATUS_LIMIT with more than
 * ORDINALS_MOST sequences.
 */
int ordinals_take(struct ordinals *ordinals, const struct sequence *sequence, uint32_t stamp,
		  uint64_t *ordinal, bool *known, struct error *err);

/* A stamp that no one else has; not 0. */
uint32_t ordinals_stamp(struct ordinals *ordinals);

#endif
