/* Writing calls as OTF2 records. */
#include "trace/otf2/trace_writer_internal.h"

#include <stdio.h>
#include <string.h>

const struct string_table *trace_writer_strings(const struct trace_writer *writer)
{
	return &writer->strings;
}

/* Add a vector as text, equal neighbours together: "8,0*6,16". */
static int add_vector(struct trace_writer *writer, OTF2_AttributeRef attribute,
		      const uint64_t *values, uint32_t count, struct error *err)
{
	writer->text.count = 0;
	for (uint32_t i = 0, next; i < count; i = next) {
		for (next = i + 1; next < count && values[next] == values[i]; next++)
			;
		TRY(array_reserve(&writer->text, 64, err));
		writer->text.count += (size_t)sprintf(
			writer->text.items + writer->text.count,
			next - i > 1 ? "%s%llu*%u" : "%s%llu", i ? "," : "",
			(unsigned long long)values[i], next - i);
	}
	return trace_writer_add_string(writer, attribute,
				       writer->text.count ? writer->text.items : "",
				       writer->text.count, err);
}

static int add_posted(struct trace_writer *writer, const struct mpi_event *event,
		      struct error *err)
{
	if (event->posted)
		TRY(trace_writer_check(writer, OTF2_AttributeList_AddUint8(
			writer->attributes, ATTRIBUTE_POSTED_WILDCARD, event->posted), err));
	if (event->partitions)
		TRY(trace_writer_check(writer, OTF2_AttributeList_AddUint64(
			writer->attributes, ATTRIBUTE_PARTITIONS, event->partitions), err));
	return 0;
}

/*
 * Whether the sizes sent are written: with MPI_IN_PLACE a reader takes those received in place of
 * missing ones.
 */
static bool has_send_bytes(const struct mpi_event *event)
{
	const bool taken = event->in_place && event->receive_bytes &&
			   event->send_count == event->receive_count &&
			   (event->collective == COLL_ALLTOALLV ||
			    event->collective == COLL_ALLTOALLW);

	return event->send_bytes &&
	       !(taken && !memcmp(event->send_bytes, event->receive_bytes,
				  event->send_count * sizeof *event->send_bytes));
}

static int add_collective(struct trace_writer *writer, const struct mpi_event *event,
			  struct error *err)
{
	if (event->in_place)
		TRY(trace_writer_check(writer, OTF2_AttributeList_AddUint8(
			writer->attributes, ATTRIBUTE_IN_PLACE, 1), err));
	if (event->persistent)
		TRY(trace_writer_check(writer, OTF2_AttributeList_AddUint64(
			writer->attributes, ATTRIBUTE_PERSISTENT, event->persistent), err));
	TRY(trace_writer_add_operation(writer, event, err));
	if (event->neighbours)
		TRY(trace_writer_add_string(writer, ATTRIBUTE_NEIGHBOURS, event->neighbours,
					    strlen(event->neighbours), err));
	if (has_send_bytes(event))
		TRY(add_vector(writer, ATTRIBUTE_SEND_BYTES, event->send_bytes,
			       event->send_count, err));
	if (event->receive_bytes)
		TRY(add_vector(writer, ATTRIBUTE_RECEIVE_BYTES, event->receive_bytes,
			       event->receive_count, err));
	return 0;
}

/* Add the attributes of a transfer to the Leave of its call. */
static int add_transfer(struct trace_writer *writer, const struct mpi_event *event,
			struct error *err)
{
	return trace_writer_check(writer, OTF2_AttributeList_AddUint64(
		writer->attributes, ATTRIBUTE_BYTES, event->bytes), err);
}

/* Add the attributes of a probe to the Leave of its call. */
static int add_probe(struct trace_writer *writer, const struct mpi_event *event, struct error *err)
{
	OTF2_AttributeList *to = writer->attributes;

	TRY(trace_writer_check(writer, OTF2_AttributeList_AddCommRef(to, ATTRIBUTE_COMMUNICATOR,
								     event->comm), err));
	TRY(trace_writer_check(writer,
			       OTF2_AttributeList_AddUint32(to, ATTRIBUTE_SOURCE, event->peer),
			       err));
	TRY(trace_writer_check(writer, OTF2_AttributeList_AddUint32(to, ATTRIBUTE_TAG, event->tag),
			       err));
	return add_transfer(writer, event, err);
}

