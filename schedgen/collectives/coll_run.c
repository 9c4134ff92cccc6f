#include "schedgen/collectives/coll_run.h"

#include <string.h>

static void observe(struct coll_run *run, const struct coll_event *event)
{
	if (run->observer)
		run->observer->observe(run->observer->context, event);
}

static int too_many_bytes(struct coll_run *run)
{
	return error_set(run->err, STATUS_LIMIT, "%s among %u ranks moves 2^64 bytes or more",
			 coll_name(run->call->kind), (unsigned)run->size);
}

/* ------------------------------------------------------------------ slots */

static void set_area(struct coll_run *run, uint32_t area, struct coll_area layout)
{
	run->areas[area] = layout;
	observe(run, &(struct coll_event){
			     .kind = COLL_AREA, .area = area, .layout = &run->areas[area]});
}

static bool is_barrier(const struct coll_run *run)
{
	return run->call->kind == COLL_BARRIER || run->call->kind == COLL_INTER_BARRIER;
}

void coll_vector_area(struct coll_run *run, uint32_t area, uint32_t pieces)
{
	const uint64_t bytes = is_barrier(run) ? 0 : run->call->block_bytes;

	set_area(run, area, (struct coll_area){.slot_count = pieces, .total_bytes = bytes});
}

void coll_vector(struct coll_run *run, uint32_t pieces)
{
	coll_vector_area(run, 0, pieces);
}

/* Largest number of segments of a block, which bounds memory. */
enum { MOST_SEGMENTS = 1 << 20 };

/* Cut the blocks of area 0 into segments.  The largest block has the given bytes. */
static int cut_blocks(struct coll_run *run, struct coll_area layout, uint64_t largest)
{
	const uint64_t segment = run->call->parameters.segment_bytes;
	uint64_t slots;

	layout.pieces = 1;
	if (segment && largest > segment) {
		slots = (largest - 1) / segment + 1;
		if (slots > MOST_SEGMENTS || slots * layout.slot_count > UINT32_MAX)
			return error_set(run->err, STATUS_LIMIT,
					 "%s of %llu bytes has more than %d segments",
					 coll_name(run->call->kind),
					 (unsigned long long)layout.total_bytes, MOST_SEGMENTS);
		layout.pieces = (uint32_t)slots;
		layout.slot_count *= layout.pieces;
		layout.segment_bytes = segment;
	}
	set_area(run, 0, layout);
	return 0;
}

int coll_segmented_vector(struct coll_run *run, uint32_t blocks)
{
	const uint64_t bytes = run->call->block_bytes;

	return cut_blocks(run, (struct coll_area){.slot_count = blocks, .total_bytes = bytes},
			  bytes / blocks + (bytes % blocks > 0));
}

static int lay_out_blocks(struct coll_run *run, struct coll_area *blocks, uint32_t count,
			  const uint64_t *bytes, uint64_t each)
{
	struct coll_area layout = {.slot_count = count, .bytes = bytes};
	uint32_t i;

	if (!bytes && __builtin_mul_overflow(each, (uint64_t)count, &layout.total_bytes))
		return too_many_bytes(run);
	for (i = 0; bytes && i < count; i++) {
		if (__builtin_add_overflow(layout.total_bytes, bytes[i], &layout.total_bytes))
			return too_many_bytes(run);
	}
	*blocks = layout;
	return 0;
}

int coll_block_list(struct coll_run *run, uint32_t area, uint32_t count, const uint64_t *bytes,
		    uint64_t each)
{
	struct coll_area layout;

	TRY(lay_out_blocks(run, &layout, count, bytes, each));
	set_area(run, area, layout);
	return 0;
}

int coll_blocks(struct coll_run *run, uint32_t area, const uint64_t *bytes)
{
	return coll_block_list(run, area, run->size, bytes, run->call->block_bytes);
}

int coll_segmented_blocks(struct coll_run *run, const uint64_t *bytes)
{
	uint64_t largest = run->call->block_bytes;
	struct coll_area layout;

	TRY(lay_out_blocks(run, &layout, run->size, bytes, largest));
	if (bytes)
		largest = 0;
	for (uint32_t i = 0; bytes && i < run->size; i++)
		largest = bytes[i] > largest ? bytes[i] : largest;
	return cut_blocks(run, layout, largest);
}

void coll_area_like(struct coll_run *run, uint32_t area, uint32_t model)
{
	set_area(run, area, run->areas[model]);
}

struct coll_slots coll_slot(uint32_t area, uint32_t slot)
{
	return coll_range(area, slot, 1);
}

