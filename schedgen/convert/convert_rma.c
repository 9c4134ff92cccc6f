/*
 * One-sided communication in a rank's graph: its part as an origin, at its calls, and its part
 * as a target, at its epochs (doc/trace-to-goal.md).
 */
#include "schedgen/convert/convert_internal.h"

#include "schedgen/convert/rma.h"

#include <stdlib.h>
#include <string.h>

/* Uses of the tags of a window. */
enum {
	USE_DATA,			/* three, by epoch */
	USE_REPLY = USE_DATA + RMA_EPOCHS,	/* three, by epoch */
	USE_ACK = USE_REPLY + RMA_EPOCHS,	/* and grants of locks */
	USE_POST,
	USE_COMPLETE,
	USE_BARRIER,
	USES
};

/* Window of the rank: frontiers that its epochs as a target end with. */
struct convert_rma_window {
	bool made;
	uint32_t fences;
	struct frontier closing[RMA_EPOCHS];
};

struct convert_rma {
	struct rma_plan *plan;		/* not owned; NULL: the trace has no windows */
	struct rma_origin origin;
	struct convert_rma_window *windows;	/* by id */
	struct number_map posts, starts, completes;	/* so far: other rank, window */
	struct frontier unacknowledged;	/* of an origin that is being served */
	bool begun;			/* `served` and `done` belong to this rank */
	uint64_t served;		/* number of served entries of the plan */
	ARRAY(bool) done;		/* by entry: served */
};

int convert_rma_init(struct convert *convert, struct rma_plan *plan, struct error *err)
{
	struct convert_rma *rma;

	TRY(allocate(&convert->rma, 1, sizeof *convert->rma, err));
	rma = convert->rma;
	rma->plan = plan;
	if (!plan)
		return 0;
	TRY(rma_origin_init(&rma->origin, convert->world, plan, err));
	return allocate(&rma->windows, (size_t)convert->world->window_count + 1,
			sizeof *rma->windows, err);
}

void convert_rma_release(struct convert *convert)
{
	struct convert_rma *rma = convert->rma;

	if (!rma)
		return;
	for (uint32_t i = 0; rma->windows && i < convert->world->window_count; i++)
		for (int epoch = 0; epoch < RMA_EPOCHS; epoch++)
			frontier_release(&rma->windows[i].closing[epoch]);
	free(rma->windows);
	rma_origin_release(&rma->origin);
	number_map_release(&rma->posts);
	number_map_release(&rma->starts);
	number_map_release(&rma->completes);
	frontier_release(&rma->unacknowledged);
	array_release(&rma->done);
	free(rma);
}

/* Begin to serve the entries of the rank, of which none is done. */
static int begin_served(struct convert *convert, struct error *err)
{
	struct convert_rma *rma = convert->rma;
	size_t count = rma->plan->targets[convert->rank].entries.count;

	if (rma->begun)
		return 0;
	rma->begun = true;
	rma->served = 0;
	rma->done.count = 0;
	TRY(array_reserve(&rma->done, count, err));
	rma->done.count = count;
	if (count)
		memset(rma->done.items, 0, count * sizeof *rma->done.items);
	return 0;
}

/* Clear the frontiers of the ends of epochs. */
static void forget_epochs(struct convert *convert)
{
	for (uint32_t i = 0; i < convert->world->window_count; i++)
		for (int epoch = 0; epoch < RMA_EPOCHS; epoch++)
			convert->rma->windows[i].closing[epoch].entries.count = 0;
}

void convert_rma_begin(struct convert *convert)
{
	struct convert_rma *rma = convert->rma;

	rma->begun = false;
	if (!rma->plan)
		return;
	rma_origin_begin(&rma->origin, convert->rank);
	for (uint32_t i = 0; i < convert->world->window_count; i++) {
		rma->windows[i].made = false;
		rma->windows[i].fences = 0;
	}
	forget_epochs(convert);
	number_map_clear(&rma->posts);
	number_map_clear(&rma->starts);
	number_map_clear(&rma->completes);
}

