/* Slice of a rank: keep only the operations in it (slice_channels.h). */
#include "schedgen/convert/convert_internal.h"

/* Hide operations whose channels are not known until they complete. */
static int hide_unfinished(struct convert *convert, struct error *err)
{
	static const struct goal_new_op none = {.kind = GOAL_CALC};
	struct tracked_request tracked;
	size_t next = 0;

	while (call_tracker_next(&convert->tracker, &next, &tracked)) {
		struct convert_request *request = &convert->requests.items[tracked.place];

		for (uint32_t op = request->op - convert_more_ops(request);
		     tracked.kind == TRACKED_RECV && !request->outside && op <= request->op; op++)
			TRY(goal_builder_replace(&convert->builder, op, &none, err));
		request->outside = true;
	}
	/* Operations of non-blocking collectives get tags of their own. */
	for (size_t i = convert->tagged_nonblocking; i < convert->nonblocking.count; i++) {
		struct convert_nonblocking *done = &convert->nonblocking.items[i];

		for (uint32_t op = done->first_op; op < done->end_op; op++)
			TRY(goal_builder_replace(&convert->builder, op, &none, err));
		done->first_op = done->end_op = 0;
	}
	return 0;
}

static int count_before(void *data, struct goal_new_op *op, struct error *err)
{
	struct convert *convert = data;

	if (goal_tags_is_nonblocking(&convert->tags, op->tag))
		return 0;
	return slice_rank_count(&convert->channels, op, false, err);
}

static int count_inside(void *data, struct goal_new_op *op, struct error *err)
{
	return slice_rank_count(data, op, true, err);
}

static int forget(struct convert *convert, struct error *err)
{
	TRY(hide_unfinished(convert, err));
	TRY(goal_builder_each(&convert->builder, count_before, convert, err));
	goal_builder_clear(&convert->builder);
	for (uint32_t i = 0; i < convert->thread_count; i++)
		convert->threads[i].frontier.entries.count = 0;
	convert->call.before = false;
	return 0;
}

/* The rank begins at the edge, or where the first thread returns if all are inside calls. */
static void note_begin(struct convert *convert, uint64_t edge_ns)
{
	uint64_t begin_ns = UINT64_MAX;

	for (uint32_t i = 0; i < convert->thread_count; i++)
		if (convert->threads[i].started && convert->threads[i].last_ns < begin_ns)
			begin_ns = convert->threads[i].last_ns;
	convert->run_begin_ns = begin_ns > edge_ns ? begin_ns : edge_ns;
}

/* Begin the slice: forget the computation before the edge. */
static int convert_slice_begin(struct convert *convert, uint64_t edge_ns, struct error *err)
{
	const uint8_t cpu = convert->builder.cpu;

	TRY(forget(convert, err));
	for (uint32_t i = 0; i < convert->thread_count; i++) {
		struct convert_thread *thread = &convert->threads[i];

		thread->gap_ns = thread->compute_ns = 0;
		thread->polling.active = false;
		thread->from_ns = edge_ns;
	}
	note_begin(convert, edge_ns);
	convert->from_ns = edge_ns;
	convert->stage = SLICE_INSIDE;
	TRY(convert_rma_enter_slice(convert, err));
	convert->builder.cpu = cpu;
	return goal_builder_call(&convert->builder, &convert->call, err);
}

/* End the thread at its last call.  take_tail adds the time to the edge if it calls again. */
static int convert_slice_end_thread(struct convert *convert, struct error *err)
{
	struct convert_thread *own = convert->own;

	TRY(convert_flush(convert, err));
	TRY(goal_builder_call(&convert->builder, &convert->call, err));
	convert->totals.run_ns += convert_run_ns(convert);
	convert_note_end(convert, own->last_ns);
	own->tail = true;
	convert->call.before = true;
	TRY(goal_builder_calc(&convert->builder, 0, &own->tail_op, err));
	TRY(frontier_before(&own->frontier, own->tail_op, &convert->builder, err));
	return goal_builder_call(&convert->builder, &convert->call, err);
}

static int convert_slice_end(struct convert *convert, uint64_t edge_ns, struct error *err)
{
	const uint32_t caller = (uint32_t)(convert->own - convert->threads);

	for (uint32_t i = 0; i < convert->thread_count; i++) {
		TRY(convert_use_thread(convert, i, err));
		/* A thread that begins with this call is not in the slice. */
		if (convert->own->started && convert->own->begin_ns < edge_ns)
			TRY(convert_slice_end_thread(convert, err));
	}
	goal_builder_close(&convert->builder);
	convert->stage = SLICE_AFTER;
	return convert_use_thread(convert, caller, err);
}

static int take_tail(struct convert *convert, uint64_t end_ns, struct error *err)
{
	struct convert_thread *own = convert->own;
	const uint64_t tail_ns = convert_gap_ns(convert, end_ns);
	struct goal_new_op tail = {.kind = GOAL_CALC, .cpu = convert->builder.cpu};

	own->tail = false;
	convert->totals.run_ns += tail_ns;
	convert_note_end(convert, end_ns);
	TRY(convert_cost(convert, tail_ns, &tail.size, err));
	return goal_builder_replace(&convert->builder, own->tail_op, &tail, err);
}

int convert_reach(struct convert *convert, uint64_t enter_ns, struct error *err)
{
	const struct rank_slice *slice = convert->options.slices;
	enum slice_stage stage;

	if (!slice)
		return 0;
	slice += convert->rank;
	stage = slice_stage_at(convert->stage, slice, enter_ns);
	if (convert->stage == SLICE_BEFORE && stage != SLICE_BEFORE)
		TRY(convert_slice_begin(convert, slice->begin_ns, err));
	if (convert->stage == SLICE_INSIDE && stage == SLICE_AFTER)
		TRY(convert_slice_end(convert, slice->end_ns, err));
	if (!convert->own->tail)
		return 0;
	return take_tail(convert, enter_ns < slice->end_ns ? enter_ns : slice->end_ns, err);
}

int convert_trim(struct convert *convert, struct error *err)
{
	struct goal_builder *builder = &convert->builder;

	if (!convert->options.slices)
		return 0;
	if (convert->stage == SLICE_BEFORE)
		TRY(forget(convert, err));
	return goal_builder_each(builder, count_inside, &convert->channels, err);
}
