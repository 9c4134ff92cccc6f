/*
 * Overlap of messages with computation, as `llamp-measure overlap` measures it: sequences of two ranks, after A. Denis,
 * F. Trahay, "MPI Overlap: Benchmark and Analysis" (ICPP 2016), section III-D.
 */
#include "schedgen/pattern/pattern_kinds.h"

#include "schedgen/progress/progress_table.h"

enum { TAG_DATA, TAG_READY };

/* Even ranks have the next rank as partner; with an odd number of ranks the last one has none. */
static bool has_partner(const struct pattern *pattern)
{
	return (pattern->rank | 1) < pattern->options.ranks;
}

/* Bytes of a message that do not wait for its receiver, who computes: all, some or none. */
static uint64_t early_bytes(const struct pattern *pattern)
{
	const struct pattern_options *options = &pattern->options;

	return options->compute_ns && options->progress
		       ? progress_table_early(options->progress, options->bytes)
		       : options->bytes;
}

/* Whether the message is two: some of it is early. */
static bool has_parts(const struct pattern *pattern)
{
	const uint64_t early = early_bytes(pattern);

	return early > 0 && early < pattern->options.bytes;
}

/* Bytes of the message, or of its last part. */
static uint64_t late_bytes(const struct pattern *pattern)
{
	return pattern->options.bytes - (has_parts(pattern) ? early_bytes(pattern) : 0);
}

/* MPI_Isend, MPI_Irecv: *op is what pattern_wait waits for. */
static int start_send(struct pattern *pattern, uint32_t *op, struct error *err)
{
	if (has_parts(pattern)) {
		TRY(goal_builder_send(&pattern->builder, early_bytes(pattern), pattern->rank ^ 1,
				      TAG_DATA, op, err));
		TRY(frontier_before(&pattern->frontier, *op, &pattern->builder, err));
	}
	TRY(goal_builder_send(&pattern->builder, late_bytes(pattern), pattern->rank ^ 1, TAG_DATA, op,
			      err));
	TRY(frontier_before(&pattern->frontier, *op, &pattern->builder, err));
	return frontier_set(&pattern->frontier, *op, true, err);
}

static int start_recv(struct pattern *pattern, uint32_t *op, struct error *err)
{
	const bool parts = has_parts(pattern);

	TRY(frontier_narrow(&pattern->frontier, &pattern->builder, err));
	if (parts) {
		TRY(goal_builder_recv(&pattern->builder, early_bytes(pattern), pattern->rank ^ 1,
				      TAG_DATA, op, err));
		TRY(frontier_before(&pattern->frontier, *op, &pattern->builder, err));
	}
	TRY(goal_builder_recv(&pattern->builder, late_bytes(pattern), pattern->rank ^ 1, TAG_DATA, op,
			      err));
	if (parts)
		TRY(goal_builder_requires(&pattern->builder, *op, *op - 1, err));
	return frontier_before(&pattern->frontier, *op, &pattern->builder, err);
}

/* MPI_Wait. */
static int pattern_wait(struct pattern *pattern, uint32_t op, struct error *err)
{
	return frontier_add(&pattern->frontier, op, false, err);
}

/* Computation and MPI_Wait for a receive.  A deferred one waits for the computation. */
static int compute_and_receive(struct pattern *pattern, uint32_t op, struct error *err)
{
	const struct pattern_options *options = &pattern->options;

	TRY(pattern_compute(pattern, options->compute_ns, err));
	if (early_bytes(pattern) < options->bytes)
		TRY(frontier_before(&pattern->frontier, op, &pattern->builder, err));
	return pattern_wait(pattern, op, err);
}

/* Message of a round of its own. */
static int pattern_message(struct pattern *pattern, bool sends, uint64_t bytes, uint32_t tag,
			   struct error *err)
{
	TRY(sends ? pattern_send(pattern, bytes, pattern->rank ^ 1, tag, err)
		  : pattern_recv(pattern, bytes, pattern->rank ^ 1, tag, err));
	pattern_round_end(pattern);
	return 0;
}

/* Even: Isend, compute, Wait, receive the answer.  Odd: receive, answer.  Nobody computes while it receives. */
int pattern_overlap_sender(struct pattern *pattern, struct error *err)
{
	uint32_t op;

	if (!has_partner(pattern))
		return 0;
	if (pattern->rank % 2) {
		TRY(pattern_message(pattern, false, pattern->options.bytes, TAG_DATA, err));
		return pattern_message(pattern, true, 0, TAG_READY, err);
	}
	TRY(goal_builder_send(&pattern->builder, pattern->options.bytes, pattern->rank ^ 1, TAG_DATA, &op,
			      err));
	TRY(frontier_before(&pattern->frontier, op, &pattern->builder, err));
	TRY(frontier_set(&pattern->frontier, op, true, err));
	TRY(pattern_compute(pattern, pattern->options.compute_ns, err));
	TRY(pattern_wait(pattern, op, err));
	return pattern_message(pattern, false, 0, TAG_READY, err);
}

/* Even: say that it is ready, Irecv, compute, Wait.  Odd: wait until it is, send. */
int pattern_overlap_receiver(struct pattern *pattern, struct error *err)
{
	uint32_t op;

	if (!has_partner(pattern))
		return 0;
	TRY(pattern_message(pattern, pattern->rank % 2 == 0, 0, TAG_READY, err));
	if (pattern->rank % 2) {
		if (has_parts(pattern))
			TRY(pattern_send(pattern, early_bytes(pattern), pattern->rank ^ 1, TAG_DATA, err));
		return pattern_message(pattern, true, late_bytes(pattern), TAG_DATA, err);
	}
	TRY(start_recv(pattern, &op, err));
	return compute_and_receive(pattern, op, err);
}

/* Even: Isend, compute, Wait, Irecv, compute, Wait.  Odd: the receive first. */
int pattern_overlap_both(struct pattern *pattern, struct error *err)
{
	uint32_t op;

	if (!has_partner(pattern))
		return 0;
	for (uint32_t half = 0; half < 2; half++) {
		if (half != pattern->rank % 2) {
			TRY(start_recv(pattern, &op, err));
			TRY(compute_and_receive(pattern, op, err));
			continue;
		}
		TRY(start_send(pattern, &op, err));
		TRY(pattern_compute(pattern, pattern->options.compute_ns, err));
		TRY(pattern_wait(pattern, op, err));
	}
	return 0;
}
