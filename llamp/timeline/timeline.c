#include "llamp/timeline/timeline.h"

#include "common/progress.h"
#include "llamp/timeline/timeline_rank.h"

struct timeline {
	const struct model *model;
	const struct goal_calls *calls;
	const struct run_part *part;
	const struct timeline_visitor *visitor;
	void *context;
	struct timeline_counts *counts;
	uint8_t *critical;	/* bit of every operation */
	struct op_times op_times;
	struct timeline_rank rank;
	struct timeline_lanes lanes;
};

/* ----------------------------------------------------------- critical path */

static void mark_critical(struct timeline *timeline, uint32_t number)
{
	timeline->critical[number / 8] |= (uint8_t)(1 << number % 8);
}

static bool is_critical(const struct timeline *timeline, uint32_t number)
{
	return timeline->critical[number / 8] >> number % 8 & 1;
}

static bool has_segment(const struct timeline *timeline, const struct critical_segment *segment)
{
	return run_part_has_time(timeline->part, (uint64_t)(segment->start_as / AS_PER_NS),
					(uint64_t)(segment->end_as / AS_PER_NS));
}

static int visit_path(struct timeline *timeline, struct error *err)
{
	const struct goal *goal = &timeline->model->goal;
	struct critical_path path;
	int result = 0;

	TRY(critical_path_find(&path, timeline->model, err));
	for (size_t i = 0; i < path.segments.count && result == 0; i++) {
		const struct critical_segment *segment = &path.segments.items[i];

		mark_critical(timeline, goal->ranks[segment->rank].first_op + segment->operation);
		if (!has_segment(timeline, segment))
			continue;
		timeline->counts->segments++;
		result = timeline->visitor->segment(timeline->context, segment, err);
	}
	critical_path_release(&path);
	return result;
}

/* ----------------------------------------------------------------- slices */

/* Whether the other end of a message is in the part. */
static bool has_partner(const struct timeline *timeline, const struct located *at)
{
	const struct run_part *part = timeline->part;
	struct located partner;
	struct op_time op_time;

	if (!run_part_has_rank(part, at->op.peer))
		return false;
	if (part->from_ns == 0 && part->to_ns == UINT64_MAX)
		return true;
	partner = execution_locate(&timeline->model->execution, at->op.peer,
				   timeline->model->execution.matching.partner[at->number]);
	op_time = op_times_of(&timeline->op_times, &partner);
	/* Of a receive its last o, to which the arrow leads: it may be all that is shown. */
	return run_part_has_time(part,
				 partner.op.kind == GOAL_RECV ? op_time.message_ns
							      : op_time.start_ns,
				 op_time.end_ns);
}

static int visit_message(struct timeline *timeline, const struct located *at,
			 const struct op_time *op_time, struct timeline_slice *slice,
			 struct error *err)
{
	const bool sends = at->op.kind == GOAL_SEND;
	const uint32_t partner = timeline->model->execution.matching.partner[at->number];
	struct timeline_slice overhead;
	bool has_overhead;

	if (has_partner(timeline, at) &&
	    (sends || run_part_has_time(timeline->part, op_time->message_ns, op_time->end_ns))) {
		slice->arrow = sends ? TIMELINE_ARROW_FROM : TIMELINE_ARROW_TO;
		slice->message = sends ? partner : at->number;
		timeline->counts->arrows += sends;
	} else {
		timeline->counts->messages_outside++;
	}
	overhead = *slice;
	overhead.kind = TIMELINE_OVERHEAD;
	if (sends)
		overhead.end_ns = op_time->message_ns;
	else
		overhead.start_ns = op_time->message_ns;
	has_overhead = overhead.end_ns - overhead.start_ns < slice->end_ns - slice->start_ns;
	if (has_overhead)
		slice->arrow = TIMELINE_NO_ARROW;
	return lanes_operation(&timeline->lanes, at->op.cpu, slice, has_overhead ? &overhead : NULL, err);
}

