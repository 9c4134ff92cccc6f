#include "critpath/path/receipts.h"

#include "trace/call/mpi_functions.h"
#include "trace/measured/sync_edges.h"

bool receipts_is_freed(const struct measured_rank *rank, uint32_t call)
{
	return rank->calls.items[call].function == CALL_Request_free;
}

struct receipts receipts_of(const struct measured_run *run, uint32_t rank)
{
	return (struct receipts){.run = run, .rank = rank};
}

/* Take the message of a receive.  Returns false if its send is not known. */
static bool take(struct receipts *receipts, uint32_t recv)
{
	const struct measured_run *run = receipts->run;

	if (recv == NO_MATCH || run->send_of[receipts->rank][recv] == NO_MATCH)
		return false;
	receipts->recv = &run->ranks[receipts->rank].recvs.items[recv];
	receipts->send = measured_send_of(run, receipts->rank, recv);
	return true;
}

/* Whether the call of a receipt ended after the send had begun. */
static bool ends_after_send(const struct receipts *receipts)
{
	const struct measured_rank *rank = &receipts->run->ranks[receipts->rank];

	return rank->calls.items[receipts->call].leave_ns >= receipts->send.begin_ns;
}

bool receipts_next(struct receipts *receipts)
{
	const struct measured_rank *rank = &receipts->run->ranks[receipts->rank];
	const size_t recvs = rank->recvs.count, count = recvs + rank->probes.count;

	while (receipts->next < count) {
		const size_t at = receipts->next++;

		receipts->is_probe = at >= recvs;
		if (receipts->is_probe) {
			const struct measured_probe *probe = &rank->probes.items[at - recvs];

			receipts->call = probe->call;
			if (take(receipts, probe->recv) && ends_after_send(receipts))
				return true;
			continue;
		}
		receipts->call = rank->recvs.items[at].end;
		if (take(receipts, (uint32_t)at) && !receipts_is_freed(rank, receipts->call) &&
		    (!may_overtake(receipts->recv->tag) || ends_after_send(receipts)))
			return true;
	}
	return false;
}
