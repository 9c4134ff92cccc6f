#include "goal/traversal/traversal_messages.h"

int traversal_messages_init(struct traversal_messages *messages, struct error *err)
{
	*messages = (struct traversal_messages){.err = err};
	TRY(array_push(&messages->list, (struct message){0}, err));
	/* No rank is the source of channel 0, so it is never the expected one. */
	return array_push(&messages->channels, (struct channel){.source = UINT32_MAX}, err);
}

void traversal_messages_release(struct traversal_messages *messages)
{
	array_release(&messages->list);
	array_release(&messages->channels);
	number_map_release(&messages->numbers);
}

/* Find a channel that is not the expected one, or add it, and expect it next time. */
uint32_t traversal_channel_(struct traversal_messages *messages, uint32_t *expected,
			    uint32_t source, uint64_t destination_tag)
{
	uint32_t number = number_map_get(&messages->numbers, destination_tag, source);

	if (number != NUMBER_MAP_EMPTY)
		return *expected = number;
	*expected = number = (uint32_t)messages->channels.count;
	if (number_map_add(&messages->numbers, destination_tag, source, number, messages->err) <
		    0 ||
	    array_push(&messages->channels,
		       ((struct channel){.destination_tag = destination_tag, .source = source}),
		       messages->err) < 0)
		return 0;
	return number;
}

/* Add a message, with one half, to the end of its channel. */
uint32_t traversal_message_add_(struct traversal_messages *messages, uint32_t channel_number,
				bool sends, uint32_t index)
{
	struct channel *channel = &messages->channels.items[channel_number];
	uint32_t number = messages->unused;
	struct message *message;

	if (number) {
		messages->unused = messages->list.items[number].next;
	} else {
		number = (uint32_t)messages->list.count;
		if (array_push(&messages->list, (struct message){0}, messages->err) < 0)
			return 0;
	}
	message = &messages->list.items[number];
	message->in.others = message->in.arrived = 0;
	message->has_sent = false;
	message->channel = channel_number;
	message->send = message->recv = index;
	if (channel->first)
		messages->list.items[channel->last].next = number;
	else
		channel->first = number;
	message->next = 0;
	channel->last = number;
	channel->sends = sends;
	messages->halves++;
	messages->count++;
	return number;
}
