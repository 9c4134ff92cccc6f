/* The walk along the critical path, handed from process to process. */
#include "common/machine/now.h"
#include "critpath/match/rank_owners.h"
#include "critpath/path/period.h"

#include <string.h>

/*
 * Each process gets the jumps of all ranks in a period of the run.  So the walk goes from one process to
 * the next once for each period, however often it goes from rank to rank.  The places where it comes to
 * the ranks of another process go to that one, and all processes walk on their own ranks at once, which
 * makes the segments.
 */

struct walking {
	struct walk *walk;
	const struct waits *waits;
	struct dist *dist;
	uint32_t *process_of; /* [rank] */
	struct period period;
	ARRAY(struct walk_place)
	places; /* in this period: where the walk comes to other processes */
};

/* --------------------------------------------------------------------- periods */

/* Take a place where the walk comes to another rank. */
static int walk_take_place(void *data, uint32_t from, const struct walk_place *place,
			   struct error *err)
{
	struct walking *walking = data;

	if (walking->process_of[from] == walking->process_of[place->rank])
		return 0;
	return array_push(&walking->places, *place, err);
}

/* What the process of a period has to know of the walk so far. */
struct message {
	struct period_place place;
	bool ended;
};

static bool past_deadline(const struct dist *dist)
{
	return dist->deadline_ns && now_ns() > dist->deadline_ns;
}

static int end_walk(struct dist *dist, struct error *err)
{
	const struct message end = {.ended = true};

	for (uint32_t p = 0; p < dist->size; p++)
		if (p != dist->rank)
			TRY(dist_send(dist, p, &end, sizeof end, err));
	return 0;
}

/* The process that has the place walks, until it has arrived or cannot go on. */
static int walk_periods(struct walking *walking, const struct walk_place *place, struct error *err)
{
	struct dist *dist = walking->dist;
	struct message at = {.place = period_enter(place)};

	if (dist->rank + 1 < dist->size)
		TRY(dist_receive(dist, ANY_PROCESS, &at, sizeof at, err));
	while (!at.ended) {
		enum period_way way;
		struct error failure;

		if (period_walk(&walking->period, &at.place, &way, walk_take_place, walking,
				&failure) < 0) {
			TRY(end_walk(dist, err));
			*err = failure;
			return -1;
		}
		/* Past it, all fail in the agreement that follows. */
		if (way == PERIOD_ARRIVED || past_deadline(dist))
			return end_walk(dist, err);
		TRY(dist_send(dist, way == PERIOD_LATER ? dist->rank + 1 : dist->rank - 1, &at,
			      sizeof at, err));
		TRY(dist_receive(dist, ANY_PROCESS, &at, sizeof at, err));
	}
	return 0;
}

/* -------------------------------------------------------------------- segments */

/* Line up the places by process. */
static int walk_line_up(const struct walking *walking, struct walk_place **places, uint64_t *sizes,
			struct error *err)
{
	const uint32_t processes = walking->dist->size;
	uint64_t *ends, end = 0;

	TRY(allocate(places, walking->places.count, sizeof **places, err));
	TRY(allocate(&ends, processes, sizeof *ends, err));
	for (size_t i = 0; i < walking->places.count; i++)
		ends[walking->process_of[walking->places.items[i].rank]]++;
	for (uint32_t p = 0; p < processes; p++) {
		sizes[p] = ends[p] * sizeof **places;
		ends[p] = end += ends[p];
	}
	for (size_t i = walking->places.count; i-- > 0;)
		(*places)[--ends[walking->process_of[walking->places.items[i].rank]]] =
			walking->places.items[i];
	free(ends);
	return 0;
}

/* Walk from the places that are on own ranks, those of the last period first. */
static int write_segments(struct walking *walking, const struct dist_arrived *arrived,
			  struct error *err)
{
	for (uint32_t p = walking->dist->size; p-- > 0;)
		for (uint64_t at = p ? arrived->ends[p - 1] : 0; at < arrived->ends[p];
		     at += sizeof(struct walk_place)) {
			struct walk_place place;

			memcpy(&place, arrived->bytes + at, sizeof place);
			TRY(walk_back(walking->walk, walking->waits, &place, err));
		}
	return 0;
}

static int share_places(struct walking *walking, struct error *err)
{
	struct dist *dist = walking->dist;
	struct dist_arrived arrived;
	struct walk_place *places = NULL;
	uint64_t *sizes;
	int result = allocate(&sizes, dist->size, sizeof *sizes, err);

	if (result == 0)
		result = walk_line_up(walking, &places, sizes, err);
	result = dist_agree(dist, result, err);
	array_release(&walking->places);
	if (result == 0)
		result = dist_alltoallv(dist, places, sizes, &arrived, err);
	free(places);
	free(sizes);
	TRY(result);
	result = write_segments(walking, &arrived, err);
	dist_arrived_release(&arrived);
	return dist_agree(dist, result, err);
}

/* ------------------------------------------------------------------------ walk */

static int find_processes(struct walking *walking, struct error *err)
{
	const uint32_t ranks = walking->waits->run->rank_count;
	struct rank_owners map;
	int result = allocate(&walking->process_of, ranks, sizeof *walking->process_of, err);

	TRY(dist_agree(walking->dist, result, err));
	TRY(rank_owners_find(&map, walking->waits->run, walking->dist, err));
	for (uint32_t r = 0; r < ranks; r++)
		walking->process_of[r] = rank_owner(&map, r);
	rank_owners_release(&map);
	return 0;
}

/* The process of the rank that ends last begins, and tells all where it comes to another one. */
static int begin_walk(struct walking *walking, struct walk_place *place, struct error *err)
{
	const uint32_t first = walking->process_of[walking->waits->run->last_rank];
	int result = 0;

	*place = walk_end_of(walking->waits->run);
	if (walking->dist->rank == first)
		result = walk_back(walking->walk, walking->waits, place, err);
	TRY(dist_agree(walking->dist, result, err));
	return dist_bcast(walking->dist, first, place, sizeof *place, err);
}

static int walk_together(struct walking *walking, struct error *err)
{
	struct walk_place place;
	int result = 0;

	TRY(find_processes(walking, err));
	TRY(begin_walk(walking, &place, err));
	if (place.arrived)
		return 0;
	TRY(period_make(&walking->period, walking->waits, walking->dist, err));
	if (walking->dist->rank == walking->process_of[place.rank])
		result = array_push(&walking->places, place, err);
	TRY(dist_agree(walking->dist, result, err));
	TRY(dist_agree(walking->dist, walk_periods(walking, &place, err), err));
	period_release(&walking->period);
	return share_places(walking, err);
}

int walk_find(struct walk *walk, const struct waits *waits, struct dist *dist, struct error *err)
{
	struct walking walking = {.walk = walk, .waits = waits, .dist = dist};
	int result;

	*walk = (struct walk){.length_ns = waits->run->end_ns - waits->run->begin_ns};
	result = walk_together(&walking, err);
	if (result == 0)
		result = walk_gather(walk, dist, err);
	array_release(&walking.places);
	period_release(&walking.period);
	free(walking.process_of);
	if (result < 0)
		walk_release(walk);
	return result;
}
