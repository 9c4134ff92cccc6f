#include "test/unit/lib/oracle/coll_play.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define NONE UINT32_MAX

static bool fault(struct play *play, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool fault(struct play *play, const char *format, ...)
{
	const struct collective *call = &play->calls[0];
	va_list arguments;
	int used = snprintf(play->fault, sizeof play->fault,
			    "%s %s, %u ranks, root %u, %llu bytes: ",
			    coll_name(call->kind), play->algorithm->name, (unsigned)play->size,
			    (unsigned)call->root, (unsigned long long)call->block_bytes);

	va_start(arguments, format);
	vsnprintf(play->fault + used, sizeof play->fault - (size_t)used, format, arguments);
	va_end(arguments);
	return false;
}

/* Abort on a failure of the test itself. */
static void must(int result)
{
	if (result < 0)
		abort();
}

uint32_t play_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 33);
}

static uint32_t pieces_of(const struct coll_area *area)
{
	return area->segment_bytes ? area->pieces : 1;
}

uint64_t play_slot_bytes(const struct coll_area *area, uint32_t slot)
{
	const uint32_t pieces = pieces_of(area), blocks = area->slot_count / pieces;
	const uint32_t block = slot / pieces;
	uint64_t bytes = area->total_bytes / blocks +
			 (block < area->total_bytes % blocks ? 1 : 0), piece = 0;

	if (area->bytes)
		bytes = area->bytes[block];
	/* Cut segments off from the frontier. */
	for (uint32_t i = 0; i <= slot % pieces; i++, bytes -= piece) {
		piece = bytes;
		if (area->segment_bytes && piece > area->segment_bytes)
			piece = area->segment_bytes;
	}
	return piece;
}

/* ------------------------------------------------------------- generation */

/* Check that the operation's slots are in the area, and its size is their sum. */
static bool check_size(struct play *play, uint32_t rank, const struct coll_event *event)
{
	const struct coll_area *area = &play->areas[rank][event->slots.area];
	const uint64_t size = play->builders[rank].ops.items[event->op].size;
	bool seen[PLAY_SLOTS] = {false};
	uint64_t bytes = 0;
	uint32_t i, slot;

	for (i = 0; i < event->slots.count; i++) {
		slot = coll_slot_at(area, event->slots, i);
		if (slot >= area->slot_count || seen[slot])
			return fault(play, "rank %u: slot %u of %u", rank, slot, area->slot_count);
		seen[slot] = true;
		bytes += play_slot_bytes(area, slot);
	}
	if (bytes != size)
		return fault(play, "rank %u, operation %u has %llu bytes, its slots %llu", rank,
			     event->op, (unsigned long long)size, (unsigned long long)bytes);
	return true;
}

static void observe(void *context, const struct coll_event *event)
{
	struct play *play = context;
	struct play_event seen = {.event = *event, .rank = play->rank};
	struct coll_area *area = &play->areas[play->rank][event->area];
	const bool first = event->kind == COLL_AREA && !area->slot_count;
	struct error err;

	if (event->kind == COLL_AREA) {
		if (event->layout->slot_count > PLAY_SLOTS)
			abort();
		seen.layout = *area = *event->layout;
		if (first)
			play->first_areas[play->rank][event->area] = *area;
	}
	if ((event->kind == COLL_SEND || event->kind == COLL_RECV) && !*play->fault)
		check_size(play, play->rank, event);
	if (!first)
		must(array_push(&play->events, seen, &err));
}

/* Divide the events of a rank into rounds, and note the round of each operation. */
static bool find_rounds(struct play *play, uint32_t rank, uint32_t first_event)
{
	struct play_round round = {.first_event = first_event};
	uint32_t i, busy = 0;
	struct error err;

	for (i = first_event; i < play->events.count; i++) {
		const struct coll_event *event = &play->events.items[i].event;
		struct play_op *op = &play->ops.items[play->first_op[rank] + event->op];

		if (event->kind == COLL_ROUND_END) {
			round.event_count = i - round.first_event;
			must(array_push(&play->rounds, round, &err));
			busy += round.ops > 0;
			round = (struct play_round){.first_event = i + 1};
		} else if (event->kind == COLL_SEND || event->kind == COLL_RECV) {
			op->round = (uint32_t)play->rounds.count;
			op->event = i;
			round.ops++;
		}
	}
	if (round.ops)
		return fault(play, "rank %u: the last round does not end", rank);
	/* Areas may change once more after the last round. */
	round.event_count = i - round.first_event;
	must(array_push(&play->rounds, round, &err));
	if (busy > play->most_rounds)
		play->most_rounds = busy;
	return true;
}

