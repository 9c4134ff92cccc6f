#include "schedgen/convert/message_balance.h"

#include "common/hash.h"
#include "trace/call/mpi_call.h"

#include <stdio.h>
#include <string.h>

int message_balance_init(struct message_balance *balance, const struct trace_world *world,
			 uint32_t copies, struct error *err)
{
	*balance = (struct message_balance){
		.world = world, .rank_count = world->rank_count * copies
	};
	if (allocate(&balance->sources, balance->rank_count, sizeof *balance->sources, err) < 0 ||
	    allocate(&balance->destinations, balance->rank_count, sizeof *balance->destinations,
		     err) < 0 ||
	    allocate(&balance->comms, (size_t)world->comm_count + 1, sizeof *balance->comms,
		     err) < 0) {
		message_balance_release(balance);
		return -1;
	}
	return 0;
}

void message_balance_release(struct message_balance *balance)
{
	free(balance->sources);
	free(balance->destinations);
	free(balance->comms);
	*balance = (struct message_balance){0};
}

static void count(struct message_balance_sum *sum, bool send, uint64_t hash)
{
	if (send) {
		sum->sends++;
		sum->hash += hash;
	} else {
		sum->recvs++;
		sum->hash -= hash;
	}
}

static void sum_add(struct message_balance_sum *sums, const struct message_balance_sum *others,
		    uint32_t sum_count)
{
	for (uint32_t i = 0; i < sum_count; i++) {
		sums[i].hash += others[i].hash;
		sums[i].sends += others[i].sends;
		sums[i].recvs += others[i].recvs;
	}
}

/* Rank that is being counted. */
struct counting {
	struct message_balance *balance;
	const struct goal_tags *tags;
	uint32_t rank;
	struct message_balance_sum own[2];	/* receives and sends of the rank */
};

static int count_op(void *data, struct goal_new_op *op, struct error *err)
{
	struct counting *counting = data;
	struct message_balance *balance = counting->balance;
	const uint32_t comm_count = balance->world->comm_count, rank = counting->rank;
	const bool send = op->kind == GOAL_SEND;
	struct tag tag;
	uint64_t hash;

	(void)err;
	if (op->kind == GOAL_CALC)
		return 0;
	tag = goal_tags_find(counting->tags, op->tag);
	hash = mix64(send ? (uint64_t)rank << 32 | op->peer : (uint64_t)op->peer << 32 | rank);
	hash = mix64(mix64(hash + tag.key) + tag.number);
	count(&counting->own[send], send, hash);
	count(send ? &balance->destinations[op->peer] : &balance->sources[op->peer], send, hash);
	count(&balance->comms[tag.comm < comm_count ? tag.comm : comm_count], send, hash);
	balance->bytes += send ? op->size : 0;
	balance->own_messages += send && op->peer == rank;
	return 0;
}

int message_balance_rank(struct message_balance *balance, uint32_t rank,
			 struct goal_builder *builder, const struct goal_tags *tags,
			 struct error *err)
{
	struct counting counting = {.balance = balance, .tags = tags, .rank = rank};

	TRY(goal_builder_each(builder, count_op, &counting, err));
	sum_add(&balance->destinations[rank], &counting.own[0], 1);
	sum_add(&balance->sources[rank], &counting.own[1], 1);
	balance->messages += counting.own[1].sends;
	return 0;
}

void message_balance_add(struct message_balance *balance, const struct message_balance *other)
{
	const struct trace_world *world = balance->world;

	sum_add(balance->sources, other->sources, balance->rank_count);
	sum_add(balance->destinations, other->destinations, balance->rank_count);
	sum_add(balance->comms, other->comms, world->comm_count + 1);
	balance->messages += other->messages;
	balance->bytes += other->bytes;
	balance->own_messages += other->own_messages;
}

/* List the first few numbers whose sums are not zero, with their counts. */
static void list(char *text, size_t size, const struct message_balance_sum *sums,
		 uint32_t sum_count)
{
	enum { MOST_LISTED = 4 };
	int listed = 0;

	*text = '\0';
	for (uint32_t i = 0; i < sum_count; i++) {
		size_t used = strlen(text);

		if (!sums[i].hash)
			continue;
		if (++listed > MOST_LISTED) {
			snprintf(text + used, size - used, ", ...");
			return;
		}
		snprintf(text + used, size - used, "%s%u (%llu sent, %llu received)",
			 listed == 1 ? "" : ", ", i, (unsigned long long)sums[i].sends,
			 (unsigned long long)sums[i].recvs);
	}
}

int message_balance_check(const struct message_balance *balance, struct error *err)
{
	const struct trace_world *world = balance->world;
	char from[256], to[256], on[256];

	list(from, sizeof from, balance->sources, balance->rank_count);
	list(to, sizeof to, balance->destinations, balance->rank_count);
	list(on, sizeof on, balance->comms, world->comm_count);
	if (!*from && !*to && !*on)
		return 0;
	return error_set(err, STATUS_DATA,
			 "sends and receives do not match, so the trace is not complete: messages "
			 "from rank %s to rank %s on communicator %s", from, to,
			 *on ? on : "unknown");
}
