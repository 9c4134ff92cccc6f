#include "critpath/view/view_tiles.h"

#include <string.h>

enum { ALL_TILES = 1 << 20, LEAST_TILES = 64, MOST_TILES = 8192 };
enum share { BEFORE, EXECUTION, AFTER, SHARES };

struct tiles {
	const struct measured_run *run;
	const struct waits *waits;
	uint32_t count;
	double from_ns; /* since the run began */
	double tile_ns;
	double (*ns)[SHARES]; /* [tile], of the current row */
	/* Instance of each part of the current rank by the call that is all of it, or NO_MATCH. */
	uint32_t *instance_of;
	uint32_t rank;
};

uint32_t view_tile_count(uint32_t rows)
{
	const uint32_t count = ALL_TILES / (rows ? rows : 1);

	return count < LEAST_TILES ? LEAST_TILES : count > MOST_TILES ? MOST_TILES : count;
}

/* Add [from, to) in ns since the run began, of which parts may lie outside of the tiles. */
static void add_time(struct tiles *tiles, enum share share, double from, double to)
{
	const double end = tiles->tile_ns * tiles->count;

	from = from < tiles->from_ns ? 0 : from - tiles->from_ns;
	to = to - tiles->from_ns > end ? end : to - tiles->from_ns;
	for (uint32_t i = from < to ? (uint32_t)(from / tiles->tile_ns) : tiles->count;
	     i < tiles->count && from < to; i++) {
		const double next = tiles->tile_ns * (i + 1);
		const double until = next < to ? next : to;

		tiles->ns[i][share] += until > from ? until - from : 0;
		from = until;
	}
}

static void view_tiles_add_call(struct tiles *tiles, uint32_t number)
{
	const struct measured_call *call = &tiles->run->ranks[tiles->rank].calls.items[number];
	const uint64_t before = wait_ns(tiles->waits, tiles->rank, number);
	const uint32_t instance = tiles->instance_of[number];
	const uint64_t after = instance == NO_MATCH
				       ? 0
				       : view_wait_after_ns(call, before,
							    &tiles->run->instances.items[instance]);
	const double from = (double)(int64_t)(call->enter_ns - tiles->run->begin_ns);
	const double to = (double)(int64_t)(call->leave_ns - tiles->run->begin_ns);

	add_time(tiles, BEFORE, from, from + (double)before);
	add_time(tiles, EXECUTION, from + (double)before, to - (double)after);
	add_time(tiles, AFTER, to - (double)after, to);
}

static void write_row(struct pack *pack, const struct tiles *tiles)
{
	for (uint32_t i = 0; i < tiles->count; i++)
		for (int share = 0; share < SHARES; share++) {
			const double part = tiles->ns[i][share] / tiles->tile_ns * 255 + 0.5;

			pack_byte(pack, part < 255 ? (uint8_t)part : 255);
		}
}

static void view_tiles_add_rank(struct pack *pack, struct tiles *tiles)
{
	const struct measured_rank *rank = &tiles->run->ranks[tiles->rank];
	uint32_t thread = 0;

	for (size_t i = 0; i < rank->calls.count; i++)
		tiles->instance_of[i] = NO_MATCH;
	for (size_t i = 0; i < rank->parts.count; i++)
		if (rank->parts.items[i].begin == rank->parts.items[i].end)
			tiles->instance_of[rank->parts.items[i].begin] =
				tiles->run->instance_of[tiles->rank][i];
	do {
		memset(tiles->ns, 0, tiles->count * sizeof *tiles->ns);
		for (uint32_t i = 0; i < rank->calls.count; i++)
			if (rank->calls.items[i].thread == thread)
				view_tiles_add_call(tiles, i);
		write_row(pack, tiles);
	} while (++thread < rank->thread_count);
}

static size_t most_calls(const struct measured_run *run)
{
	size_t most = 0;

	for (uint32_t i = 0; i < run->rank_count; i++)
		if (run->ranks[i].calls.count > most)
			most = run->ranks[i].calls.count;
	return most;
}

int view_pack_tiles(struct pack *pack, const struct waits *waits, const struct run_part *part,
		    uint32_t count, struct error *err)
{
	const struct measured_run *run = waits->run;
	const uint64_t from_ns = view_part_from_ns(part, run);
	const uint64_t length_ns = view_part_to_ns(part, run) - from_ns;
	struct tiles tiles = {
		.run = run,
		.waits = waits,
		.count = count,
		.from_ns = (double)from_ns,
		.tile_ns = (length_ns ? (double)length_ns : 1) / count,
	};

	TRY(allocate(&tiles.ns, count, sizeof *tiles.ns, err));
	if (allocate(&tiles.instance_of, most_calls(run), sizeof *tiles.instance_of, err) < 0) {
		free(tiles.ns);
		return -1;
	}
	for (tiles.rank = 0; tiles.rank < run->rank_count; tiles.rank++)
		if (run_part_has_rank(part, tiles.rank))
			view_tiles_add_rank(pack, &tiles);
	free(tiles.ns);
	free(tiles.instance_of);
	return 0;
}
