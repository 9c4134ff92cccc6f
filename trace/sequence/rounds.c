#include "trace/sequence/rounds.h"

#include "common/hash.h"

/* Laps that have a distance, and laps at all, after which laps in no order are so forever. */
enum { ENOUGH_RECURRING = 8, ENOUGH_LAPS = 64 };

/* Share of the laps that decides: below a half, so that one lap does not matter where it is a half. */
enum { MANY = 9, MANY_OF = 20 };

/* Most places: of further laps each variant is a place of its own, which is none of these. */
enum { MOST_PLACES = 64 };

/* ----------------------------------------------------------------------------- places */

static int compare_items(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Sort the items of the lap at hand, without doubles. */
static void sort_items(struct rounds *rounds)
{
	uint32_t *items = rounds->items.items;
	size_t count = 0;

	qsort(items, rounds->items.count, sizeof *items, compare_items);
	for (size_t i = 0; i < rounds->items.count; i++)
		if (!i || items[i] != items[count - 1])
			items[count++] = items[i];
	rounds->items.count = count;
}

/* Whether each of a place and the lap at hand has at least half of the other's items. */
static bool is_alike(const struct round_place *place, const struct rounds *rounds)
{
	const size_t own = rounds->items.count, others = place->items.count;
	size_t common = 0;

	for (size_t i = 0, j = 0; i < own && j < others;) {
		const uint32_t item = rounds->items.items[i], other = place->items.items[j];

		common += item == other;
		i += item <= other;
		j += other <= item;
	}
	return 2 * common >= (own > others ? own : others);
}

static int add_round_place(struct rounds *rounds, uint32_t *number, struct error *err)
{
	struct round_place place = {.last = NUMBER_MAP_EMPTY};

	sort_items(rounds);
	for (*number = 0; *number < rounds->places.count && *number < MOST_PLACES; ++*number)
		if (is_alike(&rounds->places.items[*number], rounds))
			return 0;
	*number = (uint32_t)rounds->places.count;
	for (size_t i = 0; i < rounds->items.count && *number < MOST_PLACES; i++)
		if (array_push(&place.items, rounds->items.items[i], err) < 0) {
			array_release(&place.items);
			return -1;
		}
	return array_push(&rounds->places, place, err);
}

static int place_of_lap(struct rounds *rounds, uint32_t *number, struct error *err)
{
	*number = number_map_get(&rounds->variants, rounds->token, 0);
	if (*number != NUMBER_MAP_EMPTY)
		return 0;
	TRY(add_round_place(rounds, number, err));
	return number_map_add(&rounds->variants, rounds->token, 0, *number, err);
}

/* ------------------------------------------------------------------------------- laps */

static int add_distance(struct rounds *rounds, uint32_t laps, struct error *err)
{
	uint32_t number = number_map_get(&rounds->distance_of, laps, 0);

	rounds->recurring++;
	if (number == NUMBER_MAP_EMPTY) {
		const struct round_distance distance = {.laps = laps,
							.offset = rounds->laps - laps -
								  rounds->begin};

		number = (uint32_t)rounds->distances.count;
		TRY(number_map_add(&rounds->distance_of, laps, 0, number, err));
		TRY(array_push(&rounds->distances, distance, err));
	}
	rounds->distances.items[number].count++;
	return 0;
}

int rounds_item(struct rounds *rounds, uint32_t item, struct error *err)
{
	rounds->token = mix64_add(rounds->token, item);
	return array_push(&rounds->items, item, err);
}

int rounds_lap(struct rounds *rounds, struct error *err)
{
	struct round_place *place;
	uint32_t number;

	TRY(place_of_lap(rounds, &number, err));
	place = &rounds->places.items[number];
	if (place->last != NUMBER_MAP_EMPTY)
		TRY(add_distance(rounds, rounds->laps - place->last, err));
	place->last = rounds->laps++;
	rounds->items.count = 0;
	rounds->token = 0;
	return 0;
}

void rounds_break(struct rounds *rounds)
{
	for (size_t i = 0; i < rounds->places.count; i++)
		rounds->places.items[i].last = NUMBER_MAP_EMPTY;
	rounds->begin = rounds->laps;
}

uint32_t rounds_length(const struct rounds *rounds, uint32_t *offset, bool *sure)
{
	const struct round_distance *found = NULL;

	for (size_t i = 0; i < rounds->distances.count; i++) {
		const struct round_distance *distance = &rounds->distances.items[i];

		if (MANY_OF * (uint64_t)distance->count >= MANY * rounds->recurring &&
		    (!found || distance->laps < found->laps))
			found = distance;
	}
	*sure = found ? found->count >= found->laps
		      : rounds->recurring >= ENOUGH_RECURRING || rounds->laps >= ENOUGH_LAPS;
	*offset = 0;
	if (!found || !*sure)
		return 1;
	*offset = found->offset % found->laps;
	return found->laps;
}

void rounds_release(struct rounds *rounds)
{
	for (size_t i = 0; i < rounds->places.count; i++)
		array_release(&rounds->places.items[i].items);
	array_release(&rounds->places);
	array_release(&rounds->items);
	number_map_release(&rounds->variants);
	number_map_release(&rounds->distance_of);
	array_release(&rounds->distances);
}
