/* Deferred messages: what the first reading of a rank finds, and what the second makes of it. */
#include "schedgen/convert/convert_internal.h"

/* Whether this is the first reading, which finds the deferred receives. */
static bool finds_deferred(const struct convert *convert)
{
	return convert->options.progress && !convert->options.deferred;
}

void convert_deferral_begin(struct convert *convert)
{
	struct convert_deferral *deferral = &convert->deferral;

	deferral->posts = deferral->sends = 0;
	deferral->next = deferral->next_cancelled = 0;
	deferral->open.count = 0;
	number_map_clear(&deferral->sent);
	deferred_found_clear(&deferral->found);
}

void convert_deferral_release(struct convert *convert)
{
	number_map_release(&convert->deferral.sent);
	array_release(&convert->deferral.open);
	deferred_found_release(&convert->deferral.found);
}

/* ------------------------------------------------------------------------- receives */

/* Find how the next receive that the rank posts is deferred; NULL: it is not. */
static const struct deferred_receive *next_deferred(struct convert *convert)
{
	const struct deferred_receives *own;
	struct convert_deferral *deferral = &convert->deferral;

	if (!convert->options.deferred)
		return NULL;
	own = &convert->options.deferred->ranks[convert->rank];
	if (deferral->next == own->list.count ||
	    own->list.items[deferral->next].post != deferral->posts)
		return NULL;
	return &own->list.items[deferral->next++];
}

int convert_post_receive(struct convert *convert, struct convert_request *request, struct error *err)
{
	const struct frontier *frontier = &convert->own->frontier;
	const struct goal_new_op op = {.kind = GOAL_RECV};
	const struct deferred_receive *is = next_deferred(convert);
	uint32_t parts = 1;

	if (is)
		parts += (is->gap_ns > 0) + (is->early_bytes > 0);
	request->posted = (struct convert_posted){
		.is = is, .post = convert->deferral.posts++, .thread = convert->thread,
		.found = (uint32_t)convert->deferral.found.receives.count,
		.entries = (uint32_t)frontier->entries.count
	};
	if (frontier->entries.count)
		request->posted.last_op = frontier->entries.items[frontier->entries.count - 1].op;
	for (uint32_t i = 0; i < parts; i++) {
		TRY(goal_builder_add(&convert->builder, &op, &request->op, err));
		TRY(frontier_before(frontier, request->op, &convert->builder, err));
	}
	if (is && is->early_bytes)
		TRY(goal_builder_requires(&convert->builder, request->op, request->op - 1, err));
	if (finds_deferred(convert))
		return array_push(&convert->deferral.found.receives, (struct found_receive){0}, err);
	return 0;
}

int convert_watch_receive(struct convert *convert, uint32_t place, struct error *err)
{
	const struct convert_posted *posted = &convert->requests.items[place].posted;

	if (!posted->is && !finds_deferred(convert))
		return 0;
	return array_push(&convert->deferral.open, ((struct open_receive){
		.place = place, .post = posted->post, .thread = posted->thread}), err);
}

/*
 * Let a deferred receive wait for the computation before the current call.  A message that is announced
 * only after this call waits for the longest computation until a later call, at most.
 */
static int defer(struct convert *convert, const struct convert_request *request, struct error *err)
{
	const struct deferred_receive *is = request->posted.is;
	struct goal_builder *builder = &convert->builder;
	uint32_t gap;

	TRY(frontier_narrow(&convert->own->frontier, builder, err));
	TRY(frontier_before(&convert->own->frontier, request->op, builder, err));
	if (!is->gap_ns)
		return 0;
	TRY(goal_builder_calc(builder, is->gap_ns, &gap, err));
	TRY(goal_builder_requires(builder, gap, request->op - 1 - (is->early_bytes > 0), err));
	return goal_builder_requires(builder, request->op, gap, err);
}

