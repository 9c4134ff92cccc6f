/* Receives: post, arrival of the message, match, completion. */
#include "llamp/simulate/sim_events.h"

/* End a rendezvous send, whose receive has ended at pending event `received`. */
static int end_send(struct sim *sim, const struct located *send, uint32_t received)
{
	const struct cost rest = cost_rendezvous(sim->loggps, STEP_REPORT, send->op.size,
						 execution_class(sim->execution, send->number));
	struct bound end;

	sim->ended++;
	if (sim->unopened)
		TRY(request_groups_close(&sim->requests, sim->ranks[send->rank].group, 1,
					 sim->err));
	TRY(sim_extend(sim, received, &rest, send->number));
	end = sim_at(sim, received);
	if (sim->times)
		sim->times[send->number].end = end.at.time;
	if (sim->keeps_causes)
		sim->provenances.items[received].after_receive = true;
	if (sim->slack)
		TRY(sim_log_send_end(sim, send->number, end.at.time,
				     &sim->provenances.items[received]));
	TRY(sim_release_requires(sim, send, &end, true));
	return send->op.requires_count ? 0 : sim_bound_end(sim, &end);
}

int sim_end_receive(struct sim *sim, const struct located *recv, uint32_t cpu)
{
	uint32_t *slot = &sim->ops[recv->number].pending;
	const uint32_t received = *slot;
	const uint64_t bytes = sim->pool.items[received].bytes;
	const bool rendezvous = message_is_rendezvous(sim->loggps, bytes);
	const struct cost overhead = cost_overhead(sim->loggps, bytes,
						   execution_class(sim->execution, recv->number));
	struct bound end;

	*slot = 0;
	sim->ended++;
	TRY(sim_work(sim, cpu, received, recv->number, EVENT_COMPLETION, &overhead,
		     rendezvous ? SIM_MANY : recv->op.requires_count));
	end = sim_end_of_work(sim, received, recv->rank);
	if (sim->times)
		sim->times[recv->number].end = end.at.time;
	TRY(sim_release_requires(sim, recv, &end, rendezvous));
	if (recv->op.requires_count == 0)
		TRY(sim_bound_end(sim, &end));
	if (rendezvous) {
		const struct located send = sim_partner_of(sim, recv);

		TRY(end_send(sim, &send, received));
	}
	if (rendezvous || recv->op.requires_count == 0)
		sim_drop(sim, received);
	return 0;
}

/* Complete the receive of a message that has arrived, as soon as a CPU allows. */
static int receives_complete(struct sim *sim, const struct located *recv)
{
	return sim->has_cpu ? sim_await_wait(sim, recv) : sim_end_receive(sim, recv, NO_SERVER);
}

/* Let the match m happen, then send the data of the message off. */
static int move_data(struct sim *sim, const struct located *recv)
{
	uint32_t *slot = &sim->ops[recv->number].pending;
	const uint32_t match = *slot, send = sim->execution->matching.partner[recv->number];
	const uint64_t bytes = sim->pool.items[match].bytes;
	const uint32_t class = execution_class(sim->execution, send);
	const bool travels = sim_travels(sim, send);
	struct located at;
	const struct cost cost = cost_rendezvous(sim->loggps, travels ? STEP_INJECTION : STEP_DATA,
						 bytes, class);

	TRY(sim_happen(sim, match, send, EVENT_MATCH, &cost, false));
	TRY(sim_follow(sim, match));
	if (!travels)
		return receives_complete(sim, recv);
	*slot = 0;
	sim->pool.items[match].rank = recv->op.peer;
	at = sim_partner_of(sim, recv);
	return sim_send_off(sim, &at, match);
}

/* Go on with a posted receive whose message or announcement has arrived. */
static int meet_message(struct sim *sim, const struct located *recv)
{
	const uint32_t pending = sim->ops[recv->number].pending;

	return (message_is_announced(sim->loggps, sim->pool.items[pending].bytes)
			? move_data
			: receives_complete)(sim, recv);
}

static int take_message(struct sim *sim, const struct located *recv, uint32_t message)
{
	const uint64_t bytes = sim->pool.items[message].bytes;
	uint32_t *slot = &sim->ops[recv->number].pending;

	TRY(sim_move_bounds(sim, message, slot, recv->rank));
	sim->pool.items[*slot].bytes = bytes;
	return 0;
}

/* Tell whether the time of the posting matters, besides that of the completion. */
static bool has_post(const struct sim *sim, const struct located *recv)
{
	return recv->op.irequires_count || sim->times || sim->slack;
}

int sim_deliver(struct sim *sim, const struct located *recv, uint32_t message, uint32_t send)
{
	struct awaited *awaited = &sim->ops[recv->number];

	awaited->ends &= ~MESSAGE_AWAITED;
	if (awaited->ends & OP_BEGUN)
		TRY(sim_close_receive(sim, recv));
	if (!(awaited->ends & OP_BEGUN) && has_post(sim, recv)) {
		sim->ops[send].pending = message;
		return 0;
	}
	TRY(take_message(sim, recv, message));
	return awaited->ends & OP_BEGUN ? meet_message(sim, recv) : 0;
}

int sim_arrive(struct sim *sim, const struct located *recv, uint32_t message)
{
	const uint64_t bytes = sim->pool.items[message].bytes;
	const uint32_t send = sim->execution->matching.partner[recv->number];

	TRY(sim_follow(sim, message));
	if (!message_is_announced(sim->loggps, bytes))
		return sim_deliver(sim, recv, message, send);
	sim->ops[recv->number].pending = message;
	return receives_complete(sim, recv);
}

/* Keep the time of the posting of a receive, and release what irequires it. */
static int note_post(struct sim *sim, const struct located *recv)
{
	const uint32_t pending = sim->ops[recv->number].pending;
	const struct bound posted = sim_at(sim, pending);
	const struct cause part = {.op = recv->number, .kind = EVENT_POST};

	if (sim->times)
		sim->times[recv->number].start = posted.at.time;
	if (!recv->op.irequires_count)
		return sim->slack ? sim_log_bound(sim, pending, &part, posted.at.time) : 0;
	TRY(sim_happen(sim, pending, recv->number, EVENT_POST, NULL, false));
	TRY(sim_follow(sim, pending));
	return sim_release_irequires(sim, recv, &posted, true);
}

int sim_post(struct sim *sim, const struct located *recv)
{
	const bool here = !(sim->ops[recv->number].ends & MESSAGE_AWAITED);
	uint32_t *kept = &sim->ops[sim->execution->matching.partner[recv->number]].pending;

	if (has_post(sim, recv)) {
		TRY(note_post(sim, recv));
		if (here)
			TRY(take_message(sim, recv, *kept));
		if (here)
			*kept = 0;
	}
	if (here)
		return meet_message(sim, recv);
	sim_open_receive(sim, recv);
	return 0;
}
