#include "llamp/analysis/rank_totals.h"

#include "llamp/analysis/analysis.h"
#include "llamp/graph/times.h"

/* Sum what a rank does.  Its end is found only if the times are given. */
static void total_rank(struct rank_total *total, const struct model *model,
		       const struct times *times, uint32_t rank)
{
	const struct goal_block *block = &model->goal.ranks[rank];
	__int128 end_as = 0, compute_ns = 0;

	for (uint32_t i = 0; i < block->op_count; i++) {
		const struct located at =
			execution_locate(&model->execution, rank, block->first_op + i);

		total->sends += at.op.kind == GOAL_SEND;
		total->recvs += at.op.kind == GOAL_RECV;
		if (at.op.kind == GOAL_CALC)
			compute_ns += at.op.size;
		/* An operation that others require ends before they do. */
		if (times && at.op.requires_count == 0) {
			const __int128 as = times_end(times, &at);

			end_as = as > end_as ? as : end_as;
		}
	}
	total->operations = block->op_count;
	total->compute_ns = (double)compute_ns;
	total->end_ns = rational_ns((struct rational){end_as, 1});
}

static int find_ends(struct rank_totals *totals, const struct model *model, struct error *err)
{
	const struct cost_weights weights = times_weights(&model->loggps);
	struct times times;

	TRY(times_find(&times, &model->execution, &weights, err));
	for (uint32_t rank = 0; rank < model->goal.rank_count; rank++)
		total_rank(&totals->ranks.items[rank], model, &times, rank);
	times_release(&times);
	return 0;
}

int rank_totals_find(struct rank_totals *totals, const struct model *model, struct error *err)
{
	const uint32_t count = model->goal.rank_count;
	int result = 0;

	*totals = (struct rank_totals){.has_end = !model->loggps.resources};
	TRY(array_reserve(&totals->ranks, count, err));
	totals->ranks.count = count;
	for (uint32_t rank = 0; rank < count; rank++)
		totals->ranks.items[rank] = (struct rank_total){0};
	if (totals->has_end)
		result = find_ends(totals, model, err);
	else
		for (uint32_t rank = 0; rank < count; rank++)
			total_rank(&totals->ranks.items[rank], model, NULL, rank);
	if (result < 0)
		rank_totals_release(totals);
	return result;
}

void rank_totals_release(struct rank_totals *totals)
{
	array_release(&totals->ranks);
}
