/* Logs of ranks whose tables are all in one process. */
#include "usage/log/job_log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 wide;

/* What is known of all parts. */
struct sums {
	uint64_t *times; /* in MPI, by part */
	uint64_t *sorted;
	wide all_ns;
	uint32_t count, first, most, least,
		average; /* parts that have the roles; first: or `count` */
};

/* P |t - mean|, without rounding. */
static wide distance(const struct sums *sums, uint32_t part)
{
	const wide scaled = (wide)sums->times[part] * sums->count;

	return scaled > sums->all_ns ? scaled - sums->all_ns : sums->all_ns - scaled;
}

static void find_roles(struct sums *sums, const struct job_part *parts)
{
	sums->first = sums->count;
	for (uint32_t i = 0; i < sums->count; i++) {
		if (parts[i].rank == 0)
			sums->first = i;
		if (sums->times[i] > sums->times[sums->most])
			sums->most = i;
		if (sums->times[i] < sums->times[sums->least])
			sums->least = i;
		if (distance(sums, i) < distance(sums, sums->average))
			sums->average = i;
	}
}

static unsigned roles_of(const struct sums *sums, uint32_t part)
{
	return (part == sums->first ? JOB_FIRST : 0) | (part == sums->most ? JOB_MOST : 0) |
	       (part == sums->least ? JOB_LEAST : 0) | (part == sums->average ? JOB_AVERAGE : 0);
}

static int compare_ns(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void set_rank_times(struct job_log *log, struct sums *sums)
{
	double squares = 0;

	log->mean_ns = (double)sums->all_ns / sums->count;
	for (uint32_t i = 0; i < sums->count; i++) {
		const double difference = (double)sums->times[i] - log->mean_ns;

		squares += difference * difference;
		sums->sorted[i] = sums->times[i];
	}
	log->deviation_ns = sqrt(squares / sums->count);
	qsort(sums->sorted, sums->count, sizeof *sums->sorted, compare_ns);
	log->least_ns = sums->sorted[0];
	log->most_ns = sums->sorted[sums->count - 1];
	for (uint64_t i = 0; i < JOB_QUANTILES; i++)
		log->quantiles_ns[i] = sums->sorted[i * (sums->count - 1) / (JOB_QUANTILES - 1)];
}

static int add_job_rank(struct job_log *log, const struct job_part *part, unsigned roles,
			struct error *err)
{
	struct job_rank *rank;

	TRY(array_reserve(&log->rank_list, 1, err));
	rank = &log->rank_list.items[log->rank_list.count++];
	memset(rank, 0, sizeof *rank);
	rank->rank = part->rank;
	rank->roles = roles;
	memcpy(rank->counters, part->counters, sizeof rank->counters);
	usage_table_time(part->table, &rank->mpi_ns, &rank->local_ns);
	if (part->host && !(rank->host = strdup(part->host)))
		return error_set_memory(err, strlen(part->host) + 1);
	return usage_table_calls(part->table, rank, err);
}

/* ---------------------------------------------------------------------- cells */

/* Cells of all ranks by their slot in `table`. */
struct all_cells {
	struct usage_table table;
	uint64_t rank_most_ns[USAGE_CELLS + 1];
	uint64_t this_rank_ns[USAGE_CELLS + 1];
	uint32_t ranks[USAGE_CELLS + 1];
};

/* Several cells of a rank may go to the catch-all, so a rank is counted after all of its cells. */
static void add_table(struct all_cells *all, const struct usage_table *table)
{
	uint32_t slots[USAGE_CELLS + 1], count = 0;
	bool has_rest = false;

	for (uint32_t i = 0; i <= USAGE_CELLS; i++) {
		const struct usage_cell *cell = &table->cells[i];
		struct usage_cell *into;
		uint32_t slot;

		if (i == USAGE_CELLS ? cell->calls == 0 : !cell->key.used)
			continue;
		into = usage_cell(&all->table, cell->key);
		usage_cell_merge(into, cell);
		slot = (uint32_t)(into - all->table.cells);
		all->this_rank_ns[slot] += cell->ticks;
		if (slot != USAGE_CELLS || !has_rest)
			slots[count++] = slot;
		has_rest |= slot == USAGE_CELLS;
	}
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t slot = slots[i];

		if (all->this_rank_ns[slot] > all->rank_most_ns[slot])
			all->rank_most_ns[slot] = all->this_rank_ns[slot];
		all->this_rank_ns[slot] = 0;
		all->ranks[slot]++;
	}
}

