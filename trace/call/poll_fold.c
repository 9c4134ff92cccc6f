#include "trace/call/poll_fold.h"

#include "trace/call/poll_run.h"

#include <stddef.h>

/* Check whether the poll continues the run. */
static bool continues_run(const struct poll_fold *fold, unsigned number,
			  const struct mpi_call *poll)
{
	const struct mpi_event *before = &fold->event, *now = poll->events;

	if (!fold->call.polls || number != fold->number ||
	    poll->event_count != fold->call.event_count || poll->enter_ns < fold->call.leave_ns)
		return false;
	return !poll->event_count || (now->kind == before->kind && now->comm == before->comm &&
				      now->request == before->request &&
				      (!event_is_rma(now->kind) || now->window == before->window));
}

static void lengthen_run(struct mpi_call *run, const struct mpi_call *poll)
{
	const uint64_t gap_ns = poll->enter_ns - run->leave_ns;

	run->leave_ns = poll->leave_ns;
	if (run->polls == 1 || gap_ns < run->least_poll_gap_ns)
		run->least_poll_gap_ns = gap_ns;
	run->poll_gaps_ns += gap_ns;
	run->polls++;
	if (!run->empty_polls)
		run->empty_from_ns = poll->empty_from_ns;
	if (poll->empty_polls)
		run->empty_to_ns = poll->empty_to_ns;
	run->empty_polls += poll->empty_polls;
}

bool poll_fold_add(struct poll_fold *fold, unsigned number, const struct mpi_call *poll)
{
	const bool continues = continues_run(fold, number, poll);
	const bool waits = continues &&
			   (fold->waits || poll->enter_ns - fold->call.leave_ns <= POLL_GAP_NS);
	const bool begins_wait = waits && !fold->waits && fold->call.polls > 1;

	fold->waits = waits;
	if (continues && !begins_wait) {
		lengthen_run(&fold->call, poll);
		return true;
	}
	fold->call = *poll;
	fold->call.events = NULL;
	fold->number = number;
	if (poll->event_count)
		fold->event = *poll->events;
	return false;
}