/* ---------------------------------------------------------------- messages */

/* Messages of a window for one use, with one other rank. */
struct rma_messages {
	uint32_t window, use, peer;
};

/* Add a message after the frontier, which may be NULL and does not change. */
static int convert_rma_message(struct convert *convert, enum goal_kind kind,
			       struct rma_messages of, uint64_t bytes,
			       const struct frontier *after, uint32_t *op, struct error *err)
{
	const struct tag tag = {.comm = convert->world->windows[of.window].comm,
				.use = TAG_RMA, .number = of.window * USES + of.use};
	struct goal_new_op new = {.kind = (uint8_t)kind, .size = bytes,
				  .peer = convert->world_offset + of.peer};

	TRY(goal_tags_number(&convert->tags, tag, &new.tag, err));
	TRY(goal_builder_add(&convert->builder, &new, op, err));
	return after ? frontier_before(after, *op, &convert->builder, err) : 0;
}

/* Add a send without data after the frontier.  The program waits only for its overhead. */
static int send_sync(struct convert *convert, struct rma_messages of, struct error *err)
{
	struct frontier *frontier = &convert->own->frontier;
	uint32_t op;

	TRY(convert_rma_message(convert, GOAL_SEND, of, 0, frontier, &op, err));
	return frontier_set(frontier, op, true, err);
}

/* ------------------------------------------------------------- as an origin */

static int convert_rma_begin_entry(void *data, uint32_t target, const struct rma_entry *entry,
				   uint32_t *op, struct error *err)
{
	struct convert *convert = data;
	struct frontier *frontier = &convert->own->frontier;
	struct rma_messages of = {entry->window, USE_ACK, target};
	uint32_t sent;

	if (entry->what == RMA_ACK) {
		TRY(frontier_narrow(frontier, &convert->builder, err));
		return convert_rma_message(convert, GOAL_RECV, of, 0, frontier, op, err);
	}
	convert->totals.rma.operations += entry->what != RMA_LOCK;
	of.use = USE_DATA + entry->epoch;
	TRY(convert_rma_message(convert, GOAL_SEND, of, entry->sent, frontier, &sent, err));
	*op = sent;
	TRY(frontier_set(frontier, sent, true, err));
	if (entry->what == RMA_DATA)
		return 0;
	/* Receive the reply from the start of the send on. */
	of.use = entry->what == RMA_LOCK ? USE_ACK : USE_REPLY + entry->epoch;
	return convert_rma_message(convert, GOAL_RECV, of, entry->received, frontier, op, err);
}

static int convert_rma_wait(void *data, uint32_t op, struct error *err)
{
	struct convert *convert = data;

	return frontier_add(&convert->own->frontier, op, false, err);
}

/* -------------------------------------------------------------- as a target */

/* Origin that is being served. */
struct serving {
	const struct frontier *opening;	/* frontier before its first operation, or NULL */
	struct frontier *closing;		/* frontier of the end of the epoch */
	uint32_t last;			/* last receive from it, or NO_OP */
};

static int acknowledge(struct convert *convert, const struct rma_entry *entry,
		       struct serving *serving, struct error *err)
{
	struct frontier *unacknowledged = &convert->rma->unacknowledged;
	const struct rma_messages of = {entry->window, USE_ACK, entry->origin};
	uint32_t op;

	TRY(convert_rma_message(convert, GOAL_SEND, of, 0, unacknowledged, &op, err));
	unacknowledged->entries.count = 0;
	return frontier_add(serving->closing, op, false, err);
}

/*
 * Receive an entry after the previous entry, and combine it with data of the target.  Messages
 * of an origin match in this order.
 */
static int convert_rma_receive(struct convert *convert, const struct rma_entry *entry,
			       struct serving *serving, struct error *err)
{
	struct rma_messages of = {entry->window, USE_DATA + entry->epoch, entry->origin};
	const double ns = (double)entry->sent * convert->options.reduce_ns_per_byte;
	uint32_t received, tail, reply;

