#include "inject/operation.h"

#include "common/array.h"
#include "inject/fail.h"
#include "inject/lock.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* MPI's part of a request begins at a multiple of this. */
enum { REQUEST_ALIGNMENT = 64 };

/* Tells our requests from UCX's. */
#define HANDLE_MARK UINT64_C(0x9d2c5680f3a1b74e)

/* In the senders of all stamps. */
#define STAMP_MARK UINT64_C(0x6c6c000000000000)
#define STAMP_MARK_MASK UINT64_C(0xffff000000000000)

struct delay delay;

static struct {
	ARRAY(struct operation *) all;
	struct operation *free;
} table;

static size_t own_bytes(void)
{
	const size_t bytes = sizeof(struct operation) + sizeof(struct handle);

	return (bytes + REQUEST_ALIGNMENT - 1) / REQUEST_ALIGNMENT * REQUEST_ALIGNMENT;
}

static uint64_t own_sender(void)
{
	static uint64_t sender;

	while (!sender)
		if (getrandom(&sender, sizeof sender, 0) != sizeof sender)
			sender = 0;
		else
			sender = (sender & ~STAMP_MARK_MASK) | STAMP_MARK;
	return sender;
}

struct stamp stamp_now(void)
{
	return (struct stamp){now_ns(), own_sender()};
}

size_t stamped_bytes(const struct stamp *stamp, size_t bytes_with_stamp)
{
	if (bytes_with_stamp < sizeof *stamp || (stamp->sender & STAMP_MARK_MASK) != STAMP_MARK)
		fail("a message came from a process that llamp-inject has not started");
	return bytes_with_stamp - sizeof *stamp;
}

int64_t stamped_due_ns(const struct stamp *stamp, size_t bytes)
{
	return stamp->sender == own_sender() ? stamp->sent_ns
					     : delay_due_ns(&delay, stamp->sent_ns, bytes);
}

static struct operation *create(void)
{
	const size_t bytes = own_bytes() + (ucx.request_size + REQUEST_ALIGNMENT - 1) /
			     REQUEST_ALIGNMENT * REQUEST_ALIGNMENT;
	struct operation *operation = aligned_alloc(REQUEST_ALIGNMENT, bytes);
	struct error err;

	if (!operation)
		fail("out of memory");
	memset(operation, 0, bytes);
	operation->number = (uint32_t)table.all.count;
	if (array_push(&table.all, operation, &err) < 0)
		fail("%s", err.text);
	if (ucx.request_init)
		ucx.request_init((char *)operation + own_bytes());
	return operation;
}

static struct operation *operation_take(void)
{
	struct operation *operation;

	lock();
	operation = table.free;
	if (operation)
		table.free = operation->next_free;
	else
		operation = create();
	unlock();
	return operation;
}

static void set_handle(struct operation *operation, void *request)
{
	operation->handle = (struct handle *)request - 1;
	operation->handle->operation = operation;
	operation->handle->status = UCS_INPROGRESS;
	operation->handle->mark = (uintptr_t)request ^ HANDLE_MARK;
}

struct operation *operation_new(enum operation_kind kind, const ucp_request_param_t *param)
{
	const bool callers = param->op_attr_mask & UCP_OP_ATTR_FIELD_REQUEST;
	struct operation *operation = operation_take();

	operation->kind = kind;
	operation->holders = HOLD_POSTING | HOLD_WIRE | (callers ? 0 : HOLD_MPI);
	operation->silent = false;
	operation->real = NULL;
	operation->param = *param;
	operation->status = UCS_INPROGRESS;
	memset(&operation->info, 0, sizeof operation->info);
	set_handle(operation, callers ? param->request : (char *)operation + own_bytes());
	return operation;
}

void *operation_request(struct operation *operation)
{
	return operation->handle + 1;
}

struct handle *request_handle(void *request)
{
	struct handle *handle = (struct handle *)request - 1;

	return handle->mark == ((uintptr_t)request ^ HANDLE_MARK) ? handle : NULL;
}

struct operation *operation_by_number(uint32_t number)
{
	return table.all.items[number];
}

void operation_drop(struct operation *operation, enum holder holder)
{
	bool last;

	lock();
	last = operation->holders == (unsigned)holder;
	operation->holders &= ~(unsigned)holder;
	unlock();
	if (!last)
		return;
	if (operation->real)
		ucx.request_free(operation->real);
	lock();
	operation->next_free = table.free;
	table.free = operation;
	unlock();
}

ucs_status_ptr_t operation_posted(struct operation *operation, ucs_status_ptr_t result)
{
	void *request = operation->handle + 1;

	if (UCS_PTR_IS_PTR(result))
		operation->real = result;
	else {
		operation->handle->mark = 0;
		operation_drop(operation, HOLD_MPI | HOLD_WIRE);
		operation_drop(operation, HOLD_POSTING);
		return result;
	}
	operation_drop(operation, HOLD_POSTING);
	return request;
}

void operation_deliver(struct operation *operation)
{
	const ucp_request_param_t *param = &operation->param;
	void *request = operation->handle + 1,
	     *data = param->op_attr_mask & UCP_OP_ATTR_FIELD_USER_DATA ? param->user_data : NULL;
	struct handle *handle = operation->handle;

	handle->info = operation->info;
	/* A caller that polls this may use the handle's memory for something else from here on. */
	__atomic_store_n(&handle->status, operation->status, __ATOMIC_RELEASE);
	if (!operation->silent && param->op_attr_mask & UCP_OP_ATTR_FIELD_CALLBACK) {
		if (operation->kind == RECEIVE)
			param->cb.recv(request, operation->status, &operation->info, data);
		else
			param->cb.send(request, operation->status, data);
	}
	operation_drop(operation, HOLD_WIRE);
}
