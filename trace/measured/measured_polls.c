#include "trace/measured/measured_polls.h"

#include "trace/call/mpi_functions.h"

/* Function of a call that is part of another one, whose number is in its `thread`. */
enum { PART_OF_CALL = UINT32_MAX - 1 };

static void make_part(struct measured_rank *rank, uint32_t call, uint32_t of)
{
	rank->calls.items[call].function = PART_OF_CALL;
	rank->calls.items[call].thread = of;
}

/* Make the calls of a thread from one to another one call, with function and site of the last. */
static void join_calls(struct measured_reading *reading, uint32_t from, uint32_t to,
		       uint64_t leave_ns)
{
	struct measured_rank *rank = reading->rank;
	struct measured_call *calls = rank->calls.items;
	const uint32_t thread = calls[from].thread;

	calls[from].leave_ns = leave_ns;
	if (from == to)
		return;
	calls[from].function = calls[to].function;
	if (to < rank->sites.count)
		rank->sites.items[from] = rank->sites.items[to];
	for (uint32_t c = from + 1; c <= to; c++)
		if (calls[c].function != PART_OF_CALL && calls[c].thread == thread)
			make_part(rank, c, from);
	reading->joined = true;
}

/* End the polls of a thread by its last one, or by the call that has completed something. */
static uint32_t end_polls(struct measured_reading *reading, struct measured_thread *thread)
{
	uint32_t from;

	poll_run_end(&thread->polls, &from);
	if (from == UINT32_MAX)
		return thread->last_poll;
	join_calls(reading, from, thread->last_poll, thread->last_leave_ns);
	return from;
}

static struct mpi_function description(const struct mpi_call *call, uint32_t function)
{
	return function < MPI_FUNCTION_COUNT ? mpi_functions[function]
					     : mpi_function_named(call->function);
}

static void add_poll(struct measured_thread *thread, const struct mpi_call *call, uint32_t at)
{
	poll_run_add(&thread->polls, call, at,
		     call->enter_ns > thread->last_leave_ns ? call->enter_ns - thread->last_leave_ns
							    : 0);
	thread->last_poll = at;
	thread->last_leave_ns = call->leave_ns;
}

static bool is_local(const struct mpi_function *function, const struct mpi_call *call)
{
	return !call->event_count &&
	       (function->class == MPI_CLASS_LOCAL || function->class == MPI_CLASS_REQUEST);
}

void measured_polls_note(struct measured_reading *reading, const struct mpi_call *call,
			 uint32_t *at)
{
	struct measured_call *added = &reading->rank->calls.items[*at];
	struct measured_thread *thread = &reading->threads.items[call->thread];
	struct mpi_function function;

	if (!thread->polls.active && added->function < MPI_FUNCTION_COUNT &&
	    !(mpi_functions[added->function].traits & MPI_POLLS))
		return;
	function = description(call, added->function);
	if (poll_found_nothing(call, function.traits, reading->world->lacks_records)) {
		add_poll(thread, call, *at);
		added->leave_ns -= poll_gaps_ns(call);
	} else if (!thread->polls.active || is_local(&function, call)) {
		return;
	} else if (function.traits & MPI_POLLS) {
		add_poll(thread, call, *at);
		*at = end_polls(reading, thread);
	} else {
		end_polls(reading, thread);
	}
}

/* --------------------------------------------------------------------- removal */

/* Remove the calls that are part of others; numbers[] become the new numbers of all calls. */
static void remove_parts(struct measured_rank *rank, uint32_t *numbers)
{
	const bool sites = rank->sites.count > 0;
	uint32_t kept = 0;

	for (uint32_t c = 0; c < rank->calls.count; c++) {
		const struct measured_call call = rank->calls.items[c];

		if (call.function == PART_OF_CALL) {
			numbers[c] = numbers[call.thread];
			continue;
		}
		if (sites && c < rank->sites.count)
			rank->sites.items[kept] = rank->sites.items[c];
		rank->calls.items[kept] = call;
		numbers[c] = kept++;
	}
	rank->calls.count = kept;
	if (rank->sites.count > kept)
		rank->sites.count = kept;
}

static void renumber(uint32_t *call, const uint32_t *numbers)
{
	if (*call != NO_CALL)
		*call = numbers[*call];
}

static void renumber_all(struct measured_rank *rank, const uint32_t *numbers)
{
	for (size_t i = 0; i < rank->sends.count; i++) {
		renumber(&rank->sends.items[i].begin, numbers);
		renumber(&rank->sends.items[i].end, numbers);
	}
	for (size_t i = 0; i < rank->recvs.count; i++) {
		renumber(&rank->recvs.items[i].begin, numbers);
		renumber(&rank->recvs.items[i].end, numbers);
	}
	for (size_t i = 0; i < rank->probes.count; i++)
		renumber(&rank->probes.items[i].call, numbers);
	for (size_t i = 0; i < rank->cuts.of_sends.count; i++)
		renumber(&rank->cuts.of_sends.items[i], numbers);
	for (size_t i = 0; i < rank->parts.count; i++) {
		renumber(&rank->parts.items[i].begin, numbers);
		renumber(&rank->parts.items[i].end, numbers);
	}
	for (size_t i = 0; i < rank->locks.count; i++) {
		renumber(&rank->locks.items[i].begin, numbers);
		renumber(&rank->locks.items[i].end, numbers);
		renumber(&rank->locks.items[i].had, numbers);
	}
	for (size_t i = 0; i < rank->lock_calls.count; i++)
		renumber(&rank->lock_calls.items[i].call, numbers);
}

int measured_polls_end(struct measured_reading *reading, struct error *err)
{
	struct measured_rank *rank = reading->rank;
	uint32_t *numbers;

	for (size_t i = 0; i < reading->threads.count; i++)
		if (reading->threads.items[i].polls.active)
			end_polls(reading, &reading->threads.items[i]);
	if (!reading->joined)
		return 0;
	TRY(allocate(&numbers, rank->calls.count, sizeof *numbers, err));
	remove_parts(rank, numbers);
	renumber_all(rank, numbers);
	free(numbers);
	return 0;
}
