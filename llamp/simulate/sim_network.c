/* Injection of messages into NICs and links. */
#include "llamp/simulate/sim_events.h"

static uint32_t nic_of(const struct sim *sim, const struct located *at)
{
	const struct rank_servers *servers = &sim->ranks[at->rank];

	return servers->first_nic + (at->op.kind == GOAL_RECV ? servers->nics : 0) + at->op.nic;
}

int sim_occupy_nic(struct sim *sim, uint32_t message, const struct located *at,
		   enum event_kind kind, const struct cost *later, uint32_t send)
{
	const uint64_t bytes = message_charged(sim->pool.items[message].bytes);
	const struct cost busy = {.class = execution_class(sim->execution, at->number),
				  .rule = sim->has_gap ? COST_NIC_GAP
					  : bytes      ? COST_NIC
						       : COST_NONE,
				  .bytes = bytes};

	return sim_serve_event(sim, message,
			       &(struct served){.server = nic_of(sim, at),
						.op = at->number,
						.kind = kind,
						.busy = &busy,
						.later = later,
						.later_op = send});
}

/* Request the first link of the route of a send. */
static int enter_links(struct sim *sim, const struct located *send, uint32_t message)
{
	return sim_request(sim, message,
			   sim->goal->op_count + sim->execution->routes.first[send->number],
			   EVENT_START);
}

int sim_request_arrival(struct sim *sim, const struct located *send, uint32_t message)
{
	sim->pool.items[message].rank = send->op.peer;
	return sim_request_at(sim, message, sim->execution->matching.partner[send->number],
			      EVENT_ARRIVAL,
			      sim->pool.items[message].at.time + sim->arrivals_later);
}

int sim_inject(struct sim *sim, const struct located *send, uint32_t message)
{
	const struct cost latency = {.rule = COST_LATENCY,
				     .class = execution_class(sim->execution, send->number)};

	if (sim->ranks[send->rank].injects_freely)
		TRY(sim_extend(sim, message, &latency, send->number));
	else
		TRY(sim_occupy_nic(sim, message, send, EVENT_INJECTION,
				   sim->has_links ? NULL : &latency, send->number));
	TRY(sim_follow(sim, message));
	return (sim->has_links ? enter_links : sim_request_arrival)(sim, send, message);
}

int sim_send_off(struct sim *sim, const struct located *send, uint32_t message)
{
	if (!sim->has_nic)
		return enter_links(sim, send, message);
	if (sim->ranks[send->rank].injects_at_once)
		return sim_inject(sim, send, message);
	return sim_request(sim, message, send->number, EVENT_INJECTION);
}
