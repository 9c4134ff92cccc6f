/* One-sided communication as its origin sees it: operations under way, and what completes them. */
#include "schedgen/convert/rma.h"

#include <stdlib.h>
#include <string.h>

#define NONE NUMBER_MAP_EMPTY

int rma_origin_init(struct rma_origin *origin, const struct trace_world *world,
		    const struct rma_plan *plan, struct error *err)
{
	*origin = (struct rma_origin){.world = world, .plan = plan, .free_pending = NONE};
	return allocate(&origin->views, (size_t)world->window_count + 1, sizeof *origin->views,
			err);
}

void rma_origin_release(struct rma_origin *origin)
{
	free(origin->views);
	number_map_release(&origin->locked);
	number_map_release(&origin->accessed);
	number_map_release(&origin->starts);
	number_map_release(&origin->first_ops);
	number_map_release(&origin->first_acks);
	array_release(&origin->pending);
	array_release(&origin->grants);
	*origin = (struct rma_origin){0};
}

void rma_origin_begin(struct rma_origin *origin, uint32_t rank)
{
	origin->rank = rank;
	memset(origin->views, 0, origin->world->window_count * sizeof *origin->views);
	number_map_clear(&origin->locked);
	number_map_clear(&origin->accessed);
	number_map_clear(&origin->starts);
	number_map_clear(&origin->first_ops);
	number_map_clear(&origin->first_acks);
	origin->pending.count = origin->grants.count = 0;
	origin->free_pending = NONE;
}

/* Find the world rank of the target; STATUS_DATA if it is not in the window. */
static int world_target(const struct rma_origin *origin, const struct mpi_event *event,
			uint32_t *target, struct error *err)
{
	const struct trace_comm *comm = &origin->world->comms[event->comm];

	if (event->peer >= comm->size)
		return error_set(err, STATUS_DATA, "rank %u is not among the %u of window %u",
				 event->peer, comm->size, event->window);
	*target = comm->self ? origin->rank : comm->ranks[event->peer];
	return 0;
}

/* -------------------------------------------------- operations under way */

/* Add an operation or a target to those of the event's request. */
static int add_pending(struct rma_origin *origin, struct number_map *firsts,
		       const struct mpi_event *event, uint32_t op, uint32_t target,
		       struct error *err)
{
	const struct rma_pending new = {
		.op = op, .target = target,
		.next = number_map_remove(firsts, event->request, event->window)
	};
	uint32_t place = origin->free_pending;

	if (place != NONE) {
		origin->free_pending = origin->pending.items[place].next;
		origin->pending.items[place] = new;
	} else {
		place = (uint32_t)origin->pending.count;
		TRY(array_push(&origin->pending, new, err));
	}
	return number_map_add(firsts, event->request, event->window, place, err);
}

/* Ask the target to acknowledge before the request is complete there. */
static int need_ack(struct rma_origin *origin, const struct mpi_event *event, uint32_t target,
		    struct error *err)
{
	uint32_t i = number_map_get(&origin->first_acks, event->request, event->window);

	for (; i != NONE; i = origin->pending.items[i].next)
		if (origin->pending.items[i].target == target)
			return 0;
	return add_pending(origin, &origin->first_acks, event, NONE, target, err);
}

/* Wait for operations.  Those of calls outside the slice are NONE: nothing waits for them. */
static int wait_all(struct rma_origin *origin, uint32_t first, const struct rma_sink *sink,
		    struct error *err)
{
	while (first != NONE) {
		struct rma_pending *pending = &origin->pending.items[first];
		const uint32_t next = pending->next;

		if (pending->op != NONE)
			TRY(sink->wait(sink->data, pending->op, err));
		pending->next = origin->free_pending;
		origin->free_pending = first;
		first = next;
	}
	return 0;
}