/* Check that the rank's frontier is after all operations, so that later ones wait for them. */
static bool check_exit(struct play *play, uint32_t rank)
{
	const struct goal_builder *builder = &play->builders[rank];
	const struct frontier *frontier = &play->frontiers[rank];
	uint8_t *awaited = calloc(builder->ops.count, 1);
	bool right = true;
	size_t i;

	if (!awaited)
		abort();
	for (i = 0; i < builder->dependencies.count; i++)
		awaited[builder->dependencies.items[i].before] = 1;
	for (i = 0; i < frontier->entries.count; i++)
		awaited[frontier->entries.items[i].op] = 1;
	for (i = 0; i < builder->ops.count && right; i++) {
		if (!awaited[i])
			right = fault(play, "rank %u: nothing waits for operation %zu", rank, i);
	}
	free(awaited);
	return right;
}

static bool generate_rank(struct play *play, uint32_t rank)
{
	const struct coll_observer observer = {observe, play};
	const uint32_t first_event = (uint32_t)play->events.count;
	struct goal_builder *builder = &play->builders[rank];
	struct error err;
	uint32_t entry;

	goal_builder_clear(builder);
	must(goal_builder_calc(builder, 0, &entry, &err));
	must(frontier_set(&play->frontiers[rank], entry, false, &err));
	play->rank = rank;
	if (coll_generate_observed(play->algorithm, &play->calls[rank], builder,
				   &play->frontiers[rank], &observer, &err) < 0)
		return fault(play, "rank %u: %s", rank, err.text);
	if (*play->fault)
		return false;
	play->first_op[rank] = (uint32_t)play->ops.count;
	play->first_round[rank] = (uint32_t)play->rounds.count;
	for (size_t i = 0; i < builder->ops.count; i++)
		must(array_push(&play->ops,
				((struct play_op){.rank = rank, .round = NONE, .partner = NONE}),
				&err));
	play->dependencies += builder->dependencies.count;
	return find_rounds(play, rank, first_event) && check_exit(play, rank);
}

/* --------------------------------------------------------------- matching */

static struct goal_new_op *new_op(struct play *play, uint32_t number)
{
	const struct play_op *op = &play->ops.items[number];

	return &play->builders[op->rank].ops.items[number - play->first_op[op->rank]];
}

/* Match messages of each pair of ranks in order; `payload` links the list of sends. */
static bool match(struct play *play)
{
	static uint32_t first[PLAY_RANKS][PLAY_RANKS], last[PLAY_RANKS][PLAY_RANKS];
	uint32_t number, from, to;

	memset(first, 0xff, sizeof first);
	for (number = 0; number < play->ops.count; number++) {
		struct goal_new_op *send = new_op(play, number);

		if (send->kind == GOAL_CALC)
			continue;
		from = play->ops.items[number].rank;
		if (send->peer >= play->size || send->peer == from ||
		    send->tag != play->calls[from].tag)
			return fault(play, "rank %u: peer %u, tag %u", from, send->peer, send->tag);
		if (send->kind != GOAL_SEND)
			continue;
		if (first[from][send->peer] == NONE)
			first[from][send->peer] = number;
		else
			play->ops.items[last[from][send->peer]].payload = number;
		last[from][send->peer] = number;
		play->ops.items[number].payload = NONE;
		play->messages++;
		play->bytes += send->size;
	}
	for (number = 0; number < play->ops.count; number++) {
		struct goal_new_op *recv = new_op(play, number);
		uint32_t send;

		if (recv->kind != GOAL_RECV)
			continue;
		to = play->ops.items[number].rank;
		send = first[recv->peer][to];
		if (send == NONE)
			return fault(play, "rank %u receives from %u, which does not send", to,
				     recv->peer);
		if (new_op(play, send)->size != recv->size)
			return fault(play, "%llu bytes from %u to %u, which expects %llu",
				     (unsigned long long)new_op(play, send)->size, recv->peer, to,
				     (unsigned long long)recv->size);
		first[recv->peer][to] = play->ops.items[send].payload;
		play->ops.items[send].partner = number;
		play->ops.items[number].partner = send;
	}
	for (from = 0; from < play->size; from++) {
		for (to = 0; to < play->size; to++) {
			if (first[from][to] != NONE)
				return fault(play, "rank %u sends to %u, which does not receive",
					     from, to);
		}
	}
	return true;
}

