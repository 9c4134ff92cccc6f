#include "llamp/analysis/communication.h"

#include <stdbool.h>

/* Sums of one source, by destination. */
struct sums {
	struct communication_pair *of;	/* [destination]; zero messages: none */
	ARRAY(uint32_t) destinations;	/* that have messages */
};

static int too_large(uint32_t source, struct error *err)
{
	return error_set(err, STATUS_LIMIT,
			 "the messages of rank %u have more than 2^64 bytes together", source);
}

/* Sum the sends of a rank. */
static int sum_rank(struct sums *sums, const struct goal_block *block, uint32_t source,
		    struct error *err)
{
	for (uint32_t i = 0; i < block->op_count; i++) {
		const struct goal_op op = goal_op(block, i);
		struct communication_pair *pair;

		if (op.kind != GOAL_SEND)
			continue;
		pair = &sums->of[op.peer];
		if (pair->messages++ == 0)
			TRY(array_push(&sums->destinations, op.peer, err));
		if (__builtin_add_overflow(pair->bytes, op.size, &pair->bytes))
			return too_large(source, err);
	}
	return 0;
}

static int compare_ranks(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static bool is_larger(const struct communication_pair *a, const struct communication_pair *b)
{
	return a->bytes != b->bytes ? a->bytes > b->bytes : a->messages > b->messages;
}

static int add_pair(struct communication *communication, const struct communication_pair *pair,
		    struct error *err)
{
	const uint32_t number = (uint32_t)communication->pairs.count;

	communication->messages += pair->messages;
	if (__builtin_add_overflow(communication->bytes, pair->bytes, &communication->bytes))
		return too_large(pair->source, err);
	TRY(array_push(&communication->pairs, *pair, err));
	if (is_larger(pair, &communication->pairs.items[communication->largest]))
		communication->largest = number;
	return 0;
}

/* Move the sums of a source to the pairs. */
static int take_sums(struct communication *communication, struct sums *sums, uint32_t source,
		     struct error *err)
{
	if (sums->destinations.count)
		qsort(sums->destinations.items, sums->destinations.count,
		      sizeof *sums->destinations.items, compare_ranks);
	for (size_t i = 0; i < sums->destinations.count; i++) {
		const uint32_t destination = sums->destinations.items[i];
		struct communication_pair *pair = &sums->of[destination];

		pair->source = source;
		pair->destination = destination;
		TRY(add_pair(communication, pair, err));
		*pair = (struct communication_pair){0};
	}
	sums->destinations.count = 0;
	return 0;
}

int communication_count(struct communication *communication, const struct goal *goal,
			struct error *err)
{
	struct sums sums = {0};
	int result;

	*communication = (struct communication){.rank_count = goal->rank_count};
	TRY(allocate(&sums.of, goal->rank_count, sizeof *sums.of, err));
	result = 0;
	for (uint32_t rank = 0; rank < goal->rank_count && result == 0; rank++) {
		result = sum_rank(&sums, &goal->ranks[rank], rank, err);
		if (result == 0)
			result = take_sums(communication, &sums, rank, err);
	}
	array_release(&sums.destinations);
	free(sums.of);
	if (result < 0)
		communication_release(communication);
	return result;
}

void communication_release(struct communication *communication)
{
	array_release(&communication->pairs);
}

int communication_bin(struct communication_grid *grid, const struct communication *communication,
		      uint32_t most_side, struct error *err)
{
	const uint32_t ranks = communication->rank_count;
	const uint32_t per_cell = (ranks + most_side - 1) / most_side;
	const uint32_t side = (ranks + per_cell - 1) / per_cell;

	*grid = (struct communication_grid){.side = side, .ranks_per_cell = per_cell};
	if (allocate(&grid->messages, (size_t)side * side, sizeof *grid->messages, err) < 0 ||
	    allocate(&grid->bytes, (size_t)side * side, sizeof *grid->bytes, err) < 0) {
		communication_grid_release(grid);
		return -1;
	}
	for (size_t i = 0; i < communication->pairs.count; i++) {
		const struct communication_pair *pair = &communication->pairs.items[i];
		const size_t cell = (size_t)(pair->source / per_cell) * side +
				    pair->destination / per_cell;

		grid->messages[cell] += pair->messages;
		grid->bytes[cell] += pair->bytes;
	}
	return 0;
}

void communication_grid_release(struct communication_grid *grid)
{
	free(grid->messages);
	free(grid->bytes);
	*grid = (struct communication_grid){0};
}
