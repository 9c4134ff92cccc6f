#include "tracer/report_gather.h"

#include "common/memory.h"
#include "pmpi/process.h"
#include "pmpi/together.h"

#include <stdlib.h>

/* What rank 0 needs for a call, a half of a message or a part in a collective, all as one. */
enum { ANALYSIS_BYTES = 100, ANALYSIS_NS = 100 };

/* Bytes of a message. */
enum { PIECE_BYTES = 1 << 26 };

enum { TAG = 1 };

/* A rank without its arrays. */
struct rank_head {
	uint64_t calls, sends, recvs, parts;
	uint64_t begin_ns, end_ns, incomplete, unmatched_events, thread_count;
};

enum { HEAD_NUMBERS = sizeof(struct rank_head) / sizeof(uint64_t) };

static struct rank_head head_of(const struct measured_rank *rank)
{
	return (struct rank_head){.calls = rank->calls.count,
				  .sends = rank->sends.count,
				  .recvs = rank->recvs.count,
				  .parts = rank->parts.count,
				  .begin_ns = rank->begin_ns,
				  .end_ns = rank->end_ns,
				  .incomplete = rank->incomplete,
				  .unmatched_events = rank->unmatched_events,
				  .thread_count = rank->thread_count};
}

static bool gather_heads(const struct measured_run *run, struct rank_head *heads)
{
	struct rank_head own = head_of(&run->ranks[process.rank]);
	MPI_Request request;

	return PMPI_Igather(&own, HEAD_NUMBERS, MPI_UINT64_T, heads, HEAD_NUMBERS, MPI_UINT64_T, 0,
			    process.comm, &request) == MPI_SUCCESS &&
	       together_wait(&request);
}

/* ---------------------------------------------------------------------- room */

static int make_room(struct measured_rank *rank, const struct rank_head *head, struct error *err)
{
	TRY(array_reserve(&rank->calls, head->calls, err));
	TRY(array_reserve(&rank->sends, head->sends, err));
	TRY(array_reserve(&rank->recvs, head->recvs, err));
	TRY(array_reserve(&rank->parts, head->parts, err));
	rank->calls.count = head->calls;
	rank->sends.count = head->sends;
	rank->recvs.count = head->recvs;
	rank->parts.count = head->parts;
	rank->begin_ns = head->begin_ns;
	rank->end_ns = head->end_ns;
	rank->incomplete = head->incomplete;
	rank->unmatched_events = head->unmatched_events;
	rank->thread_count = (uint32_t)head->thread_count;
	return 0;
}

static int make_all_room(struct measured_run *run, const struct rank_head *heads,
			 const struct report_budget *budget, struct error *err)
{
	uint64_t things = 0;

	for (uint32_t r = 0; r < run->rank_count; r++)
		things += heads[r].calls + heads[r].sends + heads[r].recvs + heads[r].parts;
	TRY(report_budget_check(budget, things * ANALYSIS_NS, err));
	TRY(memory_require(things * ANALYSIS_BYTES, "the report", err));
	for (uint32_t r = 0; r < run->rank_count; r++) {
		run->ranks[r].rank = r;
		if (r != (uint32_t)process.rank)
			TRY(make_room(&run->ranks[r], &heads[r], err));
	}
	run->own_first = 0;
	run->own_end = run->rank_count;
	return 0;
}

/* -------------------------------------------------------------------- moving */

static bool move_piece(char *bytes, int count, int from)
{
	MPI_Request request;
	int result;

	if (process.rank == 0)
		result = PMPI_Irecv(bytes, count, MPI_BYTE, from, TAG, process.comm, &request);
	else
		result = PMPI_Isend(bytes, count, MPI_BYTE, 0, TAG, process.comm, &request);
	return result == MPI_SUCCESS && together_wait(&request);
}

static bool move_array(void *items, size_t count, size_t item_bytes, int from)
{
	const size_t bytes = count * item_bytes;

	for (size_t moved = 0; moved < bytes; moved += PIECE_BYTES) {
		const size_t left = bytes - moved;

		if (!move_piece((char *)items + moved,
				(int)(left < PIECE_BYTES ? left : PIECE_BYTES), from))
			return false;
	}
	return true;
}

/* Send the arrays of this rank, or receive those of another one. */
static bool move_rank(struct measured_rank *rank, int from)
{
	return move_array(rank->calls.items, rank->calls.count, sizeof *rank->calls.items, from) &&
	       move_array(rank->sends.items, rank->sends.count, sizeof *rank->sends.items, from) &&
	       move_array(rank->recvs.items, rank->recvs.count, sizeof *rank->recvs.items, from) &&
	       move_array(rank->parts.items, rank->parts.count, sizeof *rank->parts.items, from);
}

static bool move_all(struct measured_run *run)
{
	bool moved = true;

	if (process.rank != 0)
		return move_rank(&run->ranks[process.rank], process.rank);
	for (int r = 1; moved && r < process.size; r++)
		moved = move_rank(&run->ranks[r], r);
	return moved;
}

static bool gather(struct measured_run *run, struct rank_head *heads,
		   const struct report_budget *budget)
{
	struct error err;
	int result = 0;

	if (!gather_heads(run, heads))
		return false;
	if (process.rank == 0)
		result = make_all_room(run, heads, budget, &err);
	return report_agree(result, &err) && move_all(run);
}

bool report_gather(struct measured_run *run, const struct report_budget *budget)
{
	struct rank_head *heads = NULL;
	struct error err;
	int result = 0;
	bool done;

	if (process.rank == 0)
		result = allocate(&heads, (size_t)process.size, sizeof *heads, &err);
	done = report_agree(result, &err) && gather(run, heads, budget);
	free(heads);
	return done;
}
