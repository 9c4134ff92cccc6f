#include "inject/arrived.h"

#include "inject/due.h"
#include "inject/fail.h"
#include "inject/layout.h"
#include "inject/lock.h"

#include <stdlib.h>

struct arrived {
	struct arrived *next;
	ucp_tag_t tag;
	size_t bytes;			/* without the stamp */
	bool complete;			/* all of it is here */
	bool seen;			/* MPI has probed it */
	struct operation *receive;	/* waits for it to be complete, or NULL */
	void *buffer;			/* of that receive */
	size_t count;
	struct stamp stamp;		/* and the data behind it */
};

/* Oldest first. */
static struct arrived *first, **end = &first;

/* ------------------------------------------------------------------ arriving */

static void arrived_deliver(struct arrived *message)
{
	struct operation *operation = message->receive;

	operation->status = layout_copy(layout_type(&operation->param), message->buffer,
					message->count, &message->stamp + 1, message->bytes);
	due_at(operation, stamped_due_ns(&message->stamp, message->bytes));
	free(message);
}

static void arrived_received(void *request, ucs_status_t status, const ucp_tag_recv_info_t *info,
			     void *data)
{
	struct arrived *message = data;
	bool wanted;

	if (status != UCS_OK)
		fail("a message that has been probed does not arrive");
	stamped_bytes(&message->stamp, info->length);
	lock();
	message->complete = true;
	wanted = message->receive;
	unlock();
	if (wanted)
		arrived_deliver(message);
	ucx.request_free(request);
}

void arrived_collect(ucp_worker_h worker, ucp_tag_t tag, ucp_tag_t mask)
{
	ucp_tag_recv_info_t info;
	ucp_tag_message_h handle;

	while ((handle = ucx.tag_probe_nb(worker, tag, mask, 1, &info))) {
		const size_t room = info.length > sizeof(struct stamp) ? info.length
								       : sizeof(struct stamp);
		struct arrived *message = malloc(sizeof *message - sizeof(struct stamp) + room);
		const ucp_request_param_t param = {
			.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA |
					UCP_OP_ATTR_FLAG_NO_IMM_CMPL,
			.cb.recv = arrived_received,
			.user_data = message,
		};

		if (!message)
			fail("out of memory: %zu bytes are needed", room);
		*message = (struct arrived){.tag = info.sender_tag,
					    .bytes = room - sizeof(struct stamp)};
		*end = message;
		end = &message->next;
		if (UCS_PTR_IS_ERR(ucx.tag_msg_recv_nbx(worker, &message->stamp, info.length,
							handle, &param)))
			fail("a message that has been probed cannot be received");
	}
}

/* ------------------------------------------------------------------- finding */

static bool fits(const struct arrived *message, ucp_tag_t tag, ucp_tag_t mask)
{
	return (message->tag & mask) == (tag & mask);
}

static bool is_due(const struct arrived *message, int64_t now)
{
	bool complete;

	lock();
	complete = message->complete;
	unlock();
	return complete && stamped_due_ns(&message->stamp, message->bytes) <= now;
}

/* Whether an older message that fits comes from the same process, and so goes first. */
static bool is_preceded(const struct arrived *message, ucp_tag_t tag, ucp_tag_t mask)
{
	for (const struct arrived *older = first; older != message; older = older->next)
		if (fits(older, tag, mask) &&
		    (!older->complete || older->stamp.sender == message->stamp.sender))
			return true;
	return false;
}

static struct arrived *find_seen(ucp_tag_t tag, ucp_tag_t mask)
{
	for (struct arrived *message = first; message; message = message->next)
		if (message->seen && fits(message, tag, mask) &&
		    !is_preceded(message, tag, mask))
			return message;
	return NULL;
}

static struct arrived *find_due(ucp_tag_t tag, ucp_tag_t mask)
{
	const int64_t now = first ? now_ns() : 0;

	for (struct arrived *message = first; message; message = message->next)
		if (fits(message, tag, mask) && is_due(message, now) &&
		    !is_preceded(message, tag, mask))
			return message;
	return NULL;
}

struct arrived *arrived_probe(ucp_tag_t tag, ucp_tag_t mask)
{
	struct arrived *message = find_seen(tag, mask);

	if (!message)
		message = find_due(tag, mask);
	if (message)
		message->seen = true;
	return message;
}

struct arrived *arrived_find(ucp_tag_t tag, ucp_tag_t mask)
{
	struct arrived *message = find_seen(tag, mask);

	if (!message)
		message = find_due(tag, mask);
	if (!message)
		for (message = first; message && !fits(message, tag, mask); message = message->next)
			;
	return message;
}

void arrived_info(const struct arrived *message, ucp_tag_recv_info_t *info)
{
	*info = (ucp_tag_recv_info_t){.sender_tag = message->tag, .length = message->bytes};
}

/* ------------------------------------------------------------------ receiving */

void arrived_take(struct arrived *message)
{
	struct arrived **place = &first;

	while (*place != message)
		place = &(*place)->next;
	*place = message->next;
	if (end == &message->next)
		end = place;
}

void arrived_receive(struct arrived *message, struct operation *operation, void *buffer,
		     size_t count)
{
	bool complete;

	arrived_info(message, &operation->info);
	message->buffer = buffer;
	message->count = count;
	lock();
	message->receive = operation;
	complete = message->complete;
	unlock();
	if (complete)
		arrived_deliver(message);
}
