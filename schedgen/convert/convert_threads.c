/* The threads of a rank: their computation between calls, and its cost. */
#include "schedgen/convert/convert_internal.h"

#include <math.h>
#include <string.h>

int convert_use_thread(struct convert *convert, uint32_t number, struct error *err)
{
	struct convert_thread *threads = convert->threads;
	struct convert_thread memory;
	uint32_t room = convert->thread_room;

	if (number >= room) {
		TRY(allocate(&threads, number + 1 + room, sizeof *threads, err));
		if (room)
			memcpy(threads, convert->threads, room * sizeof *threads);
		free(convert->threads);
		convert->threads = threads;
		convert->thread_room = number + 1 + room;
	}
	for (; convert->thread_count <= number; convert->thread_count++) {
		struct convert_thread *thread = &threads[convert->thread_count];

		memory = *thread;
		*thread = (struct convert_thread){.frontier = memory.frontier};
		thread->frontier.entries.count = 0;
		memcpy(&thread->gaps, &memory.gaps, sizeof thread->gaps);
		thread->gaps.count = 0;
	}
	convert->own = &threads[number];
	convert->thread = number;
	/* Cpus have 8 bits; in the model they restrict nothing (doc/model.md). */
	convert->builder.cpu = (uint8_t)number;
	return 0;
}

static uint64_t since(uint64_t begin_ns, uint64_t end_ns)
{
	return end_ns > begin_ns ? end_ns - begin_ns : 0;
}

uint64_t convert_gap_ns(const struct convert *convert, uint64_t end_ns)
{
	const struct convert_thread *own = convert->own;

	return since(own->last_ns > own->from_ns ? own->last_ns : own->from_ns, end_ns);
}

uint64_t convert_run_ns(const struct convert *convert)
{
	const uint64_t begin_ns = convert->own->begin_ns;

	return since(begin_ns > convert->from_ns ? begin_ns : convert->from_ns,
		     convert->own->last_ns);
}

void convert_note_end(struct convert *convert, uint64_t end_ns)
{
	if (end_ns > convert->run_end_ns)
		convert->run_end_ns = end_ns;
}

/*
 * Count the gap before the call as computation.  The call ends the polling calls before it, whose
 * gaps are computation if the program has worked in them.
 */
void convert_gather(struct convert *convert)
{
	struct convert_thread *own = convert->own;
	uint32_t waits_from;

	own->compute_ns += poll_run_end(&own->polling, &waits_from) + own->gap_ns;
	own->gap_ns = 0;
}

void convert_poll(struct convert *convert, const struct mpi_call *call)
{
	struct convert_thread *own = convert->own;
	uint64_t gap_ns;

	if (!own->polling.active)
		convert_gather(convert);
	gap_ns = own->gap_ns;
	own->gap_ns = 0;
	poll_run_add(&own->polling, call, 0, gap_ns);
}

int convert_cost(const struct convert *convert, uint64_t ns, uint64_t *cost_ns,
		 struct error *err)
{
	const double scaled_ns = (double)ns * convert->options.compute_scale;

	*cost_ns = ns;
	if (convert->options.compute_scale == 1)
		return 0;
	if (!(scaled_ns < 9e18))
		return error_set(err, STATUS_LIMIT, "computation takes 9e18 ns or more");
	*cost_ns = (uint64_t)llround(scaled_ns);
	return 0;
}

int convert_add_compute(struct convert *convert, bool completes, struct error *err)
{
	uint64_t cost_ns = convert->own->compute_ns;
	uint32_t op;

	if (convert->options.compute_scale != 1)
		TRY(convert_cost(convert, cost_ns, &cost_ns, err));
	convert->own->compute_ns = 0;
	convert->own->since_wait_ns += cost_ns;
	if (!cost_ns && !(completes && convert->own->has_ends))
		return 0;
	convert->own->has_ends = false;
	convert->call.before = true;
	TRY(goal_builder_calc(&convert->builder, cost_ns, &op, err));
	TRY(frontier_before(&convert->own->frontier, op, &convert->builder, err));
	return frontier_set(&convert->own->frontier, op, false, err);
}

int convert_flush(struct convert *convert, struct error *err)
{
	convert_gather(convert);
	return convert_add_compute(convert, false, err);
}
