/* Messages and probes. */
#include "pmpi/persistent.h"
#include "pmpi/requests.h"
#include "pmpi/sums.h"

/* Add the event of a message, except for MPI_PROC_NULL and unknown communicators. */
static void add_message(const struct call *call, enum mpi_event_kind kind, struct comm *comm,
			int peer, int tag, uint64_t bytes, uint8_t posted)
{
	struct mpi_event *event;

	if (peer == MPI_PROC_NULL || !call->recording || !comm || comm->id == NO_COMM)
		return;
	event = call_event(call, kind);
	event->comm = comm->id;
	event->peer = (uint32_t)peer;
	event->tag = (uint32_t)tag;
	event->bytes = bytes;
	event->posted = posted;
}

static uint8_t wildcards(int source, int tag)
{
	return (uint8_t)((source == MPI_ANY_SOURCE ? POSTED_ANY_SOURCE : 0) |
			 (tag == MPI_ANY_TAG ? POSTED_ANY_TAG : 0));
}

static void add_matched_recv(const struct call *call, struct comm *comm, const MPI_Status *status,
			     uint8_t posted)
{
	if (status->MPI_SOURCE != MPI_PROC_NULL)
		add_message(call, EVENT_RECV, comm, status->MPI_SOURCE, status->MPI_TAG,
			    received_bytes(status), posted);
}

/* Add a receive of at most `count` elements, by the result of the call. */
static void add_recv(const struct call *call, MPI_Comm comm, int source, int tag, MPI_Count count,
		     MPI_Datatype type, const MPI_Status *status, int result)
{
	uint8_t posted = wildcards(source, tag);

	if (source == MPI_PROC_NULL)
		return;
	if (result == MPI_SUCCESS)
		add_matched_recv(call, comm_find(comm), status, posted);
	else if (!posted && is_truncated(result))
		add_message(call, EVENT_RECV, comm_find(comm), source, tag, bytes_of(count, type),
			    posted);
}

/* Set the sums of a request, which counts at once if `start`. */
WRAPPER_PART void sums_request(struct mpi_sums *sums, MPI_Count count, MPI_Datatype type, int peer,
			 MPI_Comm comm, MPI_Request handle, bool start)
{
	sums_message(sums, count, type, peer, comm);
	if (!start)
		persistent_add(handle, sums);
}

/* Add a request, which is active at once if `start`. */
static void add_message_request(const struct call *call, MPI_Request handle, enum request_kind kind,
				MPI_Comm comm, int peer, int tag, uint64_t bytes, bool start)
{
	struct request *request = request_add(&requests, HANDLE_KEY(handle));

	if (!request)
		return;
	request_describe(request, kind, comm, peer, tag, bytes);
	request->persistent = !start;
	if (kind == REQUEST_RECV)
		request->posted = wildcards(peer, tag);
	if (start)
		request_start(call, request);
}

/* ------------------------------------------------------------------ probes */

/* Add the message that a probe has found. */
static void add_found(const struct call *call, MPI_Comm comm, const MPI_Status *status)
{
	if (call->recording && status->MPI_SOURCE != MPI_PROC_NULL)
		add_message(call, EVENT_PROBE, comm_find(comm), status->MPI_SOURCE, status->MPI_TAG,
			    received_bytes(status), 0);
}

EXPORT int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	MPI_Status own;

	if (status == MPI_STATUS_IGNORE)
		status = &own;
	COUNTED_BRACKET(sums_comm(&sums, comm), Probe, source, tag, comm, status);
	if (result == MPI_SUCCESS)
		add_found(&call, comm, status);
	return call_end(&call, result);
}

EXPORT int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
	MPI_Status own;

	if (status == MPI_STATUS_IGNORE)
		status = &own;
	COUNTED_BRACKET(sums_comm(&sums, comm), Iprobe, source, tag, comm, flag, status);
	call.polled = result == MPI_SUCCESS && !*flag;
	if (result == MPI_SUCCESS && *flag)
		add_found(&call, comm, status);
	return call_end(&call, result);
}

/* Remember a matched message, whose receive names neither the communicator nor the sender. */
static void add_matched(MPI_Message handle, MPI_Comm comm, int source, int tag,
			const MPI_Status *status)
{
	struct request *message;

	if (handle == MPI_MESSAGE_NULL || handle == MPI_MESSAGE_NO_PROC)
		return;
	message = request_add(&messages, HANDLE_KEY(handle));
	if (!message)
		return;
	message->comm = comm_find(comm);
	message->posted = wildcards(source, tag);
	message->peer = status->MPI_SOURCE;
	message->tag = status->MPI_TAG;
	message->bytes = received_bytes(status);
}

EXPORT int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message,
		      MPI_Status *status)
{
	MPI_Status own;

	if (status == MPI_STATUS_IGNORE)
		status = &own;
	COUNTED_BRACKET(sums_comm(&sums, comm), Mprobe, source, tag, comm, message, status);
	if (result == MPI_SUCCESS) {
		add_matched(*message, comm, source, tag, status);
		add_found(&call, comm, status);
	}
	return call_end(&call, result);
}

EXPORT int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
		       MPI_Status *status)
{
	MPI_Status own;

	if (status == MPI_STATUS_IGNORE)
		status = &own;
	COUNTED_BRACKET(sums_comm(&sums, comm), Improbe, source, tag, comm, flag, message, status);
	call.polled = result == MPI_SUCCESS && !*flag;
	if (result == MPI_SUCCESS && *flag) {
		add_matched(*message, comm, source, tag, status);
		add_found(&call, comm, status);
	}
	return call_end(&call, result);
}

/* Take the matched message out before MPI frees its handle.  NULL if it is unknown. */
static struct request *take_matched(const struct call *call, const MPI_Message *handle)
{
	struct request *message;

	if (!call->tracking)
		return NULL;
	process_lock();
	message = request_take(&messages, HANDLE_KEY(*handle));
	process_unlock();
	return message;
}

/* Cut the message to the buffer of `count` elements that it is received into. */
static void fit_matched(struct request *message, MPI_Count count, MPI_Datatype type)
{
	uint64_t room = bytes_of(count, type);

	if (message->bytes > room)
		message->bytes = room;
}

/* ------------------------------------------------------------------- calls */

#if HAVE_MPI4
/* Add a send and a receive that have one request. */
static void add_pair(const struct call *call, MPI_Request handle, MPI_Comm comm, int dest,
		     int send_tag, uint64_t send_bytes, int source, int receive_tag,
		     uint64_t receive_bytes)
{
	struct request *request = request_add(&requests, HANDLE_KEY(handle));
	struct request *partner = request ? request_new() : NULL;

	if (!partner)
		return;
	request_describe(partner, REQUEST_SEND, comm, dest, send_tag, send_bytes);
	request_describe(request, REQUEST_RECV, comm, source, receive_tag, receive_bytes);
	request->posted = wildcards(source, receive_tag);
	request->partner = partner;
	request_start(call, partner);
	request_start(call, request);
}
#endif

#define COUNT int
#define NAMED(name) name
#include "pmpi/calls/p2p_calls.h"

#if HAVE_MPI4
#undef COUNT
#undef NAMED
#define COUNT MPI_Count
#define NAMED(name) name##_c
#include "pmpi/calls/p2p_calls.h"
#endif
