#include "test/unit/lib/simulate.h"

#include "common/hash.h"
#include "common/units.h"
#include "llamp/network/topology.h"
#include "test/unit/lib/message_variables.h"

#include <stdlib.h>

enum event { WORK, POST, INJECTION, LINK, ARRIVAL, COMPLETION };

/* Operation, and how far it has come. */
struct op {
	struct goal_op op;
	uint32_t rank, partner;
	bool rendezvous;
	wide overhead;			/* o' */
	wide bytes;			/* B */
	wide L, G;			/* of the message */
	bool needs_nic;			/* of a message: for its injection and arrival */
	struct hops hops;		/* of a send: the limited links that its message passes */
	uint32_t entered;		/* how many of them it has entered */
	uint32_t awaited;		/* dependencies that have not been met */
	wide ready;			/* when the others were met */
	uint32_t sides;			/* of a match: posted receive, message */
	wide match;			/* when they were there */
	uint32_t others;		/* awaited dependencies but for ends of receives */
	wide wait;			/* W: when all of them were met */
	uint32_t waiter;		/* of a receive: with the least W, or NO_WAITER */
	bool complete;			/* of a receive: but for w */
	bool requested, completed;	/* its completion */
	wide complete_from;
	uint32_t depth, match_depth;	/* d of the start and the match */
};

/* Operation that requires a receive, and waits for it. */
struct wait {
	uint32_t recv, waiter;
};

/* Start of a send that a gap separates from the start of another. */
struct gap {
	uint32_t before, after;
};

struct request {
	wide ready;
	uint32_t op;
	enum event event;
};

/* CPU, one side of a NIC, or one direction of a link. */
struct unit {
	wide next;		/* earliest time that it allows */
	uint32_t served;
};

enum unit_kind { CPU, NIC_OUT, NIC_IN, UNIT_KINDS };

struct program {
	const struct goal *goal;
	const struct simulate_network *network;
	struct op *ops;
	struct unit *units;			/* by rank, number and kind */
	ARRAY(struct link_unit {
		struct hop hop;
		struct unit unit;
	}) links;				/* those that have been used */
	uint32_t units_per_rank;
	uint32_t op_count, ended;
	ARRAY(struct wait) waits;
	ARRAY(struct gap) gaps;
	ARRAY(struct request) requests;		/* of limited units */
	ARRAY(struct request) unlimited;	/* events that happen when they are ready */
	struct simulation *result;
	const struct simulation *order;		/* to be repeated, or NULL */
	const struct simulate_delay *delay;	/* or NULL */
};

static struct error ignored;

#define PUSH(array, value)                                      \
	do {                                                    \
		if (array_push((array), (value), &ignored) < 0) \
			abort();                                \
	} while (0)

static void *zeroed(size_t count, size_t bytes)
{
	void *items = calloc(count + 1, bytes);

	if (!items)
		abort();
	return items;
}

static wide larger(wide a, wide b)
{
	return a > b ? a : b;
}

static bool is_handshake(const struct program *program, const struct op *op)
{
	return op->rendezvous && program->network->rendezvous != RENDEZVOUS_SYNC;
}

/* By how much an event of an operation is late. */
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
		[WORK] = SIMULATE_START,	 [POST] = SIMULATE_START,
		[INJECTION] = SIMULATE_TRANSFER, [ARRIVAL] = SIMULATE_TRANSFER,
		[COMPLETION] = SIMULATE_COMPLETION, [LINK] = SIMULATE_LINK,
	};

	return places[event];
}

/* ------------------------------------------------------------------- reading */

static void read_ops(struct program *program)
{
	const struct goal *goal = program->goal;

	for (uint32_t rank = 0; rank < goal->rank_count; rank++)
		for (uint32_t i = 0; i < goal->ranks[rank].op_count; i++) {
			const struct goal_op op = goal_op(&goal->ranks[rank], i);

			program->ops[program->op_count++] = (struct op){.op = op, .rank = rank};
			while (program->units_per_rank <= op.cpu ||
			       program->units_per_rank <= op.nic)
				program->units_per_rank++;
		}
}

