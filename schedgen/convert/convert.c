#include "schedgen/convert/convert.h"

#include <math.h>
#include <string.h>

int converter_init(struct converter *converter, const struct trace_world *world,
		   const struct convert_options *options, struct error *err)
{
	size_t algorithm_count = 0;

	*converter = (struct converter){
		.world = world, .options = *options, .tags = {.world_comm = world->world_comm},
		.spread.comm = NO_COMM
	};
	for (const struct coll_algorithm *each = coll_algorithms; each->name; each++) {
		if (!converter->defaults[each->kind])
			converter->defaults[each->kind] = each;
		algorithm_count++;
	}
	TRY(allocate(&converter->counts, 2 * algorithm_count, sizeof *converter->counts, err));
	TRY(allocate(&converter->comms, (size_t)world->comm_count + 1,
		     sizeof *converter->comms, err));
	return convert_rma_init(converter, options->rma_plan, err);
}

void converter_release(struct converter *converter)
{
	tags_release(&converter->tags);
	call_statistics_release(&converter->statistics);
	free(converter->comms);
	comm_nodes_release(&converter->nodes);
	free(converter->counts);
	goal_builder_release(&converter->builder);
	for (uint32_t i = 0; i < converter->thread_room; i++)
		frontier_release(&converter->threads[i].frontier);
	free(converter->threads);
	frontier_release(&converter->next);
	frontier_release(&converter->side);
	neighbours_release(&converter->neighbours);
	cut_rank_release(&converter->cut);
	array_release(&converter->spread.ranks);
	array_release(&converter->spread.send_bytes);
	array_release(&converter->spread.receive_bytes);
	number_map_release(&converter->request_places);
	array_release(&converter->requests);
	array_release(&converter->free_requests);
	array_release(&converter->nonblocking);
	number_map_release(&converter->persistent_starts);
	convert_rma_release(converter);
	*converter = (struct converter){0};
}

static void take_sums(void *sums, void *others, size_t bytes)
{
	uint64_t *into = sums, *from = others;

	for (size_t i = 0; i < bytes / sizeof *into; i++) {
		into[i] += from[i];
		from[i] = 0;
	}
}

int converter_take(struct converter *converter, struct converter *other, struct error *err)
{
	size_t algorithm_count = 0;

	_Static_assert(sizeof converter->totals % sizeof(uint64_t) == 0, "sums of 64 bits");
	while (coll_algorithms[algorithm_count].name)
		algorithm_count++;
	take_sums(&converter->totals, &other->totals, sizeof converter->totals);
	take_sums(converter->counts, other->counts,
		  2 * algorithm_count * sizeof *converter->counts);
	return call_statistics_take(&converter->statistics, &other->statistics, err);
}

void converter_begin(struct converter *converter, uint32_t rank)
{
	converter->rank = rank % converter->world->rank_count;
	converter->copy = rank / converter->world->rank_count;
	converter->world_offset = rank - converter->rank;
	converter->call = (struct goal_call){0};
	goal_builder_clear(&converter->builder);
	converter->next.entries.count = 0;
	converter->thread_count = 0;
	converter->own = NULL;
	converter->started = converter->ended = false;
	converter->stage = converter->options.windows ? CONVERT_BEFORE : CONVERT_INSIDE;
	cut_rank_clear(&converter->cut);
	converter->begin_ns = converter->from_ns = 0;
	number_map_clear(&converter->request_places);
	converter->requests.count = converter->free_requests.count = 0;
	converter->nonblocking.count = 0;
	converter->first_nonblocking = converter->tagged_nonblocking = 0;
	number_map_clear(&converter->persistent_starts);
	convert_rma_begin(converter);
}

/* ------------------------------------------------------------------------ time */

static uint64_t since(uint64_t begin_ns, uint64_t end_ns)
{
	return end_ns > begin_ns ? end_ns - begin_ns : 0;
}

uint64_t convert_gap_ns(const struct converter *converter, uint64_t end_ns)
{
	const struct convert_thread *own = converter->own;

	return since(own->last_ns > own->from_ns ? own->last_ns : own->from_ns, end_ns);
}

