/* Messages and probes. */
#include "tracer/requests.h"

/* An event of a message, unless there is none: MPI_PROC_NULL, unknown communicator. */
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

uint64_t received_bytes(const MPI_Status *status)
{
	MPI_Count bytes;

	if (PMPI_Get_elements_x(status, MPI_BYTE, &bytes) != MPI_SUCCESS || bytes < 0)
		return 0;
	return (uint64_t)bytes;
}

static void add_recv(const struct call *call, struct comm *comm, const MPI_Status *status,
		     uint8_t posted)
{
	if (status->MPI_SOURCE != MPI_PROC_NULL)
		add_message(call, EVENT_RECV, comm, status->MPI_SOURCE, status->MPI_TAG,
			    received_bytes(status), posted);
}

/* A new request; `start`: it is active at once. */
static void add_request(const struct call *call, MPI_Request handle, enum request_kind kind,
			MPI_Comm comm, int peer, int tag, uint64_t bytes, bool start)
{
	struct request *request = request_add(&requests, HANDLE_KEY(handle));

	if (!request)
		return;
	request->kind = kind;
	request->comm = comm_find(comm);
	request->peer = peer;
	request->tag = tag;
	request->bytes = bytes;
	request->persistent = !start;
	if (kind == REQUEST_RECV)
		request->posted = wildcards(peer, tag);
	if (start)
		request_start(call, request);
}

