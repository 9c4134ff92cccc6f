/* Links: messages enter one after the other, in the order of their arrival. */
#include "llamp/simulate/service_events.h"

/*
 * The first byte of a message enters the links of its route one after the other: cut-through.  An
 * entry is an event of its own.  It has a number after those of all operations, which is also that
 * of its request.
 */

int pass_enter_links(struct pass *pass, const struct located *send, uint32_t pending)
{
	const struct message_routes *routes = &pass->execution->routes;

	return pass_request(pass, pending, pass->goal->op_count + routes->first[send->number],
			    EVENT_START);
}

int pass_serve_link(struct pass *pass, uint32_t number, uint32_t pending)
{
	const struct message_routes *routes = &pass->execution->routes;
	const struct message_classes *classes = &pass->execution->classes;
	const uint32_t entry = number - pass->goal->op_count;
	const struct located send = execution_locate(pass->execution,
						     pass->pool.items[pending].rank,
						     execution_operation(pass->execution, number));
	const uint32_t link = routes->route[send.number] + entry - routes->first[send.number];
	const bool last = entry + 1 == routes->first[send.number + 1];
	const uint64_t bytes = message_charged(pass->pool.items[pending].bytes);
	const struct cost busy = {.class = classes->of_op[send.number],
				  .rule = bytes ? COST_NIC : COST_NONE,
				  .bytes = bytes};
	const struct cost latency = {.class = classes->first_link + 2 * routes->link_classes[link] +
					      last,
				     .rule = COST_LATENCY};

	TRY(pass_serve_event(pass, pending,
			     &(struct served){.server = pass->first_link + routes->links[link],
					      .op = number,
					      .kind = EVENT_START,
					      .busy = &busy,
					      .later = &latency,
					      .later_op = send.number}));
	TRY(pass_follow(pass, pending));
	return last ? pass_reach(pass, &send, pending)
		    : pass_request(pass, pending, number + 1, EVENT_START);
}
