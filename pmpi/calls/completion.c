/* Requests: start, wait, test, cancel, free. */
#include "pmpi/persistent.h"
#include "pmpi/windows.h"

static struct scratch *scratch_of(const struct call *call)
{
	return &call->thread
			->scratches[call->depth < SCRATCH_COUNT ? call->depth : SCRATCH_COUNT - 1];
}

/*
 * Take the requests of a list out of the table.  Returns the array for the statuses: the user's,
 * or our own if the user ignores statuses that we need.
 */
static MPI_Status *take_requests(struct call *call, int count, const MPI_Request *handles,
				 MPI_Status *statuses, MPI_Status *ignored)
{
	struct scratch *scratch = scratch_of(call);
	struct error err;
	bool needed = false;

	if (!call->tracking || count <= 0)
		return statuses;
	process_lock();
	scratch->taken.count = scratch->statuses.count = 0;
	if (array_reserve(&scratch->taken, count, &err) < 0 ||
	    array_reserve(&scratch->statuses, count, &err) < 0) {
		process_fail(&err);
		call->tracking = false;
		process_unlock();
		return statuses;
	}
	for (int i = 0; i < count; i++) {
		struct request *request = NULL;

		if (handles[i] != MPI_REQUEST_NULL)
			request = request_take(&requests, HANDLE_KEY(handles[i]));
		scratch->taken.items[i] = request;
		needed |= request && request->active &&
			  (request->kind == REQUEST_RECV || request->cancelled);
	}
	process_unlock();
	return statuses == ignored && needed ? scratch->statuses.items : statuses;
}

static struct mpi_event *request_event(const struct call *call, enum mpi_event_kind kind,
				       const struct request *request)
{
	struct mpi_event *event = call_event(call, kind);

	if (request->kind == REQUEST_RMA) {
		event->kind = EVENT_RMA_TEST;
		event->window = request->window->id;
	}
	event->request = request->id;
	/* Archives have no communicator of other ends, nor of tests. */
	if (event->kind == EVENT_IRECV || event->kind == EVENT_RMA_TEST)
		event->comm = request->comm->id;
	return event;
}

/* Add a receive without a status, if it was posted with a sender and a tag. */
static void add_as_posted(const struct call *call, const struct request *request)
{
	struct mpi_event *event;

	if (request->posted)
		return;
	event = request_event(call, EVENT_IRECV, request);
	event->peer = (uint32_t)request->peer;
	event->tag = (uint32_t)request->tag;
	event->bytes = request->bytes;
}

static void add_collective_completion(const struct call *call, struct request *request)
{
	struct mpi_event *event;

	if (request->collective.collective == COLL_CREATE_HANDLE &&
	    request->new_comm != MPI_COMM_NULL) {
		struct comm *comm = comm_add(request->new_comm, request->comm, request->child);

		if (comm && comm->id != NO_COMM && request->recorded && call->recording)
			call_event(call, EVENT_COMM_CREATE)->comm = comm->id;
	}
	if (!request->recorded || !call->recording)
		return;
	event = call_event(call, EVENT_COLLECTIVE_COMPLETE);
	*event = request->collective;
	call->thread->events_lent |= event->send_bytes || event->receive_bytes;
	event->kind = EVENT_COLLECTIVE_COMPLETE;
	event->request = request->id;
}

static void add_completion(const struct call *call, struct request *request,
			   const MPI_Status *status)
{
	int cancelled = 0;
	struct mpi_event *event;

	if (request->kind == REQUEST_COLLECTIVE) {
		add_collective_completion(call, request);
		return;
	}
	if (request->kind == REQUEST_RMA) {
		window_complete_request(call, request);
		return;
	}
	if (request->partner)
		add_completion(call, request->partner, NULL);
	if (!request->recorded || !call->recording)
		return;
	if (request->cancelled)
		PMPI_Test_cancelled(status, &cancelled);
	if (cancelled) {
		request_event(call, EVENT_REQUEST_CANCELLED, request);
	} else if (request->kind == REQUEST_SEND) {
		request_event(call, EVENT_ISEND_COMPLETE, request);
	} else if (request->partner) {
		/* MPICH 4.0 returns the status of another message. */
		add_as_posted(call, request);
	} else {
		event = request_event(call, EVENT_IRECV, request);
		event->peer = (uint32_t)status->MPI_SOURCE;
		event->tag = (uint32_t)status->MPI_TAG;
		event->bytes = received_bytes(status);
	}
}