/* The macros make functions with counts of type COUNT: those of MPI 4 have large ones. */
#define BLOCKING_SEND(Name, COUNT)                                                            \
	EXPORT int MPI_##Name(const void *buffer, COUNT count, MPI_Datatype type, int dest,   \
			      int tag, MPI_Comm comm)                                         \
	{                                                                                     \
		struct call call;                                                             \
		int result;                                                                   \
                                                                                              \
		call_enter(&call, CALL_##Name);                                               \
		result = PMPI_##Name(buffer, count, type, dest, tag, comm);                   \
		if (!call_leave(&call))                                                       \
			return result;                                                        \
		if (result == MPI_SUCCESS)                                                    \
			add_message(&call, EVENT_SEND, comm_find(comm), dest, tag,            \
				    bytes_of(count, type), 0);                                \
		return call_end(&call, result);                                               \
	}

#define BLOCKING_SENDS(SUFFIX, COUNT)  \
	BLOCKING_SEND(Send##SUFFIX, COUNT)  \
	BLOCKING_SEND(Bsend##SUFFIX, COUNT) \
	BLOCKING_SEND(Ssend##SUFFIX, COUNT) \
	BLOCKING_SEND(Rsend##SUFFIX, COUNT)
BLOCKING_SENDS(, int)

/* Start: the request is active at once. */
#define REQUEST_CALL(Name, COUNT, CONST, kind, start)                                         \
	EXPORT int MPI_##Name(CONST void *buffer, COUNT count, MPI_Datatype type, int peer,   \
			      int tag, MPI_Comm comm, MPI_Request *request)                   \
	{                                                                                     \
		struct call call;                                                             \
		int result;                                                                   \
                                                                                              \
		call_enter(&call, CALL_##Name);                                               \
		result = PMPI_##Name(buffer, count, type, peer, tag, comm, request);          \
		if (!call_leave(&call))                                                       \
			return result;                                                        \
		if (result == MPI_SUCCESS)                                                    \
			add_request(&call, *request, kind, comm, peer, tag,                   \
				    bytes_of(count, type), start);                            \
		return call_end(&call, result);                                               \
	}

#define REQUEST_CALLS(SUFFIX, COUNT)                                            \
	REQUEST_CALL(Isend##SUFFIX, COUNT, const, REQUEST_SEND, true)           \
	REQUEST_CALL(Ibsend##SUFFIX, COUNT, const, REQUEST_SEND, true)          \
	REQUEST_CALL(Issend##SUFFIX, COUNT, const, REQUEST_SEND, true)          \
	REQUEST_CALL(Irsend##SUFFIX, COUNT, const, REQUEST_SEND, true)          \
	REQUEST_CALL(Irecv##SUFFIX, COUNT, , REQUEST_RECV, true)                \
	REQUEST_CALL(Send_init##SUFFIX, COUNT, const, REQUEST_SEND, false)      \
	REQUEST_CALL(Bsend_init##SUFFIX, COUNT, const, REQUEST_SEND, false)     \
	REQUEST_CALL(Ssend_init##SUFFIX, COUNT, const, REQUEST_SEND, false)     \
	REQUEST_CALL(Rsend_init##SUFFIX, COUNT, const, REQUEST_SEND, false)     \
	REQUEST_CALL(Recv_init##SUFFIX, COUNT, , REQUEST_RECV, false)
REQUEST_CALLS(, int)

#define RECV(Name, COUNT)                                                                     \
	EXPORT int MPI_##Name(void *buffer, COUNT count, MPI_Datatype type, int source, int tag, \
			    MPI_Comm comm, MPI_Status *status)                                \
	{                                                                                     \
		struct call call;                                                             \
		MPI_Status own;                                                               \
		int result;                                                                   \
                                                                                              \
		if (status == MPI_STATUS_IGNORE)                                              \
			status = &own;                                                        \
		call_enter(&call, CALL_##Name);                                               \
		result = PMPI_##Name(buffer, count, type, source, tag, comm, status);         \
		if (!call_leave(&call))                                                       \
			return result;                                                        \
		if (result == MPI_SUCCESS && source != MPI_PROC_NULL)                         \
			add_recv(&call, comm_find(comm), status, wildcards(source, tag));     \
		return call_end(&call, result);                                               \
	}
RECV(Recv, int)

#define SENDRECV(Name, COUNT)                                                                 \
	EXPORT int MPI_##Name(const void *send, COUNT send_count, MPI_Datatype send_type, int dest, \
				int send_tag, void *receive, COUNT receive_count, MPI_Datatype receive_type, \
				int source, int receive_tag, MPI_Comm comm, MPI_Status *status) \
	{                                                                                     \
		struct call call;                                                             \
		MPI_Status own;                                                               \
		int result;                                                                   \
                                                                                              \
		if (status == MPI_STATUS_IGNORE)                                              \
			status = &own;                                                        \
		call_enter(&call, CALL_##Name);                                               \
		result = PMPI_##Name(send, send_count, send_type, dest, send_tag, receive, receive_count, \
				       receive_type, source, receive_tag, comm, status);      \
		if (!call_leave(&call))                                                       \
			return result;                                                        \
		if (result == MPI_SUCCESS) {                                                  \
			add_message(&call, EVENT_SEND, comm_find(comm), dest, send_tag,       \
				    bytes_of(send_count, send_type), 0);                      \
			if (source != MPI_PROC_NULL)                                          \
				add_recv(&call, comm_find(comm), status, wildcards(source, receive_tag)); \
		}                                                                             \
		return call_end(&call, result);                                               \
	}
SENDRECV(Sendrecv, int)

#define SENDRECV_REPLACE(Name, COUNT)                                                         \
	EXPORT int MPI_##Name(void *buffer, COUNT count, MPI_Datatype type, int dest,         \
					int send_tag, int source, int receive_tag, MPI_Comm comm, \
					MPI_Status *status)                                   \
	{                                                                                     \
		struct call call;                                                             \
		MPI_Status own;                                                               \
		int result;                                                                   \
                                                                                              \
		if (status == MPI_STATUS_IGNORE)                                              \
			status = &own;                                                        \
		call_enter(&call, CALL_##Name);                                               \
		result = PMPI_##Name(buffer, count, type, dest, send_tag, source, receive_tag, \
					       comm, status);                                 \
		if (!call_leave(&call))                                                       \
			return result;                                                        \
		if (result == MPI_SUCCESS) {                                                  \
			add_message(&call, EVENT_SEND, comm_find(comm), dest, send_tag,       \
				    bytes_of(count, type), 0);                                \
			if (source != MPI_PROC_NULL)                                          \
				add_recv(&call, comm_find(comm), status, wildcards(source, receive_tag)); \
		}                                                                             \
		return call_end(&call, result);                                               \
	}
SENDRECV_REPLACE(Sendrecv_replace, int)

/* ------------------------------------------------------------------ probes */

EXPORT int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	struct call call;
	int result;

	call_enter(&call, CALL_Probe);
	result = PMPI_Probe(source, tag, comm, status);
	if (!call_leave(&call))
		return result;
	return call_end(&call, result);
}

EXPORT int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
	struct call call;
	int result;

	call_enter(&call, CALL_Iprobe);
	result = PMPI_Iprobe(source, tag, comm, flag, status);
	if (!call_leave(&call))
		return result;
	call.polled = result == MPI_SUCCESS && !*flag;
	return call_end(&call, result);
}

/* Remember the communicator of a matched message, which its receive does not name. */
static void add_matched(MPI_Message handle, MPI_Comm comm, int source, int tag)
{
	struct request *message;

	if (handle == MPI_MESSAGE_NULL || handle == MPI_MESSAGE_NO_PROC)
		return;
	message = request_add(&messages, HANDLE_KEY(handle));
	if (!message)
		return;
	message->comm = comm_find(comm);
	message->posted = wildcards(source, tag);
}

EXPORT int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message,
		      MPI_Status *status)
{
	struct call call;
	int result;

	call_enter(&call, CALL_Mprobe);
	result = PMPI_Mprobe(source, tag, comm, message, status);
	if (!call_leave(&call))
		return result;
	if (result == MPI_SUCCESS)
		add_matched(*message, comm, source, tag);
	return call_end(&call, result);
}

EXPORT int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
		       MPI_Status *status)
{
	struct call call;
	int result;

	call_enter(&call, CALL_Improbe);
	result = PMPI_Improbe(source, tag, comm, flag, message, status);
	if (!call_leave(&call))
		return result;
	call.polled = result == MPI_SUCCESS && !*flag;
	if (result == MPI_SUCCESS && *flag)
		add_matched(*message, comm, source, tag);
	return call_end(&call, result);
}

/* Take the matched message out before its handle is given back; NULL if there is none. */
static struct request *take_matched(const struct call *call, const MPI_Message *handle)
{
	struct request *message;

	if (!call->tracking)
		return NULL;
	tracer_lock();
	message = request_take(&messages, HANDLE_KEY(*handle));
	tracer_unlock();
	return message;
}

#define MRECV(Name, COUNT)                                                                    \
	EXPORT int MPI_##Name(void *buffer, COUNT count, MPI_Datatype type, MPI_Message *handle, \
			     MPI_Status *status)                                              \
	{                                                                                     \
		struct call call;                                                             \
		struct request *message;                                                      \
		MPI_Status own;                                                               \
		int result;                                                                   \
                                                                                              \
		if (status == MPI_STATUS_IGNORE)                                              \
			status = &own;                                                        \
		call_prepare(&call, CALL_##Name);                                             \
		message = take_matched(&call, handle);                                        \
		call_clock(&call);                                                            \
		result = PMPI_##Name(buffer, count, type, handle, status);                    \
		if (!call_leave(&call))                                                       \
			return result;                                                        \
		if (message) {                                                                \
			if (result == MPI_SUCCESS)                                            \
				add_recv(&call, message->comm, status, message->posted);      \
			request_free(message);                                                \
		}                                                                             \
		return call_end(&call, result);                                               \
	}
MRECV(Mrecv, int)

#define IMRECV(Name, COUNT)                                                                   \
	EXPORT int MPI_##Name(void *buffer, COUNT count, MPI_Datatype type, MPI_Message *handle, \
			      MPI_Request *request)                                           \
	{                                                                                     \
		struct call call;                                                             \
		struct request *message;                                                      \
		int result;                                                                   \
                                                                                              \
		call_prepare(&call, CALL_##Name);                                             \
		message = take_matched(&call, handle);                                        \
		call_clock(&call);                                                            \
		result = PMPI_##Name(buffer, count, type, handle, request);                   \
		if (!call_leave(&call))                                                       \
			return result;                                                        \
		if (message && result == MPI_SUCCESS) {                                       \
			message->kind = REQUEST_RECV;                                         \
			message->key = HANDLE_KEY(*request);                                  \
			request_start(&call, message);                                        \
			request_put_back(&requests, message);                                 \
		} else if (message) {                                                         \
			request_free(message);                                                \
		}                                                                             \
		return call_end(&call, result);                                               \
	}
IMRECV(Imrecv, int)

#if HAVE_MPI4
BLOCKING_SENDS(_c, MPI_Count)
REQUEST_CALLS(_c, MPI_Count)
RECV(Recv_c, MPI_Count)
SENDRECV(Sendrecv_c, MPI_Count)
SENDRECV_REPLACE(Sendrecv_replace_c, MPI_Count)
MRECV(Mrecv_c, MPI_Count)
IMRECV(Imrecv_c, MPI_Count)

/* ---------------------------------------- a send and a receive in one request */

static void add_pair(const struct call *call, MPI_Request handle, MPI_Comm comm, int dest,
		     int send_tag, uint64_t send_bytes, int source, int receive_tag,
		     uint64_t receive_bytes)
{
	struct request *request = request_add(&requests, HANDLE_KEY(handle));
	struct request *partner = request ? request_new() : NULL;

	if (!partner)
		return;
	partner->kind = REQUEST_SEND;
	partner->comm = comm_find(comm);
	partner->peer = dest;
	partner->tag = send_tag;
	partner->bytes = send_bytes;
	request->kind = REQUEST_RECV;
	request->comm = partner->comm;
	request->peer = source;
	request->tag = receive_tag;
	request->bytes = receive_bytes;
	request->posted = wildcards(source, receive_tag);
	request->partner = partner;
	request_start(call, partner);
	request_start(call, request);
}

#define ISENDRECV(Name, COUNT)                                                                \
	EXPORT int MPI_##Name(const void *send, COUNT send_count, MPI_Datatype send_type,     \
			      int dest, int send_tag, void *receive, COUNT receive_count,     \
			      MPI_Datatype receive_type, int source, int receive_tag,         \
			      MPI_Comm comm, MPI_Request *request)                            \
	{                                                                                     \
		struct call call;                                                             \
		int result;                                                                   \
											      \
		call_enter(&call, CALL_##Name);                                               \
		result = PMPI_##Name(send, send_count, send_type, dest, send_tag, receive,    \
				     receive_count, receive_type, source, receive_tag, comm,  \
				     request);                                                \
		if (!call_leave(&call))                                                       \
			return result;                                                        \
		if (result == MPI_SUCCESS)                                                    \
			add_pair(&call, *request, comm, dest, send_tag,                       \
				 bytes_of(send_count, send_type), source, receive_tag,        \
				 bytes_of(receive_count, receive_type));                      \
		return call_end(&call, result);                                               \
	}
ISENDRECV(Isendrecv, int)
ISENDRECV(Isendrecv_c, MPI_Count)

#define ISENDRECV_REPLACE(Name, COUNT)                                                        \
	EXPORT int MPI_##Name(void *buffer, COUNT count, MPI_Datatype type, int dest,         \
			      int send_tag, int source, int receive_tag, MPI_Comm comm,       \
			      MPI_Request *request)                                           \
	{                                                                                     \
		struct call call;                                                             \
		uint64_t bytes;                                                               \
		int result;                                                                   \
											      \
		call_enter(&call, CALL_##Name);                                               \
		result = PMPI_##Name(buffer, count, type, dest, send_tag, source,             \
				     receive_tag, comm, request);                             \
		if (!call_leave(&call))                                                       \
			return result;                                                        \
		bytes = bytes_of(count, type);                                                \
		if (result == MPI_SUCCESS)                                                    \
			add_pair(&call, *request, comm, dest, send_tag, bytes, source,        \
				 receive_tag, bytes);                                         \
		return call_end(&call, result);                                               \
	}
ISENDRECV_REPLACE(Isendrecv_replace, int)
ISENDRECV_REPLACE(Isendrecv_replace_c, MPI_Count)
#endif
