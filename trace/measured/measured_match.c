#include "trace/measured/measured_match.h"

#include "common/parallel/parallel.h"
#include "trace/call/mpi_functions.h"
#include "trace/measured/measured_align.h"
#include "trace/measured/sync_edges.h"

#include <string.h>

/* ------------------------------------------------------------------- messages */

static uint64_t channel_key(uint32_t peer, uint32_t comm)
{
	return (uint64_t)peer << 32 | comm;
}

static int find_channel(struct match_side *side, uint32_t peer, uint32_t comm, uint32_t tag,
			uint32_t *number, struct error *err)
{
	*number = number_map_get(&side->numbers, channel_key(peer, comm), tag);
	if (*number != NUMBER_MAP_EMPTY)
		return 0;
	*number = (uint32_t)side->channels.count;
	TRY(number_map_add(&side->numbers, channel_key(peer, comm), tag, *number, err));
	return array_push(&side->channels,
			  ((struct match_channel){.peer = peer, .comm = comm, .tag = tag}), err);
}

/*
 * Count one more half of a message.  *number becomes its channel.  Messages often take their channels
 * in the same order again.
 */
static int count_half(struct match_side *side, uint32_t peer, uint32_t comm, uint32_t tag,
		      uint32_t *number, struct error *err)
{
	const struct match_channel *next;

	*number = side->channels.count ? side->channels.items[side->last].next : 0;
	next = &side->channels.items[*number];
	if (!side->channels.count || next->peer != peer || next->comm != comm || next->tag != tag)
		TRY(find_channel(side, peer, comm, tag, number, err));
	side->channels.items[side->last].next = *number;
	side->channels.items[*number].end++;
	side->last = *number;
	return 0;
}

/* Fill the list from the channel of each half.  order: indices in order, or NULL if they are. */
static int fill_list(struct match_side *side, const uint32_t *numbers, const uint32_t *order,
		     size_t count, struct error *err)
{
	uint32_t sum = 0;

	TRY(allocate(&side->list, count, sizeof *side->list, err));
	for (size_t c = 0; c < side->channels.count; c++) {
		const uint32_t halves = side->channels.items[c].end;

		side->channels.items[c].end = sum;
		sum += halves;
	}
	for (uint32_t k = 0; k < count; k++) {
		const uint32_t i = order ? order[k] : k;

		side->list[side->channels.items[numbers[i]].end++] = i;
	}
	return 0;
}

static int list_sends(struct match_side *side, const struct measured_rank *rank, uint32_t *numbers,
		      struct error *err)
{
	for (size_t i = 0; i < rank->sends.count; i++) {
		const struct measured_send *send = &rank->sends.items[i];

		TRY(count_half(side, send->peer, send->comm, send->tag, &numbers[i], err));
	}
	return fill_list(side, numbers, NULL, rank->sends.count, err);
}

/* Sort the receives by the order of their posts, equal ones as they are. */
static int sort_recvs(const struct measured_rank *rank, uint32_t last, uint32_t **list,
		      struct error *err)
{
	uint32_t *places;

	TRY(allocate(&places, (size_t)last + 2, sizeof *places, err));
	if (allocate(list, rank->recvs.count, sizeof **list, err) < 0) {
		free(places);
		return -1;
	}
	for (size_t i = 0; i < rank->recvs.count; i++)
		places[rank->recvs.items[i].order + 1]++;
	for (size_t k = 1; k <= last; k++)
		places[k] += places[k - 1];
	for (uint32_t i = 0; i < rank->recvs.count; i++)
		(*list)[places[rank->recvs.items[i].order]++] = i;
	free(places);
	return 0;
}

/* List the receives in the order of their posts; *list stays NULL if they are. */
static int order_recvs(const struct measured_rank *rank, uint32_t **list, struct error *err)
{
	uint32_t last = 0;
	bool ordered = true;

	for (size_t i = 0; i < rank->recvs.count; i++) {
		ordered &= rank->recvs.items[i].order >= last;
		last = rank->recvs.items[i].order > last ? rank->recvs.items[i].order : last;
	}
	return ordered ? 0 : sort_recvs(rank, last, list, err);
}

static int list_recvs(struct match_side *side, const struct measured_rank *rank, uint32_t *numbers,
		      struct error *err)
{
	uint32_t *order = NULL;
	int result;

