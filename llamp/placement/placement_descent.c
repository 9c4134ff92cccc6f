#include "llamp/placement/placement_descent.h"

#include "llamp/placement/placement_settle.h"

static int find_needs(struct needs *needs, const struct placement_task *task,
		      const struct placed_model *placed, struct error *err)
{
	struct critical_path path;
	int result;

	TRY(critical_path_find(&path, &placed->model, err));
	result = placement_queues_find(&needs->queues, &placed->model, placed->network.hosts,
				       task->host_count, err);
	if (result == 0)
		placement_queues_of_path(&needs->queues, &placed->model, &path);
	if (result == 0 && flows_of_path(&needs->flows, task, placed, &path, err) < 0) {
		placement_queues_release(&needs->queues);
		result = -1;
	}
	critical_path_release(&path);
	return result;
}

/* Find the best swaps for the critical path of the mapping as it is. */
static int find_swaps(struct swaps *swaps, struct error *err)
{
	const uint32_t rank_count = swaps->task->model->goal.rank_count;
	struct placed_model placed;
	struct needs needs;
	int result;

	swaps->count = 0;
	TRY(placed_model_open(&placed, swaps->task, swaps->placement->hosts, err));
	result = find_needs(&needs, swaps->task, &placed, err);
	if (result == 0) {
		for (uint32_t rank = 0; rank < rank_count; rank++)
			if (needs.flows.first[rank] < needs.flows.first[rank + 1] ||
			    placement_queues_wait(&needs.queues, rank))
				swaps_look_at_rank(swaps, &needs, rank);
		needs_release(&needs);
	}
	placed_model_close(&placed);
	return result;
}

/* Try the best swaps.  Returns 1 if one of them was taken. */
static int try_swaps(struct swaps *swaps, uint64_t *evaluations, struct error *err)
{
	for (uint32_t i = 0; i < swaps->count; i++) {
		const struct swap *swap = &swaps->best[i];
		const struct swap back = {0, swap->rank, swaps->slot_of[swap->rank]};
		__int128 runtime_as;

		swaps_make(swaps, swap);
		++*evaluations;
		TRY(placement_runtime(swaps->task, swaps->placement->hosts, &runtime_as, err));
		if (runtime_as < swaps->placement->runtime_as) {
			swaps->placement->runtime_as = runtime_as;
			swaps->placement->steps++;
			return 1;
		}
		swaps_make(swaps, &back);
	}
	return 0;
}

int placement_descend(struct placement *placement, const struct descent *descent,
		      uint64_t *evaluations, struct error *err)
{
	struct swaps swaps;
	int result = 0;

	*evaluations = 0;
	TRY(swaps_open(&swaps, descent->task, placement, descent->tries, err));
	if (descent->settles)
		result = placement_settle(&swaps, descent->seed, err);
	do {
		if (result >= 0)
			result = find_swaps(&swaps, err);
		if (result == 0)
			result = try_swaps(&swaps, evaluations, err);
	} while (result > 0);
	swaps_close(&swaps);
	return result;
}