static bool same_channel(const struct op *send, const struct op *recv)
{
	return recv->op.kind == GOAL_RECV && recv->rank == send->op.peer &&
	       recv->op.peer == send->rank && recv->op.tag == send->op.tag;
}

/* Find the operations that wait for receives. */
static void read_waits(struct program *program)
{
	for (uint32_t v = 0; v < program->op_count; v++) {
		const struct op *recv = &program->ops[v];
		const struct goal_block *block = &program->goal->ranks[recv->rank];

		for (uint32_t i = 0; recv->op.kind == GOAL_RECV && i < recv->op.requires_count; i++)
			PUSH(&program->waits,
			     ((struct wait){v, block->first_op +
						       goal_successor(block, recv->op.requires_first + i)}));
	}
}

/* Value of what the message of a send has in place of L, o or G. */
static wide value_of(const struct program *program, const struct op *send, uint32_t symbol)
{
	const struct simulate_network *network = program->network;
	const wide plain[LOGGPS_COUNT] = {
		[VARIABLE_L] = network->L, [VARIABLE_o] = network->o, [VARIABLE_G] = network->G,
	};
	const struct message_place message = {
		.from = send->rank, .to = send->op.peer, .rank_count = program->goal->rank_count,
		.bytes = send->op.size,
	};
	wide coefficients[VARIABLES_MOST] = {0}, sum = 0;

	if (!network->network)
		return plain[symbol];
	message_variables(network->network, &message, symbol, 1, coefficients);
	for (uint32_t v = 0; v < VARIABLES_MOST; v++)
		sum += coefficients[v] * (v < LOGGPS_COUNT ? plain[v] : network->values[v]);
	return sum;
}

/* Whether a message leaves its node, or is within one that has no parameters of its own. */
static bool leaves_node(const struct program *program, const struct op *send)
{
	const struct network *network = program->network->network;
	const uint32_t ranks = program->goal->rank_count;

	return !network ||
	       (network->node_o == NO_VARIABLE && network->node_L == NO_VARIABLE &&
		network->node_G == NO_VARIABLE) ||
	       message_host(network, send->rank, ranks) !=
		       message_host(network, send->op.peer, ranks);
}

/* List the links of a message, if they are limited. */
static void find_hops(const struct program *program, struct op *send)
{
	const struct network *network = program->network->network;
	const uint32_t ranks = program->goal->rank_count;

	if (program->network->link &&
	    topology_hops(network->topology, message_host(network, send->rank, ranks),
			  message_host(network, send->op.peer, ranks), &send->hops, &ignored) < 0)
		abort();
}

/* Match each send with the first receive of its channel that is left. */
static void match_messages(struct program *program)
{
	const struct simulate_network *network = program->network;
	bool *taken = zeroed(program->op_count, sizeof *taken);

	for (uint32_t u = 0; u < program->op_count; u++) {
		struct op *send = &program->ops[u], *recv;
		const uint64_t size = send->op.size;
		uint32_t v = 0;

		if (send->op.kind != GOAL_SEND)
			continue;
		while (taken[v] || !same_channel(send, &program->ops[v]))
			v++;
		recv = &program->ops[v];
		taken[v] = true;
		send->partner = v;
		recv->partner = u;
		send->rendezvous = recv->rendezvous = size > network->S;
		send->needs_nic = recv->needs_nic =
			program->network->nic && leaves_node(program, send);
		find_hops(program, send);
		send->L = recv->L = value_of(program, send, VARIABLE_L);
		send->G = recv->G = value_of(program, send, VARIABLE_G);
		send->overhead = recv->overhead =
			value_of(program, send, VARIABLE_o) + network->O * size;
		send->bytes = recv->bytes = size ? send->G * (size - 1) : 0;
	}
	free(taken);
}

/* -------------------------------------------------------------------- events */

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
		for (rank = 0; message_host(network, rank, ranks) !=
			       message_host(network, op->rank, ranks);)
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

/* Find the limited CPU, NIC or link that the event needs; NULL if there is none. */
static struct unit *unit_of(struct program *program, const struct request *request)
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

	if (unit_of(program, &made))
		PUSH(&program->requests, made);
	else
		PUSH(&program->unlimited, made);
}

