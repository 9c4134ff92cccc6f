#include "tracer/report_gather.h"

#include "common/machine/now.h"
#include "common/memory.h"
#include "trace/call/mpi_functions.h"

#include <string.h>

/*
 * What a call, a half of a message or a part in a collective takes if rank 0 analyses all: its memory, here, as
 * it arrived and for its analysis; its time.
 */
enum { ALONE_BYTES = 200, ALONE_NS = 100 };

/* Time that it takes if its own rank does, and that ranks take to wait for each other (bench/report). */
enum { TOGETHER_NS = 250, STEPS_NS = 50000000 };

/* A rank without its arrays. */
struct rank_head {
	uint64_t calls, sends, recvs, probes, parts, locks, lock_calls, sites;
	uint64_t begin_ns, end_ns, incomplete, unmatched_events, thread_count;
};

/* ------------------------------------------------------------------------ room */

static uint64_t things_of(const struct measured_run *run)
{
	uint64_t things = 0;

	for (uint32_t r = run->own_first; r < run->own_end; r++)
		things += run->ranks[r].calls.count + run->ranks[r].sends.count +
			  run->ranks[r].recvs.count + run->ranks[r].probes.count +
			  run->ranks[r].parts.count + run->ranks[r].locks.count +
			  run->ranks[r].lock_calls.count;
	return things;
}

int report_choose(const struct measured_run *run, struct dist *dist, bool *rank_0_alone,
		  struct error *err)
{
	uint64_t things = things_of(run), most = things, alone;

	TRY(dist_allreduce(dist, &things, 1, DIST_SUM, err));
	TRY(dist_allreduce(dist, &most, 1, DIST_MAX, err));
	alone = things * ALONE_NS <= most * TOGETHER_NS + STEPS_NS &&
		now_ns() + things * ALONE_NS < dist->deadline_ns &&
		things * ALONE_BYTES < memory_available();
	TRY(dist_bcast(dist, 0, &alone, sizeof alone, err));
	*rank_0_alone = alone;
	return 0;
}

/* --------------------------------------------------------------------- packing */

static int pack_rank(struct bytes *bytes, const struct measured_rank *rank, struct error *err)
{
	const struct rank_head head = {.calls = rank->calls.count,
				       .sends = rank->sends.count,
				       .recvs = rank->recvs.count,
				       .probes = rank->probes.count,
				       .parts = rank->parts.count,
				       .locks = rank->locks.count,
				       .lock_calls = rank->lock_calls.count,
				       .sites = rank->sites.count,
				       .begin_ns = rank->begin_ns,
				       .end_ns = rank->end_ns,
				       .incomplete = rank->incomplete,
				       .unmatched_events = rank->unmatched_events,
				       .thread_count = rank->thread_count};

	TRY(bytes_add(bytes, &head, sizeof head, err));
	TRY(bytes_add(bytes, rank->calls.items, head.calls * sizeof *rank->calls.items, err));
	TRY(bytes_add(bytes, rank->sends.items, head.sends * sizeof *rank->sends.items, err));
	TRY(bytes_add(bytes, rank->recvs.items, head.recvs * sizeof *rank->recvs.items, err));
	TRY(bytes_add(bytes, rank->probes.items, head.probes * sizeof *rank->probes.items, err));
	TRY(bytes_add(bytes, rank->parts.items, head.parts * sizeof *rank->parts.items, err));
	TRY(bytes_add(bytes, rank->locks.items, head.locks * sizeof *rank->locks.items, err));
	TRY(bytes_add(bytes, rank->lock_calls.items,
		      head.lock_calls * sizeof *rank->lock_calls.items, err));
	return bytes_add(bytes, rank->sites.items, head.sites * sizeof *rank->sites.items, err);
}

static int report_gather_pack(struct bytes *bytes, const struct measured_run *run,
			      struct error *err)
{
	for (uint32_t r = run->own_first; r < run->own_end; r++)
		TRY(pack_rank(bytes, &run->ranks[r], err));
	return 0;
}

static void copy(void *items, const unsigned char **at, size_t bytes)
{
	if (bytes)
		memcpy(items, *at, bytes);
	*at += bytes;
}

/* Move `number` items from *at, which moves on, into an empty array. */
#define unpack_items(array, number, at, err)                                       \
	(array_reserve((array), (number), (err)) < 0                               \
		 ? -1                                                              \
		 : (copy((array)->items, (at), (number) * sizeof *(array)->items), \
		    (array)->count = (number), 0))

static int unpack_rank(struct measured_rank *rank, const unsigned char **at, struct error *err)
{
	struct rank_head head;

	memcpy(&head, *at, sizeof head);
	*at += sizeof head;
	rank->begin_ns = head.begin_ns;
	rank->end_ns = head.end_ns;
	rank->incomplete = head.incomplete;
	rank->unmatched_events = head.unmatched_events;
	rank->thread_count = (uint32_t)head.thread_count;
	TRY(unpack_items(&rank->calls, head.calls, at, err));
	TRY(unpack_items(&rank->sends, head.sends, at, err));
	TRY(unpack_items(&rank->recvs, head.recvs, at, err));
	TRY(unpack_items(&rank->probes, head.probes, at, err));
	TRY(unpack_items(&rank->parts, head.parts, at, err));
	TRY(unpack_items(&rank->locks, head.locks, at, err));
	TRY(unpack_items(&rank->lock_calls, head.lock_calls, at, err));
	return unpack_items(&rank->sites, head.sites, at, err);
}

static int report_gather_unpack(struct measured_run *all, const struct measured_run *run,
				const unsigned char *at, struct error *err)
{
	all->world = run->world;
	all->rank_count = all->own_end = run->rank_count;
	all->threads = run->threads;
	all->site_names = run->site_names;
	all->site_count = run->site_count;
	for (size_t i = 0; i < run->names.others.count; i++) {
		uint32_t function = MPI_FUNCTION_COUNT + (uint32_t)i;

		TRY(measured_names_copy(&all->names, &run->names, &function, err));
	}
	TRY(allocate(&all->ranks, all->rank_count, sizeof *all->ranks, err));
	for (uint32_t r = 0; r < all->rank_count; r++) {
		all->ranks[r].rank = r;
		TRY(unpack_rank(&all->ranks[r], &at, err));
	}
	return 0;
}

static int gather(struct measured_run *all, const struct measured_run *run, struct bytes *bytes,
		  struct dist *dist, struct error *err)
{
	struct dist_arrived arrived;
	int result = 0;

	TRY(dist_agree(dist, report_gather_pack(bytes, run, err), err));
	TRY(dist_gatherv(dist, bytes->list.items, bytes->list.count, &arrived, err));
	if (dist->rank == 0)
		result = report_gather_unpack(all, run, arrived.bytes, err);
	dist_arrived_release(&arrived);
	return dist_agree(dist, result, err);
}

int report_gather(struct measured_run *all, const struct measured_run *run, struct dist *dist,
		  struct error *err)
{
	struct bytes bytes = {0};
	int result;

	*all = (struct measured_run){0};
	result = gather(all, run, &bytes, dist, err);
	bytes_release(&bytes);
	if (result < 0)
		measured_run_release(all);
	return result;
}