/* Complete a request here, and at its targets by their acknowledgements: all asked for first. */
static int rma_origin_complete(struct rma_origin *origin, const struct mpi_event *event,
			       const struct rma_sink *sink, struct error *err)
{
	const struct rma_entry ack = {.window = event->window, .origin = origin->rank,
				      .what = RMA_ACK, .epoch = RMA_PASSIVE, .repeat = 1};
	uint32_t next, asked = NONE;

	TRY(wait_all(origin, number_map_remove(&origin->first_ops, event->request, event->window),
		     sink, err));
	if (event->kind == EVENT_RMA_COMPLETE)
		return 0;
	next = number_map_remove(&origin->first_acks, event->request, event->window);
	while (next != NONE) {
		const uint32_t place = next;
		struct rma_pending *pending = &origin->pending.items[place];

		if (!origin->outside)
			TRY(sink->begin(sink->data, pending->target, &ack, &pending->op, err));
		next = pending->next;
		pending->next = asked;
		asked = place;
	}
	return wait_all(origin, asked, sink, err);
}

/* ------------------------------------------------------------------ locks */

static struct rma_entry lock_entry(const struct rma_origin *origin, uint32_t window)
{
	return (struct rma_entry){.window = window, .origin = origin->rank, .what = RMA_LOCK,
				  .epoch = RMA_PASSIVE, .repeat = 1};
}

static int lock(struct rma_origin *origin, const struct mpi_event *event,
		const struct rma_sink *sink, struct error *err)
{
	const struct rma_entry entry = lock_entry(origin, event->window);
	uint32_t target = 0, op;

	TRY(world_target(origin, event, &target, err));
	number_map_remove(&origin->locked, target, event->window);
	TRY(number_map_add(&origin->locked, target, event->window, 1, err));
	if (target == origin->rank || origin->outside)
		return 0;
	TRY(sink->begin(sink->data, target, &entry, &op, err));
	return sink->wait(sink->data, op, err);
}

/* Lock the targets that the first pass has seen: all requests, then all grants. */
static int lock_all(struct rma_origin *origin, uint32_t window, const struct rma_sink *sink,
		    struct error *err)
{
	const struct rma_entry entry = lock_entry(origin, window);
	struct rma_view *view = &origin->views[window];
	const struct rma_access *accesses;
	size_t count;

	view->lock_all = true;
	view->lock_all_outside = origin->outside;
	view->lock_alls++;
	if (!origin->plan || origin->outside)
		return 0;
	accesses = rma_plan_accesses(origin->plan, origin->rank, window, view->lock_alls, &count);
	for (size_t i = 0; i < count; i++) {
		uint32_t op;

		TRY(sink->begin(sink->data, accesses[i].target, &entry, &op, err));
		TRY(array_push(&origin->grants, op, err));
	}
	while (origin->grants.count)
		TRY(sink->wait(sink->data, origin->grants.items[--origin->grants.count], err));
	return 0;
}

/* First pass: let the target grant the lock of all before the first operation under it. */
static int access_target(struct rma_origin *origin, uint32_t window, uint32_t target,
			 const struct rma_sink *sink, struct error *err)
{
	const struct rma_access access = {.window = window, .target = target,
					  .number = origin->views[window].lock_alls};
	const struct rma_entry entry = lock_entry(origin, window);
	uint32_t op;

	if (origin->views[window].lock_all_outside ||
	    number_map_get(&origin->accessed, target, window) == access.number)
		return 0;
	number_map_remove(&origin->accessed, target, window);
	TRY(number_map_add(&origin->accessed, target, window, access.number, err));
	TRY(sink->access(sink->data, origin->rank, &access, err));
	return sink->begin(sink->data, target, &entry, &op, err);
}

/* --------------------------------------------------------------- operations */

static bool has(const uint32_t *ranks, uint32_t count, uint32_t rank)
{
	for (uint32_t i = 0; i < count; i++)
		if (ranks[i] == rank)
			return true;
	return false;
}

/* Set the epoch of an operation to the target. */
static void set_epoch(const struct rma_origin *origin, uint32_t target, struct rma_entry *entry)
{
	const struct rma_view *view = &origin->views[entry->window];

	entry->epoch = RMA_PASSIVE;
	if (view->lock_all ||
	    number_map_get(&origin->locked, target, entry->window) != NUMBER_MAP_EMPTY)
		return;
	if (view->access && has(view->access, view->access_size, target)) {
		entry->epoch = RMA_EXPOSURE;
		entry->index = number_map_get(&origin->starts, target, entry->window);
	} else if (view->fences) {
		entry->epoch = RMA_FENCE;
		entry->index = view->fences;
	}
}

