/* Deferred messages: what the first reading of a rank finds, and what the second makes of it. */
#include "schedgen/convert/convert_internal.h"

/* Whether this is the first reading, which finds the halves that wait. */
static bool finds_deferred(const struct convert *convert)
{
	return convert->options.progress && !convert->options.deferred;
}

void convert_deferral_begin(struct convert *convert)
{
	struct convert_deferral *deferral = &convert->deferral;

	for (int kind = 0; kind < HALVES; kind++)
		deferral->counts[kind] = 0, deferral->next[kind] = 0;
	deferral->open.count = 0;
	deferred_found_clear(&deferral->found);
}

void convert_deferral_release(struct convert *convert)
{
	array_release(&convert->deferral.open);
	deferred_found_release(&convert->deferral.found);
}

/* --------------------------------------------------------------------------- halves */

/* Find how the next half of its kind of the rank is deferred. */
static const struct deferred_message *next_message(struct convert_deferral *deferral,
						   const struct deferred *deferred, uint32_t rank,
						   int kind)
{
	const struct deferred_halves *own = &deferred->ranks[kind][rank];
	const uint32_t number = deferral->counts[kind] - 1;

	if (deferral->next[kind] == own->list.count ||
	    own->list.items[deferral->next[kind]].number != number)
		return NULL;
	return deferred_find(deferred, &own->list.items[deferral->next[kind]++]);
}

int convert_next_half(struct convert *convert, int kind, const struct deferred_message **message,
		      struct error *err)
{
	struct convert_deferral *deferral = &convert->deferral;

	*message = NULL;
	deferral->counts[kind]++;
	if (convert->options.deferred)
		*message = next_message(deferral, convert->options.deferred, convert->rank, kind);
	if (!finds_deferred(convert))
		return 0;
	return array_push(&deferral->found.halves[kind].list, (struct found_half){0}, err);
}

/* First reading: the half of its kind with this number. */
static struct found_half *found_half(struct convert *convert, int kind, uint32_t number)
{
	return &convert->deferral.found.halves[kind].list.items[number];
}

/* First reading: note which message a half is of. */
static void know_half(struct convert *convert, struct found_half *found,
		      const struct goal_new_op *op)
{
	found->known = true;
	found->large = op->size > convert->options.progress->threshold;
	found->peer = op->peer - convert->world_offset;
	found->tag = op->tag;
	found->bytes = op->size;
}

void convert_know_half(struct convert *convert, int kind, const struct goal_new_op *op)
{
	if (finds_deferred(convert))
		know_half(convert, found_half(convert, kind, convert->deferral.counts[kind] - 1),
			  op);
}

void convert_forget_send(struct convert *convert, const struct convert_request *request)
{
	if (finds_deferred(convert))
		found_half(convert, HALF_SEND, request->posted.number)->known = false;
}

/* ---------------------------------------------------------------------------- posts */

int convert_post_receive(struct convert *convert, struct convert_request *request,
			 struct error *err)
{
	const struct goal_new_op op = {.kind = GOAL_RECV};
	const struct deferred_message *message;

	TRY(convert_next_half(convert, HALF_RECEIVE, &message, err));
	request->posted.message = message;
	for (uint32_t i = 0; i <= convert_more_ops(request); i++) {
		TRY(goal_builder_add(&convert->builder, &op, &request->op, err));
		TRY(frontier_before(&convert->own->frontier, request->op, &convert->builder, err));
	}
	if (message && message->early_bytes)
		return goal_builder_requires(&convert->builder, request->op, request->op - 1, err);
	return 0;
}

void convert_note_post(struct convert *convert, int kind, struct convert_request *request)
{
	const struct frontier *frontier = &convert->own->frontier;
	struct convert_posted *posted = &request->posted;

	posted->kind = kind;
	posted->number = convert->deferral.counts[kind] - 1;
	posted->thread = convert->thread;
	posted->entries = (uint32_t)frontier->entries.count;
	if (posted->entries)
		posted->last_op = frontier->entries.items[posted->entries - 1].op;
}

int convert_watch(struct convert *convert, uint32_t place, struct error *err)
{
	const struct convert_request *request = &convert->requests.items[place];
	const struct convert_posted *posted = &request->posted;

	if (request->buffered || request->partitioned ||
	    !(finds_deferred(convert) || (posted->message && posted->message->waits[posted->kind])))
		return 0;
	return array_push(&convert->deferral.open,
			  ((struct open_half){.place = place,
					      .kind = posted->kind,
					      .number = posted->number,
					      .thread = posted->thread}),
			  err);
}

