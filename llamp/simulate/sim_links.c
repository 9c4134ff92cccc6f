/* Links: messages enter one after the other, in the order of their arrival. */
#include "llamp/simulate/sim_events.h"

/*
 * The first byte of a message enters the links of its route one after the other: cut-through.  An
 * entry is an event of its own.  It has a number after those of all operations, which is also that
 * of its request.
 */

int sim_enter_links(struct sim *sim, const struct located *send, uint32_t pending)
{
	const struct message_routes *routes = &sim->execution->routes;

	return sim_request(sim, pending, sim->goal->op_count + routes->first[send->number],
			   EVENT_START);
}

int sim_serve_link(struct sim *sim, uint32_t number, uint32_t pending)
{
	const struct message_routes *routes = &sim->execution->routes;
	const struct message_classes *classes = &sim->execution->classes;
	const uint32_t entry = number - sim->goal->op_count;
	const struct located send = execution_locate(sim->execution, sim->pool.items[pending].rank,
						     execution_operation(sim->execution, number));
	const uint32_t link = routes->route[send.number] + entry - routes->first[send.number];
	const bool last = entry + 1 == routes->first[send.number + 1];
	const uint64_t bytes = message_charged(sim->pool.items[pending].bytes);
	const struct cost busy = {.class = classes->of_op[send.number],
				  .rule = bytes ? COST_NIC : COST_NONE,
				  .bytes = bytes};
	const struct cost latency = {.class = classes->first_link + 2 * routes->link_classes[link] +
					      last,
				     .rule = COST_LATENCY};

	TRY(sim_serve_event(sim, pending,
			    &(struct served){.server = sim->first_link + routes->links[link],
					     .op = number,
					     .kind = EVENT_START,
					     .busy = &busy,
					     .later = &latency,
					     .later_op = send.number}));
	TRY(sim_follow(sim, pending));
	return last ? sim_reach(sim, &send, pending)
		    : sim_request(sim, pending, number + 1, EVENT_START);
}