	TRY(convert_rma_message(convert, GOAL_RECV, of, entry->sent,
				serving->last == NO_OP ? serving->opening : NULL, &received, err));
	if (serving->last != NO_OP)
		TRY(goal_builder_irequires(&convert->builder, received, serving->last, err));
	serving->last = tail = received;
	if (entry->combines && ns >= 0.5) {
		TRY(goal_builder_calc(&convert->builder, (uint64_t)(ns + 0.5), &tail, err));
		TRY(goal_builder_requires(&convert->builder, tail, received, err));
	}
	if (entry->what == RMA_DATA)
		return frontier_add(entry->epoch == RMA_PASSIVE ? &convert->rma->unacknowledged
							     : serving->closing,
				 tail, false, err);
	of.use = entry->what == RMA_LOCK ? USE_ACK : USE_REPLY + entry->epoch;
	TRY(convert_rma_message(convert, GOAL_SEND, of, entry->received, NULL, &reply, err));
	TRY(goal_builder_requires(&convert->builder, reply, tail, err));
	return frontier_add(serving->closing, reply, false, err);
}

/* Receive entries, those of each origin and epoch in order, and end the epoch after them. */
static int convert_rma_serve(struct convert *convert, const struct rma_entry *entries, size_t count,
			     const struct frontier *opening, struct frontier *closing,
			     struct error *err)
{
	struct serving serving = {.opening = opening, .closing = closing, .last = NO_OP};
	size_t first = (size_t)(entries -
				convert->rma->plan->targets[convert->rank].entries.items);

	for (size_t i = 0; i < count; i++) {
		const struct rma_entry *next = i + 1 < count ? &entries[i + 1] : NULL;

		for (uint32_t n = entries[i].repeat; n; n--)
			TRY(entries[i].what == RMA_ACK
				    ? acknowledge(convert, &entries[i], &serving, err)
				    : convert_rma_receive(convert, &entries[i], &serving, err));
		convert->rma->done.items[first + i] = true;
		if (next && next->origin == entries[i].origin && next->epoch == entries[i].epoch &&
		    next->window == entries[i].window)
			continue;
		/* The end of the epoch waits for data without acknowledgement, too. */
		TRY(frontier_move(closing, &convert->rma->unacknowledged, err));
		serving.last = NO_OP;
	}
	convert->rma->served += count;
	return 0;
}

/* Open an epoch: receive its data from all origins, or in an exposure from `origin`. */
static int convert_rma_open_epoch(struct convert *convert, uint32_t window, enum rma_epoch epoch,
				  uint32_t index, uint32_t origin, struct error *err)
{
	struct convert_rma *rma = convert->rma;
	size_t count;
	const struct rma_entry *entries = rma_plan_entries(rma->plan, convert->rank, window,
							   epoch, index, origin, &count);

	/* Before the slice: convert_rma_enter_slice receives the data. */
	if (!count || convert->stage == SLICE_BEFORE)
		return 0;
	TRY(frontier_join(&convert->own->frontier, &convert->builder, err));
	return convert_rma_serve(convert, entries, count, &convert->own->frontier,
				 &rma->windows[window].closing[epoch], err);
}

/* Has the rank, as a target, opened the epoch, even if it is closed now? */
static bool was_opened(const struct convert_rma *rma, const struct rma_entry *entry)
{
	const struct convert_rma_window *window = &rma->windows[entry->window];
	uint32_t posts;

	switch (entry->epoch) {
	case RMA_PASSIVE:
		return window->made;
	case RMA_FENCE:
		return entry->index <= window->fences;
	default:
		posts = number_map_get(&rma->posts, entry->origin, entry->window);
		return posts != NUMBER_MAP_EMPTY && entry->index <= posts;
	}
}

