/*
 * Active messages, of which MPICH makes one-sided and partitioned communication.
 *
 * The stamp is the header of a message.  The receiver keeps the message until it is due, and then
 * calls MPI's function for it.  MPI relies on the order of messages, so that none is handed over
 * before an older one, even if that is due later.
 */
#include "inject/active.h"

#include "inject/fail.h"
#include "inject/layout.h"
#include "inject/lock.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* MPI's function for one number of messages of a worker; never freed. */
struct active_handler {
	ucp_am_callback_t function;
	void *argument;
};

struct active {
	struct active *next;
	const struct active_handler *handler;
	int64_t due_ns;
	size_t bytes;
	max_align_t data[];
};

static struct active *first, **end = &first;
static atomic_size_t waiting_count;

/* ------------------------------------------------------------------- sending */

static void active_sent(void *request, ucs_status_t status, void *data)
{
	struct operation *operation = data;

	(void)request;
	operation->status = status;
	operation_deliver(operation);
}

ucs_status_ptr_t ucp_am_send_nb(ucp_ep_h ep, uint16_t number, const void *buffer, size_t count,
				ucp_datatype_t type, ucp_send_callback_t callback, unsigned flags)
{
	const ucp_request_param_t param = {
		.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK,
		.cb.send = (ucp_send_nbx_callback_t)(void (*)(void))callback,
	};
	struct operation *operation = operation_new(SEND, &param);
	const ucp_request_param_t own = {
		.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA |
				UCP_OP_ATTR_FIELD_DATATYPE | UCP_OP_ATTR_FIELD_FLAGS,
		.flags = flags | UCP_AM_SEND_FLAG_EAGER,
		.cb.send = active_sent,
		.user_data = operation,
		.datatype = type,
	};

	operation->stamp = stamp_now();
	return operation_posted(operation, ucx.am_send_nbx(ep, number, &operation->stamp,
							   sizeof operation->stamp, buffer, count,
							   &own));
}

/* ------------------------------------------------------------------ receiving */

static ucs_status_t active_arrived(void *argument, const void *header, size_t header_bytes,
				   void *data, size_t bytes, const ucp_am_recv_param_t *param)
{
	struct active *message = malloc(sizeof *message + bytes);
	struct stamp stamp = {0};

	if (!message)
		fail("out of memory: %zu bytes are needed", bytes);
	if (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV)
		fail("an active message comes in several steps, which is not delayed");
	if (header_bytes == sizeof stamp)
		memcpy(&stamp, header, sizeof stamp);
	stamped_bytes(&stamp, header_bytes);
	*message = (struct active){.handler = argument, .bytes = bytes,
				   .due_ns = stamped_due_ns(&stamp, bytes)};
	memcpy(message->data, data, bytes);
	lock();
	*end = message;
	end = &message->next;
	waiting_count++;
	unlock();
	return UCS_OK;
}

ucs_status_t ucp_worker_set_am_handler(ucp_worker_h worker, uint16_t number,
				       ucp_am_callback_t function, void *argument, uint32_t flags)
{
	struct active_handler *handler = malloc(sizeof *handler);
	const ucp_am_handler_param_t param = {
		.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
			      UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG,
		.id = number,
		.flags = flags | UCP_AM_FLAG_WHOLE_MSG,
		.cb = active_arrived,
		.arg = handler,
	};

	if (!handler)
		return UCS_ERR_NO_MEMORY;
	*handler = (struct active_handler){function, argument};
	return ucx.worker_set_am_recv_handler(worker, &param);
}

/* Take the oldest message if it is due. */
static struct active *active_take(int64_t now)
{
	struct active *message;

	lock();
	message = first && first->due_ns <= now ? first : NULL;
	if (message) {
		first = message->next;
		end = first ? end : &first;
		waiting_count--;
	}
	unlock();
	return message;
}

unsigned active_progress(void)
{
	struct active *message;
	unsigned count = 0;
	int64_t now;

	if (!waiting_count)
		return 0;
	now = now_ns();
	for (; (message = active_take(now)); count++) {
		message->handler->function(message->handler->argument, message->data,
					   message->bytes, NULL, 0);
		free(message);
	}
	return count;
}

/* --------------------------------------------------------------- remote memory */

/*
 * Nobody's memory can be reached: MPICH then uses active messages instead of writing and reading
 * directly, whose end nobody could delay.
 */
ucs_status_t ucp_ep_rkey_unpack(ucp_ep_h ep, const void *buffer, ucp_rkey_h *key)
{
	(void)ep;
	(void)buffer;
	(void)key;
	return UCS_ERR_UNREACHABLE;
}