static bool is_error_class(int code, int class)
{
	int of_code;

	return code != MPI_SUCCESS && PMPI_Error_class(code, &of_code) == MPI_SUCCESS &&
	       of_code == class;
}

bool is_truncated(int code)
{
	return is_error_class(code, MPI_ERR_TRUNCATE);
}

/* Add the completion of a message that has no status. */
static void add_without_status(const struct call *call, const struct request *request)
{
	if (request->partner)
		add_without_status(call, request->partner);
	if (!request->active || !request->recorded || !call->recording)
		return;
	if (request->kind == REQUEST_SEND) {
		request_event(call, EVENT_ISEND_COMPLETE, request);
	} else if (request->kind == REQUEST_RECV && request->cancelled) {
		request_event(call, EVENT_REQUEST_CANCELLED, request);
	} else if (request->kind == REQUEST_RECV) {
		add_as_posted(call, request);
	}
}

static void add_failure(const struct call *call, const struct request *request)
{
	if (request->partner)
		add_failure(call, request->partner);
	if (request->recorded && call->recording && request->kind != REQUEST_RMA)
		request_event(call, EVENT_REQUEST_CANCELLED, request);
}

/* Free a request whose operation has ended, or make it inactive if it is persistent. */
static void retire_request(struct request *request)
{
	if (request->persistent) {
		request->active = false;
		request_put_back(&requests, request);
	} else {
		request_free(request);
	}
}

/* Complete entry i of the list with its status and a result of MPI_SUCCESS or an error. */
static void complete_entry(const struct call *call, int i, const MPI_Status *status, int code)
{
	struct request *request = scratch_of(call)->taken.items[i];

	scratch_of(call)->taken.items[i] = NULL;
	if (!request)
		return;
	if (request->active && request->kind == REQUEST_RECV && is_truncated(code))
		add_without_status(call, request);
	else if (request->active && code != MPI_SUCCESS)
		add_failure(call, request);
	else if (request->active)
		add_completion(call, request, status);
	retire_request(request);
}

/* Put back the requests that have not completed, so that the queues have their old order. */
static void put_back_requests(const struct call *call, int count)
{
	struct request **taken = scratch_of(call)->taken.items;

	for (int i = count - 1; i >= 0; i--)
		if (taken[i])
			request_put_back(&requests, taken[i]);
}

/* Add the event of a test that found nothing complete, for the first active request. */
static void add_test(struct call *call, int count)
{
	call->polled = true;
	for (int i = 0; i < count; i++) {
		const struct request *request = scratch_of(call)->taken.items[i];

		if (request && request->active && request->recorded && call->recording) {
			request_event(call, EVENT_REQUEST_TEST, request);
			return;
		}
	}
}

/* Complete entry i by its status, after a call that returned MPI_ERR_IN_STATUS. */
static void complete_in_status(const struct call *call, int i, const MPI_Status *status)
{
	if (!is_error_class(status->MPI_ERROR, MPI_ERR_PENDING))
		complete_entry(call, i, status, status->MPI_ERROR);
}

/* After an error without statuses, complete requests whose handles are gone: they have failed. */
static void complete_failed(const struct call *call, int count, const MPI_Request *handles,
			    int code)
{
	for (int i = 0; i < count; i++)
		if (handles[i] == MPI_REQUEST_NULL)
			complete_entry(call, i, NULL, code);
}

/* Complete the whole list, if the result is a success. */
static void complete_all(const struct call *call, int count, const MPI_Request *handles,
			 const MPI_Status *statuses, int result)
{
	bool known = statuses != MPI_STATUSES_IGNORE;

	if (result == MPI_SUCCESS)
		for (int i = 0; i < count; i++)
			complete_entry(call, i, known ? &statuses[i] : NULL, MPI_SUCCESS);
	else if (known && is_error_class(result, MPI_ERR_IN_STATUS))
		for (int i = 0; i < count; i++)
			complete_in_status(call, i, &statuses[i]);
	else
		complete_failed(call, count, handles, result);
	put_back_requests(call, count);
}

