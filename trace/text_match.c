#include "trace/text_match.h"

#include "common/number_map.h"

#include <stdlib.h>

int text_match_begin_rank(struct text_match *match, struct error *err)
{
	return array_push(&match->first_wild, match->wild.count, err);
}

int text_match_send(struct text_match *match, const struct text_sent *sent, struct error *err)
{
	TRY(array_push(&match->sent, *sent, err));
	match->sent.items[match->sent.count - 1].number = match->sent.count;
	return 0;
}

int text_match_post(struct text_match *match, const struct text_posted *posted, struct error *err)
{
	if (posted->source == TEXT_ANY || posted->tag == TEXT_ANY)
		TRY(array_push(&match->wild, match->posted.count, err));
	return array_push(&match->posted, *posted, err);
}

const struct text_posted *text_match_wild(const struct text_match *match, uint32_t rank,
					  uint64_t n)
{
	uint64_t end = rank + 1 < match->first_wild.count ? match->first_wild.items[rank + 1]
							  : match->wild.count;

	if (rank >= match->first_wild.count || n >= end - match->first_wild.items[rank])
		return NULL;
	return &match->posted.items[match->wild.items[match->first_wild.items[rank] + n]];
}

void text_match_release(struct text_match *match)
{
	array_release(&match->sent);
	array_release(&match->posted);
	array_release(&match->wild);
	array_release(&match->first_wild);
}

/* -------------------------------------------------------------------- solving */

/* The messages of one source and tag, of all of one source, or of all with one tag. */
struct queue {
	uint64_t taken;
	int64_t left;		/* that no receive which names these alone will take */
	uint64_t sent;
};

/* A message: its queues, and its number in the first. */
struct place {
	uint32_t queue, of_source, of_tag;
	uint64_t number;
};

/* Receives with the same wildcards take messages in their order: those before `next` are gone. */
struct pattern {
	int32_t source, tag;
	size_t next;
	bool several;		/* sources could have been received from */
};

/* What goes to one rank on one communicator. */
struct solving {
	const struct text_sent *sent;
	size_t sent_count;
	struct text_posted **posted;
	size_t posted_count;
	struct number_map numbers;	/* of queues, by source and tag */
	ARRAY(struct queue) queues;
	ARRAY(struct place) places;	/* of the messages */
	ARRAY(struct pattern) patterns;
};

static bool is_wild(const struct text_posted *posted)
{
	return posted->source == TEXT_ANY || posted->tag == TEXT_ANY;
}

static int find_queue(struct solving *solving, int32_t source, int32_t tag, uint32_t *number,
		      struct error *err)
{
	static const struct queue empty = {0};

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
	TRY(find_queue(solving, source, TEXT_ANY, &place->of_source, err));
	return find_queue(solving, TEXT_ANY, tag, &place->of_tag, err);
}

static void add_left(struct solving *solving, const struct place *place, int64_t count)
{
	struct queue *queues = solving->queues.items;

	queues[place->queue].left += count;
	queues[place->of_source].left += count;
	queues[place->of_tag].left += count;
}

static int count_messages(struct solving *solving, struct error *err)
{
	struct place place;

	for (size_t i = 0; i < solving->sent_count; i++) {
		TRY(find_place(solving, solving->sent[i].source, solving->sent[i].tag, &place, err));
		place.number = solving->queues.items[place.queue].sent++;
		add_left(solving, &place, 1);
		TRY(array_push(&solving->places, place, err));
	}
	return 0;
}

