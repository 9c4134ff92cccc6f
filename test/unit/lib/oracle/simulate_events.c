#include "test/unit/lib/oracle/message_variables.h"
#include "test/unit/lib/oracle/simulate_program.h"

static bool is_handshake(const struct program *program, const struct op *op)
{
	return op->rendezvous && program->network->rendezvous != RENDEZVOUS_SYNC;
}

/* ---- delays */

/* By how much a place of an operation is late. */
static wide delay_of(const struct program *program, uint32_t op, enum simulate_place place)
{
	const struct simulate_delay *delay = program->delay;

	if (!delay || delay->op != op || delay->place != place ||
	    (place == SIMULATE_LINK && delay->link != program->ops[op].entered))
		return 0;
	return delay->by;
}

static enum simulate_place place_of(enum event event)
{
	static const enum simulate_place places[] = {
		[WORK] = SIMULATE_START,
		[POST] = SIMULATE_START,
		[INJECTION] = SIMULATE_TRANSFER,
		[ARRIVAL] = SIMULATE_TRANSFER,
		[COMPLETION] = SIMULATE_COMPLETION,
		[LINK] = SIMULATE_LINK,
	};

	return places[event];
}

wide simulate_delay(const struct program *program, uint32_t op, enum event event)
{
	return delay_of(program, op, place_of(event));
}

/* ---- requests */

static struct unit *find_unit(struct program *program, uint32_t rank, uint8_t number,
			      enum unit_kind kind)
{
	return &program->units[(rank * program->units_per_rank + number) * UNIT_KINDS + kind];
}

/* Find a NIC: with shared ones, that of the first rank on the same host. */
static struct unit *find_nic(struct program *program, const struct op *op, enum unit_kind kind)
{
	const struct network *network = program->network->network;
	const uint32_t ranks = program->goal->rank_count;
	uint32_t rank = op->rank;

	if (program->network->node_nic)
		for (rank = 0;
		     message_host(network, rank, ranks) != message_host(network, op->rank, ranks);)
			rank++;
	return find_unit(program, rank, op->op.nic, kind);
}

/* Find the link that the message of a send enters next. */
static struct unit *find_link(struct program *program, const struct op *send)
{
	const struct hop *hop = &send->hops.items[send->entered];

	for (size_t i = 0; i < program->links.count; i++) {
		const struct hop *known = &program->links.items[i].hop;

		if (known->from == hop->from && known->to == hop->to &&
		    known->parallel == hop->parallel)
			return &program->links.items[i].unit;
	}
	PUSH(&program->links, ((struct link_unit){.hop = *hop}));
	return &program->links.items[program->links.count - 1].unit;
}

struct unit *simulate_unit_of(struct program *program, const struct request *request)
{
	const struct op *op = &program->ops[request->op];

	switch (request->event) {
	case INJECTION:
		return op->needs_nic ? find_nic(program, op, NIC_OUT) : NULL;
	case ARRIVAL:
		return op->needs_nic ? find_nic(program, op, NIC_IN) : NULL;
	case LINK:
		return find_link(program, op);
	case POST:
		return NULL;
	default:
		if (!program->network->cpu || (op->op.kind == GOAL_CALC && op->op.size == 0))
			return NULL;
		return find_unit(program, op->rank, op->op.cpu, CPU);
	}
}

/* Everything else that the event waits for has happened. */
static void request(struct program *program, enum event event, uint32_t op, wide ready)
{
	const struct request made = {ready, op, event};

	if (simulate_unit_of(program, &made))
		PUSH(&program->requests, made);
	else
		PUSH(&program->unlimited, made);
}

/* ---- the wait for a receive */

/* Whether a message completes only while its rank waits for it: an eager one that is received. */
static bool needs_wait(const struct program *program, const struct op *op)
{
	return program->network->cpu && op->op.requires_count > 0 && !op->rendezvous;
}