/* Make the edges from each operation to those waiting for it, messages included. */
static void connect(struct play *play)
{
	struct play_op *ops = play->ops.items;
	uint32_t rank, number, total = 0;
	struct error err;
	size_t i;

	for (rank = 0; rank < play->size; rank++) {
		for (i = 0; i < play->builders[rank].dependencies.count; i++)
			ops[play->first_op[rank] +
			    play->builders[rank].dependencies.items[i].before].edge_count++;
	}
	for (number = 0; number < play->ops.count; number++) {
		if (new_op(play, number)->kind == GOAL_SEND)
			ops[number].edge_count++;
		ops[number].first_edge = total;
		total += ops[number].edge_count;
		ops[number].edge_count = 0;
	}
	play->edges.count = 0;
	must(array_reserve(&play->edges, total, &err));
	play->edges.count = total;
	for (rank = 0; rank < play->size; rank++) {
		for (i = 0; i < play->builders[rank].dependencies.count; i++) {
			struct goal_dependency *d = &play->builders[rank].dependencies.items[i];
			struct play_op *before = &ops[play->first_op[rank] + d->before];

			play->edges.items[before->first_edge + before->edge_count++] =
				play->first_op[rank] + d->after;
		}
	}
	for (number = 0; number < play->ops.count; number++) {
		if (new_op(play, number)->kind == GOAL_SEND)
			play->edges.items[ops[number].first_edge + ops[number].edge_count++] =
				ops[number].partner;
	}
}

bool play_generate(struct play *play, const struct coll_algorithm *algorithm,
		   const struct collective *calls, uint32_t size)
{
	uint32_t rank;

	play->algorithm = algorithm;
	play->calls = calls;
	play->size = size;
	play->events.count = play->ops.count = play->rounds.count = 0;
	play->messages = play->bytes = play->dependencies = 0;
	play->most_rounds = 0;
	play->fault[0] = '\0';
	memset(play->areas, 0, sizeof play->areas);
	memset(play->first_areas, 0, sizeof play->first_areas);
	for (rank = 0; rank < size; rank++) {
		if (!generate_rank(play, rank))
			return false;
	}
	play->first_op[size] = (uint32_t)play->ops.count;
	play->first_round[size] = (uint32_t)play->rounds.count;
	if (!match(play))
		return false;
	connect(play);
	return true;
}

/* -------------------------------------------------------------- execution */

/* Whether the rank contributes this block of area 0, between two groups. */
static bool contributes_to_remote(const struct collective *call, uint32_t block)
{
	switch ((int)call->kind) {
	case COLL_INTER_BCAST:
	case COLL_INTER_SCATTER:
	case COLL_INTER_SCATTERV:
		return call->root_place == COLL_ROOT_SELF;
	case COLL_INTER_REDUCE:
		return call->root_place == COLL_ROOT_REMOTE;
	case COLL_INTER_GATHER:
	case COLL_INTER_GATHERV:
	case COLL_INTER_ALLGATHER:
	case COLL_INTER_ALLGATHERV:
		return block == call->rank;
	default:
		return true;
	}
}

/* Whether the rank contributes this block of area 0. */
static bool contributes(const struct collective *call, uint32_t rank, uint32_t block)
{
	const uint32_t root = call->root;

	if (coll_is_inter(call->kind))
		return contributes_to_remote(call, block);
	switch ((int)call->kind) {
	case COLL_BCAST:
	case COLL_SCATTER:
	case COLL_SCATTERV:
		return rank == root;
	case COLL_GATHER:
	case COLL_GATHERV:
	case COLL_ALLGATHER:
	case COLL_ALLGATHERV:
		return block == rank;
	default:
		return true;
	}
}

