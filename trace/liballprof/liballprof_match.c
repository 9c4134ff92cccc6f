#include "trace/liballprof/liballprof_match.h"

#include "common/number_map.h"

#include <stdlib.h>

int liballprof_match_begin_rank(struct liballprof_match *match, struct error *err)
{
	return array_push(&match->first_wild, match->wild.count, err);
}

int liballprof_match_send(struct liballprof_match *match, const struct liballprof_sent *sent,
			  struct error *err)
{
	TRY(array_push(&match->sent, *sent, err));
	match->sent.items[match->sent.count - 1].number = match->sent.count;
	return 0;
}

int liballprof_match_post(struct liballprof_match *match, const struct liballprof_posted *posted,
			  struct error *err)
{
	if (posted->source == LIBALLPROF_ANY || posted->tag == LIBALLPROF_ANY)
		TRY(array_push(&match->wild, match->posted.count, err));
	return array_push(&match->posted, *posted, err);
}

const struct liballprof_posted *liballprof_match_wild(const struct liballprof_match *match,
						      uint32_t rank,
						      uint64_t n)
{
	uint64_t end = rank + 1 < match->first_wild.count ? match->first_wild.items[rank + 1]
							  : match->wild.count;

	if (rank >= match->first_wild.count || n >= end - match->first_wild.items[rank])
		return NULL;
	return &match->posted.items[match->wild.items[match->first_wild.items[rank] + n]];
}

void liballprof_match_release(struct liballprof_match *match)
{
	array_release(&match->sent);
	array_release(&match->posted);
	array_release(&match->wild);
	array_release(&match->first_wild);
}

/* -------------------------------------------------------------------- solving */

enum { OF_SOURCE, OF_TAG, OF_ANY, LISTS };

#define NO_MESSAGE SIZE_MAX

/* Messages with one source and tag, from one source, with one tag, or all messages. */
struct queue {
	uint64_t taken;
	int64_t left;		/* not reserved by receives that name its source and tag */
	uint64_t sent;

	/* Queues of wildcards only: the list of their messages, in order. */
	size_t first, last;
	size_t next;		/* first message not received; valid if asked_for */
	bool asked_for;		/* a receive has these wildcards */
	bool several;		/* several sources fit; valid if asked_for */
};

/* Message: its queues, its number in the first one, and its successors in lists of wildcards. */
struct place {
	uint32_t queue, of_source, of_tag;
	uint64_t number;
	size_t after[LISTS];
};

/* Messages and receives of one rank on one communicator. */
struct solving {
	const struct liballprof_sent *sent;
	size_t sent_count;
	struct liballprof_posted **posted;
	size_t posted_count;
	struct number_map numbers;	/* of queues, by source and tag */
	ARRAY(struct queue) queues;
	ARRAY(struct place) places;	/* of the messages */
};

static bool is_wild(const struct liballprof_posted *posted)
{
	return posted->source == LIBALLPROF_ANY || posted->tag == LIBALLPROF_ANY;
}

static int find_queue(struct solving *solving, int32_t source, int32_t tag, uint32_t *number,
		      struct error *err)
{
	static const struct queue empty = {.first = NO_MESSAGE};

	*number = number_map_get(&solving->numbers, (uint32_t)source, (uint32_t)tag);
	if (*number != NUMBER_MAP_EMPTY)
		return 0;
	*number = (uint32_t)solving->queues.count;
	TRY(array_push(&solving->queues, empty, err));
	return number_map_add(&solving->numbers, (uint32_t)source, (uint32_t)tag, *number, err);
}

static int find_place(struct solving *solving, int32_t source, int32_t tag, struct place *place,
		      struct error *err)
{
	TRY(find_queue(solving, source, tag, &place->queue, err));
	TRY(find_queue(solving, source, LIBALLPROF_ANY, &place->of_source, err));
	return find_queue(solving, LIBALLPROF_ANY, tag, &place->of_tag, err);
}

static void add_left(struct solving *solving, const struct place *place, int64_t count)
{
	struct queue *queues = solving->queues.items;

	queues[place->queue].left += count;
	queues[place->of_source].left += count;
	queues[place->of_tag].left += count;
}