/* Add the attributes of a run of polls to the Leave of the call. */
static int add_polls(struct trace_writer *writer, const struct mpi_call *call, struct error *err)
{
	OTF2_AttributeList *to = writer->attributes;

	TRY(trace_writer_check(writer,
			       OTF2_AttributeList_AddUint64(to, ATTRIBUTE_POLLS, call->polls),
			       err));
	TRY(trace_writer_check(writer, OTF2_AttributeList_AddUint64(to, ATTRIBUTE_POLL_GAPS,
								    call->poll_gaps_ns), err));
	return trace_writer_check(writer, OTF2_AttributeList_AddUint64(
		to, ATTRIBUTE_LEAST_POLL_GAP, call->least_poll_gap_ns), err);
}

static bool at_enter(enum mpi_event_kind kind)
{
	return kind == EVENT_SEND || kind == EVENT_ISEND;
}

static int write_message(struct trace_writer *writer, const struct mpi_event *event, uint64_t time,
			 struct error *err)
{
	OTF2_EvtWriter *to = writer->events;
	OTF2_AttributeList *attributes = NULL;
	OTF2_ErrorCode code;

	if ((event->posted || event->partitions) && event->kind != EVENT_IRECV) {
		TRY(add_posted(writer, event, err));
		attributes = writer->attributes;
	}
	switch (event->kind) {
	case EVENT_SEND:
		code = OTF2_EvtWriter_MpiSend(to, attributes, time, event->peer, event->comm,
					      event->tag, event->bytes);
		break;
	case EVENT_ISEND:
		code = OTF2_EvtWriter_MpiIsend(to, attributes, time, event->peer, event->comm,
					       event->tag, event->bytes, event->request);
		break;
	case EVENT_RECV:
		code = OTF2_EvtWriter_MpiRecv(to, attributes, time, event->peer, event->comm,
					      event->tag, event->bytes);
		break;
	case EVENT_IRECV:
		code = OTF2_EvtWriter_MpiIrecv(to, attributes, time, event->peer, event->comm,
					       event->tag, event->bytes, event->request);
		break;
	case EVENT_IRECV_REQUEST:
		code = OTF2_EvtWriter_MpiIrecvRequest(to, attributes, time, event->request);
		break;
	case EVENT_ISEND_COMPLETE:
		code = OTF2_EvtWriter_MpiIsendComplete(to, attributes, time, event->request);
		break;
	case EVENT_REQUEST_TEST:
		code = OTF2_EvtWriter_MpiRequestTest(to, attributes, time, event->request);
		break;
	default:
		code = OTF2_EvtWriter_MpiRequestCancelled(to, attributes, time, event->request);
		break;
	}
	return trace_writer_check(writer, code, err);
}

static int write_other(struct trace_writer *writer, const struct mpi_event *event, uint64_t time,
		       struct error *err)
{
	OTF2_EvtWriter *to = writer->events;

	if (event_is_rma(event->kind))
		return trace_writer_rma_at_leave(writer, event, time, err);
	switch (event->kind) {
	case EVENT_COLLECTIVE:
		TRY(add_collective(writer, event, err));
		return trace_writer_check(writer, OTF2_EvtWriter_MpiCollectiveEnd(
			to, writer->attributes, time, (OTF2_CollectiveOp)event->collective,
			event->comm, event->root, event->bytes_sent, event->bytes_received), err);
	case EVENT_COLLECTIVE_REQUEST:
		return trace_writer_check(writer, OTF2_EvtWriter_NonBlockingCollectiveRequest(
			to, NULL, time, event->request), err);
	case EVENT_COLLECTIVE_COMPLETE:
		TRY(add_collective(writer, event, err));
		return trace_writer_check(writer, OTF2_EvtWriter_NonBlockingCollectiveComplete(
			to, writer->attributes, time, (OTF2_CollectiveOp)event->collective,
			event->comm, event->root, event->bytes_sent, event->bytes_received,
			event->request), err);
	case EVENT_COMM_CREATE:
		return trace_writer_check(writer, OTF2_EvtWriter_CommCreate(to, NULL, time,
									    event->comm), err);
	case EVENT_COMM_DESTROY:
		return trace_writer_check(writer, OTF2_EvtWriter_CommDestroy(to, NULL, time,
									     event->comm), err);
	case EVENT_TRANSFER:
		return add_transfer(writer, event, err);
	case EVENT_PROBE:
		return add_probe(writer, event, err);
	default:
		return write_message(writer, event, time, err);
	}
}