/* Whether one operation waits for receives before another does. */
static bool waits_before(const struct program *program, uint32_t a, uint32_t b)
{
	const struct op *ops = program->ops;

	return ops[a].wait != ops[b].wait ? ops[a].wait < ops[b].wait : a < b;
}

/* Request the completion if all that it waits for has happened, or request it earlier. */
static void request_completion(struct program *program, uint32_t number)
{
	struct op *recv = &program->ops[number];
	wide ready = recv->complete_from;

	if (!recv->complete || (needs_wait(program, recv) && recv->waiter == NO_WAITER))
		return;
	if (recv->waiter != NO_WAITER)
		ready = larger(ready, program->ops[recv->waiter].wait);
	if (!recv->requested)
		request(program, COMPLETION, number, ready);
	recv->requested = true;
	for (size_t i = 0; i < program->requests.count; i++)
		if (program->requests.items[i].op == number &&
		    program->requests.items[i].event == COMPLETION)
			program->requests.items[i].ready = ready;
}

/* Everything but w has happened that the completion waits for. */
static void complete_from(struct program *program, uint32_t number, wide time)
{
	program->ops[number].complete = true;
	program->ops[number].complete_from = time;
	request_completion(program, number);
}

/* The operation waits for nothing but receives and rendezvous sends from now on. */
static void begin_wait(struct program *program, uint32_t number)
{
	for (size_t i = 0; i < program->waits.count; i++) {
		const uint32_t v = program->waits.items[i].message;
		struct op *recv = &program->ops[v];

		if (program->waits.items[i].waiter != number || !needs_wait(program, recv) ||
		    recv->completed)
			continue;
		if (program->order ? program->order->ops[v].waiter != number
				   : recv->waiter != NO_WAITER &&
					     !waits_before(program, number, recv->waiter))
			continue;
		recv->waiter = number;
		request_completion(program, v);
	}
}

/* ---- dependencies */

/* A dependency of the operation is met. */
static void meet(struct program *program, uint32_t number, wide time)
{
	struct op *op = &program->ops[number];

	op->ready = larger(op->ready, time);
	if (--op->awaited == 0)
		request(program, op->op.kind == GOAL_RECV ? POST : WORK, number, op->ready);
}

/* The same, and it is not an end that operations wait for. */
static void meet_other(struct program *program, uint32_t number, wide time)
{
	struct op *op = &program->ops[number];

	op->wait = larger(op->wait, time);
	if (--op->others == 0)
		begin_wait(program, number);
	meet(program, number, time);
}

static void meet_successors(struct program *program, uint32_t number, uint32_t first,
			    uint32_t count, void (*how)(struct program *, uint32_t, wide),
			    wide time)
{
	const struct goal_block *block = &program->goal->ranks[program->ops[number].rank];

	for (uint32_t i = 0; i < count; i++)
		how(program, block->first_op + goal_successor(block, first + i), time);
}

static void irequired(struct program *program, uint32_t number, wide time)
{
	const struct goal_op *op = &program->ops[number].op;

	meet_successors(program, number, op->irequires_first, op->irequires_count, meet_other,
			time);
}

static void end(struct program *program, uint32_t number, wide time)
{
	const struct op *op = &program->ops[number];

	program->ended++;
	program->result->ops[number].end = time;
	program->result->runtime = larger(program->result->runtime, time);
	meet_successors(program, number, op->op.requires_first, op->op.requires_count,
			simulate_is_awaited(op) ? meet : meet_other, time);
}

/* The receive is posted, or what it has to match is there. */
static void match(struct program *program, uint32_t number, wide time)
{
	struct op *recv = &program->ops[number];
	const wide L = recv->L;

	recv->match = larger(recv->match, time);
	if (++recv->sides < 2)
		return;
	if (is_handshake(program, recv))
		recv->match += delay_of(program, number, SIMULATE_MATCH);
	if (!is_handshake(program, recv))
		complete_from(program, number, recv->match);
	else if (program->network->rendezvous == RENDEZVOUS_READ)
		request(program, INJECTION, recv->partner, recv->match + L);
	else
		request(program, INJECTION, recv->partner, recv->match + recv->overhead + 2 * L);
}

