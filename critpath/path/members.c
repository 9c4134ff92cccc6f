#include "critpath/path/members.h"

/* ------------------------------------------------------------------------ list */

static bool is_scan(const struct participation *part)
{
	return part->kind == COLL_SCAN || part->kind == COLL_EXSCAN;
}

static uint32_t rank_in(const struct trace_comm *comm, uint32_t rank)
{
	return comm->identity ? rank : trace_rank_among(comm->ranks, comm->size, rank);
}

static struct member member_of(const struct measured_run *run, uint32_t rank,
			       const struct participation *part)
{
	const struct measured_call *calls = run->ranks[rank].calls.items;
	const struct measured_call *begin = &calls[part->begin];

	return (struct member){
		.rank = rank,
		.end = part->end,
		.begin = {begin->enter_ns, part->begin, begin->function},
		.end_enter_ns = calls[part->end].enter_ns,
		.end_ns = calls[part->end].leave_ns,
	};
}

static int members_list_rank(struct members *members, const struct measured_run *run, uint32_t rank,
			     struct error *err)
{
	for (size_t i = 0; i < run->ranks[rank].parts.count; i++) {
		const struct participation *part = &run->ranks[rank].parts.items[i];
		struct member member;

		if (run->instance_of[rank][i] == NO_MATCH ||
		    !(members->observed ? part->kind != MEASURED_NEIGHBOURS : is_scan(part)))
			continue;
		member = member_of(run, rank, part);
		member.instance = run->instance_of[rank][i];
		member.place = (members->observed ? part->place
						  : rank_in(&run->world->comms[part->comm], rank)) &
			       0x7fffffff;
		member.is_free = part->is_free & 1;
		TRY(array_push(&members->list, member, err));
	}
	return 0;
}

int members_list(struct members *members, const struct measured_run *run, bool observed,
		 struct error *err)
{
	*members = (struct members){.observed = observed};
	for (uint32_t r = run->own_first; r < run->own_end; r++)
		if (members_list_rank(members, run, r, err) < 0) {
			members_release(members);
			return -1;
		}
	return 0;
}

void members_release(struct members *members)
{
	array_release(&members->list);
}

/* ----------------------------------------------------------------------- order */

static int compare_ranks(const struct member *x, const struct member *y)
{
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static int members_compare_places(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->instance != y->instance)
		return x->instance < y->instance ? -1 : 1;
	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return compare_ranks(x, y);
}

static int compare_begins(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->instance != y->instance)
		return x->instance < y->instance ? -1 : 1;
	if (x->begin.begin_ns != y->begin.begin_ns)
		return x->begin.begin_ns < y->begin.begin_ns ? -1 : 1;
	return compare_ranks(x, y);
}

void members_sort(struct members *members)
{
	if (members->list.count)
		qsort(members->list.items, members->list.count, sizeof *members->list.items,
		      members->observed ? compare_begins : members_compare_places);
}

size_t members_end(const struct members *members, size_t first)
{
	size_t end = first;

	while (end < members->list.count &&
	       members->list.items[end].instance == members->list.items[first].instance)
		end++;
	return end;
}

/* ----------------------------------------------------------------------- waits */

size_t members_last(const struct members *members, size_t first, size_t end,
		    const struct member *member)
{
	const struct member *list = members->list.items;
	size_t last = first;

	for (size_t step = end - first; step > 0; step /= 2)
		while (last + step < end && list[last + step].begin.begin_ns <= member->end_ns)
			last += step;
	while (last > first && list[last - 1].begin.begin_ns == list[last].begin.begin_ns)
		last--;
	return last;
}

/* Each member waits for the last of all that began before it ended. */
static void find_observed(const struct members *members, size_t first, size_t end,
			  members_found *found, void *data)
{
	const struct member *list = members->list.items;

	for (size_t i = first; i < end; i++)
		found(data, &list[i], &list[members_last(members, first, end, &list[i])]);
}

/* Each member of a scan waits for the last of those before it, unless it was free to leave sooner. */
static void find_in_scan(const struct members *members, size_t first, size_t end,
			 members_found *found, void *data)
{
	const struct member *last = &members->list.items[first];

	for (size_t i = first + 1; i < end; i++) {
		const struct member *member = &members->list.items[i];

		if (!member->is_free || member->end_ns >= last->begin.begin_ns)
			found(data, member, last);
		if (member->begin.begin_ns > last->begin.begin_ns)
			last = member;
	}
}

void members_find_waits(const struct members *members, members_found *found, void *data)
{
	for (size_t first = 0, end; first < members->list.count; first = end) {
		end = members_end(members, first);
		if (members->observed)
			find_observed(members, first, end, found, data);
		else
			find_in_scan(members, first, end, found, data);
	}
}
