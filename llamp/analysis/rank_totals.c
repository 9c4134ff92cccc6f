#include "llamp/analysis/rank_totals.h"

#include "llamp/analysis/analysis.h"
#include "llamp/graph/event_times.h"
#include "llamp/simulate/simulation.h"

/* Times of all operations: of the longest paths, or with resources of the simulation. */
struct ends {
	struct event_times times;
	struct sim_times *served;	/* NULL without resources */
	int64_t unit_as;		/* of served */
};

static int ends_find(struct ends *ends, const struct model *model, struct error *err)
{
	const struct cost_weights weights = event_times_weights(&model->loggps);
	struct sim_result simulation;

	*ends = (struct ends){.served = NULL};
	if (!model->loggps.resources)
		return event_times_find(&ends->times, &model->execution, &weights, err);
	TRY(sim_find_times(&ends->served, &simulation, &model->execution, err));
	ends->unit_as = simulation.unit_as;
	return 0;
}

static void ends_release(struct ends *ends)
{
	if (!ends->served)
		event_times_release(&ends->times);
	free(ends->served);
}

static __int128 end_as(const struct ends *ends, const struct located *at)
{
	if (ends->served)
		return (__int128)ends->served[at->number].end * ends->unit_as;
	return event_times_end(&ends->times, at);
}

/* Sum what a rank does, and find when the last of its operations ends. */
static void total_rank(struct rank_total *total, const struct model *model,
		       const struct ends *ends, uint32_t rank)
{
	const struct goal_block *block = &model->goal.ranks[rank];
	__int128 last_as = 0, compute_ns = 0;

	*total = (struct rank_total){.operations = block->op_count};
	for (uint32_t i = 0; i < block->op_count; i++) {
		const struct located at =
			execution_locate(&model->execution, rank, block->first_op + i);

		total->sends += at.op.kind == GOAL_SEND;
		total->recvs += at.op.kind == GOAL_RECV;
		if (at.op.kind == GOAL_CALC)
			compute_ns += at.op.size;
		/* An operation that others require ends before they do. */
		if (at.op.requires_count == 0) {
			const __int128 as = end_as(ends, &at);

			last_as = as > last_as ? as : last_as;
		}
	}
	total->compute_ns = (double)compute_ns;
	total->end_ns = rational_ns((struct rational){last_as, 1});
}

int rank_totals_find(struct rank_totals *totals, const struct model *model, struct error *err)
{
	const uint32_t count = model->goal.rank_count;
	struct ends ends;

	*totals = (struct rank_totals){.ranks = {0}};
	TRY(ends_find(&ends, model, err));
	if (array_reserve(&totals->ranks, count, err) < 0) {
		ends_release(&ends);
		return -1;
	}
	totals->ranks.count = count;
	for (uint32_t rank = 0; rank < count; rank++)
		total_rank(&totals->ranks.items[rank], model, &ends, rank);
	ends_release(&ends);
	return 0;
}

void rank_totals_release(struct rank_totals *totals)
{
	array_release(&totals->ranks);
}
