/* Receives: arrival of a message, rendezvous, and end. */
#include "llamp/simulate/service_events.h"

/* A rendezvous send ends after its receive. */
static int end_send(struct pass *pass, const struct located *send, uint32_t received)
{
	const struct cost rest = cost_send_after_recv(pass->loggps, send->op.size,
						      execution_class(pass->execution,
								      send->number));
	struct bound end;

	pass->ended++;
	if (pass->unopened)
		TRY(request_groups_close(&pass->requests, pass->ranks[send->rank].group, 1,
					 pass->err));
	TRY(pass_extend(pass, received, &rest, send->number));
	end = pass_at(pass, received);
	if (pass->times)
		pass->times[send->number].end = end.time;
	if (pass->traced)
		pass->traces.items[received].cause.after_receive = true;
	if (pass->slack)
		TRY(pass_log_send_end(pass, send->number, end.time,
				      &pass->traces.items[received].cause));
	TRY(pass_release_requires(pass, send, &end, true));
	return send->op.requires_count ? 0 : pass_bound_end(pass, &end);
}

int pass_end_receive(struct pass *pass, const struct located *recv, uint32_t cpu)
{
	uint32_t *slot = &pass->ops[recv->number].pending;
	const uint32_t received = *slot;
	const uint64_t bytes = pass->pool.items[received].bytes;
	const bool rendezvous = message_is_rendezvous(pass->loggps, bytes);
	const struct cost overhead = cost_overhead(pass->loggps, bytes,
						   execution_class(pass->execution, recv->number));
	struct bound end;

	*slot = 0;
	pass->ended++;
	TRY(pass_work(pass, cpu, received, recv->number, EVENT_COMPLETION, &overhead,
		      rendezvous ? PASS_MANY : recv->op.requires_count));
	end = pass_end_of_work(pass, received, recv->rank);
	if (pass->times)
		pass->times[recv->number].end = end.time;
	TRY(pass_release_requires(pass, recv, &end, rendezvous));
	if (recv->op.requires_count == 0)
		TRY(pass_bound_end(pass, &end));
	if (rendezvous) {
		const struct located send = pass_partner_of(pass, recv);

		TRY(end_send(pass, &send, received));
	}
	if (rendezvous || recv->op.requires_count == 0)
		pass_drop(pass, received);
	return 0;
}

/* Complete the receive of a message that is here, as soon as a CPU allows. */
static int receives_complete(struct pass *pass, const struct located *recv)
{
	return pass->has_cpu ? pass_wait_for_wait(pass, recv)
			     : pass_end_receive(pass, recv, NO_SERVER);
}

/* Both sides of a rendezvous have met: move the data. */
static int move_data(struct pass *pass, const struct located *recv)
{
	uint32_t *slot = &pass->ops[recv->number].pending;
	const uint32_t match = *slot, send = pass->execution->matching.partner[recv->number];
	const uint64_t bytes = pass->pool.items[match].bytes;
	const uint32_t class = execution_class(pass->execution, send);
	const bool travels = pass_travels(pass, send);
	struct located at;
	const struct cost cost = travels ? cost_match_to_injection(pass->loggps, bytes, class)
					 : cost_match_to_completion(pass->loggps, bytes, class);

	TRY(pass_happen(pass, match, send, EVENT_MATCH, &cost, false));
	TRY(pass_follow(pass, match));
	if (!travels)
		return receives_complete(pass, recv);
	*slot = 0;
	pass->pool.items[match].rank = recv->op.peer;
	at = pass_partner_of(pass, recv);
	return pass_send_off(pass, &at, match);
}

/* The receive is posted, and its message or the announcement is here. */
static int meet_message(struct pass *pass, const struct located *recv)
{
	const uint32_t pending = pass->ops[recv->number].pending;

	return (message_is_announced(pass->loggps, pass->pool.items[pending].bytes)
			? move_data
			: receives_complete)(pass, recv);
}

static int take_message(struct pass *pass, const struct located *recv, uint32_t message)
{
	const uint64_t bytes = pass->pool.items[message].bytes;
	uint32_t *slot = &pass->ops[recv->number].pending;

	TRY(pass_hand_over(pass, message, slot, recv->rank));
	pass->pool.items[*slot].bytes = bytes;
	return 0;
}

/* Whether the time when the receive is posted matters, not only that of its completion. */
static bool has_post(const struct pass *pass, const struct located *recv)
{
	return recv->op.irequires_count || pass->times || pass->slack;
}

int pass_deliver(struct pass *pass, const struct located *recv, uint32_t message, uint32_t send)
{
	struct awaited *awaited = &pass->ops[recv->number];

	awaited->ends &= ~MESSAGE_AWAITED;
	if (awaited->ends & OP_BEGUN)
		TRY(pass_close_receive(pass, recv));
	if (!(awaited->ends & OP_BEGUN) && has_post(pass, recv)) {
		pass->ops[send].pending = message;
		return 0;
	}
	TRY(take_message(pass, recv, message));
	return awaited->ends & OP_BEGUN ? meet_message(pass, recv) : 0;
}

int pass_arrive(struct pass *pass, const struct located *recv, uint32_t message)
{
	const uint64_t bytes = pass->pool.items[message].bytes;
	const uint32_t send = pass->execution->matching.partner[recv->number];

	TRY(pass_follow(pass, message));
	if (!message_is_announced(pass->loggps, bytes))
		return pass_deliver(pass, recv, message, send);
	pass->ops[recv->number].pending = message;
	return receives_complete(pass, recv);
}

/* A receive is posted, and has_post. */
static int note_post(struct pass *pass, const struct located *recv)
{
	const uint32_t pending = pass->ops[recv->number].pending;
	const struct bound posted = pass_at(pass, pending);
	const struct cause part = {.op = recv->number, .kind = EVENT_POST};

	if (pass->times)
		pass->times[recv->number].start = posted.time;
	if (!recv->op.irequires_count)
		return pass->slack ? pass_log_bound(pass, pending, &part, posted.time) : 0;
	TRY(pass_happen(pass, pending, recv->number, EVENT_POST, NULL, false));
	TRY(pass_follow(pass, pending));
	return pass_release_irequires(pass, recv, &posted, true);
}

int pass_post(struct pass *pass, const struct located *recv)
{
	const bool here = !(pass->ops[recv->number].ends & MESSAGE_AWAITED);
	uint32_t *kept = &pass->ops[pass->execution->matching.partner[recv->number]].pending;

	if (has_post(pass, recv)) {
		TRY(note_post(pass, recv));
		if (here)
			TRY(take_message(pass, recv, *kept));
		if (here)
			*kept = 0;
	}
	if (here)
		return meet_message(pass, recv);
	pass_open_receive(pass, recv);
	return 0;
}