static void begin(struct play *play)
{
	uint32_t rank, slot, number, i;

	memcpy(play->areas, play->first_areas, sizeof play->areas);
	for (rank = 0; rank < play->size; rank++) {
		const struct coll_area *areas = play->areas[rank];

		play->round[rank] = play->first_round[rank];
		for (i = 0; i < COLL_AREAS; i++)
			memset(play->slots[rank][i], 0,
			       areas[i].slot_count * sizeof play->slots[rank][i][0]);
		for (slot = 0; slot < areas[0].slot_count; slot++) {
			if (contributes(&play->calls[rank], rank,
					slot / pieces_of(&areas[0])))
				play->slots[rank][0][slot] = (struct play_value){
					.from = UINT64_C(1) << rank, .block = slot};
		}
	}
	for (i = 0; i < play->rounds.count; i++)
		play->rounds.items[i].pending = play->rounds.items[i].ops,
		play->rounds.items[i].begun = false;
	for (number = 0; number < play->ops.count; number++) {
		struct play_op *op = &play->ops.items[number];

		op->waits_for = op->depth = 0;
		op->entered = number == play->first_op[op->rank] ? UINT64_C(1) << op->rank : 0;
	}
	for (i = 0; i < play->edges.count; i++)
		play->ops.items[play->edges.items[i]].waits_for++;
	play->payload.count = play->ready.count = 0;
	play->depth = 0;
}

static void put(struct play_value *slot, struct play_value value, enum coll_mode mode)
{
	if (mode == COLL_STORE) {
		*slot = value;
		return;
	}
	slot->twice |= value.twice || (slot->from & value.from);
	slot->mixed |= value.mixed || slot->block != value.block || !slot->from || !value.from;
	slot->from |= value.from;
}

static struct play_value *slot_of(struct play *play, uint32_t rank, struct coll_slots slots,
				  uint32_t i)
{
	return &play->slots[rank][slots.area]
			   [coll_slot_at(&play->areas[rank][slots.area], slots, i)];
}

/* Store the data received in a round, then make its copies. */
static bool end_round(struct play *play, uint32_t rank, const struct play_round *round)
{
	const struct play_event *events = play->events.items + round->first_event;
	struct play_value copy[PLAY_SLOTS];
	uint32_t i, j;

	for (i = 0; i < round->event_count; i++) {
		const struct coll_event *recv = &events[i].event;
		const struct play_op *op = &play->ops.items[play->first_op[rank] + recv->op];
		const struct play_op *send;

		if (recv->kind != COLL_RECV)
			continue;
		send = &play->ops.items[op->partner];
		if (play->events.items[send->event].event.slots.count != recv->slots.count)
			return fault(play, "rank %u receives other slots than were sent", rank);
		for (j = 0; j < recv->slots.count; j++)
			put(slot_of(play, rank, recv->slots, j),
			    play->payload.items[send->payload + j], recv->mode);
	}
	for (i = 0; i < round->event_count; i++) {
		const struct coll_event *event = &events[i].event;

		if (event->kind != COLL_COPY)
			continue;
		if (event->slots.count != event->source.count)
			return fault(play, "rank %u copies to other slots than from", rank);
		for (j = 0; j < event->source.count; j++)
			copy[j] = *slot_of(play, rank, event->source, j);
		for (j = 0; j < event->slots.count; j++)
			put(slot_of(play, rank, event->slots, j), copy[j], event->mode);
	}
	return true;
}

/* Divide a vector into other slots; all its slots must have the same contributions. */
static bool change_area(struct play *play, uint32_t rank, const struct play_event *event)
{
	struct coll_area *area = &play->areas[rank][event->event.area];
	struct play_value *slots = play->slots[rank][event->event.area];
	const struct play_value first = slots[0];
	uint32_t i;

	if (area->total_bytes != event->layout.total_bytes)
		return fault(play, "rank %u: an area changes its size", rank);
	for (i = 1; i < area->slot_count; i++) {
		if (slots[i].from != first.from || slots[i].twice != first.twice ||
		    slots[i].mixed != first.mixed)
			return fault(play, "rank %u: an area of several kinds is cut anew", rank);
	}
	*area = event->layout;
	for (i = 0; i < area->slot_count; i++) {
		slots[i] = first;
		slots[i].block = i;
	}
	return true;
}