static int visit_operation(struct timeline *timeline, const struct timeline_item *item,
			   struct error *err)
{
	static const enum timeline_kind kinds[] = {
		[GOAL_SEND] = TIMELINE_SEND, [GOAL_RECV] = TIMELINE_RECV,
		[GOAL_CALC] = TIMELINE_COMPUTE};
	const struct execution_graph *execution = &timeline->model->execution;
	const uint32_t rank = timeline->rank.rank;
	const struct located at =
		execution_locate(execution, rank, execution->goal->ranks[rank].first_op + item->op);
	struct timeline_slice slice = {
		.kind = kinds[at.op.kind],
		.start_ns = item->op_time.start_ns,
		.end_ns = item->op_time.end_ns,
		.operation = item->op,
		.peer = at.op.peer,
		.critical = is_critical(timeline, at.number),
	};

	timeline->counts->operations++;
	if (item->call != TIMELINE_NONE)
		slice.call = &timeline->rank.calls.items[item->call].call;
	if (at.op.kind == GOAL_CALC)
		return lanes_operation(&timeline->lanes, at.op.cpu, &slice, NULL, err);
	slice.bytes = at.op.size;
	return visit_message(timeline, &at, &item->op_time, &slice, err);
}

static int visit_call(struct timeline *timeline, const struct timeline_call *call,
		      struct error *err)
{
	struct timeline_slice slice = {
		.kind = TIMELINE_CALL, .start_ns = call->start_ns, .call = &call->call,
		.end_ns = call->end_ns > call->start_ns ? call->end_ns : call->start_ns,
	};

	if (!run_part_has_time(timeline->part, slice.start_ns, slice.end_ns))
		return 0;
	timeline->counts->calls++;
	return lanes_call(&timeline->lanes, call->cpu, &slice, err);
}

static int visit_rank(struct timeline *timeline, uint32_t rank, struct error *err)
{
	struct timeline_rank *found = &timeline->rank;

	TRY(timeline_rank_find(found, &timeline->op_times, rank, timeline->calls, timeline->part,
			       err));
	TRY(lanes_begin(&timeline->lanes, rank, found->uses_cpu, err));
	for (size_t i = 0; i < found->items.count; i++) {
		const struct timeline_item *item = &found->items.items[i];

		TRY(item->op == TIMELINE_NONE
			    ? visit_call(timeline, &found->calls.items[item->call], err)
			    : visit_operation(timeline, item, err));
	}
	return lanes_end(&timeline->lanes, err);
}

static int visit_ranks(struct timeline *timeline, struct error *err)
{
	const uint32_t count = timeline->model->goal.rank_count;

	progress_phase("writing the timeline");
	for (uint32_t rank = 0; rank < count; rank++) {
		progress_show(rank, count);
		if (run_part_has_rank(timeline->part, rank))
			TRY(visit_rank(timeline, rank, err));
	}
	return 0;
}

int timeline_visit(const struct model *model, const struct goal_calls *calls,
		   const struct run_part *part, const struct timeline_visitor *visitor,
		   void *context, struct timeline_counts *counts, struct error *err)
{
	struct timeline timeline = {
		.model = model, .calls = calls, .part = part, .visitor = visitor,
		.context = context, .counts = counts,
		.lanes = {.visitor = visitor, .context = context},
	};
	int result;

	*counts = (struct timeline_counts){0};
	TRY(run_part_check(part, model->goal.rank_count, err));
	TRY(allocate(&timeline.critical, model->goal.op_count / 8 + 1, 1, err));
	result = visit_path(&timeline, err);
	progress_phase("finding the times of all operations");
	if (result == 0)
		result = op_times_find(&timeline.op_times, &model->execution, err);
	if (result == 0) {
		result = visit_ranks(&timeline, err);
		op_times_release(&timeline.op_times);
	}
	timeline_rank_release(&timeline.rank);
	lanes_release(&timeline.lanes);
	free(timeline.critical);
	return result;
}
