/* One-sided communication of all ranks: which messages each rank sends and receives in an epoch. */
#include "schedgen/convert/rma.h"

#include <stdlib.h>

int rma_plan_init(struct rma_plan *plan, const struct trace_world *world, struct error *err)
{
	*plan = (struct rma_plan){.world = world};
	TRY(allocate(&plan->targets, world->rank_count, sizeof *plan->targets, err));
	return allocate(&plan->origins, world->rank_count, sizeof *plan->origins, err);
}

void rma_plan_release(struct rma_plan *plan)
{
	for (uint32_t i = 0; plan->origins && i < plan->world->rank_count; i++)
		rma_plan_forget(plan, i);
	free(plan->targets);
	free(plan->origins);
	number_map_release(&plan->pair_places);
	array_release(&plan->pairs);
	*plan = (struct rma_plan){0};
}

void rma_plan_forget(struct rma_plan *plan, uint32_t rank)
{
	array_release(&plan->targets[rank].entries);
	array_release(&plan->origins[rank].items);
}

/* ------------------------------------------------------------------- pairs */

static uint64_t pair_key(uint32_t origin, uint32_t target)
{
	return (uint64_t)origin << 32 | target;
}

struct rma_pair rma_plan_pair(const struct rma_plan *plan, uint32_t window, uint32_t origin,
			      uint32_t target)
{
	static const struct rma_pair none;
	uint32_t place = number_map_get(&plan->pair_places, pair_key(origin, target), window);

	return place == NUMBER_MAP_EMPTY ? none : plan->pairs.items[place];
}

int rma_plan_add_pair(struct rma_plan *plan, uint32_t window, uint32_t origin, uint32_t target,
		      struct rma_pair **pair, struct error *err)
{
	static const struct rma_pair none;
	uint64_t key = pair_key(origin, target);
	uint32_t place = number_map_get(&plan->pair_places, key, window);

	if (place == NUMBER_MAP_EMPTY) {
		place = (uint32_t)plan->pairs.count;
		TRY(number_map_add(&plan->pair_places, key, window, place, err));
		TRY(array_push(&plan->pairs, none, err));
	}
	*pair = &plan->pairs.items[place];
	return 0;
}

/* ----------------------------------------------------------------- entries */

/* Compare by window, epoch and index. */
static int compare_epochs(const struct rma_entry *x, const struct rma_entry *y)
{
	if (x->window != y->window)
		return x->window < y->window ? -1 : 1;
	if (x->epoch != y->epoch)
		return x->epoch < y->epoch ? -1 : 1;
	/* Exposures to different origins have numbers of their own. */
	if (x->epoch == RMA_EXPOSURE && x->origin != y->origin)
		return x->origin < y->origin ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static int compare(const void *a, const void *b)
{
	const struct rma_entry *x = a, *y = b;
	int order = compare_epochs(x, y);

	if (order)
		return order;
	if (x->origin != y->origin)
		return x->origin < y->origin ? -1 : 1;
	return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

static int compare_accesses(const void *a, const void *b)
{
	const struct rma_access *x = a, *y = b;

	if (x->window != y->window)
		return x->window < y->window ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->target < y->target ? -1 : x->target > y->target;
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

void rma_plan_sort(struct rma_plan *plan)
{
	for (size_t i = 0; i < plan->pairs.count; i++) {
		struct rma_pair *pair = &plan->pairs.items[i];

		pair->posted = least(pair->posts, pair->starts);
		pair->completed = least(pair->posted, least(pair->completes, pair->waits));
	}
	for (uint32_t i = 0; i < plan->world->rank_count; i++) {
		struct rma_list *list = &plan->targets[i];
		struct rma_accesses *accesses = &plan->origins[i];

		if (list->entries.count)
			qsort(list->entries.items, list->entries.count,
			      sizeof *list->entries.items, compare);
		if (accesses->items.count)
			qsort(accesses->items.items, accesses->items.count,
			      sizeof *accesses->items.items, compare_accesses);
	}
}

const struct rma_access *rma_plan_accesses(const struct rma_plan *plan, uint32_t origin,
					   uint32_t window, uint32_t number, size_t *count)
{
	const struct rma_accesses *accesses = &plan->origins[origin];
	const struct rma_access *items = accesses->items.items;
	const struct rma_access wanted = {.window = window, .number = number};
	size_t first = 0, end = accesses->items.count;

	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (compare_accesses(&items[middle], &wanted) < 0)
			first = middle + 1;
		else
			end = middle;
	}
	while (end < accesses->items.count && items[end].window == window &&
	       items[end].number == number)
		end++;
	*count = end - first;
	return *count ? items + first : NULL;
}

const struct rma_entry *rma_plan_entries(const struct rma_plan *plan, uint32_t target,
					 uint32_t window, enum rma_epoch epoch, uint32_t index,
					 uint32_t origin, size_t *count)
{
	const struct rma_list *list = &plan->targets[target];
	const struct rma_entry *items = list->entries.items;
	const struct rma_entry wanted = {.window = window, .epoch = (uint8_t)epoch,
					 .index = index, .origin = origin};
	size_t first = 0, end = list->entries.count;

	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (compare_epochs(&items[middle], &wanted) < 0)
			first = middle + 1;
		else
			end = middle;
	}
	while (end < list->entries.count && compare_epochs(&items[end], &wanted) == 0)
		end++;
	*count = end - first;
	return *count ? items + first : NULL;
}