	for (size_t i = 0; i < rank->recvs.count; i++) {
		const struct measured_recv *recv = &rank->recvs.items[i];

		TRY(count_half(side, recv->peer, recv->comm, recv->tag, &numbers[i], err));
	}
	TRY(order_recvs(rank, &order, err));
	result = fill_list(side, numbers, order, rank->recvs.count, err);
	free(order);
	return result;
}

static int no_matches(uint32_t **matches, size_t count, struct error *err)
{
	TRY(allocate(matches, count, sizeof **matches, err));
	for (size_t i = 0; i < count; i++)
		(*matches)[i] = NO_MATCH;
	return 0;
}

/* Whether a receive between two orders of begins may be missing. */
static bool may_lack_recv(const struct measured_rank *rank, uint32_t from, uint32_t to)
{
	for (size_t i = 0; i < rank->cuts.of_recvs.count; i++)
		if (rank->cuts.of_recvs.items[i] >= from && rank->cuts.of_recvs.items[i] < to)
			return true;
	return false;
}

/* Find the first of the receives of a channel that was posted after a probe, or NO_MATCH. */
static uint32_t recv_after(const struct match_side *side, const struct measured_rank *rank,
			   const struct measured_probe *probe)
{
	const uint32_t number = match_side_find(side, probe->peer, probe->comm, probe->tag);
	const uint32_t *halves;
	uint32_t low = 0, high;

	if (number == NUMBER_MAP_EMPTY)
		return NO_MATCH;
	halves = match_side_halves(side, number, &high);
	for (const uint32_t count = high; low < high;) {
		const uint32_t middle = low + (high - low) / 2;

		if (rank->recvs.items[halves[middle]].order < probe->order)
			low = middle + 1;
		else
			high = middle;
		if (low == count)
			return NO_MATCH;
	}
	return may_lack_recv(rank, probe->order, rank->recvs.items[halves[low]].order)
		       ? NO_MATCH
		       : halves[low];
}

/* Find the receives that get the messages that the rank's probes have found. */
static void match_probes(const struct match_side *side, struct measured_rank *rank)
{
	for (size_t i = 0; i < rank->probes.count; i++)
		rank->probes.items[i].recv = recv_after(side, rank, &rank->probes.items[i]);
}

static int measured_match_list_rank(void *shared, void *state, uint32_t item, struct error *err)
{
	struct measured_matching *matching = shared;
	struct measured_run *run = matching->run;
	const uint32_t number = run->own_first + item;
	struct measured_rank *rank = &run->ranks[number];
	uint32_t *numbers;
	int result;

	(void)state;
	TRY(no_matches(&run->send_of[number], rank->recvs.count, err));
	TRY(no_matches(&run->recv_of[number], rank->sends.count, err));
	TRY(allocate(&numbers,
		     rank->sends.count > rank->recvs.count ? rank->sends.count : rank->recvs.count,
		     sizeof *numbers, err));
	result = list_sends(&matching->sends[number], rank, numbers, err);
	if (result == 0)
		result = list_recvs(&matching->recvs[number], rank, numbers, err);
	if (result == 0)
		match_probes(&matching->recvs[number], rank);
	free(numbers);
	return result;
}

const uint32_t *match_side_halves(const struct match_side *side, uint32_t number, uint32_t *count)
{
	const uint32_t begin = number ? side->channels.items[number - 1].end : 0;

	*count = side->channels.items[number].end - begin;
	return side->list + begin;
}

uint32_t match_side_find(const struct match_side *side, uint32_t peer, uint32_t comm, uint32_t tag)
{
	return number_map_get(&side->numbers, channel_key(peer, comm), tag);
}

/* Match the receives of one rank in a channel with the sends of the peer. */
static void match_channel(struct measured_matching *matching, uint32_t receiver, uint32_t number)
{
	struct measured_run *run = matching->run;
	const struct match_channel *channel = &matching->recvs[receiver].channels.items[number];
	const struct match_side *side;
	const uint32_t *recvs, *sends;
	uint32_t recv_count, send_count, found;

	if (!measured_owns(run, channel->peer))
		return;
	side = &matching->sends[channel->peer];
	found = match_side_find(side, receiver, channel->comm, channel->tag);
	if (found == NUMBER_MAP_EMPTY)
		return;
	recvs = match_side_halves(&matching->recvs[receiver], number, &recv_count);
	sends = match_side_halves(side, found, &send_count);
	for (uint32_t k = 0; k < recv_count && k < send_count; k++) {
		if (recvs[k] == NO_MATCH || sends[k] == NO_MATCH)
			continue;
		run->send_of[receiver][recvs[k]] = sends[k];
		/* Another rank fills the other entries of this list. */
		run->recv_of[channel->peer][sends[k]] = recvs[k];
	}
}