int convert_rma_enter_slice(struct convert *convert, struct error *err)
{
	struct convert_rma *rma = convert->rma;
	const struct rma_list *list;

	if (!rma->plan)
		return 0;
	TRY(begin_served(convert, err));
	forget_epochs(convert);
	convert->builder.cpu = 0;
	list = &rma->plan->targets[convert->rank];
	for (size_t i = 0; i < list->entries.count; i++) {
		const struct rma_entry *first = &list->entries.items[i];
		size_t run = 1;

		if (!was_opened(rma, first))
			continue;
		while (i + run < list->entries.count && first[run].window == first->window &&
		       first[run].epoch == first->epoch && was_opened(rma, &first[run]))
			run++;
		TRY(convert_rma_serve(convert, first, run, NULL,
				      &rma->windows[first->window].closing[first->epoch], err));
		i += run - 1;
	}
	return 0;
}

/* --------------------------------------------------------- synchronisation */

/* Add a collective of a window: all ranks wait for all, and epochs of this rank end. */
static int window_collective(struct convert *convert, const struct mpi_event *event,
			     struct error *err)
{
	struct convert_rma_window *window = &convert->rma->windows[event->window];
	struct frontier *frontier = &convert->own->frontier;
	struct mpi_event barrier = {.kind = EVENT_COLLECTIVE, .collective = COLL_BARRIER,
				    .comm = event->comm, .root = NO_ROOT};
	bool fence = event->collective == COLL_BARRIER;
	bool create = event->collective == COLL_CREATE_HANDLE ||
		      event->collective == COLL_CREATE_HANDLE_AND_ALLOCATE;
	const struct tag tag = {.comm = event->comm, .use = TAG_RMA,
				.number = event->window * USES + USE_BARRIER};
	uint32_t number;

	TRY(goal_tags_number(&convert->tags, tag, &number, err));
	TRY(convert_collective(convert, &barrier, &convert->call, 0, number, frontier, err));
	TRY(frontier_move(frontier, &window->closing[RMA_FENCE], err));
	window->made |= create;
	if (create)
		return convert_rma_open_epoch(convert, event->window, RMA_PASSIVE, 0, 0, err);
	if (fence)
		return convert_rma_open_epoch(convert, event->window, RMA_FENCE, ++window->fences,
					      0, err);
	TRY(frontier_move(frontier, &window->closing[RMA_PASSIVE], err));
	return frontier_move(frontier, &window->closing[RMA_EXPOSURE], err);
}

static int lose_sync(struct convert *convert)
{
	convert->totals.rma.lost_syncs += convert->stage == SLICE_INSIDE;
	return 0;
}

static int convert_rma_post(struct convert *convert, const struct mpi_event *event, uint32_t origin,
			    struct error *err)
{
	struct convert_rma *rma = convert->rma;
	struct rma_pair pair = rma_plan_pair(rma->plan, event->window, origin, convert->rank);
	struct rma_messages of = {event->window, USE_POST, origin};
	uint32_t number, op;

	TRY(number_map_increment(&rma->posts, origin, event->window, &number, err));
	if (number > pair.posted)
		return lose_sync(convert);
	TRY(send_sync(convert, of, err));
	if (number <= pair.completed) {
		of.use = USE_COMPLETE;
		TRY(convert_rma_message(convert, GOAL_RECV, of, 0, &convert->own->frontier, &op,
					err));
		TRY(frontier_add(&rma->windows[event->window].closing[RMA_EXPOSURE], op, false,
				 err));
	}
	return convert_rma_open_epoch(convert, event->window, RMA_EXPOSURE, number, origin, err);
}

static int convert_rma_start(struct convert *convert, const struct mpi_event *event,
			     uint32_t target, struct error *err)
{
	struct convert_rma *rma = convert->rma;
	struct rma_pair pair = rma_plan_pair(rma->plan, event->window, convert->rank, target);
	const struct rma_messages of = {event->window, USE_POST, target};
	uint32_t number, op;

	TRY(number_map_increment(&rma->starts, target, event->window, &number, err));
	if (number > pair.posted)
		return lose_sync(convert);
	TRY(convert_rma_message(convert, GOAL_RECV, of, 0, &convert->own->frontier, &op, err));
	return frontier_add(&convert->next, op, false, err);
}

