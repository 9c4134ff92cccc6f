#include "trace/measured_match.h"

#include "common/parallel.h"
#include "trace/call/mpi_functions.h"

#include <string.h>

/* ------------------------------------------------------------------- messages */

/* Messages of a rank with one peer, communicator and tag. */
struct channel {
	uint32_t peer, comm, tag;
	uint32_t end; /* in the list of its side: where those of the next begin */
};

/* All sends of a rank, or all receives. */
struct side {
	struct number_map numbers; /* by peer and communicator, and tag: index in channels */
	ARRAY(struct channel) channels;
	uint32_t *list; /* channel after channel, each in order */
	uint32_t last;	/* channel that was looked for last */
};

struct matching {
	struct measured_run *run;
	struct side *sends, *recvs; /* [rank] */
};

static uint64_t channel_key(uint32_t peer, uint32_t comm)
{
	return (uint64_t)peer << 32 | comm;
}

/* Count one more half of a message.  *number becomes its channel. */
static int count_half(struct side *side, uint32_t peer, uint32_t comm, uint32_t tag,
		      uint32_t *number, struct error *err)
{
	const struct channel *last = &side->channels.items[side->last];

	*number = side->last;
	if (!side->channels.count || last->peer != peer || last->comm != comm || last->tag != tag)
		*number = number_map_get(&side->numbers, channel_key(peer, comm), tag);
	if (*number == NUMBER_MAP_EMPTY) {
		*number = (uint32_t)side->channels.count;
		TRY(number_map_add(&side->numbers, channel_key(peer, comm), tag, *number, err));
		TRY(array_push(&side->channels, ((struct channel){peer, comm, tag, 0}), err));
	}
	side->channels.items[*number].end++;
	side->last = *number;
	return 0;
}

