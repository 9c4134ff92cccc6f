/* Logs with fewer cells than they had: what has taken the least time goes to the catch-all. */
#include "usage/log/job_log_members.h"

#include <string.h>

/* Least time that the `most` items of the longest times have. */
static int compare_times(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x > y ? -1 : x < y;
}

/* Sort `times`, and find how many of those equal to the last of the first `most` are among them. */
static uint64_t last_kept(uint64_t *times, size_t count, size_t most, size_t *equal)
{
	uint64_t last;

	qsort(times, count, sizeof *times, compare_times);
	last = times[most - 1];
	*equal = 0;
	for (size_t i = 0; i < most; i++)
		*equal += times[i] == last;
	return last;
}

/* Which of `count` items are kept if at most `most` may be: those of the longest times, then the first ones. */
static int choose(const uint64_t *times, size_t count, size_t most, bool *kept, struct error *err)
{
	uint64_t *sorted, last;
	size_t equal;

	if (count <= most || most == 0) {
		memset(kept, count <= most, count);
		return 0;
	}
	TRY(allocate(&sorted, count, sizeof *sorted, err));
	memcpy(sorted, times, count * sizeof *sorted);
	last = last_kept(sorted, count, most, &equal);
	for (size_t i = 0; i < count; i++) {
		kept[i] = times[i] > last || (times[i] == last && equal > 0);
		equal -= times[i] == last && equal > 0;
	}
	free(sorted);
	return 0;
}

static void add_cell(struct job_cell *rest, const struct job_cell *cell)
{
	usage_cell_merge(&rest->cell, &cell->cell);
	/* An upper bound: the rank that spent most in one cell need not be that of another. */
	rest->rank_most_ns += cell->rank_most_ns;
	rest->ranks = cell->ranks > rest->ranks ? cell->ranks : rest->ranks;
}

static int fold_cells(struct job_log *folded, const struct job_log *log, const uint64_t *times,
		      bool *kept, size_t most, struct error *err)
{
	struct job_cell rest = {.cell = {.key = {.function = USAGE_REST}, .least = UINT64_MAX}};

	TRY(choose(times, log->cells.count, most - 1, kept, err));
	TRY(array_reserve(&folded->cells, log->cells.count + 1, err));
	for (size_t i = 0; i < log->cells.count; i++)
		if (kept[i] && log->cells.items[i].cell.key.function != USAGE_REST)
			folded->cells.items[folded->cells.count++] = log->cells.items[i];
		else
			add_cell(&rest, &log->cells.items[i]);
	folded->cells.items[folded->cells.count++] = rest;
	folded->overflow = true;
	return 0;
}

static int fold_calls(struct job_rank *folded, const struct job_rank *rank, const uint64_t *times,
		      bool *kept, size_t most, struct error *err)
{
	struct job_calls rest = {.function = USAGE_REST};

	TRY(choose(times, rank->calls.count, most - 1, kept, err));
	TRY(array_reserve(&folded->calls, rank->calls.count + 1, err));
	for (size_t i = 0; i < rank->calls.count; i++) {
		const struct job_calls *calls = &rank->calls.items[i];

		if (kept[i] && calls->function != USAGE_REST) {
			folded->calls.items[folded->calls.count++] = *calls;
			continue;
		}
		rest.calls += calls->calls;
		rest.bytes += calls->bytes;
		rest.moved += calls->moved;
		rest.ns += calls->ns;
	}
	folded->calls.items[folded->calls.count++] = rest;
	return 0;
}

/* Room for the times of the longest list, and for which of its items are kept. */
struct room {
	uint64_t *times;
	bool *kept;
};

static int copy_cells(struct job_log *folded, const struct job_log *log, size_t most,
		      const struct room *room, struct error *err)
{
	if (log->cells.count > most) {
		for (size_t i = 0; i < log->cells.count; i++)
			room->times[i] = log->cells.items[i].cell.ticks;
		return fold_cells(folded, log, room->times, room->kept, most, err);
	}
	TRY(array_reserve(&folded->cells, log->cells.count, err));
	for (size_t i = 0; i < log->cells.count; i++)
		folded->cells.items[folded->cells.count++] = log->cells.items[i];
	return 0;
}

static int copy_rank(struct job_log *folded, const struct job_rank *rank, size_t most,
		     const struct room *room, struct error *err)
{
	struct job_rank *copy = &folded->rank_list.items[folded->rank_list.count++];

	*copy = *rank;
	memset(&copy->calls, 0, sizeof copy->calls);
	if (rank->calls.count > most) {
		for (size_t i = 0; i < rank->calls.count; i++)
			room->times[i] = rank->calls.items[i].ns;
		return fold_calls(copy, rank, room->times, room->kept, most, err);
	}
	TRY(array_reserve(&copy->calls, rank->calls.count, err));
	for (size_t i = 0; i < rank->calls.count; i++)
		copy->calls.items[copy->calls.count++] = rank->calls.items[i];
	return 0;
}

static int copy_lists(struct job_log *folded, const struct job_log *log, size_t cells, size_t calls,
		      const struct room *room, struct error *err)
{
	TRY(copy_cells(folded, log, cells, room, err));
	TRY(array_reserve(&folded->rank_list, log->rank_list.count, err));
	for (size_t i = 0; i < log->rank_list.count; i++)
		TRY(copy_rank(folded, &log->rank_list.items[i], calls, room, err));
	return 0;
}

int job_log_fold(struct job_log *folded, const struct job_log *log, size_t cells, size_t calls,
		 struct error *err)
{
	struct room room = {0};
	size_t longest = log->cells.count;
	int result = -1;

	for (size_t i = 0; i < log->rank_list.count; i++)
		if (log->rank_list.items[i].calls.count > longest)
			longest = log->rank_list.items[i].calls.count;
	*folded = *log;
	memset(&folded->cells, 0, sizeof folded->cells);
	memset(&folded->rank_list, 0, sizeof folded->rank_list);
	if (allocate(&room.times, longest, sizeof *room.times, err) == 0 &&
	    allocate(&room.kept, longest, sizeof *room.kept, err) == 0)
		result = copy_lists(folded, log, cells, calls, &room, err);
	free(room.times);
	free(room.kept);
	if (result < 0)
		job_folded_release(folded);
	return result;
}

void job_folded_release(struct job_log *folded)
{
	for (size_t i = 0; i < folded->rank_list.count; i++)
		array_release(&folded->rank_list.items[i].calls);
	array_release(&folded->rank_list);
	array_release(&folded->cells);
}
