#include "common/hash.h"
#include "common/units.h"
#include "test/unit/lib/oracle/simulate_program.h"

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
	struct unit *unit = simulate_unit_of(program, &request);
	const wide time = larger(request.ready, unit->next) +
			  simulate_delay(program, request.op, request.event);

	PUSH(&program->result->served,
	     ((struct simulate_service){request.op, is_transfer(&request), request.event == LINK}));
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
	simulate_happen(program, request.event, request.op, time);
}

static void reset(struct program *program)
{
	const uint32_t units = program->goal->rank_count * program->units_per_rank * UNIT_KINDS;

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
	reset(program);
	/* The start of the program is one dependency of each operation. */
	for (uint32_t i = 0; i < program->op_count; i++)
		simulate_begin(program, i);
	for (;;) {
		struct request next;

		while (program->unlimited.count) {
			next = program->unlimited.items[--program->unlimited.count];
			simulate_happen(program, next.event, next.op,
					next.ready + simulate_delay(program, next.op, next.event));
		}
		if (!take(program, &next))
			return program->ended == program->op_count;
		serve(program, next);
	}
}

static bool run_with_gaps(struct program *program)
{
	if (!run(program))
		return false;
	if (program->network->nic || program->network->g == 0)
		return true;
	simulate_add_gaps(program);
	if (run(program))
		return true;
	simulate_turn_gaps(program);
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
	simulate_read_ops(program);
	program->units = zeroed((size_t)goal->rank_count * program->units_per_rank * UNIT_KINDS,
				sizeof *program->units);
	simulate_match(program);
	simulate_read_waits(program);
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
	struct program program = {.goal = goal, .network = network, .order = order, .delay = delay};

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