static int match_rank(void *shared, void *state, uint32_t item, struct error *err)
{
	struct measured_matching *matching = shared;
	const uint32_t receiver = matching->run->own_first + item;

	(void)state;
	(void)err;
	for (uint32_t c = 0; c < matching->recvs[receiver].channels.count; c++)
		match_channel(matching, receiver, c);
	return 0;
}

/* Compare the times of both halves of a message that a rank has received. */
static void check_message(struct measured_run *run, const struct measured_rank *rank, size_t index)
{
	struct clock_violations *violations = &run->violations;
	const struct measured_recv *recv = &rank->recvs.items[index];
	const uint64_t sent = measured_send_of(run, rank->rank, index).begin_ns;
	const uint64_t received = rank->calls.items[recv->end].leave_ns;

	violations->messages++;
	if (received >= sent || rank->calls.items[recv->end].function == CALL_Request_free)
		return;
	violations->count++;
	if (sent - received > violations->most_ns) {
		violations->most_ns = sent - received;
		violations->sender = recv->peer;
		violations->receiver = rank->rank;
	}
}

void measured_match_check(struct measured_run *run)
{
	for (uint32_t r = run->own_first; r < run->own_end; r++) {
		const struct measured_rank *rank = &run->ranks[r];

		for (size_t i = 0; i < rank->sends.count; i++)
			run->unmatched_sends += run->recv_of[r][i] == NO_MATCH &&
						!is_signal(rank->sends.items[i].tag);
		for (size_t i = 0; i < rank->recvs.count; i++) {
			if (is_signal(rank->recvs.items[i].tag))
				continue;
			if (run->send_of[r][i] == NO_MATCH)
				run->unmatched_recvs++;
			else
				check_message(run, rank, i);
		}
	}
	for (size_t i = 0; i < run->instances.count; i++)
		run->lacking += measured_owns(run, run->instances.items[i].first_rank) &&
				measured_lacks_members(run, &run->instances.items[i]);
	for (uint32_t r = run->own_first; r < run->own_end; r++)
		for (size_t i = 0; i < run->ranks[r].parts.count; i++)
			run->lacking += run->instance_of[r][i] == NO_MATCH &&
					measured_has_instances(run,
							       run->ranks[r].parts.items[i].comm);
}

static int join_messages(struct measured_matching *matching, struct error *err)
{
	const struct measured_run *run = matching->run;
	const struct parallel_work joining = {.make = match_rank, .shared = matching};

	return parallel_run(&joining, run->own_end - run->own_first, measured_threads(run), err);
}

static int match_messages(struct measured_matching *matching, struct error *err)
{
	struct measured_run *run = matching->run;
	const uint32_t own = run->own_end - run->own_first;
	const struct parallel_work listing = {.make = measured_match_list_rank, .shared = matching};

	TRY(allocate(&matching->sends, run->rank_count, sizeof *matching->sends, err));
	TRY(allocate(&matching->recvs, run->rank_count, sizeof *matching->recvs, err));
	TRY(allocate(&run->send_of, run->rank_count, sizeof *run->send_of, err));
	TRY(allocate(&run->recv_of, run->rank_count, sizeof *run->recv_of, err));
	TRY(parallel_run(&listing, own, measured_threads(run), err));
	return join_messages(matching, err);
}

static void release_sides(struct match_side *sides, uint32_t count)
{
	for (uint32_t i = 0; sides && i < count; i++) {
		number_map_release(&sides[i].numbers);
		array_release(&sides[i].channels);
		free(sides[i].list);
	}
	free(sides);
}

/* ---------------------------------------------------------------- collectives */

/* Parts of one rank, by the order in which it began them. */
struct ordered_part {
	uint32_t order, index;
};

static int compare_parts(const void *a, const void *b)
{
	const struct ordered_part *x = a, *y = b;

	return x->order < y->order ? -1 : x->order > y->order;
}