/* Follow a put, get or the like.  An operation to this rank itself moves nothing. */
static int operate(struct rma_origin *origin, const struct mpi_event *event,
		   const struct rma_sink *sink, struct error *err)
{
	struct rma_entry entry = {
		.window = event->window, .origin = origin->rank, .repeat = 1,
		.sent = event->kind == EVENT_RMA_GET ? 0 : event->bytes_sent,
		.received = event->kind == EVENT_RMA_PUT ? 0 : event->bytes_received,
	};
	uint32_t target = 0, op = NONE;

	TRY(world_target(origin, event, &target, err));
	if (target == origin->rank)
		return 0;
	entry.what = event->kind == EVENT_RMA_GET ||
				     (event->kind == EVENT_RMA_ATOMIC &&
				      event->atomic != RMA_ACCUMULATE)
			     ? RMA_REPLY : RMA_DATA;
	entry.combines = event->kind == EVENT_RMA_ATOMIC &&
			 event->atomic != RMA_COMPARE_AND_SWAP &&
			 !(event->operation && (!strcmp(event->operation, "MPI_REPLACE") ||
						!strcmp(event->operation, "MPI_NO_OP")));
	set_epoch(origin, target, &entry);
	if (origin->views[event->window].lock_all && !origin->plan)
		TRY(access_target(origin, event->window, target, sink, err));
	if (!origin->outside)
		TRY(sink->begin(sink->data, target, &entry, &op, err));
	TRY(add_pending(origin, &origin->first_ops, event, op, target, err));
	return entry.what == RMA_DATA && entry.epoch == RMA_PASSIVE
		       ? need_ack(origin, event, target, err) : 0;
}

/* ------------------------------------------------------------------ events */

static int start_access(struct rma_origin *origin, const struct mpi_event *event, struct error *err)
{
	struct rma_view *view = &origin->views[event->window];

	view->access = event->group_ranks;
	view->access_size = event->group_size;
	for (uint32_t i = 0; i < event->group_size; i++) {
		uint32_t count;

		TRY(number_map_increment(&origin->starts, event->group_ranks[i], event->window,
					 &count, err));
	}
	return 0;
}

int rma_origin_event(struct rma_origin *origin, const char *function,
		     const struct mpi_event *event, const struct rma_sink *sink, struct error *err)
{
	struct rma_view *view;
	uint32_t target = 0;

	if (event->window >= origin->world->window_count || event->comm == NO_COMM)
		return error_set(err, STATUS_DATA, "window %u is not defined", event->window);
	view = &origin->views[event->window];
	switch (event->kind) {
	case EVENT_RMA_LOCK:
		return event->peer == RMA_ALL ? lock_all(origin, event->window, sink, err)
					      : lock(origin, event, sink, err);
	case EVENT_RMA_UNLOCK:
		if (event->peer == RMA_ALL) {
			view->lock_all = false;
			return 0;
		}
		TRY(world_target(origin, event, &target, err));
		number_map_remove(&origin->locked, target, event->window);
		return 0;
	case EVENT_RMA_PUT:
	case EVENT_RMA_GET:
	case EVENT_RMA_ATOMIC:
		return operate(origin, event, sink, err);
	case EVENT_RMA_COMPLETE:
	case EVENT_RMA_COMPLETE_REMOTE:
		return rma_origin_complete(origin, event, sink, err);
	case EVENT_RMA_COLLECTIVE:
		view->fences += event->collective == COLL_BARRIER;
		return 0;
	case EVENT_RMA_GROUP_SYNC:
		if (!strcmp(function, "MPI_Win_start"))
			return start_access(origin, event, err);
		if (!strcmp(function, "MPI_Win_complete"))
			view->access = NULL;
		return 0;
	default:
		return 0;
	}
}