static int convert_rma_complete(struct convert *convert, const struct mpi_event *event,
				uint32_t target, struct error *err)
{
	struct convert_rma *rma = convert->rma;
	struct rma_pair pair = rma_plan_pair(rma->plan, event->window, convert->rank, target);
	const struct rma_messages of = {event->window, USE_COMPLETE, target};
	uint32_t number;

	TRY(number_map_increment(&rma->completes, target, event->window, &number, err));
	if (number > pair.completed)
		return lose_sync(convert);
	return send_sync(convert, of, err);
}

static int group_sync(struct convert *convert, const char *function,
		      const struct mpi_event *event, struct error *err)
{
	struct convert_rma *rma = convert->rma;
	int (*with)(struct convert *convert, const struct mpi_event *event, uint32_t other,
		    struct error *err) =
		!strcmp(function, "MPI_Win_post") ? convert_rma_post :
		!strcmp(function, "MPI_Win_start") ? convert_rma_start :
		!strcmp(function, "MPI_Win_complete") ? convert_rma_complete : NULL;

	if (!with)
		return event->sync == RMA_SYNC_NONE
			       ? 0 : frontier_move(&convert->own->frontier,
						   &rma->windows[event->window].closing[RMA_EXPOSURE],
						   err);
	TRY(frontier_narrow(&convert->own->frontier, &convert->builder, err));
	for (uint32_t i = 0; i < event->group_size; i++)
		if (event->group_ranks[i] != convert->rank)
			TRY(with(convert, event, event->group_ranks[i], err));
	return 0;
}

int convert_rma_event(struct convert *convert, const struct mpi_call *call,
		      const struct mpi_event *event, struct error *err)
{
	struct convert_rma *rma = convert->rma;
	const struct rma_sink sink = {.data = convert,
				      .begin = convert_rma_begin_entry,
				      .wait = convert_rma_wait};

	if (!rma->plan)
		return 0;
	TRY(begin_served(convert, err));
	rma->origin.outside = convert->stage != SLICE_INSIDE;
	if (event->kind == EVENT_RMA_LOCK && event->exclusive && !rma->origin.outside) {
		convert->totals.rma.exclusive_locks++;
		convert->totals.rma.exclusive_ns += call->leave_ns - call->enter_ns;
	}
	TRY(rma_origin_event(&rma->origin, call->function, event, &sink, err));
	if (event->kind == EVENT_RMA_COLLECTIVE)
		return window_collective(convert, event, err);
	if (event->kind == EVENT_RMA_GROUP_SYNC)
		return group_sync(convert, call->function, event, err);
	return 0;
}

/*
 * Serve the remaining entries, whose epochs the target has not recorded.  They are received
 * without dependencies, so that the origins continue.
 */
static int serve_rest(struct convert *convert, const struct rma_list *list, struct error *err)
{
	const bool *done = convert->rma->done.items;
	struct frontier nowhere = {0};
	int result = 0;

	for (size_t i = 0; i < list->entries.count && result == 0; i++) {
		const struct rma_entry *entry = &list->entries.items[i];
		size_t run = 1;

		if (done[i])
			continue;
		while (i + run < list->entries.count && !done[i + run] &&
		       entry[run].window == entry->window && entry[run].epoch == entry->epoch &&
		       entry[run].origin == entry->origin)
			run++;
		result = convert_rma_serve(convert, entry, run, NULL, &nowhere, err);
		convert->totals.rma.lost_operations += run;
		i += run - 1;
	}
	frontier_release(&nowhere);
	return result;
}

int convert_rma_finish(struct convert *convert, struct error *err)
{
	struct convert_rma *rma = convert->rma;
	const struct rma_list *list;

	if (!rma->plan)
		return 0;
	TRY(begin_served(convert, err));
	list = &rma->plan->targets[convert->rank];
	convert->builder.cpu = 0;
	if (rma->served < list->entries.count && convert->stage != SLICE_BEFORE)
		TRY(serve_rest(convert, list, err));
	/* Other copies of the rank, and a second pass with slices, need the lists. */
	if (convert->options.copies <= 1 && !convert->options.slices)
		rma_plan_forget(rma->plan, convert->rank);
	return 0;
}
