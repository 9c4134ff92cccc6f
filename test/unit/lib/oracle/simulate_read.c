#include "test/unit/lib/oracle/message_variables.h"
#include "test/unit/lib/oracle/simulate_program.h"

void simulate_read_ops(struct program *program)
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

bool simulate_is_awaited(const struct op *op)
{
	return op->op.kind == GOAL_RECV || (op->op.kind == GOAL_SEND && op->rendezvous);
}

void simulate_read_waits(struct program *program)
{
	for (uint32_t v = 0; v < program->op_count; v++) {
		const struct op *message = &program->ops[v];
		const struct goal_block *block = &program->goal->ranks[message->rank];
		const uint32_t first = message->op.requires_first;

		for (uint32_t i = 0; simulate_is_awaited(message) && i < message->op.requires_count;
		     i++)
			PUSH(&program->waits,
			     ((struct wait){v, block->first_op + goal_successor(block, first + i)}));
	}
}

/* Value of what the message of a send has in place of L, o or G. */
static wide value_of(const struct program *program, const struct op *send, uint32_t symbol)
{
	const struct simulate_network *network = program->network;
	const wide plain[LOGGPS_COUNT] = {
		[VARIABLE_L] = network->L,
		[VARIABLE_o] = network->o,
		[VARIABLE_G] = network->G,
	};
	const struct message_place message = {
		.from = send->rank,
		.to = send->op.peer,
		.rank_count = program->goal->rank_count,
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
			  message_host(network, send->op.peer, ranks), &send->hops,
			  &(struct error){0}) < 0)
		abort();
}

void simulate_match(struct program *program)
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
		send->needs_nic = recv->needs_nic = program->network->nic &&
						    leaves_node(program, send);
		find_hops(program, send);
		send->L = recv->L = value_of(program, send, VARIABLE_L);
		send->G = recv->G = value_of(program, send, VARIABLE_G);
		send->overhead = recv->overhead = value_of(program, send, VARIABLE_o) +
						  network->O * size;
		send->bytes = recv->bytes = size ? send->G * (size - 1) : 0;
	}
	free(taken);
}
