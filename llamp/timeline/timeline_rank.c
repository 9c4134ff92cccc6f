#include "llamp/timeline/timeline_rank.h"

#include <string.h>

static bool same_call(const struct goal_call *a, const struct goal_call *b)
{
	return a->number == b->number && a->function == b->function;
}

/* The cpu goes on to another call at start_ns, or to the computation before it. */
static void end_current(struct timeline_rank *found, uint8_t cpu, uint64_t start_ns)
{
	if (found->current[cpu] != TIMELINE_NONE)
		found->calls.items[found->current[cpu]].end_ns = start_ns;
}

static int begin_call(struct timeline_rank *found, const struct goal_call *made, uint8_t cpu,
		      uint64_t start_ns, bool after_computation, struct error *err)
{
	const struct timeline_item item = {.op = TIMELINE_NONE,
					   .call = (uint32_t)found->calls.count};
	const struct timeline_call call = {
		.call = *made,
		.cpu = cpu,
		.start_ns = start_ns,
		.end_ns = start_ns,
		.starts_after_computation = after_computation,
	};

	found->current[cpu] = item.call;
	TRY(array_push(&found->calls, call, err));
	return array_push(&found->items, item, err);
}

/* Add the operation to its call, which begins with it if it is a new one. */
static int add_to_call(struct timeline_rank *found, const struct goal_call *made, uint8_t cpu,
		       const struct op_time *op_time, uint32_t *number, struct error *err)
{
	struct timeline_call *call;

	*number = found->current[cpu];
	if (*number == TIMELINE_NONE || !same_call(made, &found->calls.items[*number].call)) {
		end_current(found, cpu, op_time->start_ns);
		TRY(begin_call(found, made, cpu, op_time->start_ns, false, err));
		*number = found->current[cpu];
	}
	call = &found->calls.items[*number];
	if (op_time->start_ns < call->start_ns && !call->starts_after_computation)
		call->start_ns = op_time->start_ns;
	if (op_time->end_ns > call->end_ns)
		call->end_ns = op_time->end_ns;
	return 0;
}

static int add_operation(struct timeline_rank *found, const struct located *at,
			 const struct op_time *op_time, const struct goal_call *made,
			 struct error *err)
{
	struct timeline_item item = {.op_time = *op_time,
				     .op = at->number - at->block->first_op,
				     .call = TIMELINE_NONE,
				     .cpu = at->op.cpu,
				     .receives = at->op.kind == GOAL_RECV};

	if (made && made->before)
		end_current(found, at->op.cpu, op_time->start_ns);
	else if (made)
		TRY(add_to_call(found, made, at->op.cpu, op_time, &item.call, err));
	if (at->op.kind != GOAL_CALC || at->op.size > 0)
		TRY(array_push(&found->items, item, err));
	return made && made->before
		       ? begin_call(found, made, at->op.cpu, op_time->end_ns, true, err)
		       : 0;
}

static int find_items(struct timeline_rank *found, const struct op_times *op_times,
		      const struct goal_calls *calls, struct error *err)
{
	const struct goal_block *block = &op_times->execution->goal->ranks[found->rank];

	for (uint32_t i = 0; i < block->op_count; i++) {
		const struct located at = execution_locate(op_times->execution, found->rank,
							   block->first_op + i);
		const struct op_time op_time = op_times_of(op_times, &at);
		struct goal_call call;
		const int none = calls ? goal_calls_find(&found->cursor, i, &call, err) : 1;

		TRY(none);
		found->uses_cpu[at.op.cpu] = true;
		TRY(add_operation(found, &at, &op_time, none ? NULL : &call, err));
	}
	return 0;
}

/* Sort by start and keep the order of equal starts: by one digit after the other. */
static int sort_items(struct timeline_rank *found, struct error *err)
{
	enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };
	const size_t count = found->items.count;
	uint64_t all = 0;
	bool sorted = true;

	for (size_t i = 1; i < count; i++) {
		sorted &= found->items.items[i - 1].op_time.start_ns <=
			  found->items.items[i].op_time.start_ns;
		all |= found->items.items[i - 1].op_time.start_ns ^
		       found->items.items[i].op_time.start_ns;
	}
	if (sorted)
		return 0;
	TRY(array_reserve(&found->spare, count, err));
	for (unsigned shift = 0; shift < 64 && all >> shift; shift += DIGIT_BITS) {
		struct timeline_item *from = found->items.items, *to = found->spare.items;
		size_t place[DIGITS + 1] = {0};

		for (size_t i = 0; i < count; i++)
			place[(from[i].op_time.start_ns >> shift) % DIGITS + 1]++;
		for (size_t d = 1; d < DIGITS; d++)
			place[d] += place[d - 1];
		for (size_t i = 0; i < count; i++)
			to[place[(from[i].op_time.start_ns >> shift) % DIGITS]++] = from[i];
		memcpy(from, to, count * sizeof *from);
	}
	return 0;
}

/*
 * Let receives that wait while their cpu does something else begin where they have got their messages.
 * The items are sorted.
 */
static void shorten_receives(struct timeline_rank *found)
{
	uint64_t next_ns[TIMELINE_MOST_CPUS];

	memset(next_ns, 0xff, sizeof next_ns);
	for (size_t i = found->items.count; i-- > 0;) {
		struct timeline_item *item = &found->items.items[i];
		const uint64_t start_ns = item->op_time.start_ns;

		if (item->op == TIMELINE_NONE)
			continue;
		if (item->receives && next_ns[item->cpu] < item->op_time.message_ns)
			item->op_time.start_ns = item->op_time.message_ns;
		next_ns[item->cpu] = start_ns;
	}
}

/* Keep the calls, and the operations in the part. */
static void keep_part(struct timeline_rank *found, const struct run_part *part)
{
	size_t kept = 0;

	for (size_t i = 0; i < found->items.count; i++) {
		const struct timeline_item *item = &found->items.items[i];

		if (item->op == TIMELINE_NONE ||
		    run_part_has_time(part, item->op_time.start_ns, item->op_time.end_ns))
			found->items.items[kept++] = *item;
	}
	found->items.count = kept;
}

int timeline_rank_find(struct timeline_rank *found, const struct op_times *op_times, uint32_t rank,
		       const struct goal_calls *calls, const struct run_part *part,
		       struct error *err)
{
	found->rank = rank;
	found->calls.count = found->items.count = found->spare.count = 0;
	memset(found->uses_cpu, 0, sizeof found->uses_cpu);
	memset(found->current, 0xff, sizeof found->current);
	if (calls)
		goal_calls_cursor_start(&found->cursor, calls, rank);
	TRY(find_items(found, op_times, calls, err));
	for (size_t i = 0; i < found->items.count; i++) {
		struct timeline_item *item = &found->items.items[i];

		if (item->op == TIMELINE_NONE)
			item->op_time.start_ns = found->calls.items[item->call].start_ns;
	}
	TRY(sort_items(found, err));
	shorten_receives(found);
	keep_part(found, part);
	return sort_items(found, err);
}

void timeline_rank_release(struct timeline_rank *found)
{
	array_release(&found->calls);
	array_release(&found->items);
	array_release(&found->spare);
	goal_calls_cursor_release(&found->cursor);
}
