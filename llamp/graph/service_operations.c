#include "llamp/graph/service_pass.h"

/* --------------------------------------------------------------------- operations */

int pass_start_calc(struct pass *pass, const struct located *at, struct bound *start,
		    struct server *cpu)
{
	const struct cost cost = cost_busy(pass->loggps, &at->op, 0);
	struct bound end;

	TRY(pass_extend(pass, start, &cost, at->number, &end));
	pass_note_start(pass, at->number, &start->at);
	pass_note_end(pass, at->number, &end.at);
	if (cpu)
		cpu->last = end;
	pass->state[at->number] = DONE;
	pass->op_events++;
	TRY(pass_release_irequires(pass, at, &end));
	TRY(pass_release_requires(pass, at, &end));
	return at->op.irequires_count ? 0 : pass_bound_end(pass, at, &end);
}

static int announce(struct pass *pass, const struct located *send);

/* The first byte of the message of a send leaves when `start` and `cost` are over. */
static int send_message(struct pass *pass, const struct located *at, struct bound *start)
{
	const bool meets = message_is_rendezvous(pass->loggps, at->op.size) &&
			   pass->loggps->rendezvous != RENDEZVOUS_SYNC;
	const uint32_t class = execution_class(pass->execution, at->number);
	const struct cost message = pass->has_nic && !meets
					    ? cost_overhead(pass->loggps, at->op.size, class)
					    : cost_message(pass->loggps, at->op.size, class);
	struct bound bound;

	TRY(pass_extend(pass, start, &message, at->number, &bound));
	TRY(pass_add_bound(pass, &pass->pending[at->number], at->rank, &bound));
	if (meets)
		return announce(pass, at);
	if (!pass->has_nic)
		return pass_arrive(pass, at);
	pass->state[at->number] = STARTED;
	return pass_request(pass, at->number, at->number);
}

/* Keep later sends apart from this one; they follow in the order that gaps_find chose. */
static int release_gaps(struct pass *pass, const struct located *at, struct bound *start)
{
	const struct execution_graph *execution = pass->execution;
	const struct cost gap = {.rule = COST_GAP};
	const struct cost transfer = {.rule = COST_TRANSFER, .bytes = at->op.size,
				      .class = execution_class(execution, at->number)};
	struct bound bound;

	for (uint32_t k = execution->gap_first[at->number];
	     k < execution->gap_first[at->number + 1]; k++) {
		const uint32_t later = execution->gap_later[k];

		TRY(pass_extend(pass, start, &gap, at->number, &bound));
		TRY(pass_add_bound(pass, pass_slot_of_others(pass, later), at->rank, &bound));
		TRY(pass_extend(pass, start, &transfer, at->number, &bound));
		TRY(pass_meet_dependency(pass, at, later - at->block->first_op, &bound));
	}
	return 0;
}

int pass_start_send(struct pass *pass, const struct located *at, struct bound *start,
		    struct server *cpu)
{
	const struct cost overhead = cost_overhead(pass->loggps, at->op.size,
						   execution_class(pass->execution, at->number));
	struct bound busy;

	TRY(pass_extend(pass, start, &overhead, at->number, &busy));
	pass_note_start(pass, at->number, &start->at);
	pass_note_end(pass, at->number, &busy.at); /* a rendezvous: see end_send */
	if (cpu)
		cpu->last = busy;
	TRY(pass_release_irequires(pass, at, &busy));
	if (pass->execution->gap_first)
		TRY(release_gaps(pass, at, start));
	if (!message_is_rendezvous(pass->loggps, at->op.size)) {
		pass->op_events++;
		TRY(pass_release_requires(pass, at, &busy));
	}
	return send_message(pass, at, start);
}

/* A rendezvous send ends after its receive. */
static int end_send(struct pass *pass, const struct located *send, struct bound *received)
{
	const struct cost rest = cost_send_after_recv(
		pass->loggps, send->op.size, execution_class(pass->execution, send->number));
	struct bound end;

	pass->op_events++;
	TRY(pass_extend(pass, received, &rest, send->number, &end));
	end.cause.after_receive = true;
	pass_note_end(pass, send->number, &end.at);
	TRY(pass_log_send_end(pass, send->number, &end));
	TRY(pass_release_requires(pass, send, &end));
	return pass_bound_end(pass, send, &end);
}

int pass_end_receive(struct pass *pass, const struct located *send, const struct located *recv,
		     struct bound *event, struct server *cpu)
{
	const struct cost overhead = cost_overhead(pass->loggps, send->op.size,
						   execution_class(pass->execution, send->number));
	struct bound end;

	TRY(pass_extend(pass, event, &overhead, recv->number, &end));
	pass_note_end(pass, recv->number, &end.at);
	if (cpu)
		cpu->last = end;
	pass->state[send->number] = pass->state[recv->number] = DONE;
	pass->op_events++;
	TRY(pass_release_requires(pass, recv, &end));
	TRY(pass_bound_end(pass, recv, &end));
	return message_is_rendezvous(pass->loggps, send->op.size) ? end_send(pass, send, &end) : 0;
}

int pass_complete(struct pass *pass, const struct located *send, const struct located *recv)
{
	struct bound event;

	pass->state[send->number] = MATCHED;
	pass_pending_of(pass, send->number)->rank = recv->rank;
	if (pass->has_cpu)
		return pass_wait_for_wait(pass, send, recv);
	TRY(pass_happen(pass, &pass->pending[send->number], recv->number, EVENT_COMPLETION,
			&event));
	return pass_end_receive(pass, send, recv, &event, NULL);
}

