#include "critpath/graph/ideal_blocks.h"

#include "common/hash.h"
#include "critpath/graph/passages.h"

struct block_finder {
	struct ideal_graph *graph;
	struct passages passages; /* of the rank at hand */
	/* What all ranks must have in common: collectives that join all, the hash of their hubs. */
	uint64_t joining, hash;
	bool known, differs; /* a rank has set these; another rank of this process has others */
	/* [collective that joins all]: its calls that wait for something else, too. */
	uint64_t *other_waits;
};

static const struct measured_run *run_of(const struct block_finder *finder)
{
	return finder->graph->waits->run;
}

/* Compare a rank with those before it. */
static int compare_rank(struct block_finder *finder, uint32_t rank, struct error *err)
{
	const struct passage *list;
	uint64_t hash = 0, count;

	TRY(passages_list(&finder->passages, &finder->graph->numbers, rank, err));
	list = finder->passages.list.items;
	count = finder->passages.list.count;
	if (run_of(finder)->ranks[rank].thread_count > 1)
		finder->differs = true;
	for (size_t i = 0; i < count; i++) {
		hash = mix64_add(hash, list[i].hub);
		if (i && list[i].call == list[i - 1].call)
			finder->differs = true;
	}
	if (finder->known && (finder->joining != count || finder->hash != hash))
		finder->differs = true;
	finder->known = true;
	finder->joining = count;
	finder->hash = hash;
	return 0;
}

/* Let all ranks of all processes do something. */
static int for_own_ranks(struct block_finder *finder, struct dist *dist,
			 int (*of_rank)(struct block_finder *, uint32_t, struct error *),
			 struct error *err)
{
	const struct measured_run *run = run_of(finder);
	int result = 0;

	for (uint32_t r = run->own_first; result == 0 && r < run->own_end; r++)
		result = of_rank(finder, r, err);
	return dist_agree(dist, result, err);
}

/* Find whether all ranks go through the same collectives in the same order, none of them with threads. */
static int meet_in_order(struct block_finder *finder, struct dist *dist, bool *same,
			 struct error *err)
{
	uint64_t least[] = {UINT64_MAX, UINT64_MAX, 1}, most[] = {0, 0};

	TRY(for_own_ranks(finder, dist, compare_rank, err));
	if (finder->known) {
		least[0] = most[0] = finder->joining;
		least[1] = most[1] = finder->hash;
		least[2] = !finder->differs;
	}
	TRY(dist_allreduce(dist, least, 3, DIST_MIN, err));
	TRY(dist_allreduce(dist, most, 2, DIST_MAX, err));
	*same = least[0] == most[0] && least[1] == most[1] && least[2];
	finder->joining = most[0];
	return 0;
}

/* Count the calls of a rank that wait for more than the collective. */
static int count_other_waits(struct block_finder *finder, uint32_t rank, struct error *err)
{
	const struct ideal_place *places = finder->graph->places +
					   ideal_rank_place(finder->graph, rank);

	TRY(passages_list(&finder->passages, &finder->graph->numbers, rank, err));
	for (size_t i = 0; i < finder->passages.list.count; i++) {
		const struct ideal_place *place = &places[finder->passages.list.items[i].call];

		/* Its start, and the hub. */
		finder->other_waits[i] += place->pending != 2 || place->next == IDEAL_OUTSIDE;
	}
	return 0;
}

static int place_rank(struct block_finder *finder, uint32_t rank, struct error *err)
{
	struct ideal_place *places = finder->graph->places + ideal_rank_place(finder->graph, rank);
	const struct passage *list;
	uint32_t block = 0;
	size_t next = 0;

	TRY(passages_list(&finder->passages, &finder->graph->numbers, rank, err));
	list = finder->passages.list.items;
	for (uint32_t c = 0; c < run_of(finder)->ranks[rank].calls.count; c++) {
		places[c].part = block;
		if (next == finder->passages.list.count || list[next].call != c ||
		    finder->other_waits[next++])
			continue;
		block++;
		if (places[c].next == IDEAL_FINAL)
			places[c].next = IDEAL_FINAL_APART;
	}
	return 0;
}

static int find_blocks(struct block_finder *finder, uint64_t *count, struct dist *dist,
		       struct error *err)
{
	const int result = allocate(&finder->other_waits, finder->joining,
				    sizeof *finder->other_waits, err);

	TRY(dist_agree(dist, result, err));
	TRY(for_own_ranks(finder, dist, count_other_waits, err));
	TRY(dist_allreduce(dist, finder->other_waits, finder->joining, DIST_SUM, err));
	for (uint64_t i = 0; i < finder->joining; i++)
		*count += !finder->other_waits[i];
	return for_own_ranks(finder, dist, place_rank, err);
}

int ideal_blocks_find(uint64_t *count, struct ideal_graph *graph, struct dist *dist,
		      struct error *err)
{
	struct block_finder finder = {.graph = graph};
	bool same;
	int result = meet_in_order(&finder, dist, &same, err);

	*count = 1;
	if (result == 0 && same) {
		result = find_blocks(&finder, count, dist, err);
	} else {
		for (uint32_t i = 0; i < graph->calls; i++)
			graph->places[i].part = 0;
	}
	free(finder.other_waits);
	passages_release(&finder.passages);
	return result;
}
