/* Memory that a builder takes, and coarser signatures past its bound. */
#include "trace/flow/builder/flow_rank_internal.h"

#include <string.h>

enum { COARSE_SIZES = 1, COARSE_FIELDS = 2, COARSE_FUNCTIONS = 3 };

/* ------------------------------------------------------------------------ bytes */

#define BYTES_OF(array) ((array).capacity * sizeof *(array).items)

static uint64_t bytes_of_known(const struct build_known *known)
{
	return known ? sizeof *known + known->count * sizeof *known->events : 0;
}

static uint64_t bytes_of_map(const struct number_map *map)
{
	return map->capacity * sizeof *map->entries;
}

static uint64_t bytes_of_thread(const struct build_thread *thread)
{
	uint64_t bytes = sizeof *thread + BYTES_OF(thread->nodes) + BYTES_OF(thread->edges) +
			 bytes_of_map(&thread->node_of) + bytes_of_map(&thread->edge_of) +
			 bytes_of_map(&thread->content_of) + BYTES_OF(thread->contents) +
			 BYTES_OF(thread->codes) + BYTES_OF(thread->coarse) +
			 BYTES_OF(thread->open) + BYTES_OF(thread->row);

	for (size_t n = 0; n < thread->nodes.count; n++) {
		const struct build_node *node = &thread->nodes.items[n];

		bytes += BYTES_OF(node->edges) + BYTES_OF(node->values) + BYTES_OF(node->row) +
			 BYTES_OF(node->times.bytes) + bytes_of_known(node->known);
	}
	for (size_t e = 0; e < thread->edges.count; e++)
		bytes += BYTES_OF(thread->edges.items[e].visits.blocks) +
			 BYTES_OF(thread->edges.items[e].times.bytes);
	return bytes;
}

/* Bytes of signatures and strings. */
static uint64_t bytes_of_tables(const struct flow_rank_builder *builder)
{
	const struct flow *flow = builder->flow;
	uint64_t bytes = BYTES_OF(flow->signature_sizes);

	for (size_t i = 0; i < flow->signature_sizes.count; i++)
		bytes += flow->signature_sizes.items[i] + 1;
	bytes += BYTES_OF(flow->signatures.starts) +
		 flow->signatures.numbers.capacity * sizeof *flow->signatures.numbers.entries;
	return bytes + BYTES_OF(flow->strings.starts) +
	       flow->strings.numbers.capacity * sizeof *flow->strings.numbers.entries;
}

uint64_t flow_rank_bytes(const struct flow_rank_builder *builder)
{
	uint64_t bytes = sizeof *builder + bytes_of_tables(builder) + BYTES_OF(builder->order);

	for (uint32_t t = 0; t < builder->thread_count; t++)
		if (build_thread_of(builder, t))
			bytes += bytes_of_thread(build_thread_of(builder, t));
	return bytes;
}

/* ---------------------------------------------------------------------- the bound */

/*
 * Drop what a lossy thread does not need: visits of edges, values but one row; past that calls that
 * nodes know.
 */
static void drop(struct build_thread *thread)
{
	for (size_t n = 0; n < thread->nodes.count; n++) {
		struct build_node *node = &thread->nodes.items[n];

		array_release(&node->values);
		if (thread->coarseness < COARSE_FUNCTIONS)
			continue;
		free(node->known);
		node->known = NULL;
	}
	for (size_t e = 0; e < thread->edges.count; e++)
		array_release(&thread->edges.items[e].visits.blocks);
}

/* Bytes that a thread uses: without the room in which its nodes and edges double. */
static uint64_t used_bytes(const struct build_thread *thread)
{
	return bytes_of_thread(thread) -
	       (thread->nodes.capacity - thread->nodes.count) * sizeof *thread->nodes.items -
	       (thread->edges.capacity - thread->edges.count) * sizeof *thread->edges.items;
}

/* Take over how coarse the rank is. */
static void follow_rank(const struct flow_rank_builder *builder, struct build_thread *thread)
{
	if (thread->coarseness == builder->coarseness)
		return;
	thread->coarseness = builder->coarseness;
	drop(thread);
	thread->bytes = used_bytes(thread);
}

static uint64_t used_by_all(const struct flow_rank_builder *builder)
{
	uint64_t bytes = sizeof *builder + bytes_of_tables(builder);

	for (uint32_t t = 0; t < builder->thread_count; t++)
		if (build_thread_of(builder, t))
			bytes += build_thread_of(builder, t)->bytes;
	return bytes;
}

