#include "inject/due.h"

#include "common/min_heap.h"
#include "inject/active.h"
#include "inject/fail.h"
#include "inject/lock.h"

#include <stdatomic.h>

static struct min_heap waiting;
static atomic_size_t waiting_count;

void due_at(struct operation *operation, int64_t moment_ns)
{
	struct error err;

	lock();
	if (min_heap_push(&waiting, (uint64_t)moment_ns, operation->number, &err) < 0)
		fail("%s", err.text);
	waiting_count++;
	unlock();
}

/* Take the first operation whose time has come; NULL if there is none. */
static struct operation *due_take(int64_t now)
{
	struct operation *operation = NULL;

	lock();
	if (waiting.entries.count && waiting.entries.items[0].key <= (uint64_t)now) {
		operation = operation_by_number(min_heap_pop(&waiting));
		waiting_count--;
	}
	unlock();
	return operation;
}

unsigned ucp_worker_progress(ucp_worker_h worker)
{
	unsigned count = ucx.worker_progress(worker) + active_progress();
	struct operation *operation;
	int64_t now;

	if (!waiting_count)
		return count;
	now = now_ns();
	for (; (operation = due_take(now)); count++)
		operation_deliver(operation);
	return count;
}
