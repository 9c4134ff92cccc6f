/*
 * Sends and receives with counts of type COUNT.  p2p.c includes this file once for the usual
 * functions and once for those of MPI 4 with large counts.  NAMED makes the name of a function.
 */
#ifndef BLOCKING_SEND
#define BLOCKING_SEND(Name)                                                           \
	EXPORT int NAMED(MPI_##Name)(const void *buffer, COUNT count, MPI_Datatype type, int dest,     \
			    int tag, MPI_Comm comm)                                           \
	{                                                                                     \
		COUNTED_BRACKET(sums_message(&sums, count, type, dest, comm), NAMED(Name),            \
				buffer, count, type, dest, tag, comm);                                \
		if (result == MPI_SUCCESS)                                                    \
			add_message(&call, EVENT_SEND, comm_find(comm), dest, tag,            \
				    bytes_of(count, type), 0);                                \
		return call_end(&call, result);                                               \
	}

/* start: the request is active at once. */
#define REQUEST_CALL(Name, CONST, kind, start)                                        \
	EXPORT int NAMED(MPI_##Name)(CONST void *buffer, COUNT count, MPI_Datatype type, int peer,     \
			    int tag, MPI_Comm comm, MPI_Request *request)                     \
	{                                                                                     \
		COUNTED_BRACKET(sums_request(&sums, count, type, peer, comm, *request, start),        \
				NAMED(Name), buffer, count, type, peer, tag, comm, request);          \
		if (result == MPI_SUCCESS)                                                    \
			add_message_request(&call, *request, kind, comm, peer, tag,           \
					    bytes_of(count, type), start);                    \
		return call_end(&call, result);                                               \
	}
#endif

BLOCKING_SEND(Send)
BLOCKING_SEND(Bsend)
BLOCKING_SEND(Ssend)
BLOCKING_SEND(Rsend)
REQUEST_CALL(Isend, const, REQUEST_SEND, true)
REQUEST_CALL(Ibsend, const, REQUEST_SEND, true)
REQUEST_CALL(Issend, const, REQUEST_SEND, true)
REQUEST_CALL(Irsend, const, REQUEST_SEND, true)
REQUEST_CALL(Irecv, , REQUEST_RECV, true)
REQUEST_CALL(Send_init, const, REQUEST_SEND, false)
REQUEST_CALL(Bsend_init, const, REQUEST_SEND, false)
REQUEST_CALL(Ssend_init, const, REQUEST_SEND, false)
REQUEST_CALL(Rsend_init, const, REQUEST_SEND, false)
REQUEST_CALL(Recv_init, , REQUEST_RECV, false)

EXPORT int NAMED(MPI_Recv)(void *buffer, COUNT count, MPI_Datatype type, int source, int tag,
			   MPI_Comm comm, MPI_Status *status)
{
	MPI_Status own;

	if (status == MPI_STATUS_IGNORE)
		status = &own;
	COUNTED_BRACKET(sums_received_on(&sums, status, comm), NAMED(Recv), buffer, count, type,
			source, tag, comm, status);
	add_recv(&call, comm, source, tag, count, type, status, result);
	return call_end(&call, result);
}

EXPORT int NAMED(MPI_Sendrecv)(const void *send, COUNT send_count, MPI_Datatype send_type, int dest,
			       int send_tag, void *receive, COUNT receive_count,
			       MPI_Datatype receive_type, int source, int receive_tag,
			       MPI_Comm comm, MPI_Status *status)
{
	MPI_Status own;

	if (status == MPI_STATUS_IGNORE)
		status = &own;
	COUNTED_BRACKET((sums_message(&sums, send_count, send_type, dest, comm),
			 sums_add_received(&sums, status)),
			NAMED(Sendrecv), send, send_count, send_type, dest, send_tag, receive,
			receive_count, receive_type, source, receive_tag, comm, status);
	if (result == MPI_SUCCESS || is_truncated(result))
		add_message(&call, EVENT_SEND, comm_find(comm), dest, send_tag,
			    bytes_of(send_count, send_type), 0);
	add_recv(&call, comm, source, receive_tag, receive_count, receive_type, status, result);
	return call_end(&call, result);
}

