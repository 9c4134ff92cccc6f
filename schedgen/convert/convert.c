#include "schedgen/convert/convert_internal.h"

#include "common/source/source_lines.h"
#include "trace/trace_reader.h"

#include <string.h>

int convert_init(struct convert *convert, const struct trace_world *world,
		 const struct convert_options *options, struct error *err)
{
	size_t algorithm_count = 0;

	*convert = (struct convert){
		.world = world, .options = *options, .tags = {.world_comm = world->world_comm},
		.spread.comm = NO_COMM
	};
	for (const struct coll_algorithm *each = coll_algorithms; each->name; each++) {
		if (!convert->defaults[each->kind])
			convert->defaults[each->kind] = each;
		algorithm_count++;
	}
	TRY(allocate(&convert->counts, 2 * algorithm_count, sizeof *convert->counts, err));
	TRY(allocate(&convert->comm_names, (size_t)world->comm_count + 1,
		     sizeof *convert->comm_names, err));
	return convert_rma_init(convert, options->rma_plan, err);
}

void convert_release(struct convert *convert)
{
	goal_tags_release(&convert->tags);
	call_statistics_release(&convert->statistics);
	for (uint32_t i = 0; convert->comm_names && i < convert->world->comm_count; i++)
		free(convert->comm_names[i]);
	free(convert->comm_names);
	source_lines_close(convert->lines);
	comm_nodes_release(&convert->nodes);
	free(convert->counts);
	goal_builder_release(&convert->builder);
	for (uint32_t i = 0; i < convert->thread_room; i++)
		frontier_release(&convert->threads[i].frontier), array_release(&convert->threads[i].gaps);
	free(convert->threads);
	frontier_release(&convert->next);
	frontier_release(&convert->side);
	neighbour_lists_release(&convert->neighbours);
	slice_rank_release(&convert->channels);
	array_release(&convert->spread.ranks);
	array_release(&convert->spread.send_bytes);
	array_release(&convert->spread.receive_bytes);
	call_tracker_release(&convert->tracker);
	array_release(&convert->requests);
	array_release(&convert->nonblocking);
	convert_rma_release(convert);
	convert_deferral_release(convert);
	*convert = (struct convert){0};
}

static void take_sums(void *sums, void *others, size_t bytes)
{
	uint64_t *into = sums, *from = others;

	for (size_t i = 0; i < bytes / sizeof *into; i++) {
		into[i] += from[i];
		from[i] = 0;
	}
}

int convert_take(struct convert *convert, struct convert *other, struct error *err)
{
	size_t algorithm_count = 0;

	_Static_assert(sizeof convert->totals % sizeof(uint64_t) == 0, "sums of 64 bits");
	while (coll_algorithms[algorithm_count].name)
		algorithm_count++;
	take_sums(&convert->totals, &other->totals, sizeof convert->totals);
	if (other->longest_ns > convert->longest_ns)
		convert->longest_ns = other->longest_ns;
	other->longest_ns = 0;
	take_sums(convert->counts, other->counts,
		  2 * algorithm_count * sizeof *convert->counts);
	return call_statistics_take(&convert->statistics, &other->statistics, err);
}

void convert_begin(struct convert *convert, uint32_t rank)
{
	convert->rank = rank % convert->world->rank_count;
	convert->copy = rank / convert->world->rank_count;
	convert->world_offset = rank - convert->rank;
	convert->call = (struct goal_call){0};
	goal_builder_clear(&convert->builder);
	convert->next.entries.count = 0;
	convert->thread_count = 0;
	convert->own = NULL;
	convert->started = convert->ended = false;
	convert->stage = convert->options.slices ? SLICE_BEFORE : SLICE_INSIDE;
	slice_rank_clear(&convert->channels);
	convert->begin_ns = convert->from_ns = 0;
	convert->run_begin_ns = convert->run_end_ns = 0;
	call_tracker_begin(&convert->tracker, convert->world, convert->rank);
	convert->requests.count = 0;
	convert->nonblocking.count = 0;
	convert->first_nonblocking = convert->tagged_nonblocking = 0;
	convert_rma_begin(convert);
	convert_deferral_begin(convert);
}

/* ----------------------------------------------------------------------- calls */

