#include "trace/repeat/repeat_window.h"

#include "trace/otf2/otf2_backend.h"

#include <string.h>

struct window_reader {
	struct repeat_calls *calls;
	ARRAY(uint64_t) last_ns; /* [thread]: end of its last call, or when recording went on */
	size_t before;		 /* calls before recording was switched off for the first time */
	bool was_off;
};

static int receive_times(void *data, const struct mpi_call *call, struct error *err)
{
	struct window_reader *reader = data;
	uint64_t *last_ns;

	while (reader->last_ns.count <= call->thread)
		TRY(array_push(&reader->last_ns, REPEAT_NO_TIME, err));
	last_ns = &reader->last_ns.items[call->thread];
	if (strcmp(call->function, RECORDING_OFF) == 0) {
		if (!reader->was_off)
			reader->before = reader->calls->items.count;
		reader->was_off = true;
	} else {
		const struct repeat_call made = {
			.function = call->function,
			.thread = call->thread,
			.gap_ns = *last_ns <= call->enter_ns ? call->enter_ns - *last_ns
							     : REPEAT_NO_TIME,
			.duration_ns = call->leave_ns - call->enter_ns,
			.polls = call->polls,
			.poll_gaps_ns = call->poll_gaps_ns,
			.least_poll_gap_ns = call->least_poll_gap_ns,
		};

		TRY(array_push(&reader->calls->items, made, err));
	}
	*last_ns = call->leave_ns;
	return 0;
}

/* Leave out the first calls, such as MPI_Init, if recording was switched off after them. */
static void leave_out_first(struct repeat_calls *calls, size_t count)
{
	if (!count)
		return;
	memmove(calls->items.items, calls->items.items + count,
		(calls->items.count - count) * sizeof *calls->items.items);
	calls->items.count -= count;
}

int repeat_calls_read(struct repeat_calls *calls, void *archive, uint32_t rank,
		      const struct flow_rank *windows, struct error *err)
{
	struct window_reader reader = {.calls = calls};
	const struct trace_receiver to = {.receive = receive_times, .data = &reader};
	uint64_t promised = 0;
	int result;

	calls->items.count = 0;
	for (size_t i = 0; i < windows->recorded.count; i++)
		promised += windows->recorded.items[i].calls;
	result = otf2_backend.rank(archive, rank, &to, err);
	array_release(&reader.last_ns);
	TRY(result);
	if (windows->recorded.count && windows->recorded.items[0].first_call)
		leave_out_first(calls, reader.before);
	if (calls->items.count < promised)
		return error_set(err, STATUS_DATA,
				 "the archive has %zu calls of the rank, its flow graph promises %llu",
				 calls->items.count, (unsigned long long)promised);
	return 0;
}
