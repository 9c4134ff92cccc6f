/* A slice: forget the operations before it, keep only those in it (slice_channels.h). */
#include "schedgen/convert/convert.h"

/* Operations that are not what they will be: their channels are known when they complete. */
static int hide_unfinished(struct converter *converter, struct error *err)
{
	static const struct goal_new_op none = {.kind = GOAL_CALC};
	const struct number_map *places = &converter->request_places;

	for (size_t i = 0; places->count && i < places->capacity; i++) {
		struct convert_request *request;

		if (places->entries[i].value == NUMBER_MAP_EMPTY)
			continue;
		request = &converter->requests.items[places->entries[i].value];
		if (request->kind == REQUEST_RECV && !request->outside)
			TRY(goal_builder_replace(&converter->builder, request->op, &none, err));
		request->outside = true;
	}
	/* Those of non-blocking collectives have tags of their own, or will have. */
	for (size_t i = converter->tagged_nonblocking; i < converter->nonblocking.count; i++) {
		struct convert_nonblocking *done = &converter->nonblocking.items[i];

		for (uint32_t op = done->first_op; op < done->end_op; op++)
			TRY(goal_builder_replace(&converter->builder, op, &none, err));
		done->first_op = done->end_op = 0;
	}
	return 0;
}

static int count_before(void *data, struct goal_new_op *op, struct error *err)
{
	struct converter *converter = data;

	if (tags_is_nonblocking(&converter->tags, op->tag))
		return 0;
	return cut_rank_count(&converter->cut, op, false, err);
}

static int count_inside(void *data, struct goal_new_op *op, struct error *err)
{
	return cut_rank_count(data, op, true, err);
}

static int forget(struct converter *converter, struct error *err)
{
	TRY(hide_unfinished(converter, err));
	TRY(goal_builder_each(&converter->builder, count_before, converter, err));
	goal_builder_clear(&converter->builder);
	for (uint32_t i = 0; i < converter->thread_count; i++)
		converter->threads[i].frontier.entries.count = 0;
	converter->call.before = false;
	return 0;
}

/* What threads compute before the edge is on one side of it, the rest on the other. */
static int begin(struct converter *converter, uint64_t edge_ns, struct error *err)
{
	const uint8_t cpu = converter->builder.cpu;

	TRY(forget(converter, err));
	for (uint32_t i = 0; i < converter->thread_count; i++) {
		struct convert_thread *thread = &converter->threads[i];

		thread->gap_ns = thread->compute_ns = 0;
		thread->polling = (struct convert_polling){0};
		thread->from_ns = edge_ns;
	}
	converter->from_ns = edge_ns;
	converter->stage = CONVERT_INSIDE;
	TRY(convert_rma_enter_window(converter, err));
	converter->builder.cpu = cpu;
	return convert_mark(converter, &converter->call, err);
}

/* The time from its last call to the edge counts if the thread goes on behind it: take_tail. */
static int end_thread(struct converter *converter, struct error *err)
{
	struct convert_thread *own = converter->own;

	TRY(convert_flush(converter, err));
	TRY(convert_mark(converter, &converter->call, err));
	converter->totals.run_ns += convert_run_ns(converter);
	own->tail = true;
	converter->call.before = true;
	TRY(goal_builder_calc(&converter->builder, 0, &own->tail_op, err));
	TRY(frontier_before(&own->frontier, own->tail_op, &converter->builder, err));
	return convert_mark(converter, &converter->call, err);
}

static int end(struct converter *converter, uint64_t edge_ns, struct error *err)
{
	const uint32_t caller = (uint32_t)(converter->own - converter->threads);

	for (uint32_t i = 0; i < converter->thread_count; i++) {
		TRY(convert_use_thread(converter, i, err));
		/* One that begins with this call has not been in the window. */
		if (converter->own->started && converter->own->begin_ns < edge_ns)
			TRY(end_thread(converter, err));
	}
	goal_builder_close(&converter->builder);
	converter->stage = CONVERT_AFTER;
	return convert_use_thread(converter, caller, err);
}

static int take_tail(struct converter *converter, uint64_t end_ns, struct error *err)
{
	struct convert_thread *own = converter->own;
	const uint64_t tail_ns = convert_gap_ns(converter, end_ns);
	struct goal_new_op tail = {.kind = GOAL_CALC, .cpu = converter->builder.cpu};

	own->tail = false;
	converter->totals.run_ns += tail_ns;
	TRY(convert_cost(converter, tail_ns, &tail.size, err));
	return goal_builder_replace(&converter->builder, own->tail_op, &tail, err);
}

int convert_reach(struct converter *converter, uint64_t enter_ns, struct error *err)
{
	const struct convert_slice *window = converter->options.windows;
	enum convert_stage stage;

	if (!window)
		return 0;
	window += converter->rank;
	stage = convert_stage_at(converter->stage, window, enter_ns);
	if (converter->stage == CONVERT_BEFORE && stage != CONVERT_BEFORE)
		TRY(begin(converter, window->begin_ns, err));
	if (converter->stage == CONVERT_INSIDE && stage == CONVERT_AFTER)
		TRY(end(converter, window->end_ns, err));
	if (!converter->own->tail)
		return 0;
	return take_tail(converter, enter_ns < window->end_ns ? enter_ns : window->end_ns, err);
}

int convert_trim(struct converter *converter, struct error *err)
{
	struct goal_builder *builder = &converter->builder;

	if (!converter->options.windows)
		return 0;
	if (converter->stage == CONVERT_BEFORE)
		TRY(forget(converter, err));
	return goal_builder_each(builder, count_inside, &converter->cut, err);
}
