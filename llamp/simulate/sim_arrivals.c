/*
 * Messages on links and at the NIC of their receive.
 *
 * The first byte of a message enters the links of its route one after the other: cut-through.  Each
 * entry is an event.  Entries are numbered after all operations, and so are their resource
 * requests.
 */
#include "llamp/simulate/sim_events.h"

/* Cost from the first byte of a message to its last. */
static struct cost transfer_of(const struct sim *sim, const struct located *recv, uint32_t message)
{
	const uint64_t bytes = message_charged(sim->pool.items[message].bytes);

	return (struct cost){.rule = bytes ? COST_BYTES : COST_NONE,
			     .bytes = bytes,
			     .class = execution_class(sim->execution, recv->number)};
}

int sim_serve_arrival(struct sim *sim, const struct located *recv, uint32_t message)
{
	const struct cost transfer = transfer_of(sim, recv, message);

	TRY(sim_occupy_nic(sim, message, recv, EVENT_ARRIVAL, &transfer,
			   sim->execution->matching.partner[recv->number]));
	return sim_arrive(sim, recv, message);
}

/* Let a message arrive where NICs are not limited. */
static int arrive_at_once(struct sim *sim, const struct located *send, uint32_t message)
{
	const struct located recv = sim_partner_of(sim, send);
	const struct cost transfer = transfer_of(sim, &recv, message);

	sim->pool.items[message].rank = send->op.peer;
	TRY(sim_happen(sim, message, recv.number, EVENT_ARRIVAL, NULL, false));
	TRY(sim_extend(sim, message, &transfer, send->number));
	return sim_arrive(sim, &recv, message);
}

int sim_serve_link(struct sim *sim, uint32_t number, uint32_t message)
{
	const struct message_routes *routes = &sim->execution->routes;
	const struct message_classes *classes = &sim->execution->classes;
	const uint32_t entry = number - sim->goal->op_count;
	const struct located send = execution_locate(sim->execution, sim->pool.items[message].rank,
						     execution_operation(sim->execution, number));
	const uint32_t link = routes->route[send.number] + entry - routes->first[send.number];
	const bool last = entry + 1 == routes->first[send.number + 1];
	const uint64_t bytes = message_charged(sim->pool.items[message].bytes);
	const struct cost busy = {.class = classes->of_op[send.number],
				  .rule = bytes ? COST_NIC : COST_NONE,
				  .bytes = bytes};
	const struct cost latency = {.class = classes->first_link + 2 * routes->link_classes[link] +
					      last,
				     .rule = COST_LATENCY};

	TRY(sim_serve_event(sim, message,
			    &(struct served){.server = sim->first_link + routes->links[link],
					     .op = number,
					     .kind = EVENT_START,
					     .busy = &busy,
					     .later = &latency,
					     .later_op = send.number}));
	TRY(sim_follow(sim, message));
	if (!last)
		return sim_request(sim, message, number + 1, EVENT_START);
	return (sim->has_nic ? sim_request_arrival : arrive_at_once)(sim, &send, message);
}
