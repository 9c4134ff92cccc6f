#include "llamp/path/evaluate.h"

#include "common/parallel/parallel.h"
#include "llamp/path/longest_path.h"

static int longest_path(const struct cost_graph *graph, const struct lexicographic_key *key,
			int128 *longest, uint32_t *tight, struct error *err)
{
	return (key->narrow ? longest_path_narrow : longest_path_wide)(graph, key, longest, tight,
								       err);
}

int path_evaluate(const struct cost_graph *graph, const struct direction *direction,
		  struct rational at, enum side side, struct line *line, uint32_t *tight,
		  struct error *err)
{
	const struct path_point point = {direction, at, side};
	struct lexicographic_key key;
	int128 longest;

	TRY(key_init(&key, graph, &point, err));
	TRY(longest_path(graph, &key, &longest, tight, err));
	*line = key_line(&key, longest);
	return 0;
}

/* Up to this number of points, a pass for each is faster than a pass of all lanes. */
enum { FEW = 2 };

/*
 * Points to evaluate, in shares.  First come shares of several points, which are evaluated in
 * one pass, then shares of one point.
 */
struct batch {
	const struct cost_graph *graph;
	const struct lexicographic_key *keys;
	const size_t *order;	/* numbers of the points, those with narrow keys first */
	size_t count, narrow_count;
	size_t lane_shares;	/* shares of BATCH_LANES points, the last of fewer */
	int128 *longest;
};

/* Number of points in the shares before this one. */
static size_t share_begin(const struct batch *batch, size_t share)
{
	const size_t lane_shares = share < batch->lane_shares ? share : batch->lane_shares;
	const size_t points = lane_shares * BATCH_LANES;

	return (points < batch->narrow_count ? points : batch->narrow_count) + share - lane_shares;
}

static int evaluate_lanes(const struct batch *batch, const size_t *order, size_t count,
			  struct error *err)
{
	const struct lexicographic_key *keys[BATCH_LANES];
	int128 longest[BATCH_LANES];

	for (size_t i = 0; i < BATCH_LANES; i++)
		keys[i] = &batch->keys[order[i < count ? i : 0]];
	TRY(longest_path_batch(batch->graph, keys, batch_best(), longest, err));
	for (size_t i = 0; i < count; i++)
		batch->longest[order[i]] = longest[i];
	return 0;
}

static int evaluate_share(void *shared, void *state, uint32_t share, struct error *err)
{
	const struct batch *batch = shared;
	const size_t first = share_begin(batch, share);
	const size_t *order = batch->order + first;
	const size_t count = share_begin(batch, share + 1) - first;

	(void)state;
	if (count > 1)
		return evaluate_lanes(batch, order, count, err);
	return longest_path(batch->graph, &batch->keys[*order], &batch->longest[*order], NULL, err);
}

static int evaluate_shares(struct batch *batch, struct error *err)
{
	const struct parallel_work work = {.make = evaluate_share, .shared = batch};
	size_t shares;

	batch->lane_shares = (batch->narrow_count + BATCH_LANES - 1 - FEW) / BATCH_LANES;
	shares = batch->lane_shares + batch->count - share_begin(batch, batch->lane_shares);
	return parallel_run(&work, (uint32_t)shares, parallel_threads(batch->graph->edge_count),
			    err);
}

/* Order the points, those with narrow keys first.  Returns the number of narrow keys. */
static size_t sort_keys(const struct lexicographic_key *keys, size_t count, size_t *order)
{
	size_t narrow = 0, wide = count;

	for (size_t i = 0; i < count; i++)
		order[keys[i].narrow ? narrow++ : --wide] = i;
	return narrow;
}

static int evaluate_batch(struct batch *batch, struct lexicographic_key *keys, size_t *order,
			  const struct path_point *points, struct line *lines, struct error *err)
{
	for (size_t i = 0; i < batch->count; i++)
		TRY(key_init(&keys[i], batch->graph, &points[i], err));
	batch->keys = keys;
	batch->order = order;
	batch->narrow_count = sort_keys(keys, batch->count, order);
	TRY(evaluate_shares(batch, err));
	for (size_t i = 0; i < batch->count; i++)
		lines[i] = key_line(&keys[i], batch->longest[i]);
	return 0;
}

int path_evaluate_all(const struct cost_graph *graph, const struct path_point *points,
		      size_t count, struct line *lines, struct error *err)
{
	struct batch batch = {.graph = graph, .count = count};
	struct lexicographic_key *keys = NULL;
	size_t *order = NULL;
	int result = -1;

	if (allocate(&keys, count, sizeof *keys, err) == 0 &&
	    allocate(&order, count, sizeof *order, err) == 0 &&
	    allocate(&batch.longest, count, sizeof *batch.longest, err) == 0)
		result = evaluate_batch(&batch, keys, order, points, lines, err);
	free(keys);
	free(order);
	free(batch.longest);
	return result;
}
