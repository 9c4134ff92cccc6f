/* Requests: MPI sees that an operation is complete when it has been delivered. */
#include "inject/operation.h"

static ucs_status_t handle_status(const struct handle *handle)
{
	return __atomic_load_n(&handle->status, __ATOMIC_ACQUIRE);
}

ucs_status_t ucp_request_check_status(void *request)
{
	const struct handle *handle = request_handle(request);

	return handle ? handle_status(handle) : ucx.request_check_status(request);
}

int ucp_request_is_completed(void *request)
{
	return ucp_request_check_status(request) != UCS_INPROGRESS;
}

ucs_status_t ucp_request_test(void *request, ucp_tag_recv_info_t *info)
{
	const struct handle *handle = request_handle(request);
	ucs_status_t status;

	if (!handle)
		return ucx.request_test(request, info);
	status = handle_status(handle);
	if (status != UCS_INPROGRESS)
		*info = handle->info;
	return status;
}

ucs_status_t ucp_tag_recv_request_test(void *request, ucp_tag_recv_info_t *info)
{
	return ucp_request_test(request, info);
}

void ucp_request_free(void *request)
{
	struct handle *handle = request_handle(request);

	if (!handle) {
		ucx.request_free(request);
		return;
	}
	handle->operation->silent = true;
	operation_drop(handle->operation, HOLD_MPI);
}

void ucp_request_release(void *request)
{
	struct handle *handle = request_handle(request);

	if (handle)
		operation_drop(handle->operation, HOLD_MPI);
	else
		ucx.request_release(request);
}

/*
 * A receive that waits for its time is not cancelled: its message has been matched, and nobody else
 * could get it.  MPI lets a cancelled receive complete.
 */
void ucp_request_cancel(ucp_worker_h worker, void *request)
{
	struct handle *handle = request_handle(request);

	if (!handle)
		ucx.request_cancel(worker, request);
	else if (handle_status(handle) == UCS_INPROGRESS && handle->operation->real)
		ucx.request_cancel(worker, handle->operation->real);
}