/*
 * Does the graph have something in the place of the call?  A call of messages and requests without
 * records communicates nothing (MPI_PROC_NULL, null requests, requests of files), but probes and
 * polls wait.
 */
static bool is_modelled(const struct convert *convert,
			struct function_statistics *function, const struct mpi_call *call)
{
	bool modelled = false, made = !(function->is.traits & MPI_BY_MEMBERS);

	if (function->is_message)
		return call->event_count || function->is.traits & MPI_SILENT ||
		       (function->is.traits & MPI_POLLS && !convert->world->lacks_records);
	for (uint32_t i = 0; i < call->event_count; i++) {
		made |= call->events[i].kind == EVENT_COMM_CREATE;
		if (!convert_models(convert, &call->events[i]))
			continue;
		function->has_messages |= function->is.class == MPI_CLASS_OTHER &&
				      call->events[i].kind < EVENT_COLLECTIVE;
		modelled = true;
	}
	return modelled && made;
}

/* Count the time of a call without a model. */
static void add_call_time(struct convert *convert, struct function_statistics *function,
			  uint64_t ns)
{
	if (convert->stage == SLICE_INSIDE) {
		function->not_modelled_calls++;
		function->not_modelled_ns += ns;
	}
	if (!function->is_local)
		convert_gather(convert);
	convert->own->gap_ns += ns;
}

/*
 * Begin a thread.  The thread that has made it is not known: it waits from the begin of the rank
 * to its first call for the time in the trace.
 */
static void begin_thread(struct convert *convert, uint64_t begin_ns)
{
	struct convert_thread *thread = convert->own;

	thread->started = true;
	thread->begin_ns = begin_ns;
	thread->last_ns = convert->begin_ns < begin_ns ? convert->begin_ns : begin_ns;
	thread->from_ns = convert->from_ns;
	thread->gap_ns = thread->compute_ns = 0;
	thread->polling.active = false;
}

/*
 * Does the graph begin at the end of this call?  The call is MPI_Init, the first session or, if
 * recording was off at first, the time without recording.
 */
static bool comes_before(const struct convert *convert, const struct mpi_function *function,
			 const struct mpi_call *call)
{
	if (function->class == MPI_CLASS_INIT)
		return !convert->started ||
		       !(function->traits & MPI_OF_SESSION || convert->in_session);
	return !convert->started && !strcmp(call->function, RECORDING_OFF);
}

/* Begin a thread, or the rank (*init) by a call that is not part of the graph. */
static int convert_start(struct convert *convert, const struct function_statistics *function,
			 const struct mpi_call *call, bool *init, struct error *err)
{
	*init = comes_before(convert, &function->is, call);
	if (*init && goal_builder_op_count(&convert->builder))
		return error_set(err, STATUS_DATA, "comes after other communication");
	if (!convert->started || *init) {
		convert->begin_ns = *init ? call->leave_ns : call->enter_ns;
		convert->run_begin_ns = convert->begin_ns;
		begin_thread(convert, convert->begin_ns);
	} else if (!convert->own->started) {
		begin_thread(convert, call->enter_ns);
	}
	convert->started = true;
	convert->in_session |= *init && function->is.traits & MPI_OF_SESSION;
	return 0;
}

/* Count the end of a session as a call, because another call follows it. */
static void pass_session_end(struct convert *convert)
{
	struct convert_thread *own = convert->own;
	uint64_t ns = own->session_end.ns;

	if (!ns)
		return;
	add_call_time(convert, &convert->statistics.list.items[own->session_end.function], ns);
	own->last_ns += ns;
	own->session_end.ns = 0;
}

static void note_session_end(struct convert *convert,
			     const struct function_statistics *function,
			     const struct mpi_call *call)
{
	convert->own->session_end.function =
		(uint32_t)(function - convert->statistics.list.items);
	convert->own->session_end.ns = call->leave_ns - call->enter_ns;
}

/* End the rank: add the computation of the threads after their last operations. */
static int convert_end_threads(struct convert *convert, struct error *err)
{
	convert->ended = true;
	for (uint32_t i = 0; i < convert->thread_count; i++) {
		TRY(convert_use_thread(convert, i, err));
		if (convert->stage == SLICE_INSIDE) {
			convert->totals.run_ns += convert_run_ns(convert);
			convert_note_end(convert, convert->own->last_ns);
		}
		TRY(convert_flush(convert, err));
	}
	return goal_builder_call(&convert->builder, &convert->call, err);
}