static bool begin_round(struct play *play, uint32_t rank, struct play_round *round)
{
	const struct play_event *events = play->events.items + round->first_event;

	for (uint32_t i = 0; !round->begun && i < round->event_count; i++) {
		if (events[i].event.kind == COLL_AREA && !change_area(play, rank, &events[i]))
			return false;
	}
	round->begun = true;
	return true;
}

/* End all complete rounds of a rank, and begin the next one. */
static bool advance(struct play *play, uint32_t rank)
{
	while (play->round[rank] < play->first_round[rank + 1]) {
		struct play_round *round = &play->rounds.items[play->round[rank]];

		if (!begin_round(play, rank, round))
			return false;
		if (round->pending)
			break;
		if (!end_round(play, rank, round))
			return false;
		play->round[rank]++;
	}
	return true;
}

static bool execute(struct play *play, uint32_t number)
{
	struct play_op *op = &play->ops.items[number];
	struct error err;
	uint32_t i;

	if (op->round == NONE)
		return true;
	if (op->round != play->round[op->rank])
		return fault(play, "rank %u: operation %u can start before earlier rounds end",
			     op->rank, number - play->first_op[op->rank]);
	if (new_op(play, number)->kind == GOAL_SEND) {
		struct coll_slots slots = play->events.items[op->event].event.slots;

		op->payload = (uint32_t)play->payload.count;
		for (i = 0; i < slots.count; i++)
			must(array_push(&play->payload, *slot_of(play, op->rank, slots, i), &err));
	}
	play->rounds.items[op->round].pending--;
	return advance(play, op->rank);
}

static uint32_t take(struct play *play, enum play_order order, size_t *first, uint64_t *random)
{
	uint32_t *ready = play->ready.items, number;
	size_t i;

	switch (order) {
	case PLAY_FIRST_READY_FIRST:
		return ready[(*first)++];
	case PLAY_LAST_READY_FIRST:
		return ready[--play->ready.count];
	default:
		i = play_random(random) % play->ready.count;
		number = ready[i];
		ready[i] = ready[--play->ready.count];
		return number;
	}
}

bool play_execute(struct play *play, enum play_order order)
{
	uint64_t random = play->ops.count;
	size_t first = 0, done = 0;
	uint32_t number, i;
	struct error err;

	begin(play);
	for (i = 0; i < play->size; i++) {
		if (!advance(play, i))
			return false;
	}
	for (number = 0; number < play->ops.count; number++) {
		if (!play->ops.items[number].waits_for)
			must(array_push(&play->ready, number, &err));
	}
	for (; first < play->ready.count; done++) {
		const struct play_op *op;

		number = take(play, order, &first, &random);
		if (!execute(play, number))
			return false;
		op = &play->ops.items[number];
		if (op->depth > play->depth)
			play->depth = op->depth;
		for (i = 0; i < op->edge_count; i++) {
			uint32_t after = play->edges.items[op->first_edge + i];
			struct play_op *next = &play->ops.items[after];
			uint32_t depth = op->depth + (after == op->partner ? 1 : 0);

			next->depth = next->depth > depth ? next->depth : depth;
			next->entered |= op->entered;
			if (--next->waits_for == 0)
				must(array_push(&play->ready, after, &err));
		}
	}
	if (done != play->ops.count)
		return fault(play, "the operations wait for each other");
	return true;
}

/* ---------------------------------------------------------------- results */

static bool expect(struct play *play, uint32_t rank, uint32_t area, uint32_t slot, uint64_t from,
		   uint32_t block, uint64_t bytes)
{
	const struct play_value *value = &play->slots[rank][area][slot];
	const bool absent = play->calls[rank].sizes_told && !bytes;	/* perhaps not sent */
	const bool once = !value->twice || play->calls[0].kind == COLL_BARRIER;

	if (!absent && (value->from != from || value->block != block || value->mixed || !once))
		return fault(play, "rank %u, slot %u: block %u of %llx%s%s, not block %u of %llx",
			     rank, slot, value->block, (unsigned long long)value->from,
			     value->twice ? ", some twice" : "", value->mixed ? ", mixed" : "",
			     block, (unsigned long long)from);
	if (play_slot_bytes(&play->areas[rank][area], slot) != bytes)
		return fault(play, "rank %u, slot %u has not %llu bytes", rank, slot,
			     (unsigned long long)bytes);
	return true;
}