int build_check_memory(struct flow_rank_builder *builder, struct build_thread *thread,
		       struct error *err)
{
	uint64_t bytes;

	(void)err;
	thread->next_check = thread->growth + 64 + (thread->nodes.count + thread->edges.count) / 8;
	thread->bytes = used_bytes(thread);
	build_lock(builder);
	bytes = used_by_all(builder);
	/*
	 * Nodes and edges may take twice what they use.  What is dropped makes room; to become
	 * coarser again an eighth has to come.
	 */
	if (bytes > builder->options.memory / 8 * 3 &&
	    bytes > builder->raised_at + builder->raised_at / 8 &&
	    builder->coarseness < COARSE_FUNCTIONS) {
		builder->coarseness++;
		follow_rank(builder, thread);
		builder->raised_at = used_by_all(builder);
	}
	build_unlock(builder);
	return 0;
}

/* ------------------------------------------------------------------- coarser calls */

/* Least power of two that is not less. */
static uint64_t round_up(uint64_t size)
{
	return size < 2		       ? size
	       : size > UINT64_MAX / 2 ? size
				       : (uint64_t)1 << (64 - (unsigned)__builtin_clzll(size - 1));
}

/* Leave out what lists of sizes say, and what a wildcard has matched. */
static void coarsen_sizes(struct mpi_event *event, struct flow_code *code)
{
	event->bytes_sent = round_up(event->bytes_sent);
	event->bytes_received = round_up(event->bytes_received);
	if (event_is_message(event->kind)) {
		if (code->posted & POSTED_ANY_SOURCE)
			event->peer = 0;
		if (code->posted & POSTED_ANY_TAG)
			event->tag = 0;
		event->bytes = round_up(event->bytes);
		event->posted = 0;
	} else if (event_is_collective(event->kind)) {
		event->send_bytes = event->receive_bytes = NULL;
	}
	code->posted = 0;
}

static void coarsen_fields(struct mpi_event *event)
{
	event->bytes_sent = event->bytes_received = 0;
	event->peer = 0;
	if (event_is_message(event->kind)) {
		event->bytes = 0;
		event->tag = 0;
	} else if (event_is_collective(event->kind)) {
		event->send_count = event->receive_count = 0;
		event->neighbours = NULL;
		event->persistent = 0;
	}
}

/*
 * Name a request as the oldest one if it is of another thread, which needs values, or fields are
 * coarse.
 */
static void coarsen_request(const struct mpi_event *event, unsigned coarseness,
			    struct flow_code *code)
{
	if (flow_request_is_foreign(flow_request_use(event), code->code) ||
	    (code->code && coarseness == COARSE_FIELDS))
		code->code = 1;
}

static bool has_signature(struct flow_rank_builder *builder, const struct build_thread *thread,
			  const struct mpi_call *call, struct error *err)
{
	builder->content.count = 0;
	return flow_put(&builder->content, FLOW_PLAIN, err) == 0 &&
	       flow_call_put(&builder->calls, call, &thread->codes, thread->site, 0,
			     &builder->content, err) == 0 &&
	       string_map_get(&builder->flow->signatures.numbers,
			      (const char *)builder->content.items,
			      (uint32_t)builder->content.count) != STRING_MAP_EMPTY;
}

int build_coarsen(struct flow_rank_builder *builder, struct build_thread *thread,
		  const struct mpi_call **call, struct mpi_call *room, struct error *err)
{
	if (thread->growth >= thread->next_check)
		TRY(build_check_memory(builder, thread, err));
	follow_rank(builder, thread);
	if (!thread->coarseness ||
	    (thread->coarseness < COARSE_FUNCTIONS && has_signature(builder, thread, *call, err)))
		return 0;
	*room = **call;
	*call = room;
	thread->coarse.count = 0;
	TRY(array_reserve(&thread->coarse, room->event_count + 1, err));
	if (thread->coarseness == COARSE_FUNCTIONS)
		room->event_count = 0;
	for (uint32_t i = 0; i < room->event_count; i++) {
		struct mpi_event *event = &thread->coarse.items[i];

		*event = room->events[i];
		coarsen_sizes(event, &thread->codes.items[i]);
		if (thread->coarseness == COARSE_FIELDS)
			coarsen_fields(event);
		coarsen_request(event, thread->coarseness, &thread->codes.items[i]);
	}
	room->events = thread->coarse.items;
	return 0;
}
