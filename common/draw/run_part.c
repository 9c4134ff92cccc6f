#include "common/draw/run_part.h"

#include "common/units.h"

#include <stdlib.h>
#include <string.h>

static int bad_ranks(const char *text, struct error *err)
{
	return error_set(err, STATUS_USAGE, "'%s' is not a list of ranks, such as 0-7,12", text);
}

/* Read a rank at *at, and go behind it. */
static int run_part_read_rank(const char **at, uint32_t *rank)
{
	uint64_t value = 0;
	const char *from = *at;

	while (**at >= '0' && **at <= '9' && value < UINT32_MAX)
		value = value * 10 + (uint64_t)(*(*at)++ - '0');
	*rank = (uint32_t)value;
	return *at > from && value < UINT32_MAX ? 0 : -1;
}

static int by_first(const void *a, const void *b)
{
	const struct rank_range *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

/* Sort the ranges and join those that overlap or touch. */
static void join_ranges(struct run_part *part)
{
	struct rank_range *ranges = part->ranks.items;
	size_t kept = 0;

	qsort(ranges, part->ranks.count, sizeof *ranges, by_first);
	for (size_t i = 1; i < part->ranks.count; i++) {
		if (ranges[i].first > ranges[kept].last + 1)
			ranges[++kept] = ranges[i];
		else if (ranges[i].last > ranges[kept].last)
			ranges[kept].last = ranges[i].last;
	}
	part->ranks.count = kept + 1;
}

int run_part_parse_ranks(struct run_part *part, const char *text,
				struct error *err)
{
	const char *at = text;

	for (;; at++) {
		struct rank_range range;

		if (run_part_read_rank(&at, &range.first) < 0)
			return bad_ranks(text, err);
		range.last = range.first;
		if (*at == '-') {
			at++;
			if (run_part_read_rank(&at, &range.last) < 0 || range.last < range.first)
				return bad_ranks(text, err);
		}
		TRY(array_push(&part->ranks, range, err));
		if (*at != ',')
			break;
	}
	if (*at)
		return bad_ranks(text, err);
	join_ranges(part);
	return 0;
}

void run_part_release(struct run_part *part)
{
	array_release(&part->ranks);
}

int run_part_check(const struct run_part *part, uint32_t rank_count,
			  struct error *err)
{
	const size_t count = part->ranks.count;

	if (part->from_ns > part->to_ns)
		return error_set(err, STATUS_USAGE, "--from is later than --to");
	if (count && part->ranks.items[count - 1].last >= rank_count)
		return error_set(err, STATUS_USAGE, "--only-ranks: there is no rank %u, only 0 to %u",
				 part->ranks.items[count - 1].last, rank_count - 1);
	return 0;
}

bool run_part_has_rank(const struct run_part *part, uint32_t rank)
{
	size_t low = 0, high = part->ranks.count;

	if (high == 0)
		return true;
	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;

		if (part->ranks.items[middle].first <= rank)
			low = middle;
		else
			high = middle;
	}
	return rank >= part->ranks.items[low].first && rank <= part->ranks.items[low].last;
}
