#include "schedgen/convert/goal_tags.h"

/*
 * Numbers of tags count up from GOAL_TAGS_FIRST_NEW.  The last number means any tag.  Numbers of
 * non-blocking collectives count down from the number before it while a rank is converted,
 * because they are joined after all other tags.
 */
#define LAST_NUMBER (UINT32_MAX - 1)
#define MOST_NUMBERS (UINT32_MAX - GOAL_TAGS_FIRST_NEW)

static int check_count(uint64_t count, struct error *err)
{
	if (count <= MOST_NUMBERS)
		return 0;
	return error_set(err, STATUS_LIMIT, "more than 2^31 tags and non-blocking collectives");
}

bool goal_tags_known(const struct goal_tags *tags, struct tag tag, uint32_t *number)
{
	uint32_t given;

	*number = tag.number;
	if (tag.use == TAG_MESSAGE && tag.comm == tags->world_comm &&
	    tag.number < GOAL_TAGS_FIRST_NEW)
		return true;
	given = number_map_get(&tags->numbers, tag.key, tag.number);
	*number = GOAL_TAGS_FIRST_NEW + given;
	return given != NUMBER_MAP_EMPTY;
}

int goal_tags_number(struct goal_tags *tags, struct tag tag, uint32_t *number, struct error *err)
{
	if (goal_tags_known(tags, tag, number))
		return 0;
	TRY(check_count((uint64_t)tags->given + tags->nonblocking + 1, err));
	TRY(number_map_add(&tags->numbers, tag.key, tag.number, tags->given, err));
	TRY(array_push(&tags->list, tag, err));
	*number = GOAL_TAGS_FIRST_NEW + tags->given++;
	return 0;
}

void goal_tags_clear(struct goal_tags *tags)
{
	number_map_clear(&tags->numbers);
	tags->list.count = tags->joined.count = 0;
	tags->runs.count = tags->pieces.count = 0;
	tags->given = tags->nonblocking = 0;
}

/* ------------------------------------------------------ non-blocking collectives */

int goal_tags_nonblocking(struct goal_tags *tags, struct tag tag, uint32_t *number,
			  struct error *err)
{
	struct tag_run *run = tags->runs.count ? &tags->runs.items[tags->runs.count - 1] : NULL;

	TRY(check_count((uint64_t)tags->given + tags->nonblocking + 1, err));
	if (run && run->first.key == tag.key &&
	    run->first.number + run->count == tag.number)
		run->count++;
	else
		TRY(array_push(&tags->runs, ((struct tag_run){
			.first = tag, .begin = tags->nonblocking, .count = 1}), err));
	*number = LAST_NUMBER - tags->nonblocking++;
	return 0;
}

bool goal_tags_is_nonblocking(const struct goal_tags *tags, uint32_t number)
{
	return number != UINT32_MAX && LAST_NUMBER - number < tags->nonblocking;
}

static struct tag find_nonblocking(const struct goal_tags *tags, uint32_t number)
{
	size_t low = 0, high = tags->runs.count;
	struct tag tag;

	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;

		if (tags->runs.items[middle].begin <= number)
			low = middle;
		else
			high = middle;
	}
	tag = tags->runs.items[low].first;
	tag.number += number - tags->runs.items[low].begin;
	return tag;
}

static uint32_t joined_nonblocking(const struct goal_tags *tags, uint32_t number)
{
	size_t low = 0, high = tags->pieces.count;

	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;

		if (tags->pieces.items[middle].begin <= number)
			low = middle;
		else
			high = middle;
	}
	return tags->pieces.items[low].joined + (number - tags->pieces.items[low].begin);
}

/* Give new numbers to `count` tags from `first` on, in the stretch *found. */
static int add_stretch(struct goal_tags *all, const struct tag *first, uint32_t count,
		       uint32_t *found, struct error *err)
{
	const uint64_t key = first->key;
	const uint32_t last = number_map_get(&all->last_stretches, key, 0);
	const struct tag_stretch stretch = {.number = first->number, .count = count,
					    .joined = GOAL_TAGS_FIRST_NEW + all->given,
					    .next = NO_STRETCH};

	TRY(check_count((uint64_t)all->given + count, err));
	all->given += count;
	if (last != NUMBER_MAP_EMPTY && all->stretches.items[last].joined +
					all->stretches.items[last].count == stretch.joined) {
		all->stretches.items[last].count += count;
		*found = last;
		return 0;
	}
	*found = (uint32_t)all->stretches.count;
	TRY(array_push(&all->stretches, stretch, err));
	if (last == NUMBER_MAP_EMPTY)
		return number_map_add(&all->first_stretches, key, 0, *found, err) < 0 ? -1 :
		       number_map_add(&all->last_stretches, key, 0, *found, err);
	all->stretches.items[last].next = *found;
	number_map_remove(&all->last_stretches, key, 0);
	return number_map_add(&all->last_stretches, key, 0, *found, err);
}