uint64_t convert_run_ns(const struct converter *converter)
{
	const uint64_t begin_ns = converter->own->begin_ns;

	return since(begin_ns > converter->from_ns ? begin_ns : converter->from_ns,
		     converter->own->last_ns);
}

/*
 * Count the gap before the call as computation, and the gaps of the polling calls before it,
 * which another call ends, if they were work and no waiting.
 */
static void gather_compute(struct converter *converter)
{
	struct convert_thread *own = converter->own;

	if (own->polling.active && own->polling.smallest_gap_ns > POLL_GAP_NS)
		own->compute_ns += own->polling.gaps_ns;
	own->polling = (struct convert_polling){0};
	own->compute_ns += own->gap_ns;
	own->gap_ns = 0;
}

/* The gap before the call lies between two polling calls. */
static void take_polling_gap(struct converter *converter)
{
	struct convert_polling *polling = &converter->own->polling;

	polling->gaps_ns += converter->own->gap_ns;
	if (converter->own->gap_ns < polling->smallest_gap_ns)
		polling->smallest_gap_ns = converter->own->gap_ns;
	converter->own->gap_ns = 0;
}

/* A call stands for several polls if the trace has made one of them. */
static void poll(struct converter *converter, const struct mpi_call *call)
{
	struct convert_polling *polling = &converter->own->polling;
	uint64_t most_ns = call->leave_ns - call->enter_ns;

	if (polling->active) {
		take_polling_gap(converter);
	} else {
		gather_compute(converter);
		*polling = (struct convert_polling){.active = true, .smallest_gap_ns = UINT64_MAX};
	}
	if (call->polls < 2)
		return;
	polling->gaps_ns += call->poll_gaps_ns < most_ns ? call->poll_gaps_ns : most_ns;
	if (call->least_poll_gap_ns < polling->smallest_gap_ns)
		polling->smallest_gap_ns = call->least_poll_gap_ns;
}

int convert_cost(const struct converter *converter, uint64_t ns, uint64_t *cost_ns,
		 struct error *err)
{
	const double scaled_ns = (double)ns * converter->options.compute_scale;

	*cost_ns = ns;
	if (converter->options.compute_scale == 1)
		return 0;
	if (!(scaled_ns < 9e18))
		return error_set(err, STATUS_LIMIT, "computation takes 9e18 ns or more");
	*cost_ns = (uint64_t)llround(scaled_ns);
	return 0;
}

/* Let what follows wait for the computation that has gathered. */
static int add_compute(struct converter *converter, struct error *err)
{
	uint64_t cost_ns = converter->own->compute_ns;
	uint32_t op;

	if (converter->options.compute_scale != 1)
		TRY(convert_cost(converter, cost_ns, &cost_ns, err));
	converter->own->compute_ns = 0;
	if (!cost_ns)
		return 0;
	converter->call.before = true;
	TRY(goal_builder_calc(&converter->builder, cost_ns, &op, err));
	TRY(frontier_before(&converter->own->frontier, op, &converter->builder, err));
	return frontier_set(&converter->own->frontier, op, false, err);
}

int convert_flush(struct converter *converter, struct error *err)
{
	gather_compute(converter);
	return add_compute(converter, err);
}

int convert_mark(struct converter *converter, const struct goal_call *call, struct error *err)
{
	/* What comes after the window will be taken away. */
	if (converter->stage == CONVERT_AFTER)
		return 0;
	return goal_builder_call(&converter->builder, call, err);
}

/* ----------------------------------------------------------------------- calls */

static bool is_modelled(const struct converter *converter,
			struct function_statistics *function, const struct mpi_call *call)
{
	if (function->is_message)
		return call->event_count || function->is.traits & MPI_SILENT ||
		       !converter->world->lacks_records;
	for (uint32_t i = 0; i < call->event_count; i++) {
		if (!convert_models(converter, &call->events[i]))
			continue;
		function->has_messages |= function->is.class == MPI_CLASS_OTHER &&
				      call->events[i].kind < EVENT_COLLECTIVE;
		return true;
	}
	return false;
}