static int find_stream(struct measured_matching *matching, const struct participation *part,
		       struct match_stream **stream, struct error *err)
{
	const uint64_t key = (uint64_t)part->comm << 32 | part->stream;
	uint32_t number = matching->last_stream;

	if (!matching->streams.count || matching->streams.items[number].key != key)
		number = number_map_get(&matching->stream_numbers, key, 0);
	if (number == NUMBER_MAP_EMPTY) {
		number = (uint32_t)matching->streams.count;
		TRY(number_map_add(&matching->stream_numbers, key, 0, number, err));
		TRY(array_push(&matching->streams, (struct match_stream){.key = key}, err));
	}
	matching->last_stream = number;
	*stream = &matching->streams.items[number];
	return 0;
}

/* Number of a rank's next part in a stream, or ALIGN_UNKNOWN. */
static uint32_t number_in(struct measured_matching *matching, struct match_stream *stream,
			  uint32_t rank, uint32_t index)
{
	if (matching->part_numbers)
		return matching->part_numbers[rank][index];
	if (stream->rank != rank) {
		stream->rank = rank;
		stream->next = 0;
	}
	return stream->next++;
}

/* Find the instance of a rank's part, or add it. */
static int find_instance(struct measured_matching *matching, uint32_t rank, uint32_t index,
			 uint32_t *instance, struct error *err)
{
	struct measured_run *run = matching->run;
	const struct participation *part = &run->ranks[rank].parts.items[index];
	struct match_stream *stream;
	uint32_t number;

	TRY(find_stream(matching, part, &stream, err));
	number = number_in(matching, stream, rank, index);
	if (number == ALIGN_UNKNOWN)
		return 0;
	while (stream->instances.count <= number)
		TRY(array_push(&stream->instances, NO_MATCH, err));
	if (stream->instances.items[number] == NO_MATCH) {
		const uint32_t added = (uint32_t)run->instances.count;

		stream->instances.items[number] = added;
		TRY(array_push(&run->instances,
			       ((struct measured_instance){.comm = part->comm,
							   .kind = part->kind,
							   .first_rank = rank,
							   .root_rank = NO_ROOT,
							   .root = {.call = NO_CALL},
							   .index_at_owner = added,
							   .first_end_ns = UINT64_MAX}),
			       err));
	}
	*instance = stream->instances.items[number];
	return 0;
}

static void join_instance(struct measured_instance *instance, const struct measured_rank *rank,
			  const struct participation *part)
{
	const struct measured_call *begin = &rank->calls.items[part->begin];
	const struct measured_start start = {begin->enter_ns, part->begin, begin->function};
	const uint64_t end_ns = rank->calls.items[part->end].leave_ns;

	if (!instance->members++ || start.begin_ns > instance->last.begin_ns) {
		instance->last = start;
		instance->last_rank = rank->rank;
	}
	if (end_ns < instance->first_end_ns)
		instance->first_end_ns = end_ns;
	if (part->root == rank->rank)
		instance->root = start;
}

bool measured_instance_joins(struct measured_instance *instance, uint8_t kind, uint32_t root)
{
	if (instance->root_rank == NO_ROOT)
		instance->root_rank = root;
	instance->differs |= kind != instance->kind ||
			     (root != NO_ROOT && root != instance->root_rank);
	return !instance->differs;
}

static int gather_part(struct measured_matching *matching, const struct measured_rank *rank,
		       uint32_t index, struct error *err)
{
	struct measured_run *run = matching->run;
	const struct participation *part = &rank->parts.items[index];
	uint32_t *instance = &run->instance_of[rank->rank][index];

	*instance = NO_MATCH;
	if (!measured_has_instances(run, part->comm))
		return 0;
	TRY(find_instance(matching, rank->rank, index, instance, err));
	if (*instance == NO_MATCH)
		return 0;
	measured_instance_joins(&run->instances.items[*instance], part->kind, part->root);
	run->instances.items[*instance].split |= part->begin != part->end;
	if (!measured_looks_on(run, part))
		join_instance(&run->instances.items[*instance], rank, part);
	return 0;
}

static bool in_order(const struct measured_rank *rank)
{
	for (size_t i = 1; i < rank->parts.count; i++)
		if (rank->parts.items[i].order < rank->parts.items[i - 1].order)
			return false;
	return true;
}