/* Complete one entry of the list, or none if the index is MPI_UNDEFINED. */
static void complete_one(const struct call *call, int count, const MPI_Request *handles, int index,
			 const MPI_Status *status, int result)
{
	if (result != MPI_SUCCESS)
		complete_failed(call, count, handles, result);
	else if (index != MPI_UNDEFINED)
		complete_entry(call, index, status, MPI_SUCCESS);
	put_back_requests(call, count);
}

/* Complete some entries of the list. */
static void complete_some(const struct call *call, int count, const MPI_Request *handles,
			  int completed, const int *indices, const MPI_Status *statuses, int result)
{
	bool known = statuses != MPI_STATUSES_IGNORE;
	bool in_status = is_error_class(result, MPI_ERR_IN_STATUS) && known;

	if (result != MPI_SUCCESS && !in_status)
		complete_failed(call, count, handles, result);
	else if (completed != MPI_UNDEFINED)
		for (int i = 0; i < completed; i++) {
			if (in_status)
				complete_in_status(call, indices[i], &statuses[i]);
			else
				complete_entry(call, indices[i], known ? &statuses[i] : NULL,
					       MPI_SUCCESS);
		}
	put_back_requests(call, count);
}

/* -------------------------------------------------------------------- wait */

EXPORT int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
	COUNT_ONLY(sums.requests = 1, Wait, request, status)
	BRACKETED_CALL call;

	call_prepare(&call, CALL_Wait);
	status = take_requests(&call, 1, request, status, MPI_STATUS_IGNORE);
	LIBRARY_CALL(Wait, request, status);
	complete_one(&call, 1, request, 0, status, result);
	return call_end(&call, result);
}

EXPORT int MPI_Waitall(int count, MPI_Request requests_[], MPI_Status *statuses)
{
	COUNT_ONLY(sums.requests = (uint32_t)count, Waitall, count, requests_, statuses)
	BRACKETED_CALL call;

	call_prepare(&call, CALL_Waitall);
	statuses = take_requests(&call, count, requests_, statuses, MPI_STATUSES_IGNORE);
	LIBRARY_CALL(Waitall, count, requests_, statuses);
	complete_all(&call, count, requests_, statuses, result);
	return call_end(&call, result);
}

EXPORT int MPI_Waitany(int count, MPI_Request requests_[], int *index, MPI_Status *status)
{
	COUNT_ONLY(sums.requests = (uint32_t)count, Waitany, count, requests_, index, status)
	BRACKETED_CALL call;

	call_prepare(&call, CALL_Waitany);
	status = take_requests(&call, count, requests_, status, MPI_STATUS_IGNORE);
	LIBRARY_CALL(Waitany, count, requests_, index, status);
	complete_one(&call, count, requests_, *index, status, result);
	return call_end(&call, result);
}

EXPORT int MPI_Waitsome(int count, MPI_Request requests_[], int *completed, int indices[],
			MPI_Status *statuses)
{
	COUNT_ONLY(sums.requests = (uint32_t)count, Waitsome, count, requests_, completed, indices,
		   statuses)
	BRACKETED_CALL call;

	call_prepare(&call, CALL_Waitsome);
	statuses = take_requests(&call, count, requests_, statuses, MPI_STATUSES_IGNORE);
	LIBRARY_CALL(Waitsome, count, requests_, completed, indices, statuses);
	complete_some(&call, count, requests_, *completed, indices, statuses, result);
	return call_end(&call, result);
}

/* -------------------------------------------------------------------- test */

EXPORT int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
	COUNT_ONLY(sums.requests = 1, Test, request, flag, status)
	BRACKETED_CALL call;

	call_prepare(&call, CALL_Test);
	status = take_requests(&call, 1, request, status, MPI_STATUS_IGNORE);
	LIBRARY_CALL(Test, request, flag, status);
	if (result == MPI_SUCCESS && !*flag)
		add_test(&call, 1);
	complete_one(&call, 1, request, *flag ? 0 : MPI_UNDEFINED, status, result);
	return call_end(&call, result);
}

