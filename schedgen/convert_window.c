/* A window: forget what was before it, keep no more than what is in it (schedgen/cut.h). */
#include "schedgen/convert.h"

/* Operations that are not what they will be: their channels are known when they complete. */
static void hide_unfinished(struct converter *converter)
{
	const struct number_map *places = &converter->request_places;
	struct goal_new_op *ops = converter->builder.ops.items;

	for (size_t i = 0; places->count && i < places->capacity; i++) {
		struct convert_request *request;

		if (places->entries[i].value == NUMBER_MAP_EMPTY)
			continue;
		request = &converter->requests.items[places->entries[i].value];
		if (request->kind == REQUEST_RECV && !request->outside)
			ops[request->op].kind = GOAL_CALC;
		request->outside = true;
	}
	/* Those of a non-blocking collective have a tag of their own. */
	for (size_t i = 0; i < converter->nonblocking.count; i++) {
		struct convert_nonblocking *done = &converter->nonblocking.items[i];

		for (uint32_t op = done->first_op; op < done->end_op; op++)
			ops[op].kind = GOAL_CALC;
		done->first_op = done->end_op = 0;
	}
}

static int forget(struct converter *converter, struct error *err)
{
	hide_unfinished(converter);
	for (size_t i = 0; i < converter->builder.ops.count; i++)
		TRY(cut_rank_count(&converter->cut, &converter->builder.ops.items[i], false, err));
	goal_builder_clear(&converter->builder);
	if (converter->own)
		converter->own->front.entries.count = 0;
	converter->call.before = false;
	return 0;
}

/* What the rank computes before the window's edge is on one side of it, the rest on the other. */
static int begin(struct converter *converter, uint64_t edge_ns, struct error *err)
{
	TRY(convert_flush(converter, err));
	TRY(forget(converter, err));
	if (edge_ns > converter->own->last_ns)
		converter->own->last_ns = edge_ns;
	converter->begin_ns = converter->own->begin_ns = converter->own->last_ns;
	converter->stage = CONVERT_INSIDE;
	return 0;
}

static int end(struct converter *converter, uint64_t edge_ns, struct error *err)
{
	const uint64_t left_ns = converter->own->last_ns;
	const uint64_t end_ns = edge_ns > left_ns ? edge_ns : left_ns;

	converter->own->gap_ns += end_ns - left_ns;
	TRY(convert_flush(converter, err));
	TRY(convert_mark(converter, &converter->call, err));
	converter->totals.run_ns += end_ns - converter->own->begin_ns;
	converter->window = goal_builder_extent(&converter->builder);
	converter->stage = CONVERT_AFTER;
	return 0;
}

int convert_check_thread(const struct mpi_call *call, struct error *err)
{
	if (!call->thread)
		return 0;
	return error_set(err, STATUS_LIMIT, "thread %u calls %s, too: windows are of ranks of which "
			 "only the first thread calls MPI", call->thread, call->function);
}

int convert_reach(struct converter *converter, uint64_t enter_ns, struct error *err)
{
	const struct convert_window *window = converter->options.windows;

	if (!window)
		return 0;
	window += converter->rank;
	if (converter->stage == CONVERT_BEFORE && enter_ns >= window->begin_ns)
		TRY(begin(converter, window->begin_ns, err));
	if (converter->stage == CONVERT_INSIDE && enter_ns >= window->end_ns) {
		TRY(end(converter, window->end_ns, err));
		converter->own->last_ns = enter_ns;
	}
	return 0;
}

int convert_trim(struct converter *converter, struct error *err)
{
	struct goal_builder *builder = &converter->builder;

	if (!converter->options.windows)
		return 0;
	if (converter->stage == CONVERT_BEFORE)
		TRY(forget(converter, err));
	if (converter->stage == CONVERT_AFTER)
		goal_builder_truncate(builder, converter->window);
	for (size_t i = 0; i < builder->ops.count; i++)
		TRY(cut_rank_count(&converter->cut, &builder->ops.items[i], true, err));
	return 0;
}