/* ---- the wait for a receive */

/* Whether the receive completes only while its rank waits for it. */
static bool needs_wait(const struct program *program, const struct op *recv)
{
	return program->network->cpu && recv->op.requires_count > 0 && !recv->rendezvous;
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

/* The operation waits for nothing but receives from now on. */
static void begin_wait(struct program *program, uint32_t number)
{
	for (size_t i = 0; i < program->waits.count; i++) {
		const uint32_t v = program->waits.items[i].recv;
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

/* The same, and it is not the end of a receive. */
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
	const struct goal_op *op = &program->ops[number].op;

	program->ended++;
	program->result->ops[number].end = time;
	program->result->runtime = larger(program->result->runtime, time);
	meet_successors(program, number, op->requires_first, op->requires_count,
			op->kind == GOAL_RECV ? meet : meet_other, time);
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

static void happen(struct program *program, enum event event, uint32_t number, wide time)
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

/* ------------------------------------------------------------------- service */

/* Of requests at the same time those for links come last. */
static bool is_before(const struct request *a, const struct request *b)
{
	if (a->ready != b->ready)
		return a->ready < b->ready;
	if ((a->event == LINK) != (b->event == LINK))
		return b->event == LINK;
	return a->op < b->op;
}

static bool is_transfer(const struct request *request)
{
	return request->event == INJECTION || request->event == ARRIVAL;
}

/* Whether it is the request's turn in the order to be repeated. */
static bool is_next(const struct program *program, const struct request *request)
{
	const struct simulate_service *next =
		&program->order->served.items[program->result->served.count];

	return next->op == request->op && next->nic == is_transfer(request) &&
	       next->link == (request->event == LINK);
}

/* Take the next request to be served; false if there is none. */
static bool take(struct program *program, struct request *taken)
{
	struct request *requests = program->requests.items;
	const size_t count = program->requests.count;
	size_t next = program->order ? count : 0;

	for (size_t i = 0; i < count; i++)
		if (program->order ? is_next(program, &requests[i])
				   : is_before(&requests[i], &requests[next]))
			next = i;
	if (next == count)
		return false;
	*taken = requests[next];
	requests[next] = requests[count - 1];
	program->requests.count--;
	return true;
}

static void serve(struct program *program, struct request request)
{
	struct simulate_op *result = &program->result->ops[request.op];
	const struct op *op = &program->ops[request.op];
	struct unit *unit = unit_of(program, &request);
	const wide time = larger(request.ready, unit->next) +
			  delay_of(program, request.op, place_of(request.event));

	PUSH(&program->result->served,
	     ((struct simulate_service){request.op, is_transfer(&request),
					request.event == LINK}));
	if (request.event == LINK) {
		result->link_turns = mix64(result->link_turns + unit->served++ + 1);
		unit->next = time + op->bytes;
	} else if (is_transfer(&request)) {
		result->nic_turn = unit->served++;
		result->spacing = program->network->g + op->bytes;
		unit->next = time + result->spacing;
	} else {
		result->cpu_turn = unit->served++;
		unit->next = time + (op->op.kind == GOAL_CALC ? program->network->ns * op->op.size
							      : op->overhead);
	}
	happen(program, request.event, request.op, time);
}

static void begin(struct program *program)
{
	const uint32_t units =
		program->goal->rank_count * program->units_per_rank * UNIT_KINDS;

	program->ended = 0;
	program->result->runtime = 0;
	program->result->served.count = 0;
	program->requests.count = 0;
	for (uint32_t i = 0; i < program->op_count; i++) {
		struct op *op = &program->ops[i];

		program->result->ops[i] = (struct simulate_op){0};
		op->awaited = op->others = op->op.dependencies + 1;
		op->ready = op->match = op->wait = 0;
		op->sides = 0;
		op->waiter = NO_WAITER;
		op->complete = op->requested = op->completed = false;
		op->entered = 0;
	}
	for (size_t i = 0; i < program->waits.count; i++)
		program->ops[program->waits.items[i].waiter].others--;
	for (size_t i = 0; i < program->gaps.count; i++) {
		program->ops[program->gaps.items[i].after].awaited++;
		program->ops[program->gaps.items[i].after].others++;
	}
	for (uint32_t i = 0; i < units; i++)
		program->units[i] = (struct unit){0};
	program->links.count = 0;
}

/* Run the program; whether all operations end. */
static bool run(struct program *program)
{
	begin(program);
	/* The start of the program is one dependency of each operation. */
	for (uint32_t i = 0; i < program->op_count; i++)
		meet_other(program, i, 0);
	for (;;) {
		struct request next;

		while (program->unlimited.count) {
			next = program->unlimited.items[--program->unlimited.count];
			happen(program, next.event, next.op,
			       next.ready + delay_of(program, next.op, place_of(next.event)));
		}
		if (!take(program, &next))
			return program->ended == program->op_count;
		serve(program, next);
	}
}

/* ---------------------------------------------------------------------- gaps */

/* Whether dependencies of the rank lead from one operation to another. */
static bool leads_to(const struct program *program, uint32_t from, uint32_t to, bool *seen)
{
	const struct goal_block *block = &program->goal->ranks[program->ops[from].rank];
	const struct goal_op *op = &program->ops[from].op;

	if (from == to)
		return true;
	if (seen[from])
		return false;
	seen[from] = true;
	for (uint32_t i = 0; i < op->requires_count + op->irequires_count; i++)
		if (leads_to(program,
			     block->first_op + goal_successor(block, op->requires_first + i), to,
			     seen))
			return true;
	return false;
}

static bool are_connected(const struct program *program, uint32_t a, uint32_t b)
{
	bool *seen = zeroed(program->op_count, sizeof *seen), *back;
	bool connected;

	back = zeroed(program->op_count, sizeof *back);
	connected = leads_to(program, a, b, seen) || leads_to(program, b, a, back);
	free(seen);
	free(back);
	return connected;
}

static void add_gaps(struct program *program)
{
	uint32_t last = UINT32_MAX;

	for (uint32_t i = 0; i < program->op_count; i++) {
		if (program->ops[i].op.kind != GOAL_SEND)
			continue;
		if (last != UINT32_MAX && program->ops[last].rank == program->ops[i].rank &&
		    !are_connected(program, last, i))
			PUSH(&program->gaps, ((struct gap){last, i}));
		last = i;
	}
}

/* Raise the depth of an event to one more than that of an event before it. */
static bool deepen(uint32_t *depth, uint32_t before)
{
	if (*depth > before)
		return false;
	*depth = before + 1;
	return true;
}

static bool deepen_successors(struct program *program, uint32_t number)
{
	const struct op *u = &program->ops[number];
	const struct goal_block *block = &program->goal->ranks[u->rank];
	const bool ends_at_match = u->op.kind == GOAL_RECV || u->rendezvous;
	bool changed = false;

	for (uint32_t i = 0; i < u->op.requires_count; i++)
		changed |= deepen(&program->ops[block->first_op +
						goal_successor(block, u->op.requires_first + i)]
					   .depth,
				  ends_at_match ? u->match_depth : u->depth);
	for (uint32_t i = 0; i < u->op.irequires_count; i++)
		changed |= deepen(&program->ops[block->first_op +
						goal_successor(block, u->op.irequires_first + i)]
					   .depth,
				  u->depth);
	return changed;
}

/* Compute the depths in the execution graph without gaps, which is acyclic. */
static void find_depths(struct program *program)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < program->op_count; i++) {
			struct op *u = &program->ops[i], *partner = &program->ops[u->partner];

			if (u->op.kind != GOAL_CALC) {
				changed |= deepen(&u->match_depth, u->depth);
				changed |= deepen(&u->match_depth, partner->depth);
			}
			changed |= deepen_successors(program, i);
		}
	}
}

