#include "critpath/share/share_map.h"
#include "critpath/share/share_parts.h"
#include "critpath/share/share_run.h"

#include "common/now.h"

/*
 * One process walks at a time.  When the path goes on in a rank of another process, that one gets the
 * place of the walk.  When the walk has arrived or cannot go on, all others are told.
 */

static bool past_deadline(const struct exchange *exchange)
{
	return exchange->deadline_ns && now_ns() > exchange->deadline_ns;
}

static int end_walk(struct exchange *exchange, struct walk_place *place, struct error *err)
{
	place->arrived = true;
	for (uint32_t p = 0; p < exchange->size; p++)
		if (p != exchange->rank)
			TRY(exchange_send(exchange, p, place, sizeof *place, err));
	return 0;
}

static int walk_together(struct walk *walk, const struct waits *waits, const struct share_map *map,
			 struct exchange *exchange, struct error *err)
{
	struct walk_place place = walk_end_of(waits->run);

	if (share_map_process(map, place.rank) != exchange->rank)
		TRY(exchange_receive(exchange, ANY_PROCESS, &place, sizeof place, err));
	while (!place.arrived) {
		struct error failure;

		if (walk_back(walk, waits, &place, &failure) < 0) {
			TRY(end_walk(exchange, &place, err));
			*err = failure;
			return -1;
		}
		/* Past it, all fail in the agreement that follows. */
		if (place.arrived || past_deadline(exchange))
			return end_walk(exchange, &place, err);
		TRY(exchange_send(exchange, share_map_process(map, place.rank), &place,
				  sizeof place, err));
		TRY(exchange_receive(exchange, ANY_PROCESS, &place, sizeof place, err));
	}
	return 0;
}

static int compare_segments(const void *a, const void *b)
{
	const struct walk_segment *x = a, *y = b;

	return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

static int join_segments(struct walk *walk, struct exchange *exchange, struct error *err)
{
	TRY(exchange_join(exchange, &walk->segments, err));
	if (walk->segments.count)
		qsort(walk->segments.items, walk->segments.count, sizeof *walk->segments.items,
		      compare_segments);
	return 0;
}

static void keep_own(struct walk *walk, const struct measured_run *run)
{
	size_t kept = 0;

	for (size_t i = 0; i < walk->segments.count; i++)
		if (measured_owns(run, walk->segments.items[i].rank))
			walk->segments.items[kept++] = walk->segments.items[i];
	walk->segments.count = kept;
}

/* Segments of a block are on one rank, so each process joins its own. */
int share_walk_join(struct walk *walk, const struct measured_run *run, const struct blocks *blocks,
		    struct exchange *exchange, struct error *err)
{
	keep_own(walk, run);
	blocks_join(walk, run, blocks);
	TRY(join_segments(walk, exchange, err));
	walk_mark_hand_overs(walk);
	return 0;
}

int share_walk_gather(struct walk *walk, struct exchange *exchange, struct error *err)
{
	TRY(join_segments(walk, exchange, err));
	walk_add_up(walk);
	return 0;
}

int share_walk_find(struct walk *walk, const struct waits *waits, struct exchange *exchange,
		    struct error *err)
{
	struct share_map map;
	int result;

	*walk = (struct walk){.length_ns = waits->run->end_ns - waits->run->begin_ns};
	TRY(share_map_make(&map, waits->run, exchange, err));
	result = exchange_agree(exchange, walk_together(walk, waits, &map, exchange, err), err);
	share_map_release(&map);
	if (result == 0)
		result = share_walk_gather(walk, exchange, err);
	if (result < 0)
		walk_release(walk);
	return result;
}
