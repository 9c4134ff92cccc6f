#include "critpath/view/view_culprit.h"

#include "common/array.h"

#include <stdlib.h>

/* Sums of waits by the rank that was waited for and, for one rank, by both functions. */
struct causes {
	uint64_t *by_rank, *by_functions;
	uint32_t functions;
};

/* Add up the waits: all by rank or, if `of` is a rank, those for it by functions. */
static void add_causes(struct causes *causes, const struct waits *waits, uint32_t of)
{
	for (uint32_t r = 0; r < waits->run->rank_count; r++)
		for (uint32_t c = 0; c < waits->run->ranks[r].calls.count; c++) {
			const struct wait *wait = wait_at(waits, r, c);
			const uint64_t ns = wait_ns(waits, r, c);
			const uint32_t waiting = waits->run->ranks[r].calls.items[c].function;

			if (!ns)
				continue;
			if (of == NO_ROOT)
				causes->by_rank[wait->rank] += ns;
			else if (wait->rank == of)
				causes->by_functions[(size_t)waiting * causes->functions +
						     wait->function] += ns;
		}
}

static size_t largest(const uint64_t *sums, size_t count)
{
	size_t found = 0;

	for (size_t i = 1; i < count; i++)
		if (sums[i] > sums[found])
			found = i;
	return found;
}

static int find_causes(struct causes *causes, struct view_culprit *culprit, const struct waits *waits,
		       struct error *err)
{
	const uint32_t ranks = waits->run->rank_count;
	const size_t pairs = (size_t)causes->functions * causes->functions;
	size_t pair;

	TRY(allocate(&causes->by_rank, ranks, sizeof *causes->by_rank, err));
	TRY(allocate(&causes->by_functions, pairs, sizeof *causes->by_functions, err));
	add_causes(causes, waits, NO_ROOT);
	for (uint32_t r = 0; r < ranks; r++)
		culprit->wait_ns += causes->by_rank[r];
	culprit->rank = (uint32_t)largest(causes->by_rank, ranks);
	culprit->caused_ns = causes->by_rank[culprit->rank];
	add_causes(causes, waits, culprit->rank);
	pair = largest(causes->by_functions, pairs);
	culprit->function_ns = causes->by_functions[pair];
	culprit->waiting = (uint32_t)(pair / causes->functions);
	culprit->function = (uint32_t)(pair % causes->functions);
	return 0;
}

int view_culprit_find(struct view_culprit *culprit, const struct waits *waits, struct error *err)
{
	struct causes causes = {.functions = measured_function_count(&waits->run->names)};
	int result;

	*culprit = (struct view_culprit){0};
	result = find_causes(&causes, culprit, waits, err);
	free(causes.by_rank);
	free(causes.by_functions);
	return result;
}
