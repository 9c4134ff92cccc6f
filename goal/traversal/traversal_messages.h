/*
 * Messages of a traversal: matching of sends and receives, first in first out per source,
 * destination and tag, in the order of the file.
 *
 * A channel is a source, a destination and a tag.  Ranks mostly use their channels in the same
 * order again and again, so each channel notes the one that was used after it by the sender, and
 * by the receiver.
 *
 * Memory: 88 bytes for each message of which one half was read, and about 60 for each channel.
 */
#ifndef GOAL_TRAVERSAL_MESSAGES_H
#define GOAL_TRAVERSAL_MESSAGES_H

#include "common/number_map.h"
#include "goal/traversal/traversal_ranks.h"

/*
 * Edges into the match are `in`, and `sent` once the send has started, unless it has several edges.
 * Then these are in `in`, too.
 */
struct message {
	struct gathered in;
	struct way sent;
	bool has_sent;
	uint32_t channel;
	uint32_t send, recv; /* indices in their ranks; at first one of them */
	uint32_t next;	     /* in the channel, or of the unused messages; 0 ends it */
	uint64_t bytes;	     /* these two are set when the send starts, unless nobody asks */
	uint32_t class;
	uint32_t requires_first, requires_count; /* successors of the receive, set when it starts */
};

struct channel {
	uint64_t destination_tag;
	uint32_t source;
	uint32_t first, last; /* messages with one half, in the order of the file; 0: none */
	/* Channels that came next where its receiver, and where its sender used it last. */
	uint32_t next[2];
	bool sends; /* those halves are sends */
};

/* Number 0 of both is not used. */
struct traversal_messages {
	ARRAY(struct message) list;
	ARRAY(struct channel) channels;
	struct number_map numbers; /* [destination and tag, source]: of the channel */
	uint32_t unused;	   /* list of messages */
	uint32_t count;		   /* messages, with one half or both */
	uint32_t halves;	   /* those with one half */
	struct error *err;
};

int traversal_messages_init(struct traversal_messages *messages, struct error *err);
void traversal_messages_release(struct traversal_messages *messages);

uint32_t traversal_channel_(struct traversal_messages *messages, uint32_t *expected,
			    uint32_t source, uint64_t destination_tag);
uint32_t traversal_message_add_(struct traversal_messages *messages, uint32_t channel, bool sends,
				uint32_t index);

static inline uint64_t destination_tag(uint32_t destination, uint32_t tag)
{
	return (uint64_t)destination << 32 | tag;
}

static inline uint32_t channel_destination(const struct channel *channel)
{
	return (uint32_t)(channel->destination_tag >> 32);
}

/*
 * Find the channel of a message, or return 0 with *err set.  *last is the channel of the message
 * that its rank sent, or received, before.
 */
static inline uint32_t traversal_channel(struct traversal_messages *messages, uint32_t *last,
					 bool sends, uint32_t source, uint64_t wanted)
{
	struct channel *items = messages->channels.items;
	uint32_t *expected = &items[*last].next[sends];

	if (*last && items[*expected].source == source &&
	    items[*expected].destination_tag == wanted)
		return *last = *expected;
	return *last = traversal_channel_(messages, expected, source, wanted);
}

/*
 * Find the message that operation `index` of a rank sends or receives.  The operation is the next
 * one of its rank in the order of the file.  Returns the number of the message, or 0 with *err set.
 */
static inline uint32_t traversal_message_of(struct traversal_messages *messages, uint32_t *last,
					    uint32_t index, bool sends, uint32_t source,
					    uint64_t wanted)
{
	const uint32_t number = traversal_channel(messages, last, sends, source, wanted);
	struct channel *channel = &messages->channels.items[number];
	const uint32_t found = channel->first;
	struct message *message = &messages->list.items[found];

	if (!found || channel->sends == sends)
		return number ? traversal_message_add_(messages, number, sends, index) : 0;
	channel->first = message->next;
	*(sends ? &message->send : &message->recv) = index;
	messages->halves--;
	return found;
}

static inline void traversal_message_free(struct traversal_messages *messages, uint32_t number)
{
	messages->list.items[number].next = messages->unused;
	messages->unused = number;
}

#endif