/* What receives name is theirs. */
static int reserve(struct solving *solving, const struct text_posted *posted, struct error *err)
{
	struct place place;

	if (posted->cancelled || (posted->source == TEXT_ANY && posted->tag == TEXT_ANY))
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

static bool fits(const struct solving *solving, const struct pattern *pattern, size_t message)
{
	const struct text_sent *sent = &solving->sent[message];
	const struct place *place = &solving->places.items[message];
	const struct queue *queues = solving->queues.items;

	return queues[place->queue].left > 0 && place->number >= queues[place->queue].taken &&
	       (pattern->source == sent->source ||
		(pattern->source == TEXT_ANY && queues[place->of_source].left > 0)) &&
	       (pattern->tag == sent->tag ||
		(pattern->tag == TEXT_ANY && queues[place->of_tag].left > 0));
}

static int find_pattern(struct solving *solving, const struct text_posted *posted,
			struct pattern **found, struct error *err)
{
	struct pattern new = {.source = posted->source, .tag = posted->tag};
	int32_t source = TEXT_ANY;

	for (size_t i = 0; i < solving->patterns.count; i++) {
		*found = &solving->patterns.items[i];
		if ((*found)->source == new.source && (*found)->tag == new.tag)
			return 0;
	}
	for (size_t i = 0; i < solving->sent_count && !new.several; i++) {
		if (!fits(solving, &new, i))
			continue;
		new.several = source != TEXT_ANY && source != solving->sent[i].source;
		source = solving->sent[i].source;
	}
	TRY(array_push(&solving->patterns, new, err));
	*found = &solving->patterns.items[solving->patterns.count - 1];
	return 0;
}

/* The receive gets the message. */
static void take(struct solving *solving, const struct pattern *pattern, struct text_posted *posted)
{
	const struct text_sent *sent = &solving->sent[pattern->next];
	const struct place *place = &solving->places.items[pattern->next];
	struct queue *queues = solving->queues.items;

	queues[place->queue].taken++;
	queues[place->queue].left--;
	queues[place->of_source].left -= pattern->source == TEXT_ANY;
	queues[place->of_tag].left -= pattern->tag == TEXT_ANY;
	posted->source = sent->source;
	posted->tag = sent->tag;
	posted->guessed = pattern->several;
}

static int receive(struct solving *solving, struct text_posted *posted, struct error *err)
{
	struct pattern *pattern;
	uint32_t number;

	if (!is_wild(posted)) {
		number = number_map_get(&solving->numbers, (uint32_t)posted->source,
					(uint32_t)posted->tag);
		solving->queues.items[number].taken++;
		return 0;
	}
	TRY(find_pattern(solving, posted, &pattern, err));
	while (pattern->next < solving->sent_count && !fits(solving, pattern, pattern->next))
		pattern->next++;
	if (pattern->next < solving->sent_count)
		take(solving, pattern, posted);
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
	solving->queues.count = solving->places.count = solving->patterns.count = 0;
	TRY(count_messages(solving, err));
	for (size_t i = 0; i < solving->posted_count; i++)
		TRY(reserve(solving, solving->posted[i], err));
	for (size_t i = 0; i < solving->posted_count; i++)
		if (!solving->posted[i]->cancelled)
			TRY(receive(solving, solving->posted[i], err));
	return 0;
}

/* Order: receivers and communicators, for messages then time, and that of the program. */
static int by_channel(uint32_t receiver, uint32_t comm, uint32_t other_receiver,
		      uint32_t other_comm)
{
	if (receiver != other_receiver)
		return receiver < other_receiver ? -1 : 1;
	return (comm > other_comm) - (comm < other_comm);
}

static int by_time(const void *a, const void *b)
{
	const struct text_sent *x = a, *y = b;
	int order = by_channel(x->receiver, x->comm, y->receiver, y->comm);

	if (order)
		return order;
	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static int by_post(const void *a, const void *b)
{
	const struct text_posted *x = *(struct text_posted *const *)a;
	const struct text_posted *y = *(struct text_posted *const *)b;
	int order = by_channel(x->receiver, x->comm, y->receiver, y->comm);

	return order ? order : (x > y) - (x < y);
}

static int solve_all(struct text_match *match, struct text_posted **posted, struct solving *solving,
		     struct error *err)
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

int text_match_solve(struct text_match *match, struct error *err)
{
	struct text_posted **posted;
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
	array_release(&solving.patterns);
	free(posted);
	return result;
}