static void liballprof_match_append(struct solving *solving, uint32_t number, int list,
				    size_t message)
{
	struct queue *queue = &solving->queues.items[number];

	if (queue->first == NO_MESSAGE)
		queue->first = message;
	else
		solving->places.items[queue->last].after[list] = message;
	queue->last = message;
}

static int count_messages(struct solving *solving, struct error *err)
{
	struct place place = {.after = {NO_MESSAGE, NO_MESSAGE, NO_MESSAGE}};
	uint32_t any;

	TRY(find_queue(solving, LIBALLPROF_ANY, LIBALLPROF_ANY, &any, err));
	for (size_t i = 0; i < solving->sent_count; i++) {
		TRY(find_place(solving, solving->sent[i].source, solving->sent[i].tag, &place,
			       err));
		place.number = solving->queues.items[place.queue].sent++;
		add_left(solving, &place, 1);
		TRY(array_push(&solving->places, place, err));
		liballprof_match_append(solving, place.of_source, OF_SOURCE, i);
		liballprof_match_append(solving, place.of_tag, OF_TAG, i);
		liballprof_match_append(solving, any, OF_ANY, i);
	}
	return 0;
}

/* Reserve a message with the source and tag that the receive names. */
static int reserve_message(struct solving *solving, const struct liballprof_posted *posted,
			   struct error *err)
{
	struct place place;

	if (posted->cancelled ||
	    (posted->source == LIBALLPROF_ANY && posted->tag == LIBALLPROF_ANY))
		return 0;
	if (is_wild(posted)) {
		TRY(find_queue(solving, posted->source, posted->tag, &place.queue, err));
		solving->queues.items[place.queue].left--;
		return 0;
	}
	TRY(find_place(solving, posted->source, posted->tag, &place, err));
	add_left(solving, &place, -1);
	return 0;
}

static bool can_get(const struct solving *solving, const struct liballprof_posted *posted,
		    size_t message)
{
	const struct liballprof_sent *sent = &solving->sent[message];
	const struct place *place = &solving->places.items[message];
	const struct queue *queues = solving->queues.items;

	return queues[place->queue].left > 0 && place->number >= queues[place->queue].taken &&
	       (posted->source == sent->source || queues[place->of_source].left > 0) &&
	       (posted->tag == sent->tag || queues[place->of_tag].left > 0);
}

/* Find the first message from `message` on that the receive can get, or NO_MESSAGE. */
static size_t next_fit(const struct solving *solving, const struct liballprof_posted *posted,
		       size_t message)
{
	const int list = posted->source != LIBALLPROF_ANY ? OF_SOURCE :
			 posted->tag != LIBALLPROF_ANY ? OF_TAG : OF_ANY;

	while (message != NO_MESSAGE && !can_get(solving, posted, message))
		message = solving->places.items[message].after[list];
	return message;
}

/* Begin a queue at its first receive: find its first message, and whether several sources fit. */
static void liballprof_match_ask(const struct solving *solving,
				 const struct liballprof_posted *posted, struct queue *queue)
{
	const int list = posted->tag != LIBALLPROF_ANY ? OF_TAG : OF_ANY;
	size_t message;

	queue->asked_for = true;
	queue->next = message = next_fit(solving, posted, queue->first);
	if (posted->source != LIBALLPROF_ANY)
		return;
	while (message != NO_MESSAGE && !queue->several) {
		queue->several = solving->sent[message].source != solving->sent[queue->next].source;
		message = next_fit(solving, posted, solving->places.items[message].after[list]);
	}
}

/* Give the message to the receive. */
static void liballprof_match_take(struct solving *solving, size_t message, bool several,
				  struct liballprof_posted *posted)
{
	const struct liballprof_sent *sent = &solving->sent[message];
	const struct place *place = &solving->places.items[message];
	struct queue *queues = solving->queues.items;

	queues[place->queue].taken++;
	queues[place->queue].left--;
	queues[place->of_source].left -= posted->source == LIBALLPROF_ANY;
	queues[place->of_tag].left -= posted->tag == LIBALLPROF_ANY;
	posted->source = sent->source;
	posted->tag = sent->tag;
	posted->guessed = several;
}

