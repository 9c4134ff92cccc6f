#include "trace/call/poll_run.h"

#include <stddef.h>

static bool completes(const struct mpi_call *call)
{
	for (uint32_t i = 0; i < call->event_count; i++)
		if (call->events[i].kind != EVENT_REQUEST_TEST &&
		    call->events[i].kind != EVENT_RMA_TEST &&
		    (call->events[i].kind != EVENT_RMA_GROUP_SYNC ||
		     call->events[i].sync != RMA_SYNC_NONE))
			return true;
	return false;
}

bool poll_found_nothing(const struct mpi_call *call, unsigned traits, bool lacks_records)
{
	return traits & MPI_POLLS && !completes(call) &&
	       (call->event_count || traits & MPI_SILENT || !lacks_records);
}

uint64_t poll_gaps_ns(const struct mpi_call *poll)
{
	const uint64_t length_ns = poll->leave_ns - poll->enter_ns;

	if (poll->polls < 2)
		return 0;
	return poll->poll_gaps_ns < length_ns ? poll->poll_gaps_ns : length_ns;
}

/* --------------------------------------------------------------------- rounds */

static uint64_t thing_of(const struct mpi_call *poll)
{
	return poll->event_count ? poll->events[0].request : 0;
}

static void begin_round(struct poll_run *run, const struct mpi_call *poll)
{
	run->function = poll->function;
	run->request = thing_of(poll);
	run->round = run->now;
	run->round_apart = run->apart;
	run->others = 0;
}

static void wait_from(struct poll_run *run, struct poll_place from)
{
	if (!run->waits)
		run->wait = from;
	run->waits = true;
}

/*
 * A thread may poll for many things in turn.  The number of polls after which another one begins a round
 * doubles, so that it exceeds the number of things soon (Brent's cycle detection).
 */
static void continue_round(struct poll_run *run, const struct mpi_call *poll)
{
	if (run->function == poll->function && run->request == thing_of(poll)) {
		run->rounds = true;
		if ((run->now.gaps_ns - run->round.gaps_ns) / (run->now.gaps - run->round.gaps) <=
		    POLL_GAP_NS)
			wait_from(run, run->round_apart);
		begin_round(run, poll);
	} else if (++run->others == run->most_others) {
		run->most_others *= 2;
		begin_round(run, poll);
	}
}

/* The gaps within the call are known by their sum, so all of them count as the smallest one. */
static void add_polls_within(struct poll_run *run, const struct mpi_call *poll)
{
	run->rounds = true;
	run->now.gaps_ns += poll_gaps_ns(poll);
	run->now.gaps += poll->polls - 1;
	if (poll->least_poll_gap_ns <= POLL_GAP_NS)
		wait_from(run, run->apart);
	run->function = NULL;
}

/* ----------------------------------------------------------------------- runs */

void poll_run_add(struct poll_run *run, const struct mpi_call *poll, uint32_t number,
		  uint64_t gap_ns)
{
	if (!run->active) {
		*run = (struct poll_run){.active = true, .most_others = 2};
		run->now.call = number;
		run->first = run->apart = run->now;
	} else {
		run->now.call = number;
		run->now.gaps_ns += gap_ns;
		run->now.gaps++;
		if (gap_ns > POLL_GAP_NS || !run->function)
			run->apart = run->now;
	}
	if (!run->function)
		begin_round(run, poll);
	else
		continue_round(run, poll);
	if (poll->polls > 1)
		add_polls_within(run, poll);
}

uint64_t poll_run_end(struct poll_run *run, uint32_t *from)
{
	*from = UINT32_MAX;
	if (!run->active)
		return 0;
	run->active = false;
	if (!run->rounds && run->now.gaps_ns <= run->now.gaps * POLL_GAP_NS)
		wait_from(run, run->first);
	if (!run->waits)
		return run->now.gaps_ns;
	*from = run->wait.call;
	return run->wait.gaps_ns;
}
