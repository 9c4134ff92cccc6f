#include "llamp/advise/collective_places.h"

#include <stdio.h>
#include <string.h>

/* Calls at one site on one communicator; NULL: not known. */
struct pair {
	const char *site, *communicator;
	uint32_t calls;	      /* of the rank */
	uint32_t least, most; /* of the ranks that call on the communicator */
};

struct pairs {
	ARRAY(struct pair) list;
	const struct advised_path *path; /* names the sites */
	const char *collective;
};

static bool is_equal(const char *one, const char *other)
{
	return one == other || (one && other && !strcmp(one, other));
}

/* ----------------------------------------------------------------------- counts */

static int count_place(struct pairs *pairs, const struct goal_call *call, struct error *err)
{
	struct pair added = {.communicator = call->communicator, .calls = 1, .least = UINT32_MAX};

	if (call->site)
		TRY(source_lines_name(pairs->path->calls.lines, call->site, &added.site, err));
	for (size_t i = 0; i < pairs->list.count; i++) {
		struct pair *pair = &pairs->list.items[i];

		if (!is_equal(pair->communicator, added.communicator))
			continue;
		if (is_equal(pair->site, added.site)) {
			pair->calls++;
			return 0;
		}
		/* An earlier rank called on the communicator, but not here. */
		if (pair->most)
			added.least = 0;
	}
	return array_push(&pairs->list, added, err);
}

/* Calls of the rank on the communicator of a pair, at all sites. */
static uint64_t calls_on(const struct pairs *pairs, const struct pair *of)
{
	uint64_t calls = 0;

	for (size_t i = 0; i < pairs->list.count; i++)
		if (is_equal(pairs->list.items[i].communicator, of->communicator))
			calls += pairs->list.items[i].calls;
	return calls;
}

static void end_rank(struct pairs *pairs)
{
	for (size_t i = 0; i < pairs->list.count; i++) {
		struct pair *pair = &pairs->list.items[i];

		if (!calls_on(pairs, pair))
			continue;
		pair->least = pair->calls < pair->least ? pair->calls : pair->least;
		pair->most = pair->calls > pair->most ? pair->calls : pair->most;
	}
	for (size_t i = 0; i < pairs->list.count; i++)
		pairs->list.items[i].calls = 0;
}

static int count_rank(struct pairs *pairs, const struct goal_calls *calls, uint32_t rank,
		      struct goal_calls_cursor *cursor, struct error *err)
{
	uint64_t last = 0;
	struct goal_call call;
	int found;

	goal_calls_cursor_start(cursor, calls, rank);
	for (uint32_t op = 0; (found = goal_calls_find(cursor, op, &call, err)) == 0;
	     op = cursor->end_op) {
		/* The entries of one call follow each other. */
		if (call.number == last || !is_form_of(call.function, pairs->collective))
			continue;
		last = call.number;
		TRY(count_place(pairs, &call, err));
	}
	end_rank(pairs);
	return found < 0 ? -1 : 0;
}

static int count_places(struct pairs *pairs, const struct goal_calls *calls, struct error *err)
{
	struct goal_calls_cursor cursor = {0};
	int result = 0;

	for (uint32_t rank = 0; rank < calls->rank_count && result == 0; rank++)
		result = count_rank(pairs, calls, rank, &cursor, err);
	goal_calls_cursor_release(&cursor);
	return result;
}

/* ----------------------------------------------------------------------- places */

/* Whether all pairs at the site are made by all ranks of their communicators. */
static bool is_shared(const struct pairs *pairs, const char *site)
{
	for (size_t i = 0; i < pairs->list.count; i++) {
		const struct pair *pair = &pairs->list.items[i];

		if (is_equal(pair->site, site) && pair->least != pair->most)
			return false;
	}
	return true;
}

static int add_place(place_list *places, const struct pairs *pairs, const struct collective_place *place,
		     struct error *err)
{
	struct collective_place added = *place;
	struct change change = {.site = place->site, .communicator = place->communicator};

	for (size_t i = 0; i < places->count; i++)
		if (is_equal(places->items[i].site, place->site) &&
		    is_equal(places->items[i].communicator, place->communicator))
			return 0;
	snprintf(change.collective, sizeof change.collective, "%s", pairs->collective);
	added.path_as = advised_path_time(pairs->path, &change);
	return array_push(places, added, err);
}

static int by_time(const void *one, const void *other)
{
	const struct collective_place *a = one, *b = other;

	return a->path_as < b->path_as ? 1 : -(a->path_as > b->path_as);
}

/* Append the places with most time, if there are several. */
static int append_most(place_list *places, const place_list *more, struct error *err)
{
	if (more->count < 2)
		return 0;
	qsort(more->items, more->count, sizeof *more->items, by_time);
	for (size_t i = 0; i < more->count && i < PLACES_MOST && more->items[i].path_as > 0; i++)
		TRY(array_push(places, more->items[i], err));
	return 0;
}

static int list_places(place_list *places, const struct pairs *pairs, bool sites, struct error *err)
{
	place_list all = {0};
	int result = 0;

	for (size_t i = 0; i < pairs->list.count && result == 0; i++) {
		const struct pair *pair = &pairs->list.items[i];
		const struct collective_place site = {.site = pair->site};
		const struct collective_place communicator = {.communicator = pair->communicator};

		if (sites && pair->site && is_shared(pairs, pair->site))
			result = add_place(&all, pairs, &site, err);
		else if (!sites && pair->communicator)
			result = add_place(&all, pairs, &communicator, err);
	}
	if (result == 0)
		result = append_most(places, &all, err);
	array_release(&all);
	return result;
}

int collective_places_find(place_list *places, const struct model *model,
			   const struct advised_path *path, const char *collective,
			   struct error *err)
{
	struct pairs pairs = {.path = path, .collective = collective};
	int result = count_places(&pairs, model->calls, err);

	if (result == 0)
		result = list_places(places, &pairs, true, err);
	if (result == 0)
		result = list_places(places, &pairs, false, err);
	for (size_t i = 0; i < places->count; i++)
		places->items[i].number = (uint32_t)i;
	array_release(&pairs.list);
	return result;
}
