#include "trace/repeat/repeat_window.h"

#include "trace/otf2/otf2_backend.h"

#include <string.h>

/* Calls between two times in which recording was off, in the order of the archive. */
struct window_segment {
	size_t begin, end;
};

struct window_reader {
	struct repeat_calls all; /* of the archive */
	ARRAY(uint64_t) last_ns; /* [thread]: end of its last call, or when recording went on */
	ARRAY(struct window_segment) segments; /* none is empty, but maybe the last one */
};

static int begin_segment(struct window_reader *reader, struct error *err)
{
	const size_t count = reader->all.items.count;
	const struct window_segment segment = {count, count};

	if (reader->segments.count &&
	    reader->segments.items[reader->segments.count - 1].begin == count)
		return 0;
	return array_push(&reader->segments, segment, err);
}

static int receive_times(void *data, const struct mpi_call *call, struct error *err)
{
	struct window_reader *reader = data;
	uint64_t *last_ns;

	while (reader->last_ns.count <= call->thread)
		TRY(array_push(&reader->last_ns, REPEAT_NO_TIME, err));
	last_ns = &reader->last_ns.items[call->thread];
	if (strcmp(call->function, RECORDING_OFF) == 0 || !reader->segments.count)
		TRY(begin_segment(reader, err));
	if (strcmp(call->function, RECORDING_OFF) != 0) {
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

		TRY(array_push(&reader->all.items, made, err));
		reader->segments.items[reader->segments.count - 1].end = reader->all.items.count;
	}
	*last_ns = call->leave_ns;
	return 0;
}

/* Take the calls of a window from its segment: without those that were added to make requests whole. */
static int take_window(struct repeat_calls *calls, const struct window_reader *reader,
		       const struct window_segment *segment, const struct flow_window *window,
		       struct error *err)
{
	const struct repeat_call *all = reader->all.items.items;
	const size_t count = segment->end - segment->begin;
	size_t first = segment->begin;

	if (count < window->calls)
		return error_set(
			err, STATUS_DATA,
			"the archive has %zu calls of the rank where its flow graph promises %llu",
			count, (unsigned long long)window->calls);
	while (segment->end - first > window->calls && !all[first].duration_ns &&
	       strcmp(all[first].function, "MPI_Irecv") == 0)
		first++;
	for (size_t i = first; i < first + window->calls; i++)
		TRY(array_push(&calls->items, all[i], err));
	return 0;
}

static int take_windows(struct repeat_calls *calls, const struct window_reader *reader,
			const struct flow_rank *rank, struct error *err)
{
	static const struct window_segment none;
	size_t segment = 0, count = reader->segments.count;

	if (count && reader->segments.items[count - 1].begin == reader->all.items.count)
		count--;
	/* What comes before the first window, such as MPI_Init. */
	if (rank->recorded.count && rank->recorded.items[0].first_call &&
	    count > rank->recorded.count)
		segment++;
	for (size_t i = 0; i < rank->recorded.count; i++) {
		const struct flow_window *window = &rank->recorded.items[i];
		const struct window_segment *own = segment < count
							   ? &reader->segments.items[segment]
							   : &none;

		if (!window->calls)
			continue;
		TRY(take_window(calls, reader, own, window, err));
		segment++;
	}
	return 0;
}

int repeat_calls_read(struct repeat_calls *calls, void *archive, uint32_t rank,
		      const struct flow_rank *windows, struct error *err)
{
	struct window_reader reader = {0};
	const struct trace_receiver to = {.receive = receive_times, .data = &reader};
	int result = otf2_backend.rank(archive, rank, &to, err);

	calls->items.count = 0;
	if (result == 0)
		result = take_windows(calls, &reader, windows, err);
	array_release(&reader.all.items);
	array_release(&reader.last_ns);
	array_release(&reader.segments);
	return result;
}