/* Find the stretch of a tag from the stretch `reached` of the rank on. */
static uint32_t find_stretch(const struct goal_tags *all, const struct tag *tag, uint32_t reached)
{
	const struct tag_stretch *stretches = all->stretches.items;
	uint32_t at = reached == NUMBER_MAP_EMPTY
			      ? number_map_get(&all->first_stretches, tag->key, 0)
			      : reached;

	while (at != NO_STRETCH && stretches[at].number + stretches[at].count <= tag->number)
		at = stretches[at].next;
	return at;
}

static int join_piece(struct goal_tags *tags, uint32_t begin, uint32_t joined, struct error *err)
{
	const struct tag_piece piece = {begin, joined}, *last;

	if (tags->pieces.count) {
		last = &tags->pieces.items[tags->pieces.count - 1];
		if (last->joined + (begin - last->begin) == joined)
			return 0;
	}
	return array_push(&tags->pieces, piece, err);
}

/* Join a run.  All ranks count the tags of a key from one number on: stretches have no gaps. */
static int join_run(struct goal_tags *tags, struct goal_tags *all, struct tag_run run,
		    struct error *err)
{
	const uint64_t key = run.first.key;
	uint32_t at = number_map_remove(&tags->reached, key, 0);
	const struct tag_stretch *stretch;

	while (run.count) {
		uint32_t count = run.count, skipped;

		at = find_stretch(all, &run.first, at);
		if (at == NO_STRETCH)
			TRY(add_stretch(all, &run.first, run.count, &at, err));
		stretch = &all->stretches.items[at];
		skipped = run.first.number - stretch->number;
		if (count > stretch->count - skipped)
			count = stretch->count - skipped;
		TRY(join_piece(tags, run.begin, stretch->joined + skipped, err));
		run.first.number += count;
		run.begin += count;
		run.count -= count;
	}
	return number_map_add(&tags->reached, key, 0, at, err);
}

/* --------------------------------------------------------------------- all ranks */

int goal_tags_join(struct goal_tags *tags, struct goal_tags *all, struct error *err)
{
	tags->joined.count = tags->pieces.count = 0;
	TRY(array_reserve(&tags->joined, tags->list.count, err));
	for (size_t i = 0; i < tags->list.count; i++)
		TRY(goal_tags_number(all, tags->list.items[i], &tags->joined.items[i], err));
	tags->joined.count = tags->list.count;
	number_map_clear(&tags->reached);
	for (size_t i = 0; i < tags->runs.count; i++)
		TRY(join_run(tags, all, tags->runs.items[i], err));
	return 0;
}

bool goal_tags_differ(const struct goal_tags *tags)
{
	for (size_t i = 0; i < tags->joined.count; i++)
		if (tags->joined.items[i] != GOAL_TAGS_FIRST_NEW + i)
			return true;
	return tags->nonblocking;
}

uint32_t goal_tags_joined(const struct goal_tags *tags, uint32_t number)
{
	if (number < GOAL_TAGS_FIRST_NEW)
		return number;
	if (goal_tags_is_nonblocking(tags, number))
		return joined_nonblocking(tags, LAST_NUMBER - number);
	return tags->joined.items[number - GOAL_TAGS_FIRST_NEW];
}

struct tag goal_tags_find(const struct goal_tags *tags, uint32_t number)
{
	if (number < GOAL_TAGS_FIRST_NEW)
		return (struct tag){.comm = tags->world_comm, .number = number};
	if (goal_tags_is_nonblocking(tags, number))
		return find_nonblocking(tags, LAST_NUMBER - number);
	return tags->list.items[number - GOAL_TAGS_FIRST_NEW];
}

void goal_tags_release(struct goal_tags *tags)
{
	number_map_release(&tags->numbers);
	array_release(&tags->list);
	array_release(&tags->joined);
	array_release(&tags->runs);
	array_release(&tags->pieces);
	array_release(&tags->stretches);
	number_map_release(&tags->first_stretches);
	number_map_release(&tags->last_stretches);
	number_map_release(&tags->reached);
}
