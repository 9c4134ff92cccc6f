#include "critpath/path/jumps.h"

/* Numbers of a row, and of a call, at most. */
enum { ROW_NUMBERS = 4, CALL_NUMBERS = 7 };

static const struct measured_call *calls_of(const struct waits *waits, uint32_t rank)
{
	return waits->run->ranks[rank].calls.items;
}

/* ------------------------------------------------------------------------ list */

/* Whether calls of a rank are of several threads, or overlap. */
static bool overlaps(const struct measured_rank *rank)
{
	uint64_t before_ns = 0;

	for (size_t c = 0; c < rank->calls.count; c++) {
		const struct measured_call *call = &rank->calls.items[c];

		if (call->thread != rank->calls.items[0].thread || call->enter_ns < before_ns ||
		    call->leave_ns < call->enter_ns)
			return true;
		before_ns = call->leave_ns;
	}
	return false;
}

int jump_calls_list(struct jump_calls *list, const struct waits *waits, uint32_t rank,
		    struct error *err)
{
	const struct measured_call *calls = calls_of(waits, rank);
	const size_t count = waits->run->ranks[rank].calls.count;

	*list = (struct jump_calls){.rank = rank, .all = overlaps(&waits->run->ranks[rank])};
	for (uint32_t c = 0; c < count; c++)
		if (list->all || wait_at(waits, rank, c)->kind != WAIT_NONE ||
		    walk_begins_run(&calls[c]))
			if (array_push(&list->calls, c, err) < 0) {
				jump_calls_release(list);
				return -1;
			}
	return 0;
}

void jump_calls_release(struct jump_calls *list)
{
	array_release(&list->calls);
}

/* ------------------------------------------------------------------------ pack */

/* Find the first call that is listed in a later period than the one that ends at `end_ns`. */
static size_t end_of_period(struct jump_calls *list, const struct measured_call *calls,
			    uint64_t end_ns)
{
	size_t next = list->next;

	for (; next < list->calls.count; next++) {
		const uint64_t leave_ns = calls[list->calls.items[next]].leave_ns;

		if (leave_ns > list->latest_ns)
			list->latest_ns = leave_ns;
		if (list->latest_ns >= end_ns && end_ns != UINT64_MAX)
			break;
	}
	return next;
}

static uint32_t listed_call(const struct jump_calls *list, size_t number)
{
	return number < list->calls.count ? list->calls.items[number] : NO_CALL;
}

static enum jump_kind kind_of(const struct measured_call *call, const struct wait *wait)
{
	if (walk_begins_run(call))
		return JUMP_BEGIN;
	return wait->kind == WAIT_NONE ? JUMP_NOT : JUMP;
}

/* Times are packed as differences: most calls are short, and follow each other soon. */
static void pack_call(struct byte_array *bytes, const struct jump_calls *list,
		      const struct waits *waits, uint32_t number, uint32_t before,
		      uint64_t before_ns)
{
	const struct measured_call *call = &calls_of(waits, list->rank)[number];
	const struct wait *wait = wait_at(waits, list->rank, number);
	const enum jump_kind kind = kind_of(call, wait);

	varint_put(bytes, (uint64_t)(number - before) << 2 | kind);
	varint_put(bytes, zigzag(call->leave_ns - before_ns));
	if (list->all) {
		varint_put(bytes, call->thread);
		varint_put(bytes, zigzag(call->leave_ns - call->enter_ns));
	}
	if (kind != JUMP)
		return;
	varint_put(bytes, zigzag(call->leave_ns - wait->until_ns));
	varint_put(bytes, zigzag((uint64_t)wait->rank - list->rank));
	varint_put(bytes, zigzag((uint64_t)wait->call - number));
}

int jumps_pack(struct jump_calls *list, const struct waits *waits, uint64_t end_ns,
	       struct byte_array *bytes, struct error *err)
{
	const struct measured_call *calls = calls_of(waits, list->rank);
	const size_t end = end_of_period(list, calls, end_ns);
	uint32_t before = listed_call(list, list->next);
	uint64_t before_ns = 0;

	TRY(array_reserve(&bytes->bytes, VARINT_BYTES * ROW_NUMBERS, err));
	varint_put(bytes, (uint64_t)list->rank << 1 | list->all);
	varint_put(bytes, before);
	varint_put(bytes, listed_call(list, end));
	varint_put(bytes, end - list->next);
	for (; list->next < end; list->next++) {
		const uint32_t number = list->calls.items[list->next];

		TRY(array_reserve(&bytes->bytes, VARINT_BYTES * CALL_NUMBERS, err));
		pack_call(bytes, list, waits, number, before, before_ns);
		before = number;
		before_ns = calls[number].leave_ns;
	}
	return 0;
}

/* ---------------------------------------------------------------------- unpack */

static uint64_t take(struct varint_reader *reader)
{
	uint64_t number = 0;

	varint_take(reader, &number);
	return number;
}

static int unpack_call(struct jumps *jumps, const struct jump_row *row, struct jump *before,
		       struct varint_reader *reader, struct error *err)
{
	const uint64_t first = take(reader);
	struct jump jump = {.call = before->call + (uint32_t)(first >> 2), .kind = first & 3};

	jump.leave_ns = before->leave_ns + unzigzag(take(reader));
	if (row->all) {
		struct jump without = jump;

		jump.thread = without.thread = take(reader) & 0x3fffffff;
		without.until_ns = jump.leave_ns - unzigzag(take(reader));
		without.kind = jump.kind == JUMP ? JUMP_NOT : jump.kind;
		TRY(array_push(&jumps->list, without, err));
	}
	if (jump.kind == JUMP) {
		jump.until_ns = jump.leave_ns - unzigzag(take(reader));
		jump.rank = (uint32_t)(row->rank + unzigzag(take(reader)));
		jump.to = (uint32_t)(jump.call + unzigzag(take(reader)));
	}
	*before = jump;
	return jump.kind == JUMP || !row->all ? array_push(&jumps->list, jump, err) : 0;
}

int jumps_unpack(struct jumps *jumps, struct jump_row *row, struct varint_reader *reader,
		 struct error *err)
{
	const uint64_t rank = take(reader);
	struct jump before = {0};
	uint64_t count;

	*row = (struct jump_row){.rank = (uint32_t)(rank >> 1), .all = rank & 1};
	before.call = row->from = (uint32_t)take(reader);
	row->to = (uint32_t)take(reader);
	count = take(reader);
	row->first = jumps->list.count;
	TRY(array_reserve(&jumps->list, count << row->all, err));
	while (count-- > 0)
		TRY(unpack_call(jumps, row, &before, reader, err));
	row->end = row->last = jumps->list.count;
	return 0;
}
