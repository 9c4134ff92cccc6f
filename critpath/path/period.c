#include "critpath/path/period.h"

struct period_place period_enter(const struct walk_place *place)
{
	return (struct period_place){.at = *place, .before = place->next, .thread = NO_THREAD};
}

/* ---------------------------------------------------------------------- search */

/*
 * Find the first jump of a row whose call is not before `call`.  A walk mostly comes to a row a little before
 * where it was last: the steps grow from there.
 */
static size_t period_find(const struct jump *jumps, struct jump_row *row, uint32_t call)
{
	size_t low = row->first, high = row->last, step = 1;

	if (high < row->end && jumps[high].call < call)
		high = row->end;
	while (high - low > step && jumps[high - step].call >= call) {
		high -= step;
		step *= 2;
	}
	if (high - low > step)
		low = high - step;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (jumps[middle].call < call)
			low = middle + 1;
		else
			high = middle;
	}
	return row->last = low;
}

/* Find the period in which a walk goes on.  Here, its thread is known then. */
static enum period_way find_way(struct period *period, struct jump_row *row,
				struct period_place *place)
{
	if (!row->all) {
		place->thread = 0;
	} else if (place->thread == NO_THREAD) {
		if (place->before < row->from)
			return PERIOD_EARLIER;
		if (place->before >= row->to)
			return PERIOD_LATER;
		place->thread =
			period->jumps.list
				.items[period_find(period->jumps.list.items, row, place->before)]
				.thread;
	}
	if (place->before > row->to)
		return PERIOD_LATER;
	return place->before > row->from ? PERIOD_HERE : PERIOD_EARLIER;
}

/* ------------------------------------------------------------------------ walk */

/* Go back to a time, if the walk is later: as walk.c does. */
static void go_back_to(const struct period *period, struct walk_place *at, uint64_t ns)
{
	if (ns < period->begin_ns)
		ns = period->begin_ns;
	if (ns >= at->at_ns)
		return;
	at->at_ns = ns;
	at->jumps_at_once = 0;
}

/* Follow a jump.  Returns false if the walk stays on the thread. */
static bool follow(const struct period *period, const struct jump *jump, struct walk_place *at)
{
	go_back_to(period, at, jump->leave_ns);
	if (jump->kind == JUMP && at->jumps_at_once >= period->rank_count)
		return false;
	go_back_to(period, at, jump->until_ns);
	if (jump->kind != JUMP)
		return false;
	at->jumps_at_once++;
	at->rank = jump->rank;
	at->next = jump->to;
	return true;
}

/* Follow the jumps of a row, from the one before number `end` on, until one leads away. */
static const struct jump *follow_row(struct period *period, const struct jump_row *row, size_t end,
				     struct period_place *place)
{
	while (end-- > row->first) {
		const struct jump *jump = &period->jumps.list.items[end];

		if (jump->thread != place->thread)
			continue;
		if (jump->kind == JUMP_BEGIN || follow(period, jump, &place->at))
			return jump;
	}
	return NULL;
}

/* Walk on a rank until a jump leads to another place of this period. */
static enum period_way walk_row(struct period *period, struct period_place *place)
{
	struct jump_row *row = &period->rows[place->at.rank];
	const enum period_way way = find_way(period, row, place);
	const struct jump *jump = NULL;

	if (way == PERIOD_LATER)
		return way;
	if (way == PERIOD_HERE)
		jump = follow_row(period, row,
				  period_find(period->jumps.list.items, row, place->before), place);
	if (jump)
		return jump->kind == JUMP_BEGIN ? PERIOD_ARRIVED : PERIOD_HERE;
	if (place->before > row->from)
		place->before = row->from;
	return period->first ? PERIOD_ARRIVED : PERIOD_EARLIER;
}

int period_walk(struct period *period, struct period_place *place, enum period_way *way,
		period_take *take, void *data, struct error *err)
{
	for (;;) {
		const uint32_t from = place->at.rank;

		*way = walk_row(period, place);
		if (*way != PERIOD_HERE)
			return 0;
		TRY(take(data, from, &place->at, err));
		*place = period_enter(&place->at);
	}
}

void period_release(struct period *period)
{
	array_release(&period->jumps.list);
	free(period->rows);
	period->rows = NULL;
}
