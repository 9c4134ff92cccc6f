#include "critpath/tables/below_totals.h"

#include <stdlib.h>

/* The calls of MPI of a thread, as its calls below MPI come to them. */
struct place {
	const struct measured_run *run;
	uint32_t rank, thread;
	uint32_t next;	   /* call of the rank, to be looked at */
	uint32_t call;	   /* that the last one was in, or NO_CALL */
	bool posts;	   /* it has posted something */
	uint64_t until_ns; /* end of the outermost call below MPI */
};

/* Find the call of MPI that a time is in, or NO_CALL.  Times ascend. */
static uint32_t call_at(struct place *place, uint64_t time_ns)
{
	const struct measured_rank *rank = &place->run->ranks[place->rank];

	for (; place->next < rank->calls.count; place->next++) {
		const struct measured_call *call = &rank->calls.items[place->next];

		if (call->thread == place->thread && call->leave_ns >= time_ns)
			return call->enter_ns <= time_ns ? place->next : NO_CALL;
	}
	return NO_CALL;
}

static int total_of(struct below_totals *totals, size_t first, const struct place *place,
		    uint32_t function, struct below_total **found, struct error *err)
{
	struct below_total total = {.rank = place->rank,
				    .thread = place->thread,
				    .function = function};

	for (size_t i = first; i < totals->items.count; i++)
		if (totals->items.items[i].function == function) {
			*found = &totals->items.items[i];
			return 0;
		}
	TRY(array_push(&totals->items, total, err));
	*found = &totals->items.items[totals->items.count - 1];
	return 0;
}

static void add_post(struct below_total *total, const struct below_call *call, struct place *place)
{
	const struct measured_rank *rank = &place->run->ranks[place->rank];

	total->posts++;
	total->bytes += call->number == BELOW_UNKNOWN ? 0 : call->number;
	total->pending += call->pending;
	if (place->posts || place->call == NO_CALL)
		return;
	place->posts = true;
	total->posting_calls++;
	total->to_post_ns += call->enter_ns - rank->calls.items[place->call].enter_ns;
}

static void add_below(struct below_total *total, const struct below_call *call, struct place *place)
{
	const enum below_kind kind = below_functions[call->function].kind;

	if (kind == BELOW_POST)
		add_post(total, call, place);
	else if (call->function == BELOW_EMPTY_POLLS)
		total->nothing += call->number;
	else if (kind == BELOW_POLL) {
		total->finds += call->number > 0;
		total->found += call->number;
	}
	if (call->depth == 0)
		total->ns += call->leave_ns - call->enter_ns;
}

static int take_call(struct below_totals *totals, size_t first, struct place *place,
		     const struct below_call *call, struct error *err)
{
	const struct measured_rank *rank = &place->run->ranks[place->rank];
	const uint32_t in = call_at(place, call->enter_ns);
	struct below_total *total;

	TRY(total_of(totals, first, place,
		     in == NO_CALL ? BELOW_OUTSIDE : rank->calls.items[in].function, &total, err));
	if (in != place->call) {
		total->calls += in != NO_CALL;
		place->call = in;
		place->posts = false;
	}
	add_below(total, call, place);
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct below_total *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return (x->function > y->function) - (x->function < y->function);
}

/* Add the thread's totals, from `first` on, to the sum. */
static void sum_up(struct below_totals *totals, size_t first)
{
	const size_t count = totals->items.count - first;
	struct below_total *sum = &totals->sum;
	uint64_t finds = 0, calls = 0;

	for (size_t i = first; i < totals->items.count; i++) {
		const struct below_total *item = &totals->items.items[i];

		sum->ns += item->ns;
		sum->posts += item->posts;
		sum->bytes += item->bytes;
		sum->pending += item->pending;
		sum->nothing += item->nothing;
		finds += item->finds;
		calls += item->calls;
	}
	sum->finds += finds;
	if (!calls)
		totals->idle_finds += finds;
	if (count)
		qsort(totals->items.items + first, count, sizeof *totals->items.items, by_time);
}

static int add_rank(struct below_totals *totals, const struct measured_run *run,
		    const struct measured_below *below, uint32_t rank, struct error *err)
{
	struct place place = {.run = run, .rank = rank, .thread = UINT32_MAX};
	size_t first = totals->items.count;

	for (size_t i = 0; i < below->calls.count; i++) {
		const struct below_call *call = &below->calls.items[i];

		if (call->thread != place.thread) {
			sum_up(totals, first);
			first = totals->items.count;
			place = (struct place){run, rank, call->thread, .call = NO_CALL};
		}
		if (measured_reports(run, call->enter_ns))
			TRY(take_call(totals, first, &place, call, err));
	}
	sum_up(totals, first);
	return 0;
}

/* Find the function in which most polls find something, of all ranks. */
static int find_finder(struct below_totals *totals, const struct measured_run *run,
		       struct error *err)
{
	const uint32_t count = measured_function_count(&run->names);
	uint64_t *finds;

	totals->finder = BELOW_OUTSIDE;
	TRY(allocate(&finds, (size_t)count + 1, sizeof *finds, err));
	for (size_t i = 0; i < totals->items.count; i++) {
		const struct below_total *item = &totals->items.items[i];
		const uint32_t at = item->function == BELOW_OUTSIDE ? count : item->function;

		finds[at] += item->finds;
		if (finds[at] <= totals->finder_finds)
			continue;
		totals->finder_finds = finds[at];
		totals->finder = item->function;
	}
	free(finds);
	return 0;
}

int below_totals_find(struct below_totals *totals, const struct measured_run *run,
		      struct error *err)
{
	struct measured_below below = {0};
	int result = 0;

	*totals = (struct below_totals){0};
	for (uint32_t rank = 0; result == 0 && rank < run->rank_count; rank++) {
		result = measured_below_read(&below, run, rank, err);
		if (result == 0)
			result = add_rank(totals, run, &below, rank, err);
	}
	measured_below_release(&below);
	return result < 0 ? -1 : find_finder(totals, run, err);
}

void below_totals_release(struct below_totals *totals)
{
	array_release(&totals->items);
}
