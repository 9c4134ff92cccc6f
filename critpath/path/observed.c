#include "critpath/path/observed.h"

static int compare_members(const void *a, const void *b)
{
	const struct observed_member *x = a, *y = b;

	if (x->instance != y->instance)
		return x->instance < y->instance ? -1 : 1;
	if (x->begin.begin_ns != y->begin.begin_ns)
		return x->begin.begin_ns < y->begin.begin_ns ? -1 : 1;
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static int list_rank(struct observed_members *members, const struct measured_run *run,
		     uint32_t number, struct error *err)
{
	const struct measured_rank *rank = &run->ranks[number];

	for (size_t i = 0; i < rank->parts.count; i++) {
		const struct measured_part *part = &rank->parts.items[i];
		const struct measured_call *begin = &rank->calls.items[part->begin];

		if (run->instance_of[number][i] == NO_MATCH || part->kind == MEASURED_NEIGHBOURS)
			continue;
		TRY(array_push(&members->list,
			       ((struct observed_member){run->instance_of[number][i],
							 number,
							 part->end,
							 {begin->enter_ns, part->begin,
							  begin->function},
							 rank->calls.items[part->end].leave_ns}),
			       err));
	}
	return 0;
}

int observed_members_list(struct observed_members *members, const struct measured_run *run,
			  struct error *err)
{
	int result = 0;

	*members = (struct observed_members){0};
	for (uint32_t r = 0; result == 0 && r < run->rank_count; r++)
		result = list_rank(members, run, r, err);
	if (result < 0)
		observed_members_release(members);
	else if (members->list.count)
		qsort(members->list.items, members->list.count, sizeof *members->list.items,
		      compare_members);
	return result;
}

void observed_members_release(struct observed_members *members)
{
	array_release(&members->list);
}

size_t observed_members_end(const struct observed_members *members, size_t first)
{
	size_t end = first;

	while (end < members->list.count &&
	       members->list.items[end].instance == members->list.items[first].instance)
		end++;
	return end;
}

size_t observed_last(const struct observed_members *members, size_t first, size_t end,
		     uint64_t time_ns)
{
	const struct observed_member *list = members->list.items;
	size_t last = first;

	for (size_t step = end - first; step > 0; step /= 2)
		while (last + step < end && list[last + step].begin.begin_ns <= time_ns)
			last += step;
	while (last > first && list[last - 1].begin.begin_ns == list[last].begin.begin_ns)
		last--;
	return last;
}

static void observe_instance(struct waits *waits, const struct observed_members *members,
			     size_t first, size_t end)
{
	for (size_t i = first; i < end; i++) {
		const struct observed_member *member = &members->list.items[i];
		const struct observed_member *last =
			&members->list.items[observed_last(members, first, end, member->end_ns)];

		wait_for(waits, member->rank, member->end,
			 &(struct wait){.until_ns = last->begin.begin_ns,
					.rank = last->rank,
					.call = last->begin.call,
					.comm = waits->run->instances.items[member->instance].comm,
					.kind = WAIT_COLLECTIVE,
					.function = last->begin.function & 0xffffff});
	}
}

int waits_observe(struct waits *waits, struct error *err)
{
	struct observed_members members;

	TRY(observed_members_list(&members, waits->run, err));
	for (size_t first = 0, end; first < members.list.count; first = end) {
		end = observed_members_end(&members, first);
		observe_instance(waits, &members, first, end);
	}
	waits->observed = true;
	observed_members_release(&members);
	return 0;
}