/* Expect contributions of the ranks `from` in all pieces of the vector. */
static bool expect_vector(struct play *play, uint32_t rank, uint64_t from)
{
	const struct coll_area *area = &play->areas[rank][0];
	uint32_t slot;

	if (area->total_bytes !=
	    (play->calls[rank].kind == COLL_BARRIER ? 0 : play->calls[rank].block_bytes))
		return fault(play, "rank %u: the vector has another size", rank);
	for (slot = 0; slot < area->slot_count; slot++) {
		if (!expect(play, rank, 0, slot, from, slot, play_slot_bytes(area, slot)))
			return false;
	}
	return true;
}

static bool expect_blocks(struct play *play, uint32_t rank, uint32_t area, const uint64_t *bytes,
			  bool by_source)
{
	const struct coll_area *layout = &play->areas[rank][area];
	const uint32_t pieces = pieces_of(layout);
	uint32_t i, slot;
	uint64_t size;

	for (i = 0; i < play->size; i++) {
		for (slot = i * pieces, size = 0; slot < (i + 1) * pieces; slot++) {
			uint64_t piece = play_slot_bytes(layout, slot);

			if (piece && !expect(play, rank, area, slot, UINT64_C(1) << i,
					     by_source ? slot : rank, piece))
				return false;
			size += piece;
		}
		if (size != (bytes ? bytes[i] : play->calls[rank].block_bytes))
			return fault(play, "rank %u: block %u has %llu bytes", rank, i,
				     (unsigned long long)size);
	}
	return true;
}

/* Expect from each source its n-th block to this rank, for its n-th edge. */
static bool expect_neighbours(struct play *play, uint32_t rank, bool gathers)
{
	const struct collective *call = &play->calls[rank];

	for (uint32_t i = 0; i < call->source_count; i++) {
		const uint32_t source = call->sources[i];
		const struct collective *other = &play->calls[source];
		uint32_t times = 0, block = 0;

		for (uint32_t j = 0; j < i; j++)
			times += call->sources[j] == source;
		for (; block < other->destination_count; block++)
			if (other->destinations[block] == rank && times-- == 0)
				break;
		if (!expect(play, rank, 1, i, UINT64_C(1) << source, gathers ? 0 : block,
			    call->receive_bytes[i]))
			return false;
	}
	return true;
}

/* Make a set of the ranks of the remote group. */
static uint64_t remote_bits(const struct collective *call)
{
	uint64_t bits = 0;

	for (uint32_t i = 0; i < call->remote_size; i++)
		bits |= UINT64_C(1) << call->remote_world[i];
	return bits;
}

/* Expect a block from each remote rank: the sender's own, or the one for this rank. */
static bool expect_remote_blocks(struct play *play, uint32_t rank, bool own, uint64_t each)
{
	const struct collective *call = &play->calls[rank];

	for (uint32_t i = 0; i < call->remote_size; i++) {
		const uint64_t bytes = call->receive_bytes ? call->receive_bytes[i] : each;

		if (bytes && !expect(play, rank, 1, i, UINT64_C(1) << call->remote_world[i],
				     own ? i : call->rank, bytes))
			return false;
	}
	return true;
}

static bool check_inter_rank(struct play *play, uint32_t rank)
{
	const struct collective *call = &play->calls[rank];
	const bool leaf = call->root_place == COLL_ROOT_REMOTE;
	const bool root = call->root_place == COLL_ROOT_SELF;
	const uint64_t root_bit = leaf ? UINT64_C(1) << call->remote_world[call->root] : 0;

	switch ((int)call->kind) {
	case COLL_INTER_BARRIER:
		return true;
	case COLL_INTER_BCAST:
		return !leaf || !call->block_bytes || expect_vector(play, rank, root_bit);
	case COLL_INTER_REDUCE:
		return !root || !call->block_bytes || expect_vector(play, rank, remote_bits(call));
	case COLL_INTER_ALLREDUCE:
		return !call->block_bytes || expect_vector(play, rank, remote_bits(call));
	case COLL_INTER_GATHER:
	case COLL_INTER_GATHERV:
		return !root || expect_remote_blocks(play, rank, true, call->block_bytes);
	case COLL_INTER_SCATTER:
	case COLL_INTER_SCATTERV:
		return !leaf || !call->block_bytes ||
		       expect(play, rank, 0, call->rank, root_bit, call->rank, call->block_bytes);
	case COLL_INTER_ALLGATHER:
	case COLL_INTER_ALLGATHERV:
		return expect_remote_blocks(play, rank, true, call->remote_bytes);
	case COLL_INTER_ALLTOALL:
	case COLL_INTER_ALLTOALLV:
	case COLL_INTER_ALLTOALLW:
		return expect_remote_blocks(play, rank, false, call->remote_bytes);
	default:	/* reduce_scatter(_block) */
		return !call->block_bytes ||
		       expect(play, rank, 1, call->rank, remote_bits(call), call->rank,
			      call->receive_bytes ? call->receive_bytes[call->rank] :
						    call->block_bytes / call->size);
	}
}