static int receive(struct solving *solving, struct liballprof_posted *posted, struct error *err)
{
	struct queue *queue;
	uint32_t number;

	TRY(find_queue(solving, posted->source, posted->tag, &number, err));
	queue = &solving->queues.items[number];
	if (!is_wild(posted)) {
		queue->taken++;
		return 0;
	}
	if (!queue->asked_for)
		liballprof_match_ask(solving, posted, queue);
	queue->next = next_fit(solving, posted, queue->next);
	if (queue->next != NO_MESSAGE)
		liballprof_match_take(solving, queue->next, queue->several, posted);
	return 0;
}

static int solve_one(struct solving *solving, struct error *err)
{
	bool wild = false;

	for (size_t i = 0; i < solving->posted_count; i++)
		wild |= is_wild(solving->posted[i]);
	if (!wild)
		return 0;
	number_map_clear(&solving->numbers);
	solving->queues.count = solving->places.count = 0;
	TRY(count_messages(solving, err));
	for (size_t i = 0; i < solving->posted_count; i++)
		TRY(reserve_message(solving, solving->posted[i], err));
	for (size_t i = 0; i < solving->posted_count; i++)
		if (!solving->posted[i]->cancelled)
			TRY(receive(solving, solving->posted[i], err));
	return 0;
}

/* Order by receiver and communicator, with ties broken by by_time and by_post. */
static int by_channel(uint32_t receiver, uint32_t comm, uint32_t other_receiver,
		      uint32_t other_comm)
{
	if (receiver != other_receiver)
		return receiver < other_receiver ? -1 : 1;
	return (comm > other_comm) - (comm < other_comm);
}

static int by_time(const void *a, const void *b)
{
	const struct liballprof_sent *x = a, *y = b;
	int order = by_channel(x->receiver, x->comm, y->receiver, y->comm);

	if (order)
		return order;
	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static int by_post(const void *a, const void *b)
{
	const struct liballprof_posted *x = *(struct liballprof_posted *const *)a;
	const struct liballprof_posted *y = *(struct liballprof_posted *const *)b;
	int order = by_channel(x->receiver, x->comm, y->receiver, y->comm);

	return order ? order : (x > y) - (x < y);
}

static int solve_all(struct liballprof_match *match, struct liballprof_posted **posted,
		     struct solving *solving, struct error *err)
{
	size_t sent = 0, count = match->posted.count;

	for (size_t first = 0, end; first < count; first = end) {
		uint32_t receiver = posted[first]->receiver, comm = posted[first]->comm;
		size_t first_sent;

		for (end = first; end < count && posted[end]->receiver == receiver &&
				  posted[end]->comm == comm; end++)
			;
		while (sent < match->sent.count &&
		       by_channel(match->sent.items[sent].receiver, match->sent.items[sent].comm,
				  receiver, comm) < 0)
			sent++;
		for (first_sent = sent; sent < match->sent.count &&
					match->sent.items[sent].receiver == receiver &&
					match->sent.items[sent].comm == comm; sent++)
			;
		solving->sent = match->sent.items + first_sent;
		solving->sent_count = sent - first_sent;
		solving->posted = posted + first;
		solving->posted_count = end - first;
		TRY(solve_one(solving, err));
	}
	return 0;
}

int liballprof_match_solve(struct liballprof_match *match, struct error *err)
{
	struct liballprof_posted **posted;
	struct solving solving = {0};
	int result;

	if (!match->wild.count)
		return 0;
	TRY(allocate(&posted, match->posted.count, sizeof *posted, err));
	for (size_t i = 0; i < match->posted.count; i++)
		posted[i] = &match->posted.items[i];
	qsort(posted, match->posted.count, sizeof *posted, by_post);
	if (match->sent.count)
		qsort(match->sent.items, match->sent.count, sizeof *match->sent.items, by_time);
	result = solve_all(match, posted, &solving, err);
	number_map_release(&solving.numbers);
	array_release(&solving.queues);
	array_release(&solving.places);
	free(posted);
	return result;
}