/* Fill the list from the channel of each half.  order: indices in order, or NULL if they are. */
static int fill_list(struct side *side, const uint32_t *numbers, const uint32_t *order,
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

static int list_sends(struct side *side, const struct measured_rank *rank, uint32_t *numbers,
		      struct error *err)
{
	for (size_t i = 0; i < rank->sends.count; i++) {
		const struct measured_send *send = &rank->sends.items[i];

		TRY(count_half(side, send->peer, send->comm, send->tag, &numbers[i], err));
	}
	return fill_list(side, numbers, NULL, rank->sends.count, err);
}

/* List the receives in the order of their posts; *list stays NULL if they are. */
static int order_recvs(const struct measured_rank *rank, uint32_t **list, struct error *err)
{
	uint32_t *by_order, last = 0, count = 0;
	bool ordered = true;

	for (size_t i = 0; i < rank->recvs.count; i++) {
		ordered &= rank->recvs.items[i].order >= last;
		last = rank->recvs.items[i].order > last ? rank->recvs.items[i].order : last;
	}
	if (ordered)
		return 0;
	TRY(allocate(&by_order, (size_t)last + 1, sizeof *by_order, err));
	for (uint32_t i = 0; i < rank->recvs.count; i++)
		by_order[rank->recvs.items[i].order] = i + 1;
	for (size_t k = 0; k <= last; k++)
		if (by_order[k])
			by_order[count++] = by_order[k] - 1;
	*list = by_order;
	return 0;
}

static int list_recvs(struct side *side, const struct measured_rank *rank, uint32_t *numbers,
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

static int list_rank(void *shared, void *state, uint32_t number, struct error *err)
{
	struct matching *matching = shared;
	struct measured_run *run = matching->run;
	const struct measured_rank *rank = &run->ranks[number];
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
	free(numbers);
	return result;
}

/* Halves of a channel, in order. */
static const uint32_t *halves_of(const struct side *side, uint32_t number, uint32_t *count)
{
	const uint32_t begin = number ? side->channels.items[number - 1].end : 0;

	*count = side->channels.items[number].end - begin;
	return side->list + begin;
}

/* Match the receives of one rank in a channel with the sends of the peer. */
static void match_channel(struct matching *matching, uint32_t receiver, uint32_t number)
{
	struct measured_run *run = matching->run;
	const struct channel *channel = &matching->recvs[receiver].channels.items[number];
	const struct side *side;
	const uint32_t *recvs, *sends;
	uint32_t recv_count, send_count, found;

	if (channel->peer >= run->rank_count)
		return;
	side = &matching->sends[channel->peer];
	found = number_map_get(&side->numbers, channel_key(receiver, channel->comm), channel->tag);
	if (found == NUMBER_MAP_EMPTY)
		return;
	recvs = halves_of(&matching->recvs[receiver], number, &recv_count);
	sends = halves_of(side, found, &send_count);
	for (uint32_t k = 0; k < recv_count && k < send_count; k++) {
		run->send_of[receiver][recvs[k]] = sends[k];
		/* Another rank fills the other entries of this list. */
		run->recv_of[channel->peer][sends[k]] = recvs[k];
	}
}

static int match_rank(void *shared, void *state, uint32_t receiver, struct error *err)
{
	struct matching *matching = shared;

	(void)state;
	(void)err;
	for (uint32_t c = 0; c < matching->recvs[receiver].channels.count; c++)
		match_channel(matching, receiver, c);
	return 0;
}

/* Count what has no other half, and compare the times of both halves. */
static void check_messages(struct measured_run *run)
{
	struct clock_violations *violations = &run->violations;

	for (uint32_t r = 0; r < run->rank_count; r++) {
		const struct measured_rank *rank = &run->ranks[r];

		for (size_t i = 0; i < rank->sends.count; i++)
			run->lone_sends += run->recv_of[r][i] == NO_MATCH;
		for (size_t i = 0; i < rank->recvs.count; i++) {
			const struct measured_recv *recv = &rank->recvs.items[i];
			const uint32_t match = run->send_of[r][i];
			uint64_t sent, received;

			if (match == NO_MATCH) {
				run->lone_recvs++;
				continue;
			}
			sent = run->ranks[recv->peer]
				       .calls.items[run->ranks[recv->peer].sends.items[match].begin]
				       .enter_ns;
			received = rank->calls.items[recv->end].leave_ns;
			violations->messages++;
			if (received >= sent ||
			    rank->calls.items[recv->end].function == CALL_Request_free)
				continue;
			violations->count++;
			if (sent - received > violations->most_ns) {
				violations->most_ns = sent - received;
				violations->sender = recv->peer;
				violations->receiver = r;
			}
		}
	}
}

static int run_matching(struct matching *matching, struct error *err)
{
	struct measured_run *run = matching->run;
	const struct parallel_work listing = {.make = list_rank, .shared = matching};
	const struct parallel_work joining = {.make = match_rank, .shared = matching};

	TRY(allocate(&matching->sends, run->rank_count, sizeof *matching->sends, err));
	TRY(allocate(&matching->recvs, run->rank_count, sizeof *matching->recvs, err));
	TRY(allocate(&run->send_of, run->rank_count, sizeof *run->send_of, err));
	TRY(allocate(&run->recv_of, run->rank_count, sizeof *run->recv_of, err));
	TRY(parallel_run(&listing, run->rank_count, processor_count(), err));
	TRY(parallel_run(&joining, run->rank_count, processor_count(), err));
	check_messages(run);
	return 0;
}

static void release_sides(struct side *sides, uint32_t count)
{
	for (uint32_t i = 0; sides && i < count; i++) {
		number_map_release(&sides[i].numbers);
		array_release(&sides[i].channels);
		free(sides[i].list);
	}
	free(sides);
}

static int match_messages(struct measured_run *run, struct error *err)
{
	struct matching matching = {.run = run};
	const int result = run_matching(&matching, err);

	release_sides(matching.sends, run->rank_count);
	release_sides(matching.recvs, run->rank_count);
	return result;
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

/* Whether all ranks of a communicator take part in its collectives, as one instance. */
static bool has_instances(const struct measured_run *run, uint32_t comm)
{
	return comm < run->world->comm_count && !run->world->comms[comm].self;
}

/* Collectives of a communicator, or of one persistent collective of it. */
struct stream {
	uint64_t key;
	ARRAY(uint32_t) instances;
	uint32_t rank, next; /* parts so far of the rank that came last */
};

struct gathering {
	struct measured_run *run;
	struct number_map numbers; /* by communicator and persistent collective */
	ARRAY(struct stream) streams;
	uint32_t last; /* stream that was looked for last */
};

static int find_stream(struct gathering *gathering, const struct measured_part *part,
		       struct stream **stream, struct error *err)
{
	const uint64_t key = (uint64_t)part->comm << 32 | part->stream;
	uint32_t number = gathering->last;

	if (!gathering->streams.count || gathering->streams.items[number].key != key)
		number = number_map_get(&gathering->numbers, key, 0);
	if (number == NUMBER_MAP_EMPTY) {
		number = (uint32_t)gathering->streams.count;
		TRY(number_map_add(&gathering->numbers, key, 0, number, err));
		TRY(array_push(&gathering->streams, (struct stream){.key = key}, err));
	}
	gathering->last = number;
	*stream = &gathering->streams.items[number];
	return 0;
}

/* Find the instance of the rank's next part in a stream, or add it. */
static int find_instance(struct gathering *gathering, uint32_t rank,
			 const struct measured_part *part, uint32_t *instance, struct error *err)
{
	struct measured_run *run = gathering->run;
	struct stream *stream;

	TRY(find_stream(gathering, part, &stream, err));
	if (stream->rank != rank) {
		stream->rank = rank;
		stream->next = 0;
	}
	if (stream->next == stream->instances.count) {
		TRY(array_push(&stream->instances, (uint32_t)run->instances.count, err));
		TRY(array_push(&run->instances,
			       ((struct measured_instance){.comm = part->comm,
							   .kind = part->kind,
							   .root_call = NO_CALL,
							   .first_end_ns = UINT64_MAX}),
			       err));
	}
	*instance = stream->instances.items[stream->next++];
	return 0;
}

/* Whether a rank in the group of the root, but not the root, has no part in the data. */
static bool looks_on(const struct measured_run *run, const struct measured_part *part)
{
	return run->world->comms[part->comm].inter && part->root == NO_ROOT &&
	       (part->kind == COLL_BCAST || part->kind == COLL_SCATTER ||
		part->kind == COLL_SCATTERV || part->kind == COLL_GATHER ||
		part->kind == COLL_GATHERV || part->kind == COLL_REDUCE);
}

static void join_instance(struct measured_instance *instance, const struct measured_rank *rank,
			  const struct measured_part *part)
{
	const uint64_t begin_ns = rank->calls.items[part->begin].enter_ns;
	const uint64_t end_ns = rank->calls.items[part->end].leave_ns;

	if (!instance->members++ || begin_ns > instance->last_begin_ns) {
		instance->last_begin_ns = begin_ns;
		instance->last_rank = rank->rank;
		instance->last_call = part->begin;
	}
	if (end_ns < instance->first_end_ns)
		instance->first_end_ns = end_ns;
	if (part->root == rank->rank) {
		instance->root_rank = rank->rank;
		instance->root_call = part->begin;
	}
}

static int gather_part(struct gathering *gathering, const struct measured_rank *rank,
		       uint32_t index, struct error *err)
{
	struct measured_run *run = gathering->run;
	const struct measured_part *part = &rank->parts.items[index];
	uint32_t *instance = &run->instance_of[rank->rank][index];

	*instance = NO_MATCH;
	if (!has_instances(run, part->comm))
		return 0;
	TRY(find_instance(gathering, rank->rank, part, instance, err));
	if (!looks_on(run, part))
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

static int gather_sorted(struct gathering *gathering, const struct measured_rank *rank,
			 struct error *err)
{
	struct ordered_part *parts;
	int result = 0;

	TRY(allocate(&parts, rank->parts.count, sizeof *parts, err));
	for (uint32_t i = 0; i < rank->parts.count; i++)
		parts[i] = (struct ordered_part){rank->parts.items[i].order, i};
	qsort(parts, rank->parts.count, sizeof *parts, compare_parts);
	for (size_t i = 0; result == 0 && i < rank->parts.count; i++)
		result = gather_part(gathering, rank, parts[i].index, err);
	free(parts);
	return result;
}

static int gather_rank(struct gathering *gathering, uint32_t number, struct error *err)
{
	struct measured_run *run = gathering->run;
	const struct measured_rank *rank = &run->ranks[number];

	TRY(allocate(&run->instance_of[number], rank->parts.count, sizeof **run->instance_of, err));
	if (!in_order(rank))
		return gather_sorted(gathering, rank, err);
	for (uint32_t i = 0; i < rank->parts.count; i++)
		TRY(gather_part(gathering, rank, i, err));
	return 0;
}

static int match_collectives(struct measured_run *run, struct error *err)
{
	struct gathering gathering = {.run = run};
	int result = allocate(&run->instance_of, run->rank_count, sizeof *run->instance_of, err);

	for (uint32_t rank = 0; result == 0 && rank < run->rank_count; rank++)
		result = gather_rank(&gathering, rank, err);
	number_map_release(&gathering.numbers);
	for (size_t i = 0; i < gathering.streams.count; i++)
		array_release(&gathering.streams.items[i].instances);
	array_release(&gathering.streams);
	return result;
}

/* ------------------------------------------------------------------------ run */

/* Find the first begin and the last end of a rank. */
static int find_span(struct measured_run *run, struct error *err)
{
	run->begin_ns = UINT64_MAX;
	run->end_ns = 0;
	for (uint32_t r = 0; r < run->rank_count; r++) {
		struct measured_rank *rank = &run->ranks[r];

		if (!rank->calls.count)
			continue;
		if (rank->end_ns < rank->begin_ns)
			rank->end_ns = rank->begin_ns;
		run->begin_ns = rank->begin_ns < run->begin_ns ? rank->begin_ns : run->begin_ns;
		run->end_ns = rank->end_ns > run->end_ns ? rank->end_ns : run->end_ns;
	}
	if (run->begin_ns == UINT64_MAX)
		return error_set(err, STATUS_DATA, "the trace has no MPI call");
	return 0;
}

int measured_match(struct measured_run *run, struct error *err)
{
	TRY(find_span(run, err));
	TRY(match_messages(run, err));
	return match_collectives(run, err);
}