static int gather_sorted(struct measured_matching *matching, const struct measured_rank *rank,
			 struct error *err)
{
	struct ordered_part *parts;
	int result = 0;

	TRY(allocate(&parts, rank->parts.count, sizeof *parts, err));
	for (uint32_t i = 0; i < rank->parts.count; i++)
		parts[i] = (struct ordered_part){rank->parts.items[i].order, i};
	qsort(parts, rank->parts.count, sizeof *parts, compare_parts);
	for (size_t i = 0; result == 0 && i < rank->parts.count; i++)
		result = gather_part(matching, rank, parts[i].index, err);
	free(parts);
	return result;
}

static int gather_rank(struct measured_matching *matching, uint32_t number, struct error *err)
{
	struct measured_run *run = matching->run;
	const struct measured_rank *rank = &run->ranks[number];

	if (!run->instance_of[number])
		TRY(allocate(&run->instance_of[number], rank->parts.count,
			     sizeof **run->instance_of, err));
	if (!in_order(rank))
		return gather_sorted(matching, rank, err);
	for (uint32_t i = 0; i < rank->parts.count; i++)
		TRY(gather_part(matching, rank, i, err));
	return 0;
}

static int join_collectives(struct measured_matching *matching, struct error *err)
{
	struct measured_run *run = matching->run;

	for (uint32_t rank = run->own_first; rank < run->own_end; rank++)
		TRY(gather_rank(matching, rank, err));
	run->instance_count = run->instances.count;
	return 0;
}

static void release_streams(struct measured_matching *matching)
{
	number_map_release(&matching->stream_numbers);
	for (size_t i = 0; i < matching->streams.count; i++)
		array_release(&matching->streams.items[i].instances);
	array_release(&matching->streams);
}

/* ------------------------------------------------------------------------ run */

/* Find the first begin and the last end of a rank, and count. */
static void find_span(struct measured_run *run)
{
	run->begin_ns = UINT64_MAX;
	run->end_ns = 0;
	run->last_rank = run->own_first;
	for (uint32_t r = run->own_first; r < run->own_end; r++) {
		struct measured_rank *rank = &run->ranks[r];

		run->calls += rank->calls.count;
		run->incomplete += rank->incomplete + rank->unmatched_events;
		if (!rank->calls.count)
			continue;
		if (rank->end_ns < rank->begin_ns)
			rank->end_ns = rank->begin_ns;
		run->begin_ns = rank->begin_ns < run->begin_ns ? rank->begin_ns : run->begin_ns;
		if (rank->end_ns > run->end_ns) {
			run->end_ns = rank->end_ns;
			run->last_rank = r;
		}
	}
}

int measured_match_own(struct measured_matching *matching, struct measured_run *run,
		       struct error *err)
{
	*matching = (struct measured_matching){.run = run};
	find_span(run);
	TRY(match_messages(matching, err));
	TRY(allocate(&run->instance_of, run->rank_count, sizeof *run->instance_of, err));
	return join_collectives(matching, err);
}

static void forget_matches(uint32_t *matches, size_t count)
{
	for (size_t i = 0; i < count; i++)
		matches[i] = NO_MATCH;
}

int measured_match_rejoin(struct measured_matching *matching, struct error *err)
{
	struct measured_run *run = matching->run;

	for (uint32_t r = run->own_first; r < run->own_end; r++) {
		forget_matches(run->send_of[r], run->ranks[r].recvs.count);
		forget_matches(run->recv_of[r], run->ranks[r].sends.count);
	}
	run->remote.count = 0;
	run->instances.count = 0;
	release_streams(matching);
	matching->last_stream = 0;
	TRY(join_messages(matching, err));
	return join_collectives(matching, err);
}

void measured_matching_release(struct measured_matching *matching)
{
	release_sides(matching->sends, matching->run->rank_count);
	release_sides(matching->recvs, matching->run->rank_count);
	release_streams(matching);
	for (uint32_t i = 0; matching->part_numbers && i < matching->run->rank_count; i++)
		free(matching->part_numbers[i]);
	free(matching->part_numbers);
}

int measured_has_calls(const struct measured_run *run, struct error *err)
{
	if (run->begin_ns == UINT64_MAX)
		return error_set(err, STATUS_DATA, "the trace has no MPI call");
	return 0;
}