static bool completes(const struct mpi_call *call)
{
	for (uint32_t i = 0; i < call->event_count; i++)
		if (call->events[i].kind != EVENT_REQUEST_TEST &&
		    call->events[i].kind != EVENT_RMA_TEST &&
		    (call->events[i].kind != EVENT_RMA_GROUP_SYNC ||
		     call->events[i].sync != RMA_SYNC_NONE))
			return true;
	return false;
}

/* The time of a call that no model stands for. */
static void add_call_time(struct converter *converter, struct function_statistics *function,
			  uint64_t ns)
{
	if (converter->stage == CONVERT_INSIDE) {
		function->not_modelled_calls++;
		function->not_modelled_ns += ns;
	}
	if (!function->is_local) {
		gather_compute(converter);
	}
	converter->own->gap_ns += ns;
}

int convert_use_thread(struct converter *converter, uint32_t number, struct error *err)
{
	struct convert_thread *threads = converter->threads;
	struct frontier frontier;
	uint32_t room = converter->thread_room;

	if (number >= room) {
		TRY(allocate(&threads, number + 1 + room, sizeof *threads, err));
		if (room)
			memcpy(threads, converter->threads, room * sizeof *threads);
		free(converter->threads);
		converter->threads = threads;
		converter->thread_room = number + 1 + room;
	}
	for (; converter->thread_count <= number; converter->thread_count++) {
		frontier = threads[converter->thread_count].frontier;
		frontier.entries.count = 0;
		threads[converter->thread_count] = (struct convert_thread){.frontier = frontier};
	}
	converter->own = &threads[number];
	converter->thread = number;
	/* A number of 8 bits that restricts nothing (doc/model.md). */
	converter->builder.cpu = (uint8_t)number;
	return 0;
}

/*
 * Who has made a thread is not known: it waits from the begin of the rank to its
 * first call, as long as it did.
 */
static void begin_thread(struct converter *converter, uint64_t begin_ns)
{
	struct convert_thread *thread = converter->own;

	thread->started = true;
	thread->begin_ns = begin_ns;
	thread->last_ns = converter->begin_ns < begin_ns ? converter->begin_ns : begin_ns;
	thread->from_ns = converter->from_ns;
	thread->gap_ns = thread->compute_ns = 0;
	thread->polling = (struct convert_polling){0};
}

/*
 * Whether the graph begins where this call is left: MPI_Init, the first session or, if that was
 * not recorded because recording was off at first, that time, which it is a part of.
 */
static bool comes_before(const struct converter *converter, const struct mpi_function *function,
			 const struct mpi_call *call)
{
	if (function->class == MPI_CLASS_INIT)
		return !converter->started ||
		       !(function->traits & MPI_OF_SESSION || converter->in_session);
	return !converter->started && !strcmp(call->function, "(recording off)");
}

/* A thread begins, or with *init the rank: the call is not part of the graph. */
static int start(struct converter *converter, const struct function_statistics *function,
		 const struct mpi_call *call, bool *init, struct error *err)
{
	*init = comes_before(converter, &function->is, call);
	if (*init && goal_builder_op_count(&converter->builder))
		return error_set(err, STATUS_DATA, "comes after other communication");
	if (!converter->started || *init) {
		converter->begin_ns = *init ? call->leave_ns : call->enter_ns;
		begin_thread(converter, converter->begin_ns);
	} else if (!converter->own->started) {
		begin_thread(converter, call->enter_ns);
	}
	converter->started = true;
	converter->in_session |= *init && function->is.traits & MPI_OF_SESSION;
	return 0;
}

/* Something comes behind the end of a session: that was not the last, but took its time. */
static void pass_session_end(struct converter *converter)
{
	struct convert_thread *own = converter->own;
	uint64_t ns = own->session_end.ns;

	if (!ns)
		return;
	add_call_time(converter, &converter->statistics.list.items[own->session_end.function], ns);
	own->last_ns += ns;
	own->session_end.ns = 0;
}

