#include "trace/sequence/rounds.h"

/* Laps that have a distance, and laps at all, after which laps in no order are so forever. */
enum { ENOUGH_RECURRING = 8, ENOUGH_LAPS = 64 };

/* Share of the laps that decides: below a half, so that one lap does not matter where it is a half. */
enum { MANY = 9, MANY_OF = 20 };

static int add_distance(struct rounds *rounds, uint32_t laps, struct error *err)
{
	uint32_t place = number_map_get(&rounds->places, laps, 0);

	rounds->recurring++;
	if (place == NUMBER_MAP_EMPTY) {
		const struct round_distance distance = {.laps = laps,
							.offset = rounds->laps - laps -
								  rounds->begin};

		place = (uint32_t)rounds->distances.count;
		TRY(number_map_add(&rounds->places, laps, 0, place, err));
		TRY(array_push(&rounds->distances, distance, err));
	}
	rounds->distances.items[place].count++;
	return 0;
}

int rounds_add(struct rounds *rounds, uint64_t token, struct error *err)
{
	uint32_t before;

	TRY(number_map_set(&rounds->last, token, 0, rounds->laps, &before, err));
	if (before != NUMBER_MAP_EMPTY)
		TRY(add_distance(rounds, rounds->laps - before, err));
	rounds->laps++;
	return 0;
}

void rounds_break(struct rounds *rounds)
{
	number_map_clear(&rounds->last);
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
	number_map_release(&rounds->last);
	number_map_release(&rounds->places);
	array_release(&rounds->distances);
}