static void start_calc(struct program *program, uint32_t number, wide b)
{
	struct simulate_op *result = &program->result->ops[number];

	result->busy = program->network->ns * program->ops[number].op.size;
	irequired(program, number, b + result->busy);
	end(program, number, b + result->busy);
}

static void start_send(struct program *program, uint32_t number, wide b)
{
	const struct simulate_network *network = program->network;
	const struct op *op = &program->ops[number];

	irequired(program, number, b + op->overhead);
	for (size_t i = 0; i < program->gaps.count; i++)
		if (program->gaps.items[i].before == number)
			meet_other(program, program->gaps.items[i].after,
				   b + larger(network->g, op->G * op->op.size));
	if (!op->rendezvous)
		end(program, number, b + op->overhead);
	if (!is_handshake(program, op))
		request(program, INJECTION, number, b + op->overhead);
	else if (network->rendezvous == RENDEZVOUS_READ)
		match(program, op->partner, b + op->overhead + op->L);
	else
		match(program, op->partner, b + op->L);
}

static void arrive(struct program *program, uint32_t number, wide h)
{
	const struct op *op = &program->ops[number];

	if (is_handshake(program, op))
		complete_from(program, number, h + op->bytes);
	else
		match(program, number, h + op->bytes);
}

static void complete(struct program *program, uint32_t number, wide c)
{
	const struct op *op = &program->ops[number];
	const wide e = c + op->overhead;
	const wide late = e + delay_of(program, op->partner, SIMULATE_END);

	end(program, number, e);
	if (!op->rendezvous)
		return;
	switch (program->network->rendezvous) {
	case RENDEZVOUS_READ:
		end(program, op->partner, late + op->L);
		break;
	case RENDEZVOUS_SYNC:
		end(program, op->partner, late);
		break;
	case RENDEZVOUS_PAPER:
		end(program, op->partner, late + op->overhead);
		break;
	}
}

/* The first byte of a message is at the beginning of the next link of its route. */
static void travel(struct program *program, uint32_t number, wide time)
{
	const struct op *send = &program->ops[number];
	const struct simulate_network *network = program->network;

	if (send->hops.count == 0)
		request(program, ARRIVAL, send->partner, time + send->L);
	else if (send->entered < send->hops.count)
		request(program, LINK, number, time);
	else
		request(program, ARRIVAL, send->partner, time + network->L);
}

/* It enters the link, and behind it comes a switch, but not after the last one. */
static void pass_link(struct program *program, uint32_t number, wide time)
{
	struct op *send = &program->ops[number];
	const struct simulate_network *network = program->network;
	const struct hop *hop = &send->hops.items[send->entered++];

	time += network->values[network->network->first_link + hop->class];
	if (send->entered < send->hops.count)
		time += network->values[network->network->switch_variable];
	travel(program, number, time);
}

void simulate_begin(struct program *program, uint32_t number)
{
	meet_other(program, number, 0);
}

void simulate_happen(struct program *program, enum event event, uint32_t number, wide time)
{
	struct simulate_op *result = &program->result->ops[number];
	const struct op *op = &program->ops[number];

	switch (event) {
	case WORK:
		result->start = result->work = time;
		result->busy = op->overhead;
		op->op.kind == GOAL_CALC ? start_calc(program, number, time)
					 : start_send(program, number, time);
		break;
	case POST:
		result->start = time;
		irequired(program, number, time);
		match(program, number, time);
		break;
	case INJECTION:
		result->transfer = time;
		travel(program, number, time);
		break;
	case LINK:
		pass_link(program, number, time);
		break;
	case ARRIVAL:
		result->transfer = time;
		arrive(program, number, time);
		break;
	case COMPLETION:
		result->work = time;
		result->busy = op->overhead;
		program->ops[number].completed = true;
		complete(program, number, time);
		break;
	}
}
