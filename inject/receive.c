/* Receives: a message is delivered when its time has come. */
#include "inject/arrived.h"
#include "inject/due.h"
#include "inject/layout.h"
#include "inject/lock.h"

static void received(void *request, ucs_status_t status, const ucp_tag_recv_info_t *info,
		     void *data)
{
	struct operation *operation = data;
	int64_t moment = now_ns();

	(void)request;
	operation->status = status;
	operation->info = *info;
	if (status == UCS_OK) {
		operation->info.length = stamped_bytes(&operation->stamp, info->length);
		moment = stamped_due_ns(&operation->stamp, operation->info.length);
	} else if (status == UCS_ERR_MESSAGE_TRUNCATED && info->length >= sizeof operation->stamp) {
		/* UCX does not write any of it: the moment of sending is unknown. */
		operation->info.length -= sizeof operation->stamp;
		moment = delay_due_ns(&delay, moment, operation->info.length);
	}
	due_at(operation, moment);
}

static ucs_status_ptr_t receive_arrived(struct arrived *message, void *buffer, size_t count,
					const ucp_request_param_t *param)
{
	struct operation *operation = operation_new(RECEIVE, param);
	void *request = operation_request(operation);

	arrived_receive(message, operation, buffer, count);
	operation_drop(operation, HOLD_POSTING);
	return request;
}

static ucs_status_ptr_t receive_post(ucp_worker_h worker, void *buffer, size_t count, ucp_tag_t tag,
				     ucp_tag_t mask, const ucp_request_param_t *param)
{
	struct operation *operation = operation_new(RECEIVE, param);
	const struct wire wire = layout_wire(operation, buffer, count);
	const ucp_request_param_t own = {
		.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA |
				UCP_OP_ATTR_FIELD_DATATYPE | UCP_OP_ATTR_FLAG_NO_IMM_CMPL,
		.cb.recv = received,
		.user_data = operation,
		.datatype = wire.type,
	};

	operation->stamp = (struct stamp){0};
	return operation_posted(operation, ucx.tag_recv_nbx(worker, (void *)(uintptr_t)wire.buffer,
							    wire.count, tag, mask, &own));
}

ucs_status_ptr_t ucp_tag_recv_nbx(ucp_worker_h worker, void *buffer, size_t count, ucp_tag_t tag,
				  ucp_tag_t mask, const ucp_request_param_t *param)
{
	struct arrived *message;
	ucs_status_ptr_t result;

	matching_lock();
	message = arrived_find(tag, mask);
	if (message) {
		arrived_take(message);
		result = receive_arrived(message, buffer, count, param);
	} else {
		result = receive_post(worker, buffer, count, tag, mask, param);
	}
	matching_unlock();
	return result;
}

ucs_status_ptr_t ucp_tag_msg_recv_nbx(ucp_worker_h worker, void *buffer, size_t count,
				      ucp_tag_message_h message, const ucp_request_param_t *param)
{
	ucs_status_ptr_t result;

	(void)worker;
	matching_lock();
	result = receive_arrived((struct arrived *)message, buffer, count, param);
	matching_unlock();
	return result;
}

ucp_tag_message_h ucp_tag_probe_nb(ucp_worker_h worker, ucp_tag_t tag, ucp_tag_t mask, int take,
				   ucp_tag_recv_info_t *info)
{
	struct arrived *message;

	matching_lock();
	arrived_collect(worker, tag, mask);
	message = arrived_probe(tag, mask);
	if (message)
		arrived_info(message, info);
	if (message && take)
		arrived_take(message);
	matching_unlock();
	return (ucp_tag_message_h)message;
}

/* ------------------------------------------------------------ older functions */

/* These callbacks get no user data, which does no harm to them. */
static ucp_request_param_t receive_older(ucp_datatype_t type, ucp_tag_recv_callback_t callback)
{
	return (ucp_request_param_t){
		.op_attr_mask = UCP_OP_ATTR_FIELD_DATATYPE | UCP_OP_ATTR_FIELD_CALLBACK,
		.cb.recv = (ucp_tag_recv_nbx_callback_t)(void (*)(void))callback,
		.datatype = type,
	};
}

ucs_status_ptr_t ucp_tag_recv_nb(ucp_worker_h worker, void *buffer, size_t count,
				 ucp_datatype_t type, ucp_tag_t tag, ucp_tag_t mask,
				 ucp_tag_recv_callback_t callback)
{
	const ucp_request_param_t param = receive_older(type, callback);

	return ucp_tag_recv_nbx(worker, buffer, count, tag, mask, &param);
}

ucs_status_ptr_t ucp_tag_msg_recv_nb(ucp_worker_h worker, void *buffer, size_t count,
				     ucp_datatype_t type, ucp_tag_message_h message,
				     ucp_tag_recv_callback_t callback)
{
	const ucp_request_param_t param = receive_older(type, callback);

	return ucp_tag_msg_recv_nbx(worker, buffer, count, message, &param);
}

ucs_status_t ucp_tag_recv_nbr(ucp_worker_h worker, void *buffer, size_t count, ucp_datatype_t type,
			      ucp_tag_t tag, ucp_tag_t mask, void *request)
{
	const ucp_request_param_t param = {
		.op_attr_mask = UCP_OP_ATTR_FIELD_DATATYPE | UCP_OP_ATTR_FIELD_REQUEST,
		.datatype = type,
		.request = request,
	};

	return UCS_PTR_IS_ERR(ucp_tag_recv_nbx(worker, buffer, count, tag, mask, &param))
		       ? UCS_ERR_NO_RESOURCE
		       : UCS_OK;
}
