/* Writing what the MPI library calls below MPI as regions, within the calls of MPI. */
#include "trace/call/mpi_functions.h"
#include "trace/otf2/trace_writer_internal.h"

/* Times of a thread do not run backwards. */
static uint64_t not_before(struct trace_writer_thread *thread, uint64_t time_ns)
{
	if (time_ns > thread->last_ns)
		thread->last_ns = time_ns;
	return thread->last_ns;
}

static int write_enter(struct trace_writer *writer, struct trace_writer_thread *thread,
		       const struct below_event *event, struct error *err)
{
	OTF2_AttributeList *attributes = NULL;

	if (below_functions[event->function].kind == BELOW_POST && event->number != BELOW_UNKNOWN) {
		attributes = writer->attributes;
		TRY(trace_writer_check(writer,
				       OTF2_AttributeList_AddUint64(attributes, ATTRIBUTE_BYTES,
								    event->number),
				       err));
	}
	return trace_writer_check(writer,
				  OTF2_EvtWriter_Enter(thread->events, attributes,
						       not_before(thread, event->enter_ns),
						       MPI_FUNCTION_COUNT + event->function),
				  err);
}

static int write_leave(struct trace_writer *writer, struct trace_writer_thread *thread,
		       const struct below_event *event, struct error *err)
{
	OTF2_AttributeList *attributes = writer->attributes;

	if (event->function == BELOW_EMPTY_POLLS)
		TRY(trace_writer_check(writer,
				       OTF2_AttributeList_AddUint64(attributes, ATTRIBUTE_POLLS,
								    event->number),
				       err));
	else if (below_functions[event->function].kind == BELOW_POLL)
		TRY(trace_writer_check(writer,
				       OTF2_AttributeList_AddUint64(attributes, ATTRIBUTE_FOUND,
								    event->number),
				       err));
	else if (event->pending)
		TRY(trace_writer_check(writer,
				       OTF2_AttributeList_AddUint8(attributes, ATTRIBUTE_PENDING,
								   1),
				       err));
	return trace_writer_check(writer,
				  OTF2_EvtWriter_Leave(thread->events, attributes,
						       not_before(thread, event->leave_ns),
						       MPI_FUNCTION_COUNT + event->function),
				  err);
}

/* Write the end of the innermost region that is open. */
static int leave(struct trace_writer *writer, struct trace_writer_thread *thread,
		 struct below_event event, struct error *err)
{
	event.function = thread->open[--thread->depth];
	return write_leave(writer, thread, &event, err);
}

static int write_event(struct trace_writer *writer, struct trace_writer_thread *thread,
		       const struct below_event *event, struct error *err)
{
	if (event->part == BELOW_LEAVE)
		return thread->depth ? leave(writer, thread, *event, err) : 0;
	if (event->part == BELOW_ENTER && thread->depth == BELOW_MOST_DEPTH)
		return 0;
	TRY(write_enter(writer, thread, event, err));
	if (event->part == BELOW_CALL)
		return write_leave(writer, thread, event, err);
	thread->open[thread->depth++] = event->function;
	return 0;
}

/* Leave the regions that are open: of a call that has ended, or of a rank whose records end there. */
static int leave_all(struct trace_writer *writer, struct trace_writer_thread *thread,
		     struct error *err)
{
	while (thread->depth)
		TRY(leave(writer, thread,
			  (struct below_event){.leave_ns = thread->last_ns, .number = 1}, err));
	return 0;
}

int trace_writer_below_until(struct trace_writer *writer, struct trace_writer_thread *thread,
			     uint64_t until_ns, struct error *err)
{
	for (; thread->held_next < thread->held.count; thread->held_next++) {
		const struct below_event *event = &thread->held.items[thread->held_next];

		if (event->enter_ns >= until_ns)
			break;
		TRY(write_event(writer, thread, event, err));
	}
	TRY(leave_all(writer, thread, err));
	if (thread->held_next == thread->held.count)
		thread->held_next = thread->held.count = 0;
	return 0;
}

int trace_writer_empty_polls(struct trace_writer *writer, struct trace_writer_thread *thread,
			     const struct mpi_call *call, struct error *err)
{
	const struct below_event event = {.function = BELOW_EMPTY_POLLS,
					  .enter_ns = call->empty_from_ns,
					  .leave_ns = call->empty_to_ns,
					  .number = call->empty_polls};

	return call->empty_polls ? write_event(writer, thread, &event, err) : 0;
}

int trace_writer_below(struct trace_writer *writer, uint32_t number,
		       const struct below_event *event, struct error *err)
{
	struct trace_writer_thread *thread = &writer->threads[number];

	/* The record of the call comes after it. */
	if (event->inside || thread->held.count)
		return array_push(&thread->held, *event, err);
	return write_event(writer, thread, event, err);
}

int trace_writer_below_end(struct trace_writer *writer, struct error *err)
{
	for (uint32_t i = 0; i < writer->place.threads; i++)
		TRY(trace_writer_below_until(writer, &writer->threads[i], UINT64_MAX, err));
	return 0;
}
