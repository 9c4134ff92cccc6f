#include "trace/measured_match.h"

#include "common/parallel.h"

#include <string.h>

/* ------------------------------------------------------------------- messages */

/* Half of a message, to be sorted: by the other rank, channel and order. */
struct half {
	uint32_t peer, comm, tag;
	uint32_t order;
	uint32_t index;
};

static int compare_channels(const struct half *x, const struct half *y)
{
	if (x->peer != y->peer)
		return x->peer < y->peer ? -1 : 1;
	if (x->comm != y->comm)
		return x->comm < y->comm ? -1 : 1;
	if (x->tag != y->tag)
		return x->tag < y->tag ? -1 : 1;
	return 0;
}

static int compare_halves(const void *a, const void *b)
{
	const struct half *x = a, *y = b;
	const int channels = compare_channels(x, y);

	if (channels)
		return channels;
	return x->order < y->order ? -1 : x->order > y->order;
}

struct halves {
	struct half *sends, *recvs; /* sorted */
};

struct matching {
	struct measured_run *run;
	struct halves *halves; /* [rank] */
};

static int sort_halves(void *shared, void *state, uint32_t number, struct error *err)
{
	struct matching *matching = shared;
	struct measured_run *run = matching->run;
	const struct measured_rank *rank = &run->ranks[number];
	struct halves *halves = &matching->halves[number];

	(void)state;
	TRY(allocate(&halves->sends, rank->sends.count, sizeof *halves->sends, err));
	TRY(allocate(&halves->recvs, rank->recvs.count, sizeof *halves->recvs, err));
	TRY(allocate(&run->send_of[number], rank->recvs.count, sizeof **run->send_of, err));
	TRY(allocate(&run->recv_of[number], rank->sends.count, sizeof **run->recv_of, err));
	for (uint32_t i = 0; i < rank->sends.count; i++) {
		const struct measured_send *send = &rank->sends.items[i];

		halves->sends[i] = (struct half){send->peer, send->comm, send->tag, i, i};
		run->recv_of[number][i] = NO_MATCH;
	}
	for (uint32_t i = 0; i < rank->recvs.count; i++) {
		const struct measured_recv *recv = &rank->recvs.items[i];

		halves->recvs[i] = (struct half){recv->peer, recv->comm, recv->tag, recv->order, i};
		run->send_of[number][i] = NO_MATCH;
	}
	if (rank->sends.count)
		qsort(halves->sends, rank->sends.count, sizeof *halves->sends, compare_halves);
	if (rank->recvs.count)
		qsort(halves->recvs, rank->recvs.count, sizeof *halves->recvs, compare_halves);
	return 0;
}