EXPORT int MPI_Testall(int count, MPI_Request requests_[], int *flag, MPI_Status *statuses)
{
	COUNT_ONLY(sums.requests = (uint32_t)count, Testall, count, requests_, flag, statuses)
	BRACKETED_CALL call;

	call_prepare(&call, CALL_Testall);
	statuses = take_requests(&call, count, requests_, statuses, MPI_STATUSES_IGNORE);
	LIBRARY_CALL(Testall, count, requests_, flag, statuses);
	if (result == MPI_SUCCESS && !*flag) {
		add_test(&call, count);
		put_back_requests(&call, count);
	} else {
		complete_all(&call, count, requests_, statuses, result);
	}
	return call_end(&call, result);
}

EXPORT int MPI_Testany(int count, MPI_Request requests_[], int *index, int *flag,
		       MPI_Status *status)
{
	COUNT_ONLY(sums.requests = (uint32_t)count, Testany, count, requests_, index, flag, status)
	BRACKETED_CALL call;

	call_prepare(&call, CALL_Testany);
	status = take_requests(&call, count, requests_, status, MPI_STATUS_IGNORE);
	LIBRARY_CALL(Testany, count, requests_, index, flag, status);
	if (result == MPI_SUCCESS && !*flag)
		add_test(&call, count);
	complete_one(&call, count, requests_, *flag ? *index : MPI_UNDEFINED, status, result);
	return call_end(&call, result);
}

EXPORT int MPI_Testsome(int count, MPI_Request requests_[], int *completed, int indices[],
			MPI_Status *statuses)
{
	COUNT_ONLY(sums.requests = (uint32_t)count, Testsome, count, requests_, completed, indices,
		   statuses)
	BRACKETED_CALL call;

	call_prepare(&call, CALL_Testsome);
	statuses = take_requests(&call, count, requests_, statuses, MPI_STATUSES_IGNORE);
	LIBRARY_CALL(Testsome, count, requests_, completed, indices, statuses);
	if (result == MPI_SUCCESS && *completed == 0)
		add_test(&call, count);
	complete_some(&call, count, requests_, *completed, indices, statuses, result);
	return call_end(&call, result);
}

EXPORT int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
	const struct request *found;

	COUNTED_BRACKET(sums.requests = 1, Request_get_status, request, flag, status);
	found = request_find(&requests, HANDLE_KEY(request));
	call.polled = result == MPI_SUCCESS && !*flag;
	if (call.polled && found && found->active && found->recorded && call.recording)
		request_event(&call, EVENT_REQUEST_TEST, found);
	return call_end(&call, result);
}

/* --------------------------------------------------- start, cancel, free */

EXPORT int MPI_Start(MPI_Request *handle)
{
	struct request *request;

	COUNTED_BRACKET(persistent_start(*handle, &sums), Start, handle);
	request = request_find(&requests, HANDLE_KEY(*handle));
	if (result == MPI_SUCCESS && request)
		request_start(&call, request);
	return call_end(&call, result);
}

static void sums_startall(struct mpi_sums *sums, int count, const MPI_Request *handles)
{
	for (int i = 0; i < count; i++)
		persistent_start(handles[i], sums);
}

EXPORT int MPI_Startall(int count, MPI_Request handles[])
{
	COUNTED_BRACKET(sums_startall(&sums, count, handles), Startall, count, handles);
	for (int i = 0; result == MPI_SUCCESS && i < count; i++) {
		struct request *request = request_find(&requests, HANDLE_KEY(handles[i]));

		if (request)
			request_start(&call, request);
	}
	return call_end(&call, result);
}

EXPORT int MPI_Cancel(MPI_Request *handle)
{
	struct request *request;

	BRACKET(Cancel, handle);
	request = request_find(&requests, HANDLE_KEY(*handle));
	if (result == MPI_SUCCESS && request)
		request->cancelled = true;
	return call_end(&call, result);
}

EXPORT int MPI_Request_free(MPI_Request *handle)
{
	BRACKETED_CALL call;
	struct request *request;

	call_prepare(&call, CALL_Request_free);
	take_requests(&call, 1, handle, NULL, NULL);
	if (call.recording && !call.tracking)
		persistent_forget(*handle);
	LIBRARY_CALL(Request_free, handle);
	request = scratch_of(&call)->taken.items[0];
	if (request && result == MPI_SUCCESS) {
		add_without_status(&call, request);
		request_free(request);
	} else {
		put_back_requests(&call, 1);
	}
	return call_end(&call, result);
}