static bool check_rank(struct play *play, uint32_t rank)
{
	const struct collective *call = &play->calls[rank];
	const uint64_t all = ~UINT64_C(0) >> (64 - play->size);
	const uint64_t one = UINT64_C(1);

	if (coll_is_inter(call->kind))
		return check_inter_rank(play, rank);
	switch ((int)call->kind) {
	case COLL_BCAST:
		return expect_vector(play, rank, one << call->root);
	case COLL_BARRIER:
	case COLL_ALLREDUCE:
		return expect_vector(play, rank, all);
	case COLL_REDUCE:
		return rank != call->root || expect_vector(play, rank, all);
	case COLL_SCAN:
		return expect_vector(play, rank, all >> (play->size - 1 - rank));
	case COLL_EXSCAN:
		return rank == 0 || expect_vector(play, rank, all >> (play->size - rank));
	case COLL_GATHER:
	case COLL_GATHERV:
		return rank != call->root ||
		       expect_blocks(play, rank, 0, call->receive_bytes, true);
	case COLL_ALLGATHER:
	case COLL_ALLGATHERV:
		return expect_blocks(play, rank, 0, call->receive_bytes, true);
	case COLL_SCATTER:
	case COLL_SCATTERV:
		return expect(play, rank, 0, rank, one << call->root, rank,
			      call->send_bytes ? call->send_bytes[rank] : call->block_bytes);
	case COLL_REDUCE_SCATTER:
	case COLL_REDUCE_SCATTER_BLOCK:
		return expect(play, rank, 0, rank, all, rank,
			      call->send_bytes ? call->send_bytes[rank] : call->block_bytes);
	case COLL_ALLTOALL:
	case COLL_ALLTOALLV:
	case COLL_ALLTOALLW:
		return expect_blocks(play, rank, 1, call->receive_bytes, false);
	case COLL_NEIGHBOR_ALLGATHER:
	case COLL_NEIGHBOR_ALLGATHERV:
		return expect_neighbours(play, rank, true);
	case COLL_NEIGHBOR_ALLTOALL:
	case COLL_NEIGHBOR_ALLTOALLV:
	case COLL_NEIGHBOR_ALLTOALLW:
		return expect_neighbours(play, rank, false);
	default:
		return fault(play, "nobody knows what it should do");
	}
}

bool play_check(struct play *play)
{
	uint32_t rank;

	for (rank = 0; rank < play->size; rank++) {
		if (!check_rank(play, rank))
			return false;
	}
	return true;
}

bool play_synchronizes(struct play *play)
{
	const uint64_t all = ~UINT64_C(0) >> (64 - play->size);
	uint64_t entered;
	uint32_t rank;
	size_t i;

	for (rank = 0; rank < play->size; rank++) {
		const struct frontier *frontier = &play->frontiers[rank];

		entered = 0;
		for (i = 0; i < frontier->entries.count; i++)
			entered |= play->ops.items[play->first_op[rank] +
						   frontier->entries.items[i].op].entered;
		if (entered != all)
			return fault(play, "rank %u leaves before %llx have entered", rank,
				     (unsigned long long)(all & ~entered));
	}
	return true;
}

void play_release(struct play *play)
{
	for (uint32_t rank = 0; rank < PLAY_RANKS; rank++) {
		goal_builder_release(&play->builders[rank]);
		frontier_release(&play->frontiers[rank]);
	}
	array_release(&play->events);
	array_release(&play->ops);
	array_release(&play->rounds);
	array_release(&play->edges);
	array_release(&play->ready);
	array_release(&play->payload);
}
