/* Halo exchanges: neighbours in a periodic grid, as cubic as P allows. */
#include "schedgen/pattern/pattern_kinds.h"

struct search {
	uint32_t count, sides[PATTERN_MOST_SIDES];	/* being tried, ascending */
	uint64_t best_sum;
	uint32_t best[PATTERN_MOST_SIDES];
};

static uint64_t power(uint64_t base, uint32_t exponent)
{
	uint64_t result = 1;

	while (exponent--)
		result *= base;
	return result;
}

/* Try all sides from `place` on that multiply to `rest` and are `least` or more. */
static void search_sides(struct search *search, uint32_t place, uint32_t rest, uint32_t least)
{
	const uint32_t left = search->count - place;
	uint64_t sum = 0;

	/* The power fits: side^2 <= 2^31 here, for at least two sides are left. */
	for (uint32_t side = least; left > 1 && power(side, left) <= rest; side++) {
		search->sides[place] = side;
		if (rest % side == 0)
			search_sides(search, place + 1, rest / side, side);
	}
	if (left > 1)
		return;
	search->sides[place] = rest;
	for (uint32_t i = 0; i < search->count; i++)
		sum += search->sides[i];
	if (sum >= search->best_sum)
		return;
	search->best_sum = sum;
	for (uint32_t i = 0; i < search->count; i++)
		search->best[i] = search->sides[i];
}

/* Find the grid of P ranks with the least sum of sides, long sides first. */
static int find_grid(struct pattern *pattern, uint32_t side_count)
{
	struct search search = {.count = side_count, .best_sum = UINT64_MAX};

	search_sides(&search, 0, pattern->options.ranks, 1);
	pattern->side_count = side_count;
	for (uint32_t i = 0; i < side_count; i++)
		pattern->sides[i] = search.best[side_count - 1 - i];
	return 0;
}

int pattern_grid_1(struct pattern *pattern, const char *settings, struct error *err)
{
	(void)settings, (void)err;
	return find_grid(pattern, 1);
}

int pattern_grid_2(struct pattern *pattern, const char *settings, struct error *err)
{
	(void)settings, (void)err;
	return find_grid(pattern, 2);
}

int pattern_grid_3(struct pattern *pattern, const char *settings, struct error *err)
{
	(void)settings, (void)err;
	return find_grid(pattern, 3);
}

int pattern_grid_4(struct pattern *pattern, const char *settings, struct error *err)
{
	(void)settings, (void)err;
	return find_grid(pattern, 4);
}

/*
 * Exchange one message up and one down along every side of more than one rank.  Each direction has
 * its own tag, because with two ranks both messages go to the same rank.
 */
int pattern_halo(struct pattern *pattern, struct error *err)
{
	const uint64_t bytes = pattern->options.bytes;
	const uint32_t rank = pattern->rank;
	uint32_t stride = 1;

	TRY(pattern_compute(pattern, pattern->options.compute_ns, err));
	for (uint32_t i = pattern->side_count; i-- > 0; stride *= pattern->sides[i]) {
		const uint32_t side = pattern->sides[i], at = rank / stride % side;
		const uint32_t around = (side - 1) * stride;
		const uint32_t up = at + 1 < side ? rank + stride : rank - around;
		const uint32_t down = at > 0 ? rank - stride : rank + around;

		if (side == 1)
			continue;
		TRY(pattern_recv(pattern, bytes, down, 2 * i, err));
		TRY(pattern_recv(pattern, bytes, up, 2 * i + 1, err));
		TRY(pattern_send(pattern, bytes, up, 2 * i, err));
		TRY(pattern_send(pattern, bytes, down, 2 * i + 1, err));
	}
	pattern_round_end(pattern);
	return 0;
}

int pattern_solver(struct pattern *pattern, struct error *err)
{
	static const uint64_t dot_product_bytes = 8;
	const struct collective call = {
		.kind = COLL_ALLREDUCE,
		.size = pattern->options.ranks,
		.rank = pattern->rank,
		.block_bytes = dot_product_bytes,
		.reduce_ns_per_byte = pattern->options.reduce_ns_per_byte,
	};

	TRY(pattern_halo(pattern, err));
	return coll_generate(coll_find(COLL_ALLREDUCE, "recursive-doubling"), &call,
			     &pattern->builder, &pattern->frontier, err);
}