static void note_session_end(struct converter *converter,
			     const struct function_statistics *function,
			     const struct mpi_call *call)
{
	converter->own->session_end.function =
		(uint32_t)(function - converter->statistics.list.items);
	converter->own->session_end.ns = call->leave_ns - call->enter_ns;
}

/* What the threads have computed behind their last operations. */
static int end(struct converter *converter, struct error *err)
{
	converter->ended = true;
	for (uint32_t i = 0; i < converter->thread_count; i++) {
		TRY(convert_use_thread(converter, i, err));
		if (converter->stage == CONVERT_INSIDE)
			converter->totals.run_ns += convert_run_ns(converter);
		TRY(convert_flush(converter, err));
	}
	return convert_mark(converter, &converter->call, err);
}

/* Count the time before the call and, if it is modelled, add its operations. */
static int pass_call(struct converter *converter, struct function_statistics *function,
		     const struct mpi_call *call, struct error *err)
{
	struct convert_thread *own = converter->own;
	const uint64_t begin_ns = own->last_ns > own->from_ns ? own->last_ns : own->from_ns;
	const bool polls = function->is.traits & MPI_POLLS;

	if (call->enter_ns > begin_ns)
		own->gap_ns += call->enter_ns - begin_ns;
	own->from_ns = 0;
	own->last_ns = call->enter_ns;
	if (function->is.class == MPI_CLASS_FINALIZE) {
		if (!(function->is.traits & MPI_OF_SESSION))
			return end(converter, err);
		note_session_end(converter, function, call);
		return 0;
	}
	own->last_ns = call->leave_ns;

	if (!is_modelled(converter, function, call)) {
		add_call_time(converter, function, call->leave_ns - call->enter_ns);
		return 0;
	}
	if (polls && !completes(call)) {
		poll(converter, call);
		return 0;
	}
	if (polls && own->polling.active)
		take_polling_gap(converter);
	gather_compute(converter);
	if (!call->event_count)
		return 0;
	TRY(add_compute(converter, err));
	TRY(convert_events(converter, &function->is, call, err));
	/* Freeing a request takes its time as other local functions do. */
	if (function->is_local)
		add_call_time(converter, function, call->leave_ns - call->enter_ns);
	return convert_mark(converter, &converter->call, err);
}

int converter_call(struct converter *converter, const struct mpi_call *call, struct error *err)
{
	struct function_statistics *function =
		call_statistics_find(&converter->statistics, call->function, err);
	bool init = false;

	if (!function)
		return -1;
	converter->call = (struct goal_call){
		.function = call->function, .number = converter->call.number + 1,
		.time_ns = call->enter_ns
	};
	if (converter->ended) {
		if (call->event_count)
			return error_set(err, STATUS_DATA, "communicates after MPI_Finalize");
	} else {
		if (!converter->own || call->thread != converter->thread)
			TRY(convert_use_thread(converter, call->thread, err));
		if (converter->own->session_end.ns)
			pass_session_end(converter);
		if (!converter->own->started || function->is.class == MPI_CLASS_INIT)
			TRY(start(converter, function, call, &init, err));
		if (!init && (call->enter_ns < converter->own->last_ns ||
			      call->leave_ns < call->enter_ns))
			return error_set(err, STATUS_DATA, "the time runs backwards");
		if (!init && converter->options.windows)
			TRY(convert_reach(converter, call->enter_ns, err));
	}
	/* The time without recording that the graph begins after is no call. */
	if (converter->stage == CONVERT_INSIDE && (!init || function->is.class == MPI_CLASS_INIT))
		function->calls += call->polls ? call->polls : 1;
	return converter->ended || init ? 0 : pass_call(converter, function, call, err);
}

int converter_end(struct converter *converter, struct error *err)
{
	/* The trace ends without MPI_Finalize; if with the end of a session, before that. */
	if (!converter->ended) {
		if (!converter->own)
			TRY(convert_use_thread(converter, 0, err));
		converter->call.function = "(end)";
		converter->call.number++;
		converter->call.time_ns = converter->own->last_ns;
		TRY(end(converter, err));
	}
	TRY(convert_finish(converter, err));
	return convert_trim(converter, err);
}