/* ---------------------------------------------------------------------------- waits */

/*
 * Let a receive wait for the computation before the current call.  If it is announced only after this call, it
 * waits for the longest computation until a later call, at most.
 */
static int defer(struct convert *convert, const struct convert_request *request, struct error *err)
{
	const struct deferred_message *message = request->posted.message;
	struct goal_builder *builder = &convert->builder;
	uint32_t gap;

	TRY(frontier_narrow(&convert->own->frontier, builder, err));
	TRY(frontier_before(&convert->own->frontier, request->op, builder, err));
	if (request->posted.kind == HALF_SEND || !message->gap_ns)
		return 0;
	TRY(goal_builder_calc(builder, message->gap_ns, &gap, err));
	TRY(goal_builder_requires(builder, gap, request->op - convert_more_ops(request), err));
	return goal_builder_requires(builder, request->op, gap, err);
}

/* Note that the rank is in a call that waits, the first one after the post. */
static int reach_wait(struct convert *convert, struct convert_request *request, struct error *err)
{
	const struct frontier *frontier = &convert->own->frontier;
	const size_t count = frontier->entries.count;
	struct convert_posted *posted = &request->posted;

	if (posted->reached)
		return 0;
	posted->reached = true;
	posted->wait = convert->threads[posted->thread].waits;
	posted->moved = count && (count != posted->entries ||
				  frontier->entries.items[count - 1].op != posted->last_op);
	if (posted->kind == HALF_SEND && finds_deferred(convert) && !request->buffered)
		found_half(convert, HALF_SEND, posted->number)->waits = posted->moved;
	if (!posted->message || !posted->message->waits[posted->kind] || request->outside)
		return 0;
	return defer(convert, request, err);
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

		if ((kind == EVENT_SEND && !(function->traits & MPI_BUFFERS)) ||
		    kind == EVENT_RECV || kind == EVENT_COLLECTIVE ||
		    (event_is_rma(kind) && kind != EVENT_RMA_TEST))
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
		const struct open_half open = deferral->open.items[i];
		struct convert_request *request = &convert->requests.items[open.place];

		if (open.thread != convert->thread)
			deferral->open.items[kept++] = open;
		else if (request->posted.kind == open.kind && request->posted.number == open.number)
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

/*
 * A half that another thread completes before its own one has waited is not deferred: what that thread
 * has waited for before may need the message.
 */
void convert_complete_half(struct convert *convert, uint32_t place, const struct goal_new_op *op)
{
	const struct convert_request *request = &convert->requests.items[place];
	struct convert_posted *posted = &convert->requests.items[place].posted;
	const bool reached = posted->reached;
	struct found_half *found;

	if (!convert->options.progress || request->partitioned)
		return;
	posted->reached = true;
	if (!op || !finds_deferred(convert))
		return;
	found = found_half(convert, HALF_RECEIVE, posted->number);
	know_half(convert, found, op);
	if (!reached)
		return;
	found->gap_ns = longest_gap_ns(&convert->threads[posted->thread], posted->wait);
	found->waits = posted->moved || found->gap_ns;
}

/* ---------------------------------------------------------------------------- parts */

/* Give operation `op` of a deferred message its tag, instead of that of the program. */
static int defer_tag(struct convert *convert, const struct mpi_event *event, enum tag_use use,
		     uint32_t ordinal, struct goal_new_op *op, struct error *err)
{
	const struct tag tag = {.comm = event->comm,
				.use = use,
				.number = event->tag,
				.persistent = ordinal % TAG_DEFERRED_TAGS};

	return goal_tags_number(&convert->tags, tag, &op->tag, err);
}

int convert_deferred_parts(struct convert *convert, const struct mpi_event *event,
			   const struct deferred_message *message, const struct goal_new_op *whole,
			   struct deferred_parts *parts, struct error *err)
{
	struct goal_new_op part = *whole;
	const uint64_t early = message && message->early_bytes < whole->size ? message->early_bytes
									     : 0;

	parts->count = 1;
	parts->ops[0] = *whole;
	if (!message)
		return 0;
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
