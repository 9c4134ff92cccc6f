#include "schedgen/convert/convert.h"

#include <stdlib.h>
#include <string.h>

/* What the tags of a window are for. */
enum {
	USE_DATA,			/* and that of each epoch: 3 */
	USE_REPLY = USE_DATA + RMA_EPOCHS,	/* likewise */
	USE_ACK = USE_REPLY + RMA_EPOCHS,	/* and grants of locks */
	USE_POST,
	USE_COMPLETE,
	USE_BARRIER,
	USES
};

int convert_rma_init(struct converter *converter, struct rma_plan *plan, struct error *err)
{
	struct convert_rma *rma = &converter->rma;

	*rma = (struct convert_rma){.plan = plan};
	if (!plan)
		return 0;
	TRY(rma_origin_init(&rma->origin, converter->world, plan, err));
	return allocate(&rma->windows, (size_t)converter->world->window_count + 1,
			sizeof *rma->windows, err);
}

void convert_rma_release(struct converter *converter)
{
	struct convert_rma *rma = &converter->rma;

	for (uint32_t i = 0; rma->windows && i < converter->world->window_count; i++)
		for (int epoch = 0; epoch < RMA_EPOCHS; epoch++)
			frontier_release(&rma->windows[i].closing[epoch]);
	free(rma->windows);
	rma_origin_release(&rma->origin);
	number_map_release(&rma->posts);
	number_map_release(&rma->starts);
	number_map_release(&rma->completes);
	frontier_release(&rma->unacknowledged);
	array_release(&rma->done);
}

