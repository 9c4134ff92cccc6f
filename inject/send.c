/* Sends: a stamp in front of each message; the acknowledgement of synchronous ones is delayed. */
#include "inject/due.h"
#include "inject/layout.h"

/* Hints of MPI that hold for the message with its stamp, too. */
#define KEPT_HINTS (UCP_OP_ATTR_FLAG_NO_IMM_CMPL | UCP_OP_ATTR_FLAG_FAST_CMPL | \
		    UCP_OP_ATTR_FLAG_MULTI_SEND)

/*
 * The receiver acknowledges a synchronous message when it has arrived there and its receive is
 * posted.  Here it arrives only when it is due.  Its acknowledgement takes the latency as well.
 */
static int64_t acknowledged_ns(const struct operation *operation)
{
	const int64_t arrival = delay_due_ns(&delay, operation->stamp.sent_ns, operation->bytes),
		      now = now_ns();

	return (arrival > now ? arrival : now) + delay.latency_ns;
}

static void send_completed(void *request, ucs_status_t status, void *data)
{
	struct operation *operation = data;

	(void)request;
	operation->status = status;
	if (operation->kind == SYNC_SEND && status == UCS_OK)
		due_at(operation, acknowledged_ns(operation));
	else
		operation_deliver(operation);
}

static ucs_status_ptr_t send_post(enum operation_kind kind, ucp_ep_h ep, const void *buffer,
				  size_t count, ucp_tag_t tag, const ucp_request_param_t *param)
{
	struct operation *operation = operation_new(kind, param);
	const struct wire wire = layout_wire(operation, buffer, count);
	ucp_request_param_t own = {
		.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA |
				UCP_OP_ATTR_FIELD_DATATYPE | (param->op_attr_mask & KEPT_HINTS),
		.cb.send = send_completed,
		.user_data = operation,
		.datatype = wire.type,
	};

	operation->stamp = stamp_now();
	if (kind == SEND)
		return operation_posted(operation, ucx.tag_send_nbx(ep, wire.buffer, wire.count,
								    tag, &own));
	own.op_attr_mask |= UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
	return operation_posted(operation, ucx.tag_send_sync_nbx(ep, wire.buffer, wire.count, tag,
								 &own));
}

ucs_status_ptr_t ucp_tag_send_nbx(ucp_ep_h ep, const void *buffer, size_t count, ucp_tag_t tag,
				  const ucp_request_param_t *param)
{
	return send_post(SEND, ep, buffer, count, tag, param);
}

ucs_status_ptr_t ucp_tag_send_sync_nbx(ucp_ep_h ep, const void *buffer, size_t count, ucp_tag_t tag,
				       const ucp_request_param_t *param)
{
	return send_post(SYNC_SEND, ep, buffer, count, tag, param);
}

/* ------------------------------------------------------------ older functions */

/* These callbacks get no user data, which does no harm to them. */
static ucp_request_param_t send_older(ucp_datatype_t type, ucp_send_callback_t callback)
{
	return (ucp_request_param_t){
		.op_attr_mask = UCP_OP_ATTR_FIELD_DATATYPE | UCP_OP_ATTR_FIELD_CALLBACK,
		.cb.send = (ucp_send_nbx_callback_t)(void (*)(void))callback,
		.datatype = type,
	};
}

ucs_status_ptr_t ucp_tag_send_nb(ucp_ep_h ep, const void *buffer, size_t count, ucp_datatype_t type,
				 ucp_tag_t tag, ucp_send_callback_t callback)
{
	const ucp_request_param_t param = send_older(type, callback);

	return send_post(SEND, ep, buffer, count, tag, &param);
}

ucs_status_ptr_t ucp_tag_send_sync_nb(ucp_ep_h ep, const void *buffer, size_t count,
				      ucp_datatype_t type, ucp_tag_t tag,
				      ucp_send_callback_t callback)
{
	const ucp_request_param_t param = send_older(type, callback);

	return send_post(SYNC_SEND, ep, buffer, count, tag, &param);
}

ucs_status_t ucp_tag_send_nbr(ucp_ep_h ep, const void *buffer, size_t count, ucp_datatype_t type,
			      ucp_tag_t tag, void *request)
{
	const ucp_request_param_t param = {
		.op_attr_mask = UCP_OP_ATTR_FIELD_DATATYPE | UCP_OP_ATTR_FIELD_REQUEST,
		.datatype = type,
		.request = request,
	};
	ucs_status_ptr_t result = send_post(SEND, ep, buffer, count, tag, &param);

	return UCS_PTR_IS_PTR(result) ? UCS_INPROGRESS : UCS_PTR_STATUS(result);
}