/* Note that the rank is in a call that waits, the first one after it has posted the receive. */
static int reach_wait(struct convert *convert, struct convert_request *request, struct error *err)
{
	const struct frontier *frontier = &convert->own->frontier;
	const size_t count = frontier->entries.count;
	struct convert_posted *posted = &request->posted;

	posted->reached = true;
	posted->wait = convert->threads[posted->thread].waits;
	posted->moved = count && (count != posted->entries ||
				  frontier->entries.items[count - 1].op != posted->last_op);
	return posted->is && !request->outside ? defer(convert, request, err) : 0;
}

bool convert_completes(const struct mpi_function *function, const struct mpi_call *call)
{
	for (uint32_t i = 0; i < call->event_count; i++) {
		const enum mpi_event_kind kind = call->events[i].kind;

		if (kind == EVENT_ISEND_COMPLETE || kind == EVENT_IRECV ||
		    kind == EVENT_COLLECTIVE_COMPLETE)
			return function->class != MPI_CLASS_REQUEST;
	}
	return false;
}

/* Tell whether a rank may wait for others in a call. */
static bool call_waits(const struct mpi_function *function, const struct mpi_call *call)
{
	if (convert_completes(function, call))
		return true;
	for (uint32_t i = 0; i < call->event_count; i++) {
		const enum mpi_event_kind kind = call->events[i].kind;

		if ((kind == EVENT_SEND && !(function->traits & MPI_BUFFERS)) || kind == EVENT_RECV ||
		    kind == EVENT_COLLECTIVE || (event_is_rma(kind) && kind != EVENT_RMA_TEST))
			return true;
	}
	return false;
}

/* Note the computation before a call that waits, if it is longer than those after it. */
static int note_gap(struct convert_thread *own, struct error *err)
{
	const struct convert_gap gap = {.wait = ++own->waits, .ns = own->since_wait_ns};

	own->since_wait_ns = 0;
	if (gap.ns <= POLL_GAP_NS)
		return 0;
	while (own->gaps.count && own->gaps.items[own->gaps.count - 1].ns <= gap.ns)
		own->gaps.count--;
	return array_push(&own->gaps, gap, err);
}

int convert_enter_wait(struct convert *convert, const struct mpi_function *function,
		       const struct mpi_call *call, struct error *err)
{
	struct convert_deferral *deferral = &convert->deferral;
	size_t kept = 0;

	if (!convert->options.progress || !call_waits(function, call))
		return 0;
	TRY(note_gap(convert->own, err));
	for (size_t i = 0; i < deferral->open.count; i++) {
		const struct open_receive open = deferral->open.items[i];
		struct convert_request *request = &convert->requests.items[open.place];

		if (open.thread != convert->thread)
			deferral->open.items[kept++] = open;
		else if (request->posted.post == open.post && !request->posted.reached)
			TRY(reach_wait(convert, request, err));
	}
	deferral->open.count = kept;
	return 0;
}

/* Longest computation of the thread before the calls that wait after call `wait`. */
static uint64_t longest_gap_ns(const struct convert_thread *thread, uint32_t wait)
{
	size_t low = 0, high = thread->gaps.count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (thread->gaps.items[middle].wait <= wait)
			low = middle + 1;
		else
			high = middle;
	}
	return low < thread->gaps.count ? thread->gaps.items[low].ns : 0;
}

/* First reading: note a receive of the program that has completed. */
static struct found_receive found_receive_of(const struct convert *convert,
					     const struct goal_new_op *op)
{
	return (struct found_receive){.known = true, .peer = op->peer - convert->world_offset,
				      .tag = op->tag};
}

int convert_note_blocking(struct convert *convert, const struct goal_new_op *op, struct error *err)
{
	if (!finds_deferred(convert))
		return 0;
	return array_push(&convert->deferral.found.receives, found_receive_of(convert, op), err);
}