static int begin_served(struct converter *converter, struct error *err)
{
	struct convert_rma *rma = &converter->rma;
	size_t count = rma->plan->targets[converter->rank].entries.count;

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

/* Nothing has come yet that the ends of epochs wait for. */
static void forget_epochs(struct converter *converter)
{
	for (uint32_t i = 0; i < converter->world->window_count; i++)
		for (int epoch = 0; epoch < RMA_EPOCHS; epoch++)
			converter->rma.windows[i].closing[epoch].entries.count = 0;
}

void convert_rma_begin(struct converter *converter)
{
	struct convert_rma *rma = &converter->rma;

	rma->begun = false;
	if (!rma->plan)
		return;
	rma_origin_begin(&rma->origin, converter->rank);
	for (uint32_t i = 0; i < converter->world->window_count; i++) {
		rma->windows[i].made = false;
		rma->windows[i].fences = 0;
	}
	forget_epochs(converter);
	number_map_clear(&rma->posts);
	number_map_clear(&rma->starts);
	number_map_clear(&rma->completes);
}

/* ---------------------------------------------------------------- messages */

static int tag_of(struct converter *converter, uint32_t window, uint32_t use, uint32_t *number,
		  struct error *err)
{
	struct tag tag = {.comm = converter->world->windows[window].comm, .use = TAG_RMA,
			  .number = window * USES + use};

	return tags_number(&converter->tags, tag, number, err);
}

/* A message that waits for nothing yet. */
static int message(struct converter *converter, enum goal_kind kind, uint32_t peer, uint32_t window,
		   uint32_t use, uint64_t bytes, uint32_t *op, struct error *err)
{
	struct goal_new_op new = {.kind = (uint8_t)kind, .peer = converter->world_offset + peer,
				  .size = bytes};

	TRY(tag_of(converter, window, use, &new.tag, err));
	return goal_builder_add(&converter->builder, &new, op, err);
}

static int join_front(struct converter *converter, struct error *err)
{
	return converter->own->frontier.entries.count > 2
		       ? frontier_join(&converter->own->frontier, &converter->builder, err) : 0;
}

/* A send behind the frontier, of which the program waits for nothing but its overhead. */
static int send_on(struct converter *converter, uint32_t peer, uint32_t window, uint32_t use,
		   uint64_t bytes, uint32_t *op, struct error *err)
{
	TRY(message(converter, GOAL_SEND, peer, window, use, bytes, op, err));
	TRY(frontier_before(&converter->own->frontier, *op, &converter->builder, err));
	return frontier_set(&converter->own->frontier, *op, true, err);
}

/* ------------------------------------------------------------- as an origin */

static int begin(void *data, uint32_t target, const struct rma_entry *entry, uint32_t *op,
		 struct error *err)
{
	struct converter *converter = data;
	uint32_t window = entry->window, sent;

	if (entry->what == RMA_ACK) {
		TRY(join_front(converter, err));
		TRY(message(converter, GOAL_RECV, target, window, USE_ACK, 0, op, err));
		return frontier_before(&converter->own->frontier, *op, &converter->builder, err);
	}
	converter->totals.rma.operations += entry->what != RMA_LOCK;
	TRY(send_on(converter, target, window, USE_DATA + entry->epoch, entry->sent, &sent, err));
	*op = sent;
	if (entry->what == RMA_DATA)
		return 0;
	/* What comes back is waited for from the start. */
	TRY(message(converter, GOAL_RECV, target, window,
		    entry->what == RMA_LOCK ? USE_ACK : USE_REPLY + entry->epoch, entry->received,
		    op, err));
	return goal_builder_irequires(&converter->builder, *op, sent, err);
}

static int wait_for(void *data, uint32_t op, struct error *err)
{
	struct converter *converter = data;

	return frontier_add(&converter->own->frontier, op, false, err);
}

/* -------------------------------------------------------------- as a target */

/* An origin that is being served. */
struct serving {
	const struct frontier *opening;	/* what its first operation waits for; NULL: nothing */
	struct frontier *closing;		/* what the end of the epoch waits for */
	uint32_t last;			/* receive from it, or NO_OP */
};

static int acknowledge(struct converter *converter, const struct rma_entry *entry,
		       struct serving *serving, struct error *err)
{
	struct frontier *unacknowledged = &converter->rma.unacknowledged;
	uint32_t op;

	TRY(message(converter, GOAL_SEND, entry->origin, entry->window, USE_ACK, 0, &op, err));
	TRY(frontier_before(unacknowledged, op, &converter->builder, err));
	unacknowledged->entries.count = 0;
	return frontier_add(serving->closing, op, false, err);
}

/* Combine what has come with what is there: behind *tail, which moves. */
static int combine(struct converter *converter, const struct rma_entry *entry, uint32_t *tail,
		   struct error *err)
{
	double ns = (double)entry->sent * converter->options.reduce_ns_per_byte;
	uint32_t calc;

	if (!entry->combines || ns < 0.5)
		return 0;
	TRY(goal_builder_calc(&converter->builder, (uint64_t)(ns + 0.5), &calc, err));
	TRY(goal_builder_requires(&converter->builder, calc, *tail, err));
	*tail = calc;
	return 0;
}

/* Messages of one origin match in the order in which they are received. */
static int receive(struct converter *converter, const struct rma_entry *entry,
		   struct serving *serving, struct error *err)
{
	uint32_t tail, reply;

	TRY(message(converter, GOAL_RECV, entry->origin, entry->window, USE_DATA + entry->epoch,
		    entry->sent, &tail, err));
	if (serving->last != NO_OP)
		TRY(goal_builder_irequires(&converter->builder, tail, serving->last, err));
	else if (serving->opening)
		TRY(frontier_before(serving->opening, tail, &converter->builder, err));
	serving->last = tail;
	TRY(combine(converter, entry, &tail, err));
	if (entry->what == RMA_DATA)
		return frontier_add(entry->epoch == RMA_PASSIVE ? &converter->rma.unacknowledged
							     : serving->closing,
				 tail, false, err);
	TRY(message(converter, GOAL_SEND, entry->origin, entry->window,
		    entry->what == RMA_LOCK ? USE_ACK : USE_REPLY + entry->epoch, entry->received,
		    &reply, err));
	TRY(goal_builder_requires(&converter->builder, reply, tail, err));
	return frontier_add(serving->closing, reply, false, err);
}

/* What is left of an origin's data without an acknowledgement. */
static int end_serving(struct converter *converter, struct serving *serving, struct error *err)
{
	struct frontier *unacknowledged = &converter->rma.unacknowledged;

	TRY(frontier_add_all(serving->closing, unacknowledged, err));
	unacknowledged->entries.count = 0;
	serving->last = NO_OP;
	return 0;
}

static int serve(struct converter *converter, const struct rma_entry *entries, size_t count,
		 const struct frontier *opening, struct frontier *closing, struct error *err)
{
	struct serving serving = {.opening = opening, .closing = closing, .last = NO_OP};
	size_t first = (size_t)(entries -
				converter->rma.plan->targets[converter->rank].entries.items);

	for (size_t i = 0; i < count; i++) {
		if (i && (entries[i].origin != entries[i - 1].origin ||
			  entries[i].epoch != entries[i - 1].epoch ||
			  entries[i].window != entries[i - 1].window))
			TRY(end_serving(converter, &serving, err));
		for (uint32_t n = entries[i].repeat; n; n--)
			TRY(entries[i].what == RMA_ACK
				    ? acknowledge(converter, &entries[i], &serving, err)
				    : receive(converter, &entries[i], &serving, err));
		converter->rma.done.items[first + i] = true;
	}
	converter->rma.served += count;
	return end_serving(converter, &serving, err);
}

/* Open an epoch: receive what is to come in it, from all or, in an exposure, from the origin. */
static int open_epoch(struct converter *converter, uint32_t window, enum rma_epoch epoch,
		      uint32_t index, uint32_t origin, struct error *err)
{
	struct convert_rma *rma = &converter->rma;
	size_t count;
	const struct rma_entry *entries = rma_plan_entries(rma->plan, converter->rank, window,
							   epoch, index, origin, &count);

	/* Before the window of the run: convert_rma_enter_window sees to it. */
	if (!count || converter->stage == CONVERT_BEFORE)
		return 0;
	TRY(frontier_join(&converter->own->frontier, &converter->builder, err));
	return serve(converter, entries, count, &converter->own->frontier,
		     &rma->windows[window].closing[epoch], err);
}

static int close_epoch(struct converter *converter, uint32_t window, enum rma_epoch epoch,
		       struct error *err)
{
	struct frontier *closing = &converter->rma.windows[window].closing[epoch];

	TRY(frontier_add_all(&converter->own->frontier, closing, err));
	closing->entries.count = 0;
	return 0;
}

/* Has the rank, as a target, opened the epoch, be it closed by now? */
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

int convert_rma_enter_window(struct converter *converter, struct error *err)
{
	struct convert_rma *rma = &converter->rma;
	const struct rma_list *list;

	if (!rma->plan)
		return 0;
	TRY(begin_served(converter, err));
	forget_epochs(converter);
	converter->builder.cpu = 0;
	list = &rma->plan->targets[converter->rank];
	for (size_t i = 0; i < list->entries.count; i++) {
		const struct rma_entry *first = &list->entries.items[i];
		size_t run = 1;

		if (!was_opened(rma, first))
			continue;
		while (i + run < list->entries.count && first[run].window == first->window &&
		       first[run].epoch == first->epoch && was_opened(rma, &first[run]))
			run++;
		TRY(serve(converter, first, run, NULL,
			  &rma->windows[first->window].closing[first->epoch], err));
		i += run - 1;
	}
	return 0;
}

/* --------------------------------------------------------- synchronisation */

/* All ranks wait for all; what has come to this one is over then. */
static int collective(struct converter *converter, const struct mpi_event *event,
		      struct error *err)
{
	struct convert_rma_window *window = &converter->rma.windows[event->window];
	struct mpi_event barrier = {.kind = EVENT_COLLECTIVE, .collective = COLL_BARRIER,
				    .comm = event->comm, .root = NO_ROOT};
	bool fence = event->collective == COLL_BARRIER;
	bool create = event->collective == COLL_CREATE_HANDLE ||
		      event->collective == COLL_CREATE_HANDLE_AND_ALLOCATE;
	uint32_t tag;

	TRY(tag_of(converter, event->window, USE_BARRIER, &tag, err));
	TRY(convert_collective(converter, &barrier, 0, tag, &converter->own->frontier, err));
	TRY(close_epoch(converter, event->window, RMA_FENCE, err));
	window->made |= create;
	if (create)
		return open_epoch(converter, event->window, RMA_PASSIVE, 0, 0, err);
	if (fence)
		return open_epoch(converter, event->window, RMA_FENCE, ++window->fences, 0, err);
	TRY(close_epoch(converter, event->window, RMA_PASSIVE, err));
	return close_epoch(converter, event->window, RMA_EXPOSURE, err);
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* How many of both sides have been recorded. */
static uint32_t posted(struct rma_pair pair)
{
	return least(pair.posts, pair.starts);
}

static uint32_t completed(struct rma_pair pair)
{
	return least(posted(pair), least(pair.completes, pair.waits));
}

static int lose_sync(struct converter *converter)
{
	converter->totals.rma.lost_syncs += converter->stage == CONVERT_INSIDE;
	return 0;
}

static int post(struct converter *converter, const struct mpi_event *event, uint32_t origin,
		struct error *err)
{
	struct convert_rma *rma = &converter->rma;
	struct rma_pair pair = rma_plan_pair(rma->plan, event->window, origin, converter->rank);
	uint32_t number, op;

	TRY(number_map_increment(&rma->posts, origin, event->window, &number, err));
	if (number > posted(pair))
		return lose_sync(converter);
	TRY(send_on(converter, origin, event->window, USE_POST, 0, &op, err));
	if (number <= completed(pair)) {
		TRY(message(converter, GOAL_RECV, origin, event->window, USE_COMPLETE, 0, &op,
			    err));
		TRY(frontier_before(&converter->own->frontier, op, &converter->builder, err));
		TRY(frontier_add(&rma->windows[event->window].closing[RMA_EXPOSURE], op, false,
				 err));
	}
	return open_epoch(converter, event->window, RMA_EXPOSURE, number, origin, err);
}

static int start(struct converter *converter, const struct mpi_event *event, uint32_t target,
		 struct error *err)
{
	struct convert_rma *rma = &converter->rma;
	struct rma_pair pair = rma_plan_pair(rma->plan, event->window, converter->rank, target);
	uint32_t number, op;

	TRY(number_map_increment(&rma->starts, target, event->window, &number, err));
	if (number > posted(pair))
		return lose_sync(converter);
	TRY(message(converter, GOAL_RECV, target, event->window, USE_POST, 0, &op, err));
	TRY(frontier_before(&converter->own->frontier, op, &converter->builder, err));
	return frontier_add(&converter->next, op, false, err);
}

static int complete(struct converter *converter, const struct mpi_event *event, uint32_t target,
		    struct error *err)
{
	struct convert_rma *rma = &converter->rma;
	struct rma_pair pair = rma_plan_pair(rma->plan, event->window, converter->rank, target);
	uint32_t number, op;

	TRY(number_map_increment(&rma->completes, target, event->window, &number, err));
	if (number > completed(pair))
		return lose_sync(converter);
	return send_on(converter, target, event->window, USE_COMPLETE, 0, &op, err);
}

static int group_sync(struct converter *converter, const char *function,
		      const struct mpi_event *event, struct error *err)
{
	int (*with)(struct converter *converter, const struct mpi_event *event, uint32_t other,
		    struct error *err) = !strcmp(function, "MPI_Win_post")	 ? post
					 : !strcmp(function, "MPI_Win_start")	 ? start
					 : !strcmp(function, "MPI_Win_complete") ? complete
										 : NULL;

	if (!with)
		return event->sync == RMA_SYNC_NONE
			       ? 0 : close_epoch(converter, event->window, RMA_EXPOSURE, err);
	TRY(join_front(converter, err));
	for (uint32_t i = 0; i < event->group_size; i++)
		if (event->group_ranks[i] != converter->rank)
			TRY(with(converter, event, event->group_ranks[i], err));
	return 0;
}

int convert_rma_event(struct converter *converter, const struct mpi_call *call,
		      const struct mpi_event *event, struct error *err)
{
	struct convert_rma *rma = &converter->rma;
	const struct rma_sink sink = {.data = converter, .begin = begin, .wait = wait_for};

	if (!rma->plan)
		return 0;
	TRY(begin_served(converter, err));
	rma->origin.outside = converter->stage != CONVERT_INSIDE;
	if (event->kind == EVENT_RMA_LOCK && event->exclusive && !rma->origin.outside) {
		converter->totals.rma.exclusive_locks++;
		converter->totals.rma.exclusive_ns += call->leave_ns - call->enter_ns;
	}
	TRY(rma_origin_event(&rma->origin, call->function, event, &sink, err));
	if (event->kind == EVENT_RMA_COLLECTIVE)
		return collective(converter, event, err);
	if (event->kind == EVENT_RMA_GROUP_SYNC)
		return group_sync(converter, call->function, event, err);
	return 0;
}

/*
 * What has not been served: the target has not recorded the epoch.  It is
 * received without waiting for anything, so that the origins go on.
 */
static int serve_rest(struct converter *converter, const struct rma_list *list, struct error *err)
{
	const bool *done = converter->rma.done.items;
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
		result = serve(converter, entry, run, NULL, &nowhere, err);
		converter->totals.rma.lost_operations += run;
		i += run - 1;
	}
	frontier_release(&nowhere);
	return result;
}

int convert_rma_finish(struct converter *converter, struct error *err)
{
	struct convert_rma *rma = &converter->rma;
	const struct rma_list *list;

	if (!rma->plan)
		return 0;
	TRY(begin_served(converter, err));
	list = &rma->plan->targets[converter->rank];
	converter->builder.cpu = 0;
	if (rma->served < list->entries.count && converter->stage != CONVERT_BEFORE)
		TRY(serve_rest(converter, list, err));
	/*
	 * Other copies of the rank need it too, and so does a second pass with windows of the run.
	 */
	if (converter->options.copies <= 1 && !converter->options.windows)
		rma_plan_forget(rma->plan, converter->rank);
	return 0;
}