EXPORT int NAMED(MPI_Sendrecv_replace)(void *buffer, COUNT count, MPI_Datatype type, int dest,
				       int send_tag, int source, int receive_tag, MPI_Comm comm,
				       MPI_Status *status)
{
	MPI_Status own;

	if (status == MPI_STATUS_IGNORE)
		status = &own;
	COUNTED_BRACKET((sums_message(&sums, count, type, dest, comm),
			 sums_add_received(&sums, status)),
			NAMED(Sendrecv_replace), buffer, count, type, dest, send_tag, source,
			receive_tag, comm, status);
	if (result == MPI_SUCCESS || is_truncated(result))
		add_message(&call, EVENT_SEND, comm_find(comm), dest, send_tag,
			    bytes_of(count, type), 0);
	add_recv(&call, comm, source, receive_tag, count, type, status, result);
	return call_end(&call, result);
}

EXPORT int NAMED(MPI_Mrecv)(void *buffer, COUNT count, MPI_Datatype type, MPI_Message *handle,
			    MPI_Status *status)
{
	struct request *message;
	MPI_Status own;

	if (status == MPI_STATUS_IGNORE)
		status = &own;
	COUNT_ONLY(sums_received(&sums, status), NAMED(Mrecv), buffer, count, type, handle, status)
	BRACKETED_CALL call;

	call_prepare(&call, NAMED(CALL_Mrecv));
	message = take_matched(&call, handle);
	LIBRARY_CALL(NAMED(Mrecv), buffer, count, type, handle, status);
	if (message && (result == MPI_SUCCESS || is_truncated(result))) {
		fit_matched(message, count, type);
		add_message(&call, EVENT_RECV, message->comm, message->peer, message->tag,
			    message->bytes, message->posted);
	}
	if (message)
		request_free(message);
	return call_end(&call, result);
}

EXPORT int NAMED(MPI_Imrecv)(void *buffer, COUNT count, MPI_Datatype type, MPI_Message *handle,
			     MPI_Request *request)
{
	COUNT_ONLY(sums_transfer(&sums, count, type), NAMED(Imrecv), buffer, count, type, handle,
		   request)
	BRACKETED_CALL call;
	struct request *message;

	call_prepare(&call, NAMED(CALL_Imrecv));
	message = take_matched(&call, handle);
	LIBRARY_CALL(NAMED(Imrecv), buffer, count, type, handle, request);
	if (message && result == MPI_SUCCESS) {
		message->kind = REQUEST_RECV;
		message->key = HANDLE_KEY(*request);
		fit_matched(message, count, type);
		request_start(&call, message);
		message->posted = 0;
		request_put_back(&requests, message);
	} else if (message) {
		request_free(message);
	}
	return call_end(&call, result);
}

#if HAVE_MPI4
EXPORT int NAMED(MPI_Isendrecv)(const void *send, COUNT send_count, MPI_Datatype send_type,
				int dest, int send_tag, void *receive, COUNT receive_count,
				MPI_Datatype receive_type, int source, int receive_tag,
				MPI_Comm comm, MPI_Request *request)
{
	COUNTED_BRACKET((sums_message(&sums, send_count, send_type, dest, comm),
			 sums_add_room(&sums, receive_count, receive_type, source)),
			NAMED(Isendrecv), send, send_count, send_type, dest, send_tag, receive,
			receive_count, receive_type, source, receive_tag, comm, request);
	if (result == MPI_SUCCESS)
		add_pair(&call, *request, comm, dest, send_tag, bytes_of(send_count, send_type),
			 source, receive_tag, bytes_of(receive_count, receive_type));
	return call_end(&call, result);
}

EXPORT int NAMED(MPI_Isendrecv_replace)(void *buffer, COUNT count, MPI_Datatype type, int dest,
					int send_tag, int source, int receive_tag, MPI_Comm comm,
					MPI_Request *request)
{
	COUNTED_BRACKET((sums_message(&sums, count, type, dest, comm),
			 sums_add_room(&sums, count, type, source)),
			NAMED(Isendrecv_replace), buffer, count, type, dest, send_tag, source,
			receive_tag, comm, request);
	if (result == MPI_SUCCESS)
		add_pair(&call, *request, comm, dest, send_tag, bytes_of(count, type), source,
			 receive_tag, bytes_of(count, type));
	return call_end(&call, result);
}
#endif