/* Both sides of a rendezvous have met: move the data. */
static int move_data(struct pass *pass, const struct located *send, const struct located *recv)
{
	const uint32_t class = execution_class(pass->execution, send->number);
	const struct cost cost =
		pass->has_nic ? cost_match_to_injection(pass->loggps, send->op.size, class)
			      : cost_match_to_completion(pass->loggps, send->op.size, class);
	struct bound match, bound;

	TRY(pass_happen(pass, &pass->pending[send->number], send->number, EVENT_MATCH, &match));
	TRY(pass_extend(pass, &match, &cost, send->number, &bound));
	TRY(pass_add_bound(pass, &pass->pending[send->number], send->rank, &bound));
	if (!pass->has_nic)
		return pass_complete(pass, send, recv);
	pass->state[send->number] = STARTED;
	return pass_request(pass, send->number, send->number);
}

/* The announcement of a rendezvous is there, or its receive is posted. */
static int meet(struct pass *pass, const struct located *send, const struct located *recv)
{
	TRY(pass_hand_over(pass, &pass->pending[recv->number], &pass->pending[send->number],
			   send->rank));
	return move_data(pass, send, recv);
}

static int announce(struct pass *pass, const struct located *send)
{
	const struct located recv = pass_partner_of(pass, send);

	pass->state[send->number] = ANNOUNCED;
	return pass->state[recv.number] == POSTED ? meet(pass, send, &recv) : 0;
}

/* A message that needs no announcement is here, and its receive is posted. */
static int take_message(struct pass *pass, const struct located *send, const struct located *recv)
{
	TRY(pass_hand_over(pass, &pass->pending[recv->number], &pass->pending[send->number],
			   recv->rank));
	return pass_complete(pass, send, recv);
}

int pass_arrive(struct pass *pass, const struct located *send)
{
	const struct located recv = pass_partner_of(pass, send);

	pass->state[send->number] = HERE;
	return pass->state[recv.number] == POSTED ? take_message(pass, send, &recv) : 0;
}

/* The event needs no time: the only operation that waits for it waits for the same bounds. */
static bool passes_on(const struct located *at)
{
	return at->op.kind == GOAL_CALC && at->op.requires_count + at->op.irequires_count == 1;
}

static int pass_on(struct pass *pass, const struct located *at)
{
	const uint32_t first = at->op.requires_count ? at->op.requires_first
						     : at->op.irequires_first;
	const uint32_t op = at->block->first_op + goal_successor(at->block, first);
	const int64_t now = pass_pending_of(pass, at->number)->at.time;
	uint32_t *slot = pass_slot_of_others(pass, op);

	pass_note_start(pass, at->number, &pass_pending_of(pass, at->number)->at);
	pass_note_end(pass, at->number, &pass_pending_of(pass, at->number)->at);
	pass->state[at->number] = DONE;
	pass->op_events++;
	TRY(pass_hand_over(pass, &pass->pending[at->number], slot, at->rank));
	TRY(pass_log_part(pass, at->number, EVENT_START, now, *slot));
	return pass_count_other_met(pass, op, at->rank);
}

static int post(struct pass *pass, const struct located *recv)
{
	const struct located send = pass_partner_of(pass, recv);

	pass_note_start(pass, recv->number, &pass_pending_of(pass, recv->number)->at);
	pass->state[recv->number] = POSTED;
	if (recv->op.irequires_count) {
		struct bound posted;

		TRY(pass_happen(pass, &pass->pending[recv->number], recv->number, EVENT_POST,
				&posted));
		TRY(pass_release_irequires(pass, recv, &posted));
		TRY(pass_add_bound(pass, &pass->pending[recv->number], recv->rank, &posted));
	} else {
		TRY(pass_log_part(pass, recv->number, EVENT_POST,
				  pass_pending_of(pass, recv->number)->at.time,
				  pass->pending[recv->number]));
	}
	if (pass->state[send.number] == ANNOUNCED)
		return meet(pass, &send, recv);
	return pass->state[send.number] == HERE ? take_message(pass, &send, recv) : 0;
}

int pass_begin(struct pass *pass, const struct located *at)
{
	static const struct bound beginning = {.cause = {.op = NO_EVENT, .cost_op = NO_OP}};
	const bool works = at->op.kind == GOAL_SEND || (at->op.kind == GOAL_CALC && at->op.size);
	struct bound start;

	if (pass->has_cpu && pass->waits[at->number])
		TRY(pass_end_wait(pass, at->number));
	if (!pass->pending[at->number])
		TRY(pass_add_bound(pass, &pass->pending[at->number], at->rank, &beginning));
	if (at->op.kind == GOAL_RECV)
		return post(pass, at);
	if (works && pass->has_cpu)
		return pass_request(pass, at->number, at->number);
	if (!works && passes_on(at))
		return pass_on(pass, at);
	TRY(pass_happen(pass, &pass->pending[at->number], at->number, EVENT_START, &start));
	return at->op.kind == GOAL_CALC ? pass_start_calc(pass, at, &start, NULL)
					: pass_start_send(pass, at, &start, NULL);
}
