/*
 * Merging the threads of a rank: read each location up to the end of a call, and deliver the
 * calls in the order in which they were entered.
 */
#include "trace/otf2/trace_threads.h"

#include "common/min_heap.h"
#include "trace/otf2/otf2_location.h"
#include "trace/otf2/trace_events.h"

/* Add a reader for another location of the same archive. */
static int add_reader(struct otf2_reader *reader, struct error *err)
{
	struct otf2_reader *thread;

	TRY(array_reserve(&reader->threads, 1, err));
	TRY(allocate(&thread, 1, sizeof *thread, err));
	thread->path = reader->path;
	thread->otf2 = reader->otf2;
	thread->index = reader->index;
	thread->attributes = reader->attributes;
	thread->holds_back = true;
	thread->call.thread = (uint32_t)reader->threads.count;
	reader->threads.items[reader->threads.count++] = thread;
	return 0;
}

void trace_threads_close(struct otf2_reader *reader)
{
	for (size_t i = 0; i < reader->threads.count; i++) {
		struct otf2_reader *thread = reader->threads.items[i];

		otf2_reader_forget(thread);
		free(thread);
	}
	array_release(&reader->threads);
}

/* Read up to the end of the thread's next call, and push it into the heap. */
static int trace_threads_advance(struct otf2_reader *thread, struct min_heap *heap,
				 struct error *err)
{
	thread->ready = false;
	if (!thread->at_end)
		TRY(trace_location_read(thread, err));
	if (!thread->ready)
		return 0;
	thread->calls++;
	return min_heap_push(heap, thread->begun_ns, thread->call.thread, err);
}

static int trace_threads_begin(struct otf2_reader *reader, uint32_t number,
			       const struct trace_location *location, struct min_heap *heap,
			       struct error *err)
{
	struct otf2_reader *thread;

	if (number == reader->threads.count)
		TRY(add_reader(reader, err));
	thread = reader->threads.items[number];
	thread->to = reader->to;
	thread->rank = reader->rank;
	thread->calls = 0;
	/* Only regions of the rank's first thread are watched. */
	if (number)
		thread->to.region = NULL;
	thread->opened = trace_location_has_events(reader, location);
	if (!thread->opened)
		return 0;
	TRY(trace_location_open(thread, location, err));
	return trace_threads_advance(thread, heap, err);
}

static int merge(struct otf2_reader *reader, const struct trace_location *threads,
		 uint32_t count, struct min_heap *heap, struct error *err)
{
	TRY(trace_threads_begin(reader, 0, &reader->index.ranks.items[reader->rank], heap, err));
	for (uint32_t i = 0; i < count; i++)
		TRY(trace_threads_begin(reader, i + 1, &threads[i], heap, err));
	while (heap->entries.count) {
		struct otf2_reader *thread = reader->threads.items[min_heap_pop(heap)];

		TRY(trace_events_give(thread));
		TRY(trace_threads_advance(thread, heap, err));
	}
	return 0;
}

int trace_threads_read(struct otf2_reader *reader, const struct trace_location *threads,
		       uint32_t count, struct error *err)
{
	struct min_heap heap = {0};
	int result = merge(reader, threads, count, &heap, err);

	min_heap_release(&heap);
	for (uint32_t i = 0; i <= count && i < reader->threads.count; i++) {
		struct otf2_reader *thread = reader->threads.items[i];

		trace_location_close(thread);
		/* Threads of the MPI library are expected to call no function of MPI. */
		reader->left_out.idle_threads += i && thread->opened && !thread->calls &&
						 (thread->others || !thread->below);
		trace_left_out_add(&reader->left_out, &thread->left_out);
		thread->left_out = (struct trace_left_out){0};
	}
	return result;
}
