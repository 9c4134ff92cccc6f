#include "trace/measured/measured_align.h"

#include "trace/call/mpi_functions.h"
#include "trace/measured/sync_edges.h"

#include <string.h>

bool measured_needs_alignment(const struct measured_run *run)
{
	for (uint32_t r = run->own_first; r < run->own_end; r++) {
		const struct measured_cuts *cuts = &run->ranks[r].cuts;

		if (cuts->of_sends.count + cuts->of_recvs.count + cuts->of_parts.count)
			return true;
	}
	for (size_t i = 0; i < run->instances.count; i++)
		if (run->instances.items[i].differs)
			return true;
	return false;
}

uint64_t measured_cuts_of(const struct measured_rank *rank)
{
	return (rank->cuts.of_sends.count ? CUT_SENDS : 0) |
	       (rank->cuts.of_recvs.count ? CUT_RECVS : 0);
}

/* ----------------------------------------------------------------------- items */

/* Number of the sorted cuts that are at most `at`. */
static uint32_t cuts_up_to(const uint32_t *cuts, size_t count, uint32_t at)
{
	size_t low = 0, high = count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (cuts[middle] <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return (uint32_t)low;
}

static uint8_t open_flag(const struct measured_rank *rank, uint32_t segment, size_t cuts)
{
	return segment < cuts || !rank->finalized ? ALIGN_OPEN : 0;
}

static void set_times(struct align_item *item, const struct measured_rank *rank, uint32_t begin,
		      uint32_t end)
{
	item->begin_ns = rank->calls.items[begin].enter_ns;
	item->end_ns = end == NO_CALL ? UINT64_MAX : rank->calls.items[end].leave_ns;
}

/* Whom a rank waits for in a collective, as far as alignment goes by it. */
static uint8_t needs_in(const struct participation *part, uint32_t rank)
{
	const bool is_root = part->root == rank;

	switch (part->kind) {
	case COLL_BCAST:
	case COLL_SCATTER:
	case COLL_SCATTERV:
		return is_root ? ALIGN_IS_ROOT : part->is_free ? 0 : ALIGN_NEEDS_ROOT;
	case COLL_GATHER:
	case COLL_GATHERV:
	case COLL_REDUCE:
		return !is_root ? 0 : part->is_free ? ALIGN_IS_ROOT : ALIGN_NEEDS_ALL;
	case COLL_SCAN:
	case COLL_EXSCAN:
	case MEASURED_NEIGHBOURS:
		return 0;
	default:
		return part->is_free ? 0 : ALIGN_NEEDS_ALL;
	}
}

static int measured_align_add(struct measured_alignment *alignment, const struct align_item *item,
			      uint32_t rank, size_t index, int list, struct error *err)
{
	TRY(array_push(&alignment->items, *item, err));
	return array_push(&alignment->are, ((struct aligned){rank, (uint32_t)index, list}), err);
}

static int list_parts(struct measured_alignment *alignment, const struct measured_run *run,
		      const struct measured_rank *rank, struct error *err)
{
	for (size_t i = 0; i < rank->parts.count; i++) {
		const struct participation *part = &rank->parts.items[i];
		struct align_item item = {
			.key = {(uint64_t)part->comm << 32 | part->stream, UINT64_MAX},
			.position = part->order,
			.member = rank->rank,
			.segment = cuts_up_to(rank->cuts.of_parts.items, rank->cuts.of_parts.count,
					      part->order),
			.root = part->root,
			.kind = part->kind,
		};

		if (!measured_has_instances(run, part->comm))
			continue;
		set_times(&item, rank, part->begin, part->end);
		item.flags = needs_in(part, rank->rank) |
			     open_flag(rank, item.segment, rank->cuts.of_parts.count);
		TRY(measured_align_add(alignment, &item, rank->rank, i, ALIGNED_PART, err));
	}
	return 0;
}

enum { SENDER, RECEIVER };

static struct align_item message_item(const struct measured_run *run, uint32_t sender,
				      uint32_t receiver, uint32_t comm, uint32_t tag,
				      uint64_t bytes)
{
	return (struct align_item){
		.key = {(uint64_t)sender << 32 | receiver, (uint64_t)comm << 32 | tag},
		.root = NO_ROOT,
		/* Other tools record the size of the buffer of a receive. */
		.bytes = run->world->has_counts ? bytes : 0,
	};
}

static bool has_cuts(const uint64_t *cuts, uint32_t sender, uint32_t receiver)
{
	return cuts[sender] & CUT_SENDS || cuts[receiver] & CUT_RECVS;
}

static int list_sends(struct measured_alignment *alignment, const struct measured_run *run,
		      const struct measured_rank *rank, const uint64_t *cuts, struct error *err)
{
	for (size_t i = 0; i < rank->sends.count; i++) {
		const struct measured_send *send = &rank->sends.items[i];
		struct align_item item = message_item(run, rank->rank, send->peer, send->comm,
						      send->tag, send->bytes);

		if (send->peer >= run->rank_count || !has_cuts(cuts, rank->rank, send->peer))
			continue;
		item.position = i;
		item.member = SENDER;
		item.segment = cuts_up_to(rank->cuts.of_sends.items, rank->cuts.of_sends.count,
					  send->begin);
		set_times(&item, rank, send->begin, send->end);
		item.flags = (send->synchronous ? ALIGN_NEEDS_ALL : 0) |
			     open_flag(rank, item.segment, rank->cuts.of_sends.count);
		TRY(measured_align_add(alignment, &item, rank->rank, i, ALIGNED_SEND, err));
	}
	return 0;
}

static int list_recvs(struct measured_alignment *alignment, const struct measured_run *run,
		      const struct measured_rank *rank, const uint64_t *cuts, struct error *err)
{
	for (size_t i = 0; i < rank->recvs.count; i++) {
		const struct measured_recv *recv = &rank->recvs.items[i];
		struct align_item item = message_item(run, recv->peer, rank->rank, recv->comm,
						      recv->tag, recv->bytes);

		if (recv->peer >= run->rank_count || !has_cuts(cuts, recv->peer, rank->rank))
			continue;
		item.position = (uint64_t)recv->order << 32 | i;
		item.member = RECEIVER;
		item.segment = cuts_up_to(rank->cuts.of_recvs.items, rank->cuts.of_recvs.count,
					  recv->order);
		set_times(&item, rank, recv->begin, recv->end);
		if (rank->calls.items[recv->end].function == CALL_Request_free)
			item.end_ns = UINT64_MAX;
		item.flags = (may_overtake(recv->tag) ? 0 : ALIGN_NEEDS_ALL) |
			     open_flag(rank, item.segment, rank->cuts.of_recvs.count);
		TRY(measured_align_add(alignment, &item, rank->rank, i, ALIGNED_RECV, err));
	}
	return 0;
}

static int list_all(struct measured_alignment *alignment, const struct measured_run *run,
		    const uint64_t *cuts, struct error *err)
{
	for (uint32_t r = run->own_first; r < run->own_end; r++) {
		const struct measured_rank *rank = &run->ranks[r];

		TRY(list_parts(alignment, run, rank, err));
		TRY(list_sends(alignment, run, rank, cuts, err));
		TRY(list_recvs(alignment, run, rank, cuts, err));
	}
	return allocate(&alignment->numbers, alignment->items.count, sizeof *alignment->numbers,
			err);
}

int measured_alignment_list(struct measured_alignment *alignment, const struct measured_run *run,
			    const uint64_t *cuts, struct error *err)
{
	*alignment = (struct measured_alignment){0};
	if (list_all(alignment, run, cuts, err) == 0)
		return 0;
	measured_alignment_release(alignment);
	return -1;
}

void measured_alignment_release(struct measured_alignment *alignment)
{
	array_release(&alignment->items);
	array_release(&alignment->are);
	free(alignment->numbers);
	alignment->numbers = NULL;
}

/* --------------------------------------------------------------------- numbers */

/* Number of what was not listed. */
#define NOT_ALIGNED (UINT32_MAX - 1)

/* Put the halves of the channels with cuts at their numbers, with NO_MATCH in between. */
static int renumber_side(struct match_side *side, const uint32_t *numbers, struct error *err)
{
	ARRAY(uint32_t) list = {0};
	int result = 0;

	for (uint32_t c = 0, first = 0; result == 0 && c < side->channels.count; c++) {
		struct match_channel *channel = &side->channels.items[c];
		const size_t begin = list.count;

		for (uint32_t k = first; result == 0 && k < channel->end; k++) {
			const uint32_t half = side->list[k];
			const uint32_t number = numbers[half] == NOT_ALIGNED ? k - first
									     : numbers[half];

			while (result == 0 && number != ALIGN_UNKNOWN &&
			       list.count < begin + number)
				result = array_push(&list, NO_MATCH, err);
			if (result == 0 && number != ALIGN_UNKNOWN)
				result = array_push(&list, half, err);
		}
		first = channel->end;
		channel->end = (uint32_t)list.count;
	}
	if (result < 0) {
		array_release(&list);
		return -1;
	}
	free(side->list);
	side->list = list.items;
	return 0;
}

/* Make the list of the numbers of `count` elements, none of which is known yet. */
static int make_numbers(uint32_t **numbers, size_t count, struct error *err)
{
	TRY(allocate(numbers, count, sizeof **numbers, err));
	for (size_t i = 0; i < count; i++)
		(*numbers)[i] = NOT_ALIGNED;
	return 0;
}

/* Take the numbers of the items of an own rank, from *next on. */
static int take_numbers(uint32_t **lists, const struct measured_alignment *alignment, size_t *next,
			const struct measured_rank *rank, struct error *err)
{
	TRY(make_numbers(&lists[ALIGNED_PART], rank->parts.count, err));
	TRY(make_numbers(&lists[ALIGNED_SEND], rank->sends.count, err));
	TRY(make_numbers(&lists[ALIGNED_RECV], rank->recvs.count, err));
	for (; *next < alignment->are.count && alignment->are.items[*next].rank == rank->rank;
	     ++*next) {
		const struct aligned *is = &alignment->are.items[*next];

		lists[is->list][is->index] = alignment->numbers[*next];
	}
	return 0;
}

static int renumber_rank(struct measured_matching *matching,
			 const struct measured_alignment *alignment, size_t *next, uint32_t rank,
			 struct error *err)
{
	uint32_t *lists[ALIGNED_LISTS] = {0};
	int result = take_numbers(lists, alignment, next, &matching->run->ranks[rank], err);

	if (result == 0)
		result = renumber_side(&matching->sends[rank], lists[ALIGNED_SEND], err);
	if (result == 0)
		result = renumber_side(&matching->recvs[rank], lists[ALIGNED_RECV], err);
	matching->part_numbers[rank] = lists[ALIGNED_PART];
	free(lists[ALIGNED_SEND]);
	free(lists[ALIGNED_RECV]);
	return result;
}

int measured_match_again(struct measured_matching *matching,
			 const struct measured_alignment *alignment, struct error *err)
{
	const struct measured_run *run = matching->run;
	size_t next = 0;

	TRY(allocate(&matching->part_numbers, run->rank_count, sizeof *matching->part_numbers,
		     err));
	for (uint32_t r = run->own_first; r < run->own_end; r++)
		TRY(renumber_rank(matching, alignment, &next, r, err));
	return measured_match_rejoin(matching, err);
}