static void turn_gaps(struct program *program)
{
	find_depths(program);
	for (size_t i = 0; i < program->gaps.count; i++) {
		struct gap *gap = &program->gaps.items[i];

		if (program->ops[gap->after].depth < program->ops[gap->before].depth)
			*gap = (struct gap){gap->after, gap->before};
	}
}

static bool run_with_gaps(struct program *program)
{
	if (!run(program))
		return false;
	if (program->network->nic || program->network->g == 0)
		return true;
	add_gaps(program);
	if (run(program))
		return true;
	turn_gaps(program);
	if (!run(program))
		abort();
	return true;
}

/* -------------------------------------------------------- parameters, results */

struct simulate_network simulate_network_from(const struct loggps *loggps, wide denominator)
{
	struct simulate_network network = {
		.L = denominator * loggps_value(loggps, VARIABLE_L),
		.o = denominator * loggps_value(loggps, VARIABLE_o),
		.g = denominator * loggps_value(loggps, VARIABLE_g),
		.G = denominator * loggps_value(loggps, VARIABLE_G),
		.O = denominator * loggps_value(loggps, VARIABLE_O),
		.ns = denominator * AS_PER_NS,
		.S = loggps->S,
		.rendezvous = loggps->rendezvous,
		.cpu = loggps->resources & RESOURCE_CPU,
		.nic = loggps->resources & RESOURCE_NIC,
		.node_nic = loggps->resources & RESOURCE_NODE_NIC,
		.link = loggps->resources & RESOURCE_LINK,
		.network = loggps->network,
	};