/* Index of the first half to `peer` or a later one. */
static size_t first_to(const struct half *halves, size_t count, uint32_t peer)
{
	size_t low = 0, high = count;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (halves[middle].peer < peer)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Match the receives of one rank from one peer, which begin at `first`, with the sends of the peer
 * to the rank.  Returns where the receives from the next peer begin.
 */
static size_t match_pair(struct matching *matching, uint32_t receiver, size_t first)
{
	struct measured_run *run = matching->run;
	const struct half *recvs = matching->halves[receiver].recvs;
	const size_t recv_count = run->ranks[receiver].recvs.count;
	const uint32_t sender = recvs[first].peer;
	const struct half *sends = sender < run->rank_count ? matching->halves[sender].sends : NULL;
	const size_t send_count = sends ? run->ranks[sender].sends.count : 0;
	size_t s = sends ? first_to(sends, send_count, receiver) : 0, r = first;

	while (r < recv_count && recvs[r].peer == sender) {
		struct half wanted = recvs[r];
		int compared;

		wanted.peer = receiver;
		compared = s < send_count && sends[s].peer == receiver
				   ? compare_channels(&sends[s], &wanted)
				   : 1;
		if (compared < 0) {
			s++;
		} else if (compared > 0) {
			r++;
		} else {
			run->send_of[receiver][recvs[r].index] = sends[s].index;
			/* Another rank fills the other entries of this list. */
			run->recv_of[sender][sends[s].index] = recvs[r].index;
			s++;
			r++;
		}
	}
	return r;
}

static int match_rank(void *shared, void *state, uint32_t receiver, struct error *err)
{
	struct matching *matching = shared;
	size_t first = 0;

	(void)state;
	(void)err;
	while (first < matching->run->ranks[receiver].recvs.count)
		first = match_pair(matching, receiver, first);
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
			if (received >= sent)
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
	const struct parallel_work sorting = {.make = sort_halves, .shared = matching};
	const struct parallel_work joining = {.make = match_rank, .shared = matching};

	TRY(allocate(&matching->halves, run->rank_count, sizeof *matching->halves, err));
	TRY(allocate(&run->send_of, run->rank_count, sizeof *run->send_of, err));
	TRY(allocate(&run->recv_of, run->rank_count, sizeof *run->recv_of, err));
	TRY(parallel_run(&sorting, run->rank_count, processor_count(), err));
	TRY(parallel_run(&joining, run->rank_count, processor_count(), err));
	check_messages(run);
	return 0;
}

static int match_messages(struct measured_run *run, struct error *err)
{
	struct matching matching = {.run = run};
	const int result = run_matching(&matching, err);

	for (uint32_t rank = 0; matching.halves && rank < run->rank_count; rank++) {
		free(matching.halves[rank].sends);
		free(matching.halves[rank].recvs);
	}
	free(matching.halves);
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

struct gathering {
	struct measured_run *run;
	struct number_map instances; /* by communicator and stream, and place in it */
	struct number_map counts;    /* by communicator and stream: parts of the rank so far */
};

/* Find the instance of the rank's next part in a stream, or add it. */
static int find_instance(struct gathering *gathering, const struct measured_part *part,
			 uint32_t *instance, struct error *err)
{
	const uint64_t stream = (uint64_t)part->comm << 32 | part->stream;
	struct measured_run *run = gathering->run;
	uint32_t place;

	TRY(number_map_increment(&gathering->counts, stream, 0, &place, err));
	*instance = number_map_get(&gathering->instances, stream, place);
	if (*instance != NUMBER_MAP_EMPTY)
		return 0;
	*instance = (uint32_t)run->instances.count;
	TRY(number_map_add(&gathering->instances, stream, place, *instance, err));
	return array_push(&run->instances,
			  ((struct measured_instance){.comm = part->comm,
						      .kind = part->kind,
						      .root_call = NO_CALL,
						      .first_end_ns = UINT64_MAX}),
			  err);
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

static int gather_rank(struct gathering *gathering, uint32_t number, struct error *err)
{
	struct measured_run *run = gathering->run;
	const struct measured_rank *rank = &run->ranks[number];
	struct ordered_part *parts;
	int result = 0;

	TRY(allocate(&run->instance_of[number], rank->parts.count, sizeof **run->instance_of, err));
	TRY(allocate(&parts, rank->parts.count, sizeof *parts, err));
	for (uint32_t i = 0; i < rank->parts.count; i++)
		parts[i] = (struct ordered_part){rank->parts.items[i].order, i};
	if (rank->parts.count)
		qsort(parts, rank->parts.count, sizeof *parts, compare_parts);
	number_map_clear(&gathering->counts);
	for (size_t i = 0; result == 0 && i < rank->parts.count; i++) {
		const struct measured_part *part = &rank->parts.items[parts[i].index];
		uint32_t *instance = &run->instance_of[number][parts[i].index];

		*instance = NO_MATCH;
		if (!has_instances(run, part->comm))
			continue;
		result = find_instance(gathering, part, instance, err);
		if (result == 0 && !looks_on(run, part))
			join_instance(&run->instances.items[*instance], rank, part);
	}
	free(parts);
	return result;
}

static int match_collectives(struct measured_run *run, struct error *err)
{
	struct gathering gathering = {.run = run};
	int result = allocate(&run->instance_of, run->rank_count, sizeof *run->instance_of, err);

	for (uint32_t rank = 0; result == 0 && rank < run->rank_count; rank++)
		result = gather_rank(&gathering, rank, err);
	number_map_release(&gathering.instances);
	number_map_release(&gathering.counts);
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
