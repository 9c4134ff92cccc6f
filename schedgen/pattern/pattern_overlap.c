/*
 * Overlap of messages with computation, as `llamp-measure overlap` measures it: sequences of two ranks, after A. Denis,
 * F. Trahay, "MPI Overlap: Benchmark and Analysis" (ICPP 2016), section III-D.
 */
#include "schedgen/pattern/pattern_kinds.h"

#include "schedgen/progress/progress_table.h"

enum { TAG_DATA, TAG_READY, TAG_ANNOUNCE };

/* Even ranks have the next rank as partner; with an odd number of ranks the last one has none. */
static bool has_partner(const struct pattern *pattern)
{
	return (pattern->rank | 1) < pattern->options.ranks;
}

/*
 * Parts of a message, of which sender or receiver or both compute: an empty one that announces it, one that
 * does not wait, and the rest.
 */
struct parts {
	bool announced, sender_waits, receiver_waits;
	uint64_t early_bytes, bytes;
};

static struct parts parts_of(const struct pattern *pattern, bool sender_computes,
			     bool receiver_computes)
{
	const struct pattern_options *options = &pattern->options;
	const bool computes[] = {receiver_computes, sender_computes};
	struct parts parts = {.bytes = options->bytes};
	uint64_t least = options->bytes;

	for (int sender = 0; sender < 2 && options->progress && options->compute_ns; sender++) {
		const uint64_t early = progress_table_early(options->progress, sender,
							    options->bytes);

		if (!computes[sender] || early == options->bytes)
			continue;
		*(sender ? &parts.sender_waits : &parts.receiver_waits) = true;
		if (early < least)
			least = early;
	}
	parts.announced = parts.sender_waits;
	parts.early_bytes = least < options->bytes ? least : 0;
	parts.bytes -= parts.early_bytes;
	return parts;
}

/* Add a part of a message after the frontier, which does not change. */
static int add_part(struct pattern *pattern, enum goal_kind kind, uint64_t bytes, uint32_t tag,
		    uint32_t *op, struct error *err)
{
	const struct goal_new_op part = {.kind = (uint8_t)kind,
					 .size = bytes,
					 .peer = pattern->rank ^ 1,
					 .tag = tag};

	TRY(goal_builder_add(&pattern->builder, &part, op, err));
	return frontier_before(&pattern->frontier, *op, &pattern->builder, err);
}

/* Add all parts of a message; *op is the last one, *first the first one. */
static int add_message_parts(struct pattern *pattern, enum goal_kind kind,
			     const struct parts *parts, uint32_t *first, uint32_t *op,
			     struct error *err)
{
	TRY(frontier_narrow(&pattern->frontier, &pattern->builder, err));
	*first = goal_builder_op_count(&pattern->builder);
	if (parts->announced)
		TRY(add_part(pattern, kind, 0, TAG_ANNOUNCE, op, err));
	if (parts->early_bytes)
		TRY(add_part(pattern, kind, parts->early_bytes, TAG_DATA, op, err));
	TRY(add_part(pattern, kind, parts->bytes, TAG_DATA, op, err));
	if (kind == GOAL_RECV && parts->early_bytes)
		TRY(goal_builder_requires(&pattern->builder, *op, *op - 1, err));
	return 0;
}

/* MPI_Isend or MPI_Irecv, computation, MPI_Wait. */
static int overlap(struct pattern *pattern, enum goal_kind kind, const struct parts *parts,
		   struct error *err)
{
	const bool waits = kind == GOAL_SEND ? parts->sender_waits : parts->receiver_waits;
	uint32_t first, op;

	TRY(add_message_parts(pattern, kind, parts, &first, &op, err));
	if (kind == GOAL_SEND)
		TRY(frontier_set(&pattern->frontier, waits ? first : op, true, err));
	TRY(pattern_compute(pattern, pattern->options.compute_ns, err));
	if (waits)
		TRY(frontier_before(&pattern->frontier, op, &pattern->builder, err));
	return frontier_add(&pattern->frontier, op, false, err);
}

/* MPI_Send or MPI_Recv. */
static int pattern_message(struct pattern *pattern, enum goal_kind kind, const struct parts *parts,
			   struct error *err)
{
	uint32_t first, op;

	TRY(add_message_parts(pattern, kind, parts, &first, &op, err));
	return frontier_set(&pattern->frontier, op, false, err);
}

static int pattern_signal(struct pattern *pattern, enum goal_kind kind, struct error *err)
{
	uint32_t op;

	TRY(add_part(pattern, kind, 0, TAG_READY, &op, err));
	return frontier_set(&pattern->frontier, op, false, err);
}

/* Even: Isend, compute, Wait, receive the answer.  Odd: receive, answer. */
int pattern_overlap_sender(struct pattern *pattern, struct error *err)
{
	const struct parts parts = parts_of(pattern, true, false);

	if (!has_partner(pattern))
		return 0;
	if (pattern->rank % 2) {
		TRY(pattern_message(pattern, GOAL_RECV, &parts, err));
		return pattern_signal(pattern, GOAL_SEND, err);
	}
	TRY(overlap(pattern, GOAL_SEND, &parts, err));
	TRY(frontier_narrow(&pattern->frontier, &pattern->builder, err));
	return pattern_signal(pattern, GOAL_RECV, err);
}

/* Even: say that it is ready, Irecv, compute, Wait.  Odd: wait until it is, send. */
int pattern_overlap_receiver(struct pattern *pattern, struct error *err)
{
	const struct parts parts = parts_of(pattern, false, true);

	if (!has_partner(pattern))
		return 0;
	TRY(frontier_narrow(&pattern->frontier, &pattern->builder, err));
	TRY(pattern_signal(pattern, pattern->rank % 2 ? GOAL_RECV : GOAL_SEND, err));
	return pattern->rank % 2 ? pattern_message(pattern, GOAL_SEND, &parts, err)
				 : overlap(pattern, GOAL_RECV, &parts, err);
}

/* Even: Isend, compute, Wait, Irecv, compute, Wait.  Odd: the receive first. */
int pattern_overlap_both(struct pattern *pattern, struct error *err)
{
	const struct parts parts = parts_of(pattern, true, true);
	const enum goal_kind first = pattern->rank % 2 ? GOAL_RECV : GOAL_SEND;

	if (!has_partner(pattern))
		return 0;
	TRY(overlap(pattern, first, &parts, err));
	return overlap(pattern, first == GOAL_SEND ? GOAL_RECV : GOAL_SEND, &parts, err);
}