int trace_writer_site(struct trace_writer *writer, const char *text, uint32_t *number,
		      struct error *err)
{
	uint32_t empty;

	/* The number 0 is NO_SITE. */
	TRY(string_table_add(&writer->strings, "", 0, &empty, err));
	return string_table_add(&writer->strings, text, strlen(text), number, err);
}

static int write_enter(struct trace_writer *writer, const struct mpi_call *call, uint64_t time,
		       unsigned number, struct error *err)
{
	OTF2_AttributeList *attributes = call->site != NO_SITE ? writer->attributes : NULL;

	if (attributes)
		TRY(trace_writer_check(writer,
				       OTF2_AttributeList_AddStringRef(attributes,
								       ATTRIBUTE_CALL_SITE,
								       call->site),
				       err));
	return trace_writer_check(writer,
				  OTF2_EvtWriter_Enter(writer->events, attributes, time, number),
				  err);
}

int trace_writer_call(struct trace_writer *writer, uint32_t number_of_thread, unsigned number,
		      const struct mpi_call *call, struct error *err)
{
	struct trace_writer_thread *thread = &writer->threads[number_of_thread];
	uint64_t enter, leave;

	writer->events = thread->events;
	if (thread->held.count)
		TRY(trace_writer_below_until(writer, thread, call->enter_ns, err));
	enter = call->enter_ns > thread->last_ns ? call->enter_ns : thread->last_ns;
	thread->last_ns = enter;
	TRY(write_enter(writer, call, enter, number, err));
	for (uint32_t i = 0; i < call->event_count; i++) {
		if (at_enter(call->events[i].kind))
			TRY(write_message(writer, &call->events[i], enter, err));
		else if (event_is_rma(call->events[i].kind))
			TRY(trace_writer_rma_at_enter(writer, &call->events[i], enter, err));
		else if (call->events[i].kind == EVENT_COLLECTIVE)
			TRY(trace_writer_check(writer, OTF2_EvtWriter_MpiCollectiveBegin(
				writer->events, NULL, enter), err));
	}
	if (thread->held.count)
		TRY(trace_writer_below_until(writer, thread, call->leave_ns, err));
	TRY(trace_writer_empty_polls(writer, thread, call, err));
	leave = call->leave_ns > thread->last_ns ? call->leave_ns : thread->last_ns;
	thread->last_ns = leave;
	for (uint32_t i = 0; i < call->event_count; i++)
		if (!at_enter(call->events[i].kind))
			TRY(write_other(writer, &call->events[i], leave, err));
	if (thread->flush_stop_ns > leave)
		TRY(trace_writer_check(writer, OTF2_EvtWriter_BufferFlush(
			writer->events, NULL, leave, thread->flush_stop_ns), err));
	thread->flush_stop_ns = 0;
	if (call->polls > 1)
		TRY(add_polls(writer, call, err));
	return trace_writer_check(writer, OTF2_EvtWriter_Leave(writer->events, writer->attributes,
							       leave, number), err);
}

void trace_writer_flushed(struct trace_writer *writer, uint32_t thread, uint64_t stop_ns)
{
	writer->threads[thread].flush_stop_ns = stop_ns;
}

int trace_writer_switch(struct trace_writer *writer, uint32_t number_of_thread, uint64_t time_ns,
			bool on, struct error *err)
{
	struct trace_writer_thread *thread = &writer->threads[number_of_thread];

	if (time_ns > thread->last_ns)
		thread->last_ns = time_ns;
	return trace_writer_check(writer, OTF2_EvtWriter_MeasurementOnOff(
		thread->events, NULL, thread->last_ns,
		on ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF), err);
}