struct coll_slots coll_range(uint32_t area, uint32_t first, uint32_t count)
{
	return (struct coll_slots){.area = (uint8_t)area, .first = first, .count = count};
}

struct coll_slots coll_backward(uint32_t area, uint32_t first, uint32_t count)
{
	struct coll_slots slots = coll_range(area, first, count);

	slots.backward = true;
	return slots;
}

struct coll_slots coll_all(const struct coll_run *run, uint32_t area)
{
	return coll_range(area, 0, run->areas[area].slot_count);
}

struct coll_slots coll_with_bit(const struct coll_run *run, uint32_t area, uint32_t bit)
{
	const uint32_t slot_count = run->areas[area].slot_count;
	/* `bit` of every 2 * bit slots have the bit, and perhaps some of the last ones. */
	const uint32_t rest = slot_count % (2 * bit);

	return (struct coll_slots){
		.area = (uint8_t)area,
		.count = slot_count / (2 * bit) * bit + (rest > bit ? rest - bit : 0),
		.bit = bit,
	};
}

uint32_t coll_slot_at(const struct coll_area *area, struct coll_slots slots, uint32_t i)
{
	if (slots.bit)
		return (i / slots.bit * 2 + 1) * slots.bit + i % slots.bit;
	if (slots.backward)
		i = area->slot_count - i;
	return (uint32_t)(((uint64_t)slots.first + i) % area->slot_count);
}

/* Bytes of the slots before this one where the total is split evenly. */
static uint64_t bytes_before(const struct coll_area *area, uint32_t slot)
{
	const uint64_t larger = area->total_bytes % area->slot_count;

	return area->total_bytes / area->slot_count * slot + (slot < larger ? slot : larger);
}

/* Bytes of one slot of blocks in segments. */
static uint64_t bytes_of_segment(const struct coll_area *area, uint32_t slot)
{
	const uint32_t block = slot / area->pieces, blocks = area->slot_count / area->pieces;
	const uint64_t before = slot % area->pieces * area->segment_bytes;
	const uint64_t bytes = area->bytes ? area->bytes[block] :
			       area->total_bytes / blocks + (block < area->total_bytes % blocks);

	if (bytes <= before)
		return 0;
	return bytes - before < area->segment_bytes ? bytes - before : area->segment_bytes;
}

/* Bytes of slots that follow each other in a circle, where the total is split evenly. */
static uint64_t bytes_of_range(const struct coll_area *area, struct coll_slots slots)
{
	const uint64_t end = (uint64_t)slots.first + slots.count;
	const uint64_t before = bytes_before(area, slots.first);

	if (end <= area->slot_count)
		return bytes_before(area, (uint32_t)end) - before;
	return area->total_bytes - before + bytes_before(area, (uint32_t)(end - area->slot_count));
}

/* Never overflows: each slot counts once, and the total has been checked. */
uint64_t coll_bytes(const struct coll_run *run, struct coll_slots slots)
{
	const struct coll_area *area = &run->areas[slots.area];
	uint64_t bytes = 0;
	uint32_t i;

	for (i = 0; area->segment_bytes && i < slots.count; i++)
		bytes += bytes_of_segment(area, coll_slot_at(area, slots, i));
	if (area->segment_bytes)
		return bytes;
	if (!area->bytes && slots.bit)
		return area->total_bytes / area->slot_count * slots.count;
	if (!area->bytes)
		return bytes_of_range(area, slots);
	for (i = 0; i < slots.count; i++)
		bytes += area->bytes[coll_slot_at(area, slots, i)];
	return bytes;
}

bool coll_has_message(const struct coll_run *run, struct coll_slots block)
{
	return !run->call->sizes_told || coll_bytes(run, block);
}

/* ----------------------------------------------------------------- rounds */

/*
 * Let an operation wait for the round before.  Frontiers of more than
 * two operations are joined first, so that a round of n operations after another one does not have
 * n^2 dependencies.
 */
static int hang(struct coll_run *run, uint32_t op)
{
	size_t i;

	for (i = 0; i < run->waited_for; i++) {
		struct frontier_entry before = run->frontier->entries.items[i];

		if (before.irequires)
			TRY(goal_builder_irequires(run->builder, op, before.op, run->err));
		else
			TRY(goal_builder_requires(run->builder, op, before.op, run->err));
	}
	return array_push(&run->frontier->entries, ((struct frontier_entry){op, false}), run->err);
}

static uint32_t member(const struct coll_group *group, uint32_t i)
{
	return group->members ? group->members[i] : group->first + i * group->stride;
}