/* Count the time before the call and, if it is modelled, add its operations. */
static int pass_call(struct convert *convert, struct function_statistics *function,
		     const struct mpi_call *call, struct error *err)
{
	struct convert_thread *own = convert->own;
	const uint64_t begin_ns = own->last_ns > own->from_ns ? own->last_ns : own->from_ns;

	if (call->enter_ns > begin_ns)
		own->gap_ns += call->enter_ns - begin_ns;
	own->from_ns = 0;
	own->last_ns = call->enter_ns;
	if (function->is.class == MPI_CLASS_FINALIZE) {
		if (!(function->is.traits & MPI_OF_SESSION))
			return convert_end_threads(convert, err);
		note_session_end(convert, function, call);
		return 0;
	}
	own->last_ns = call->leave_ns;

	if (!is_modelled(convert, function, call)) {
		add_call_time(convert, function, call->leave_ns - call->enter_ns);
		return 0;
	}
	if (poll_found_nothing(call, function->is.traits, convert->world->lacks_records)) {
		convert_poll(convert, call);
		return 0;
	}
	if (function->is.traits & MPI_POLLS && own->polling.active)
		convert_poll(convert, call);
	convert_gather(convert);
	if (!call->event_count)
		return 0;
	TRY(convert_name_call(convert, call, err));
	TRY(convert_add_compute(convert, convert_completes(&function->is, call), err));
	TRY(convert_enter_wait(convert, &function->is, call, err));
	TRY(convert_events(convert, &function->is, call, err));
	/* Freeing or cancelling a request takes time, as other local functions do. */
	if (function->is_local)
		add_call_time(convert, function, call->leave_ns - call->enter_ns);
	return goal_builder_call(&convert->builder, &convert->call, err);
}

static const char *site_of(const struct convert *convert, const struct mpi_call *call)
{
	return convert->sites && call->site != NO_SITE ? trace_reader_site(convert->sites, call->site)
						       : NULL;
}

int convert_call(struct convert *convert, const struct mpi_call *call, struct error *err)
{
	struct function_statistics *function =
		call_statistics_find(&convert->statistics, call->function, err);
	bool init = false;

	if (!function)
		return -1;
	convert->call = (struct goal_call){
		.function = call->function, .number = convert->call.number + 1,
		.time_ns = call->enter_ns, .site = site_of(convert, call),
		.repeats = call->repeats
	};
	if (convert->ended) {
		if (call->event_count)
			return error_set(err, STATUS_DATA, "communicates after MPI_Finalize");
	} else {
		if (!convert->own || call->thread != convert->thread)
			TRY(convert_use_thread(convert, call->thread, err));
		if (convert->own->session_end.ns)
			pass_session_end(convert);
		if (!convert->own->started || function->is.class == MPI_CLASS_INIT)
			TRY(convert_start(convert, function, call, &init, err));
		if (!init && (call->enter_ns < convert->own->last_ns ||
			      call->leave_ns < call->enter_ns))
			return error_set(err, STATUS_DATA, "the time runs backwards");
		if (!init && convert->options.slices)
			TRY(convert_reach(convert, call->enter_ns, err));
	}
	/* Time without recording before the graph is not a call. */
	if (convert->stage == SLICE_INSIDE && (!init || function->is.class == MPI_CLASS_INIT))
		function->calls += call->polls ? call->polls : 1;
	return convert->ended || init ? 0 : pass_call(convert, function, call, err);
}

int convert_end(struct convert *convert, struct error *err)
{
	/* Without MPI_Finalize: end at the last call, or before the end of the last session. */
	if (!convert->ended) {
		if (!convert->own)
			TRY(convert_use_thread(convert, 0, err));
		convert->call = (struct goal_call){
			.function = "(end)", .number = convert->call.number + 1,
			.time_ns = convert->own->last_ns
		};
		TRY(convert_end_threads(convert, err));
	}
	TRY(convert_finish(convert, err));
	if (convert->run_end_ns > convert->run_begin_ns + convert->longest_ns)
		convert->longest_ns = convert->run_end_ns - convert->run_begin_ns;
	return convert_trim(convert, err);
}
