#include "usage/log/job_ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 wide;

/* P |t - mean|, without rounding. */
static wide distance(wide all_ns, uint32_t count, uint64_t ns)
{
	const wide scaled = (wide)ns * count;

	return scaled > all_ns ? scaled - all_ns : all_ns - scaled;
}

static wide sum_of(const struct job_time *times, uint32_t count)
{
	wide all_ns = 0;

	for (uint32_t i = 0; i < count; i++)
		all_ns += times[i].ns;
	return all_ns;
}

struct job_roles job_roles_find(const struct job_time *times, uint32_t count)
{
	const wide all_ns = sum_of(times, count);
	struct job_roles roles = {.count = count, .first = count};

	for (uint32_t i = 0; i < count; i++) {
		if (times[i].rank == 0)
			roles.first = i;
		if (times[i].ns > times[roles.most].ns)
			roles.most = i;
		if (times[i].ns < times[roles.least].ns)
			roles.least = i;
		if (distance(all_ns, count, times[i].ns) <
		    distance(all_ns, count, times[roles.average].ns))
			roles.average = i;
	}
	return roles;
}

unsigned job_roles_of(const struct job_roles *roles, uint32_t i)
{
	return (i == roles->first ? JOB_FIRST : 0) | (i == roles->most ? JOB_MOST : 0) |
	       (i == roles->least ? JOB_LEAST : 0) | (i == roles->average ? JOB_AVERAGE : 0);
}

static int compare_ns(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

int job_log_set_times(struct job_log *log, const struct job_time *times, uint32_t count,
		      struct error *err)
{
	uint64_t *sorted;
	double squares = 0;

	TRY(allocate(&sorted, count, sizeof *sorted, err));
	log->mean_ns = (double)sum_of(times, count) / count;
	for (uint32_t i = 0; i < count; i++) {
		const double difference = (double)times[i].ns - log->mean_ns;

		squares += difference * difference;
		sorted[i] = times[i].ns;
	}
	log->deviation_ns = sqrt(squares / count);
	qsort(sorted, count, sizeof *sorted, compare_ns);
	log->least_ns = sorted[0];
	log->most_ns = sorted[count - 1];
	for (uint64_t i = 0; i < JOB_QUANTILES; i++)
		log->quantiles_ns[i] = sorted[i * (count - 1) / (JOB_QUANTILES - 1)];
	free(sorted);
	return 0;
}

int job_log_count_node(struct job_log *log, uint32_t ranks, struct error *err)
{
	size_t at = 0;

	while (at < log->ranks_per_node.count && log->ranks_per_node.items[at].ranks < ranks)
		at++;
	if (at == log->ranks_per_node.count || log->ranks_per_node.items[at].ranks != ranks) {
		TRY(array_reserve(&log->ranks_per_node, 1, err));
		memmove(&log->ranks_per_node.items[at + 1], &log->ranks_per_node.items[at],
			(log->ranks_per_node.count++ - at) * sizeof *log->ranks_per_node.items);
		log->ranks_per_node.items[at] = (struct job_nodes){ranks, 0};
	}
	log->ranks_per_node.items[at].nodes++;
	return 0;
}

/* ---------------------------------------------------------------------- cells */

int job_cells_make(struct job_cells **cells, struct error *err)
{
	TRY(allocate(cells, 1, sizeof **cells, err));
	usage_table_init(&(*cells)->table);
	return 0;
}

/* Several cells of a rank may go to the catch-all, so a rank is counted after all of its cells. */
void job_cells_add_table(struct job_cells *cells, const struct usage_table *table)
{
	uint32_t slots[USAGE_CELLS], count = 0;
	bool has_rest = false;

	cells->table.overflow |= table->overflow;
	for (uint32_t i = 0; i <= table->count; i++) {
		const struct usage_cell *cell = &table->cells[i];
		struct usage_cell *into;
		uint32_t slot;

		if (i == USAGE_CATCH_ALL ? cell->calls == 0 : !cell->key.used)
			continue;
		into = usage_cell(&cells->table, cell->key);
		usage_cell_merge(into, cell);
		slot = (uint32_t)(into - cells->table.cells);
		cells->this_rank_ns[slot] += cell->ticks;
		if (slot != USAGE_CATCH_ALL || !has_rest)
			slots[count++] = slot;
		has_rest |= slot == USAGE_CATCH_ALL;
	}
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t slot = slots[i];

		if (cells->this_rank_ns[slot] > cells->rank_most_ns[slot])
			cells->rank_most_ns[slot] = cells->this_rank_ns[slot];
		cells->this_rank_ns[slot] = 0;
		cells->ranks[slot]++;
	}
}

/* What goes to the catch-all from several cells counts the ranks of the cell with most of them. */
void job_cells_add(struct job_cells *cells, const struct job_cell *others, size_t count)
{
	const uint32_t rest_before = cells->ranks[USAGE_CATCH_ALL];
	uint32_t rest = 0;

	for (size_t i = 0; i < count; i++) {
		const struct job_cell *other = &others[i];
		struct usage_cell *into = usage_cell(&cells->table, other->cell.key);
		const size_t slot = (size_t)(into - cells->table.cells);

		usage_cell_merge(into, &other->cell);
		if (other->rank_most_ns > cells->rank_most_ns[slot])
			cells->rank_most_ns[slot] = other->rank_most_ns;
		cells->ranks[slot] += other->ranks;
		if (slot == USAGE_CATCH_ALL && other->ranks > rest)
			rest = other->ranks;
	}
	cells->ranks[USAGE_CATCH_ALL] = rest_before + rest;
}

static int put_sorted(const struct job_cells *cells, const struct usage_cell **sorted,
		      struct job_log *log, struct error *err)
{
	const unsigned count = usage_table_sorted(&cells->table, sorted);

	TRY(array_reserve(&log->cells, count, err));
	for (unsigned i = 0; i < count; i++) {
		const size_t slot = (size_t)(sorted[i] - cells->table.cells);

		log->cells.items[log->cells.count++] =
			(struct job_cell){.cell = *sorted[i],
					  .rank_most_ns = cells->rank_most_ns[slot],
					  .ranks = cells->ranks[slot]};
	}
	return 0;
}

int job_cells_put(const struct job_cells *cells, struct job_log *log, struct error *err)
{
	const struct usage_cell **sorted;
	int result;

	log->overflow |= cells->table.overflow != 0;
	TRY(allocate(&sorted, USAGE_CELLS, sizeof *sorted, err));
	result = put_sorted(cells, sorted, log, err);
	free(sorted);
	return result;
}
