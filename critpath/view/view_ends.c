#include "critpath/view/view_ends.h"

#include "trace/measured/sync_edges.h"

#include <stdlib.h>

int view_ends_init(struct view_ends *ends, const struct measured_run *run, struct error *err)
{
	uint64_t sum = 0;

	*ends = (struct view_ends){.run = run};
	TRY(allocate(&ends->first_recv, run->rank_count, sizeof *ends->first_recv, err));
	for (uint32_t rank = 0; rank < run->rank_count; rank++) {
		ends->first_recv[rank] = sum;
		sum += run->ranks[rank].recvs.count;
	}
	return 0;
}

void view_ends_release(struct view_ends *ends)
{
	free(ends->first_recv);
	array_release(&ends->sends.places);
	array_release(&ends->recvs.places);
	array_release(&ends->parts.places);
}

static int view_ends_compare_places(const void *a, const void *b)
{
	const struct view_place *x = a, *y = b;

	if (x->call != y->call)
		return x->call < y->call ? -1 : 1;
	return (x->item > y->item) - (x->item < y->item);
}

static void sort_places(struct view_order *order)
{
	order->next = 0;
	if (order->places.count)
		qsort(order->places.items, order->places.count, sizeof *order->places.items,
		      view_ends_compare_places);
}

int view_ends_begin(struct view_ends *ends, uint32_t rank, struct error *err)
{
	const struct measured_rank *of = &ends->run->ranks[rank];

	ends->rank = rank;
	ends->sends.places.count = ends->recvs.places.count = ends->parts.places.count = 0;
	for (uint32_t i = 0; i < of->sends.count; i++)
		if (!is_signal(of->sends.items[i].tag))
			TRY(array_push(&ends->sends.places,
				       ((struct view_place){of->sends.items[i].begin, i}), err));
	for (uint32_t i = 0; i < of->recvs.count; i++)
		if (!is_signal(of->recvs.items[i].tag))
			TRY(array_push(&ends->recvs.places,
				       ((struct view_place){of->recvs.items[i].end, i}), err));
	for (uint32_t i = 0; i < of->parts.count; i++)
		TRY(array_push(&ends->parts.places,
			       ((struct view_place){of->parts.items[i].begin, i}), err));
	sort_places(&ends->sends);
	sort_places(&ends->recvs);
	sort_places(&ends->parts);
	return 0;
}

/* Item of the call that comes next, or NO_MATCH. */
static uint32_t view_ends_take_place(struct view_order *order, uint32_t call)
{
	while (order->next < order->places.count && order->places.items[order->next].call < call)
		order->next++;
	if (order->next == order->places.count || order->places.items[order->next].call != call)
		return NO_MATCH;
	return order->places.items[order->next++].item;
}

static bool next_send(struct view_ends *ends, uint32_t call, struct view_end *end)
{
	const uint32_t item = view_ends_take_place(&ends->sends, call);
	const struct measured_send *send;
	uint32_t recv;

	if (item == NO_MATCH)
		return false;
	send = &ends->run->ranks[ends->rank].sends.items[item];
	recv = ends->run->recv_of[ends->rank][item];
	*end = (struct view_end){
		.bytes = send->bytes,
		.peer = send->peer,
		.comm = send->comm,
		.tag = send->tag,
		.is_matched = recv != NO_MATCH,
	};
	if (end->is_matched) {
		end->message = ends->first_recv[send->peer] + recv;
		end->peer_call = ends->run->ranks[send->peer].recvs.items[recv].end;
	}
	return true;
}

static bool next_recv(struct view_ends *ends, uint32_t call, struct view_end *end)
{
	const uint32_t item = view_ends_take_place(&ends->recvs, call);
	const struct measured_recv *recv;
	uint32_t send;

	if (item == NO_MATCH)
		return false;
	send = ends->run->send_of[ends->rank][item];
	recv = &ends->run->ranks[ends->rank].recvs.items[item];
	*end = (struct view_end){
		.message = ends->first_recv[ends->rank] + item,
		.bytes = recv->bytes,
		.peer = recv->peer,
		.comm = recv->comm,
		.tag = recv->tag,
		.is_matched = send != NO_MATCH,
	};
	if (end->is_matched)
		end->peer_call = ends->run->ranks[recv->peer].sends.items[send].begin;
	return true;
}

bool view_ends_next(struct view_ends *ends, uint32_t call, bool receives, struct view_end *end)
{
	return receives ? next_recv(ends, call, end) : next_send(ends, call, end);
}

const struct participation *view_ends_part(struct view_ends *ends, uint32_t call)
{
	const uint32_t item = view_ends_take_place(&ends->parts, call);

	return item == NO_MATCH ? NULL : &ends->run->ranks[ends->rank].parts.items[item];
}