int convert_complete_deferred(struct convert *convert, uint32_t place, const struct goal_new_op *op,
			      struct error *err)
{
	struct convert_request *request = &convert->requests.items[place];
	const struct convert_posted *posted = &request->posted;
	struct found_receive *found;

	if (!convert->options.progress || request->partitioned)
		return 0;
	/* Another thread completes it. */
	if (!posted->reached)
		TRY(reach_wait(convert, request, err));
	if (!finds_deferred(convert))
		return 0;
	found = &convert->deferral.found.receives.items[posted->found];
	*found = found_receive_of(convert, op);
	found->is = (struct deferred_receive){
		.post = posted->post,
		.early_bytes = progress_table_early(convert->options.progress, op->size),
		.gap_ns = longest_gap_ns(&convert->threads[posted->thread], posted->wait)};
	found->deferred = found->is.early_bytes < op->size && (posted->moved || found->is.gap_ns);
	return 0;
}

/* ---------------------------------------------------------------------------- parts */

/* Give operation `op` of a deferred message its tag, instead of that of the program. */
static int defer_tag(struct convert *convert, const struct mpi_event *event, enum tag_use use,
		     uint32_t ordinal, struct goal_new_op *op, struct error *err)
{
	const struct tag tag = {.comm = event->comm, .use = use, .number = event->tag,
				.persistent = ordinal % TAG_DEFERRED_TAGS};

	return goal_tags_number(&convert->tags, tag, &op->tag, err);
}

int convert_deferred_parts(struct convert *convert, const struct mpi_event *event,
			   const struct deferred_send *message, const struct goal_new_op *whole,
			   struct deferred_parts *parts, struct error *err)
{
	struct goal_new_op part = *whole;
	const uint64_t early = message->early_bytes < whole->size ? message->early_bytes : 0;

	parts->count = 0;
	if (message->announced) {
		part.size = 0;
		TRY(defer_tag(convert, event, TAG_ANNOUNCEMENT, message->ordinal, &part, err));
		parts->ops[parts->count++] = part;
	}
	TRY(defer_tag(convert, event, TAG_DEFERRED, message->ordinal, &part, err));
	if (message->early_bytes) {
		part.size = early;
		parts->ops[parts->count++] = part;
	}
	part.size = whole->size - early;
	parts->ops[parts->count++] = part;
	return 0;
}

/* ---------------------------------------------------------------------------- sends */

/* Whether the next send of the rank is cancelled later. */
static bool is_cancelled(struct convert *convert)
{
	struct convert_deferral *deferral = &convert->deferral;
	const struct deferred_receives *own = &convert->options.deferred->ranks[convert->rank];

	if (deferral->next_cancelled == own->cancelled.count ||
	    own->cancelled.items[deferral->next_cancelled] != deferral->sends)
		return false;
	deferral->next_cancelled++;
	return true;
}

int convert_next_send(struct convert *convert, const struct mpi_event *event,
		      const struct goal_new_op *op, const struct deferred_send **message,
		      struct error *err)
{
	const struct tag tag = {.comm = event->comm, .number = event->tag};
	const uint32_t peer = op->peer - convert->world_offset;
	bool cancelled = false;
	uint32_t count;

	*message = NULL;
	if (!convert->options.progress || event->partitions)
		return 0;
	if (convert->options.deferred)
		cancelled = is_cancelled(convert);
	convert->deferral.sends++;
	if (!convert->options.deferred || cancelled)
		return 0;
	TRY(number_map_increment(&convert->deferral.sent, peer, op->tag, &count, err));
	*message = deferred_find(convert->options.deferred, convert->rank, peer, tag, count - 1);
	convert->totals.deferred += *message != NULL && convert->stage == SLICE_INSIDE;
	return 0;
}

int convert_cancel_send(struct convert *convert, const struct convert_request *request,
			struct error *err)
{
	if (!finds_deferred(convert))
		return 0;
	return array_push(&convert->deferral.found.cancelled, request->posted.post, err);
}
