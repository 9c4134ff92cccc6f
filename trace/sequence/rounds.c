#include "trace/sequence/rounds.h"

#include "common/hash.h"

/* Lengths that are tried: the shortest ones. */
enum { MOST_LENGTHS = 64 };

/* Laps after which laps in no order are so forever. */
enum { ENOUGH_LAPS = 256 };

/*
 * Shares in percent: the least of a round, that of one that is sure, and how much larger than that
 * of a shorter round it has to be.  A different lap in each tenth is not that much.
 */
enum { LEAST_SHARE = 50, SURE_SHARE = 75, LARGER_BY = 22 };

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

	if (rounds->items.count)
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

/* Note that a place came again after so many laps. */
static int add_length(struct rounds *rounds, uint32_t length, struct error *err)
{
	if (rounds->lengths.count == MOST_LENGTHS ||
	    number_map_get(&rounds->has_length, length, 0) != NUMBER_MAP_EMPTY)
		return 0;
	TRY(number_map_add(&rounds->has_length, length, 0, 1, err));
	return array_push(&rounds->lengths, length, err);
}

int rounds_item(struct rounds *rounds, uint32_t item, struct error *err)
{
	rounds->token = mix64_add(rounds->token, item);
	return array_push(&rounds->items, item, err);
}

int rounds_lap(struct rounds *rounds, struct error *err)
{
	const uint32_t lap = (uint32_t)rounds->laps.count;
	struct round_place *place;
	uint32_t number;

	TRY(place_of_lap(rounds, &number, err));
	place = &rounds->places.items[number];
	if (place->last != NUMBER_MAP_EMPTY)
		TRY(add_length(rounds, lap - place->last, err));
	place->last = lap;
	rounds->items.count = 0;
	rounds->token = 0;
	return array_push(&rounds->laps, number, err);
}

int rounds_run(struct rounds *rounds, struct error *err)
{
	for (size_t i = 0; i < rounds->places.count; i++)
		rounds->places.items[i].last = NUMBER_MAP_EMPTY;
	return array_push(&rounds->runs, (uint32_t)rounds->laps.count, err);
}

/* ---------------------------------------------------------------------------- lengths */

/* A length, and the laps that are at the place of the lap so many before. */
struct round_length {
	uint32_t laps, compared, equal;
	uint32_t offset; /* of the first round that came again as a whole */
	bool again;	 /* there is one */
};

static void compare_run(struct round_length *length, const uint32_t *laps, uint32_t count)
{
	uint32_t equal = 0;

	for (uint32_t i = length->laps; i < count; i++) {
		equal = laps[i] == laps[i - length->laps] ? equal + 1 : 0;
		length->compared++;
		length->equal += equal > 0;
		if (equal < length->laps || length->again)
			continue;
		length->again = true;
		length->offset = (i + 1 - 2 * length->laps) % length->laps;
	}
}

static struct round_length compare_laps(const struct rounds *rounds, uint32_t laps)
{
	struct round_length length = {.laps = laps};

	for (size_t r = 0; r < rounds->runs.count; r++) {
		const uint32_t begin = rounds->runs.items[r];
		const size_t end = r + 1 < rounds->runs.count ? rounds->runs.items[r + 1]
							      : rounds->laps.count;

		compare_run(&length, rounds->laps.items + begin, (uint32_t)(end - begin));
	}
	return length;
}

/* Share of the laps that are equal, in percent. */
static double share_of(const struct round_length *length)
{
	return length->compared ? 100.0 * length->equal / length->compared : 0;
}

/*
 * Whether a length is better than another one: that of a longer round is much larger, or of a
 * shorter little smaller.
 */
static bool is_better(const struct round_length *length, const struct round_length *other)
{
	const double more = share_of(length) - share_of(other);

	return length->laps > other->laps ? more >= LARGER_BY : more > -LARGER_BY;
}

uint32_t rounds_length(const struct rounds *rounds, uint32_t *offset, bool *sure)
{
	struct round_length best = compare_laps(rounds, 1);

	for (size_t i = 0; i < rounds->lengths.count; i++) {
		const struct round_length length = compare_laps(rounds, rounds->lengths.items[i]);

		if (length.again && share_of(&length) >= LEAST_SHARE && is_better(&length, &best))
			best = length;
	}
	*sure = (best.again && share_of(&best) >= SURE_SHARE) || rounds->laps.count >= ENOUGH_LAPS;
	*offset = best.laps > 1 ? best.offset : 0;
	return best.laps;
}

void rounds_release(struct rounds *rounds)
{
	for (size_t i = 0; i < rounds->places.count; i++)
		array_release(&rounds->places.items[i].items);
	array_release(&rounds->places);
	array_release(&rounds->items);
	number_map_release(&rounds->variants);
	array_release(&rounds->laps);
	array_release(&rounds->runs);
	array_release(&rounds->lengths);
	number_map_release(&rounds->has_length);
}
