#include "llamp/advise/collective_places.h"

#include "common/string_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A communicator on which ranks call. */
struct comm_calls {
	bool by_rank;	 /* that is counted */
	bool by_earlier; /* by ranks before it */
};

/* Calls at one site on one communicator; NULL: not known. */
struct pair {
	const char *site, *communicator;
	uint32_t comm;	      /* number of the communicator */
	uint32_t calls;	      /* of the rank */
	uint32_t least, most; /* of the ranks that call on the communicator */
};

struct pairs {
	ARRAY(struct pair) list;
	ARRAY(struct comm_calls) comms;
	ARRAY(char *) names;		/* of pairs and communicators */
	struct string_map pair_numbers; /* by "communicator\nsite" */
	struct string_map comm_numbers;
	const struct advised_path *path; /* names the sites */
	const char *collective;
};

static void pairs_release(struct pairs *pairs)
{
	for (size_t i = 0; i < pairs->names.count; i++)
		free(pairs->names.items[i]);
	array_release(&pairs->names);
	array_release(&pairs->list);
	array_release(&pairs->comms);
	string_map_release(&pairs->pair_numbers);
	string_map_release(&pairs->comm_numbers);
}

static bool is_equal(const char *one, const char *other)
{
	return one == other || (one && other && !strcmp(one, other));
}

/* ----------------------------------------------------------------------- counts */

/* Keep a copy of a name, which maps refer to. */
static int keep_name(struct pairs *pairs, const char *name, char **copy, struct error *err)
{
	*copy = strdup(name);
	if (!*copy)
		return error_set_memory(err, strlen(name));
	if (array_push(&pairs->names, *copy, err) == 0)
		return 0;
	free(*copy);
	return -1;
}

static int comm_number(struct pairs *pairs, const char *communicator, uint32_t *number,
		       struct error *err)
{
	const char *name = communicator ? communicator : "";
	char *copy;

	*number = string_map_get(&pairs->comm_numbers, name, (uint32_t)strlen(name));
	if (*number != STRING_MAP_EMPTY)
		return 0;
	*number = (uint32_t)pairs->comms.count;
	TRY(array_push(&pairs->comms, ((struct comm_calls){0}), err));
	TRY(keep_name(pairs, name, &copy, err));
	return string_map_add(&pairs->comm_numbers, copy, (uint32_t)strlen(copy), *number, err);
}

static int add_place_pair(struct pairs *pairs, const struct goal_call *call, const char *site,
			  const char *key, struct error *err)
{
	struct pair added = {.site = site,
			     .communicator = call->communicator,
			     .calls = 1,
			     .least = UINT32_MAX};
	const uint32_t number = (uint32_t)pairs->list.count;
	char *copy;

	TRY(comm_number(pairs, call->communicator, &added.comm, err));
	if (pairs->comms.items[added.comm].by_earlier)
		added.least = 0;
	pairs->comms.items[added.comm].by_rank = true;
	TRY(keep_name(pairs, key, &copy, err));
	TRY(string_map_add(&pairs->pair_numbers, copy, (uint32_t)strlen(copy), number, err));
	return array_push(&pairs->list, added, err);
}

static int count_place(struct pairs *pairs, const struct goal_call *call, struct error *err)
{
	const char *site = NULL;
	uint32_t number;
	char *key;
	int result = 0;

	if (call->site)
		TRY(source_lines_name(pairs->path->calls.lines, call->site, &site, err));
	if (asprintf(&key, "%s\n%s", call->communicator ? call->communicator : "",
		     site ? site : "") < 0)
		return error_set_memory(err, 0);
	number = string_map_get(&pairs->pair_numbers, key, (uint32_t)strlen(key));
	if (number == STRING_MAP_EMPTY) {
		result = add_place_pair(pairs, call, site, key, err);
	} else {
		struct pair *pair = &pairs->list.items[number];

		pair->calls++;
		pairs->comms.items[pair->comm].by_rank = true;
	}
	free(key);
	return result;
}

static void end_rank(struct pairs *pairs)
{
	for (size_t i = 0; i < pairs->list.count; i++) {
		struct pair *pair = &pairs->list.items[i];

		if (!pairs->comms.items[pair->comm].by_rank)
			continue;
		pair->least = pair->calls < pair->least ? pair->calls : pair->least;
		pair->most = pair->calls > pair->most ? pair->calls : pair->most;
		pair->calls = 0;
	}
	for (size_t i = 0; i < pairs->comms.count; i++) {
		pairs->comms.items[i].by_earlier |= pairs->comms.items[i].by_rank;
		pairs->comms.items[i].by_rank = false;
	}
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

static int add_place(place_list *places, const struct pairs *pairs,
		     const struct collective_place *place, struct error *err)
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
	pairs_release(&pairs);
	return result;
}