static int put_cells(struct job_log *log, const struct all_cells *all,
		     const struct usage_cell **sorted, struct error *err)
{
	const unsigned count = usage_table_sorted(&all->table, sorted);

	TRY(array_reserve(&log->cells, count, err));
	for (unsigned i = 0; i < count; i++) {
		const size_t slot = (size_t)(sorted[i] - all->table.cells);

		log->cells.items[log->cells.count++] =
			(struct job_cell){.cell = *sorted[i],
					  .rank_most_ns = all->rank_most_ns[slot],
					  .ranks = all->ranks[slot]};
	}
	return 0;
}

static int set_cells(struct job_log *log, const struct job_part *parts, uint32_t count,
		     struct error *err)
{
	const struct usage_cell **sorted;
	struct all_cells *all;
	int result = -1;

	TRY(allocate(&all, 1, sizeof *all, err));
	usage_table_init(&all->table);
	for (uint32_t i = 0; i < count; i++) {
		add_table(all, parts[i].table);
		log->overflow |= parts[i].table->overflow != 0;
	}
	log->overflow |= all->table.overflow != 0;
	if (allocate(&sorted, USAGE_CELLS + 1, sizeof *sorted, err) == 0) {
		result = put_cells(log, all, sorted, err);
		free(sorted);
	}
	free(all);
	return result;
}

/* ---------------------------------------------------------------------- nodes */

static int compare_hosts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int count_node(struct job_log *log, uint32_t ranks, struct error *err)
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

static int count_nodes(struct job_log *log, const char **hosts, uint32_t count, struct error *err)
{
	qsort(hosts, count, sizeof *hosts, compare_hosts);
	for (uint32_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && !strcmp(hosts[i], hosts[end]); end++)
			;
		TRY(count_node(log, end - i, err));
		log->nodes_seen++;
	}
	return 0;
}

/* Unless the host of a rank is not known. */
static int set_nodes(struct job_log *log, const struct job_part *parts, uint32_t count,
		     struct error *err)
{
	const char **hosts;
	int result;

	log->nodes_seen = 0;
	log->ranks_per_node.count = 0;
	for (uint32_t i = 0; i < count; i++)
		if (!parts[i].host)
			return 0;
	TRY(allocate(&hosts, count, sizeof *hosts, err));
	for (uint32_t i = 0; i < count; i++)
		hosts[i] = parts[i].host;
	result = count_nodes(log, hosts, count, err);
	free(hosts);
	return result;
}

static int set_ranks(struct job_log *log, const struct job_part *parts, struct sums *sums, bool all,
		     struct error *err)
{
	for (uint32_t i = 0; i < sums->count; i++) {
		uint64_t local_ns;

		usage_table_time(parts[i].table, &sums->times[i], &local_ns);
		sums->all_ns += sums->times[i];
		log->threads = parts[i].threads > log->threads ? parts[i].threads : log->threads;
	}
	find_roles(sums, parts);
	set_rank_times(log, sums);
	for (uint32_t i = 0; i < sums->count; i++)
		if (all || roles_of(sums, i))
			TRY(add_job_rank(log, &parts[i], roles_of(sums, i), err));
	return 0;
}

int job_log_add_parts(struct job_log *log, const struct job_part *parts, uint32_t count, bool all,
		      struct error *err)
{
	struct sums sums = {.count = count};
	int result = -1;

	log->ranks_seen = count;
	if (count == 0)
		return 0;
	if (allocate(&sums.times, count, sizeof *sums.times, err) == 0 &&
	    allocate(&sums.sorted, count, sizeof *sums.sorted, err) == 0 &&
	    set_ranks(log, parts, &sums, all, err) == 0 && set_cells(log, parts, count, err) == 0)
		result = set_nodes(log, parts, count, err);
	free(sums.times);
	free(sums.sorted);
	return result;
}