	for (uint32_t v = 0; v < loggps->variables.count; v++)
		network.values[v] = denominator * loggps_value(loggps, v);
	return network;
}

static bool simulate_with(struct program *program, struct simulation *simulation)
{
	const struct goal *goal = program->goal;
	bool done;

	*simulation = (struct simulation){.op_count = goal->op_count};
	simulation->ops = zeroed(goal->op_count, sizeof *simulation->ops);
	program->result = simulation;
	program->ops = zeroed(goal->op_count, sizeof *program->ops);
	read_ops(program);
	program->units = zeroed((size_t)goal->rank_count * program->units_per_rank * UNIT_KINDS,
				sizeof *program->units);
	read_waits(program);
	match_messages(program);
	done = run_with_gaps(program);
	for (uint32_t i = 0; i < program->op_count; i++)
		simulation->ops[i].waiter = program->ops[i].waiter;
	for (uint32_t i = 0; i < program->op_count; i++)
		array_release(&program->ops[i].hops);
	array_release(&program->links);
	free(program->ops);
	free(program->units);
	array_release(&program->waits);
	array_release(&program->gaps);
	array_release(&program->requests);
	array_release(&program->unlimited);
	return done;
}

bool simulate(struct simulation *simulation, const struct goal *goal,
	      const struct simulate_network *network)
{
	struct program program = {.goal = goal, .network = network};

	return simulate_with(&program, simulation);
}

void simulate_again(struct simulation *simulation, const struct goal *goal,
		    const struct simulate_network *network, const struct simulation *order)
{
	simulate_delayed(simulation, goal, network, order, NULL);
}

void simulate_delayed(struct simulation *simulation, const struct goal *goal,
		      const struct simulate_network *network, const struct simulation *order,
		      const struct simulate_delay *delay)
{
	struct program program = {
		.goal = goal, .network = network, .order = order, .delay = delay};

	if (!simulate_with(&program, simulation))
		abort();
}

void simulation_release(struct simulation *simulation)
{
	free(simulation->ops);
	simulation->ops = NULL;
	array_release(&simulation->served);
}

bool simulation_same_waiters(const struct simulation *a, const struct simulation *b)
{
	for (uint32_t i = 0; i < a->op_count; i++)
		if (a->ops[i].waiter != b->ops[i].waiter)
			return false;
	return true;
}

bool simulation_same_order(const struct simulation *a, const struct simulation *b)
{
	for (uint32_t i = 0; i < a->op_count; i++)
		if (a->ops[i].cpu_turn != b->ops[i].cpu_turn ||
		    a->ops[i].nic_turn != b->ops[i].nic_turn ||
		    a->ops[i].link_turns != b->ops[i].link_turns)
			return false;
	return true;
}
