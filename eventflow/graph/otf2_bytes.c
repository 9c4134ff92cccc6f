#include "eventflow/graph/otf2_bytes.h"

#include "trace/flow/recover/flow_times.h"

/* Kind and length; numbers of regions and of requests, of which there are few at a time. */
enum { RECORD_BYTES = 2, SMALL_BYTES = 2 };

/* Bytes of a field: 0 and the largest value need no more than the first one. */
static uint64_t field_bytes(uint64_t value)
{
	uint64_t bytes = 1;

	if (value == UINT32_MAX || value == UINT64_MAX)
		return bytes;
	for (; value; value >>= 8)
		bytes++;
	return bytes;
}

static uint64_t event_bytes(const struct mpi_event *event)
{
	uint64_t bytes = RECORD_BYTES + field_bytes(event->comm);

	if (event_is_collective(event->kind))
		/* Begin, and what it was. */
		return RECORD_BYTES + bytes + 1 + field_bytes(event->root) +
		       field_bytes(event->bytes_sent) + field_bytes(event->bytes_received);
	if (event_is_rma(event->kind))
		return bytes + field_bytes(event->peer) + field_bytes(event->bytes_sent) +
		       field_bytes(event->bytes_received) + SMALL_BYTES;
	switch (event->kind) {
	case EVENT_SEND:
	case EVENT_RECV:
	case EVENT_ISEND:
	case EVENT_IRECV:
		bytes += field_bytes(event->peer) + field_bytes(event->tag) +
			 field_bytes(event->bytes);
		return event->kind == EVENT_SEND || event->kind == EVENT_RECV ? bytes
									      : bytes + SMALL_BYTES;
	case EVENT_TRANSFER:
	case EVENT_PROBE:
		return 0; /* attributes */
	case EVENT_COMM_CREATE:
	case EVENT_COMM_DESTROY:
		return bytes;
	default:
		return RECORD_BYTES + SMALL_BYTES;
	}
}

static int take_bytes(void *data, const struct mpi_call *call, uint64_t count, struct error *err)
{
	uint64_t *bytes = data, each = 2 * (RECORD_BYTES + SMALL_BYTES);

	(void)err;
	for (uint32_t i = 0; i < call->event_count; i++)
		each += event_bytes(&call->events[i]);
	*bytes += count * each;
	return 0;
}

int otf2_bytes_add(uint64_t *bytes, const struct flow *flow, uint32_t rank, struct error *err)
{
	for (size_t t = 0; t < flow->ranks[rank].threads.count; t++)
		TRY(flow_thread_calls(flow, rank, &flow->ranks[rank].threads.items[t], take_bytes,
				      bytes, err));
	return 0;
}