static int coll_run_message(struct coll_run *run, const struct coll_event *what, uint32_t peer)
{
	const uint32_t world = run->call->world_offset + peer;
	const uint64_t bytes = coll_bytes(run, what->slots);
	struct coll_event event = *what;

	if (run->waited_for > 2 && run->frontier->entries.count == run->waited_for) {
		TRY(frontier_join(run->frontier, run->builder, run->err));
		run->waited_for = run->frontier->entries.count;
	}
	if (what->kind == COLL_SEND)
		TRY(goal_builder_send(run->builder, bytes, world, run->call->tag, &event.op,
				      run->err));
	else
		TRY(goal_builder_recv(run->builder, bytes, world, run->call->tag, &event.op,
				      run->err));
	observe(run, &event);
	return hang(run, event.op);
}

static uint32_t world_rank(const struct coll_run *run, uint32_t peer)
{
	const uint32_t rank = run->group ? member(run->group, peer) : peer;

	return run->call->world ? run->call->world[rank] : rank;
}

static int send_to(struct coll_run *run, uint32_t world, struct coll_slots slots)
{
	return coll_run_message(run, &(struct coll_event){.kind = COLL_SEND, .slots = slots},
				world);
}

int coll_send(struct coll_run *run, uint32_t to, struct coll_slots slots)
{
	return send_to(run, world_rank(run, to), slots);
}

int coll_send_remote(struct coll_run *run, uint32_t to, struct coll_slots slots)
{
	return send_to(run, run->call->remote_world[to], slots);
}

static int will_combine(struct coll_run *run, struct coll_slots slots)
{
	if (__builtin_add_overflow(run->combined_bytes, coll_bytes(run, slots),
				   &run->combined_bytes))
		return too_many_bytes(run);
	return 0;
}

static int recv_from(struct coll_run *run, uint32_t world, struct coll_slots slots,
		     enum coll_mode mode)
{
	if (mode == COLL_COMBINE)
		TRY(will_combine(run, slots));
	return coll_run_message(
		run, &(struct coll_event){.kind = COLL_RECV, .slots = slots, .mode = mode}, world);
}

int coll_recv(struct coll_run *run, uint32_t from, struct coll_slots slots, enum coll_mode mode)
{
	return recv_from(run, world_rank(run, from), slots, mode);
}

int coll_recv_remote(struct coll_run *run, uint32_t from, struct coll_slots slots,
		     enum coll_mode mode)
{
	return recv_from(run, run->call->remote_world[from], slots, mode);
}

int coll_copy(struct coll_run *run, struct coll_slots to, struct coll_slots from,
	      enum coll_mode mode)
{
	if (mode == COLL_COMBINE)
		TRY(will_combine(run, to));
	observe(run,
		&(struct coll_event){.kind = COLL_COPY, .slots = to, .source = from, .mode = mode});
	return 0;
}

/* Add the time of combining the data of the round. */
static int reduce(struct coll_run *run)
{
	const double ns = (double)run->combined_bytes * run->call->reduce_ns_per_byte + 0.5;
	uint32_t calc;

	run->combined_bytes = 0;
	if (ns < 1)
		return 0;
	if (!(ns < 9223372036854775808.0))
		return error_set(run->err, STATUS_LIMIT,
				 "combining the data of one %s takes 2^63 ns or more",
				 coll_name(run->call->kind));
	TRY(goal_builder_calc(run->builder, (uint64_t)ns, &calc, run->err));
	TRY(frontier_before(run->frontier, calc, run->builder, run->err));
	return frontier_set(run->frontier, calc, false, run->err);
}

int coll_round_end(struct coll_run *run)
{
	struct frontier_entry *entries = run->frontier->entries.items;
	const size_t own = run->frontier->entries.count - run->waited_for;

	observe(run, &(struct coll_event){.kind = COLL_ROUND_END});
	if (own) {
		memmove(entries, entries + run->waited_for, own * sizeof *entries);
		run->frontier->entries.count = own;
	}
	if (run->combined_bytes)
		TRY(reduce(run));
	run->waited_for = run->frontier->entries.count;
	return 0;
}

int coll_run_group(struct coll_run *run, const struct coll_group *group, uint32_t rank,
		   uint32_t root, int (*generate)(struct coll_run *run))
{
	const struct coll_run outer = *run;

	run->group = group;
	run->size = group->size;
	run->rank = rank;
	run->root = root;
	TRY(generate(run));
	run->group = outer.group;
	run->size = outer.size;
	run->rank = outer.rank;
	run->root = outer.root;
	return 0;
}
