/* Logs of ranks whose tables come one after the other. */
#include "usage/log/job_log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 wide;

/* Cells of all ranks by their slot in `table`. */
struct all_cells {
	struct usage_table table;
	uint64_t rank_most_ns[USAGE_CELLS];
	uint64_t this_rank_ns[USAGE_CELLS];
	uint32_t ranks[USAGE_CELLS];
};

struct job_sums {
	ARRAY(struct job_rank) ranks; /* that were added */
	wide all_ns;
	uint32_t threads;
	bool overflow;
	struct all_cells cells;
};

int job_sums_make(struct job_sums **sums, struct error *err)
{
	TRY(allocate(sums, 1, sizeof **sums, err));
	usage_table_init(&(*sums)->cells.table);
	return 0;
}

static void release_rank(struct job_rank *rank)
{
	free(rank->host);
	array_release(&rank->calls);
}

void job_sums_free(struct job_sums *sums)
{
	if (!sums)
		return;
	for (size_t i = 0; i < sums->ranks.count; i++)
		release_rank(&sums->ranks.items[i]);
	array_release(&sums->ranks);
	free(sums);
}

/* ------------------------------------------------------------------ one rank */

/* Several cells of a rank may go to the catch-all, so a rank is counted after all of its cells. */
static void add_table(struct all_cells *all, const struct usage_table *table)
{
	uint32_t slots[USAGE_CELLS], count = 0;
	bool has_rest = false;

	for (uint32_t i = 0; i < USAGE_CELLS; i++) {
		const struct usage_cell *cell = &table->cells[i];
		struct usage_cell *into;
		uint32_t slot;

		if (i == USAGE_CATCH_ALL ? cell->calls == 0 : !cell->key.used)
			continue;
		into = usage_cell(&all->table, cell->key);
		usage_cell_merge(into, cell);
		slot = (uint32_t)(into - all->table.cells);
		all->this_rank_ns[slot] += cell->ticks;
		if (slot != USAGE_CATCH_ALL || !has_rest)
			slots[count++] = slot;
		has_rest |= slot == USAGE_CATCH_ALL;
	}
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t slot = slots[i];

		if (all->this_rank_ns[slot] > all->rank_most_ns[slot])
			all->rank_most_ns[slot] = all->this_rank_ns[slot];
		all->this_rank_ns[slot] = 0;
		all->ranks[slot]++;
	}
}

static int copy_part(struct job_rank *rank, const struct job_part *part, struct error *err)
{
	memset(rank, 0, sizeof *rank);
	rank->rank = part->rank;
	memcpy(rank->counters, part->counters, sizeof rank->counters);
	usage_table_time(part->table, &rank->mpi_ns, &rank->local_ns);
	if (part->host && !(rank->host = strdup(part->host)))
		return error_set_memory(err, strlen(part->host) + 1);
	TRY(usage_table_calls(part->table, rank, err));
	array_fit(&rank->calls);
	return 0;
}

int job_sums_add(struct job_sums *sums, const struct job_part *part, struct error *err)
{
	struct job_rank *rank;

	TRY(array_reserve(&sums->ranks, 1, err));
	rank = &sums->ranks.items[sums->ranks.count++];
	TRY(copy_part(rank, part, err));
	add_table(&sums->cells, part->table);
	sums->all_ns += rank->mpi_ns;
	sums->overflow |= part->table->overflow != 0;
	sums->threads = part->threads > sums->threads ? part->threads : sums->threads;
	return 0;
}

/* --------------------------------------------------------------------- roles */

/* P |t - mean|, without rounding. */
static wide distance(const struct job_sums *sums, size_t rank)
{
	const wide scaled = (wide)sums->ranks.items[rank].mpi_ns * sums->ranks.count;

	return scaled > sums->all_ns ? scaled - sums->all_ns : sums->all_ns - scaled;
}

static void set_roles(struct job_sums *sums)
{
	struct job_rank *ranks = sums->ranks.items;
	size_t most = 0, least = 0, average = 0;

	for (size_t i = 0; i < sums->ranks.count; i++) {
		ranks[i].roles = ranks[i].rank == 0 ? JOB_FIRST : 0;
		most = ranks[i].mpi_ns > ranks[most].mpi_ns ? i : most;
		least = ranks[i].mpi_ns < ranks[least].mpi_ns ? i : least;
		average = distance(sums, i) < distance(sums, average) ? i : average;
	}
	ranks[most].roles |= JOB_MOST;
	ranks[least].roles |= JOB_LEAST;
	ranks[average].roles |= JOB_AVERAGE;
}

static int compare_ns(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static int set_rank_times(struct job_log *log, const struct job_sums *sums, struct error *err)
{
	const size_t count = sums->ranks.count;
	double squares = 0;
	uint64_t *sorted;

	TRY(allocate(&sorted, count, sizeof *sorted, err));
	log->mean_ns = (double)sums->all_ns / (double)count;
	for (size_t i = 0; i < count; i++) {
		const double difference = (double)sums->ranks.items[i].mpi_ns - log->mean_ns;

		squares += difference * difference;
		sorted[i] = sums->ranks.items[i].mpi_ns;
	}
	log->deviation_ns = sqrt(squares / (double)count);
	qsort(sorted, count, sizeof *sorted, compare_ns);
	log->least_ns = sorted[0];
	log->most_ns = sorted[count - 1];
	for (size_t i = 0; i < JOB_QUANTILES; i++)
		log->quantiles_ns[i] = sorted[i * (count - 1) / (JOB_QUANTILES - 1)];
	free(sorted);
	return 0;
}

/* Move the ranks that have a role, or all. */
static int move_ranks(struct job_log *log, struct job_sums *sums, bool all, struct error *err)
{
	TRY(array_reserve(&log->rank_list, sums->ranks.count, err));
	for (size_t i = 0; i < sums->ranks.count; i++) {
		struct job_rank *rank = &sums->ranks.items[i];

		if (all || rank->roles)
			log->rank_list.items[log->rank_list.count++] = *rank;
		else
			release_rank(rank);
	}
	sums->ranks.count = 0;
	array_fit(&log->rank_list);
	return 0;
}

/* ---------------------------------------------------------------------- cells */

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

static int set_cells(struct job_log *log, const struct job_sums *sums, struct error *err)
{
	const struct usage_cell **sorted;
	int result;

	TRY(allocate(&sorted, USAGE_CELLS, sizeof *sorted, err));
	result = put_cells(log, &sums->cells, sorted, err);
	free(sorted);
	log->overflow |= sums->overflow || sums->cells.table.overflow != 0;
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

static int count_nodes(struct job_log *log, const char **hosts, size_t count, struct error *err)
{
	qsort(hosts, count, sizeof *hosts, compare_hosts);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && !strcmp(hosts[i], hosts[end]); end++)
			;
		TRY(count_node(log, (uint32_t)(end - i), err));
		log->nodes_seen++;
	}
	return 0;
}

/* Unless the host of a rank is not known. */
static int set_nodes(struct job_log *log, const struct job_sums *sums, struct error *err)
{
	const size_t count = sums->ranks.count;
	const char **hosts;
	int result;

	log->nodes_seen = 0;
	log->ranks_per_node.count = 0;
	for (size_t i = 0; i < count; i++)
		if (!sums->ranks.items[i].host)
			return 0;
	TRY(allocate(&hosts, count, sizeof *hosts, err));
	for (size_t i = 0; i < count; i++)
		hosts[i] = sums->ranks.items[i].host;
	result = count_nodes(log, hosts, count, err);
	free(hosts);
	return result;
}

int job_sums_end(struct job_sums *sums, struct job_log *log, bool all, struct error *err)
{
	log->ranks_seen = (uint32_t)sums->ranks.count;
	log->threads = sums->threads;
	if (sums->ranks.count == 0)
		return 0;
	set_roles(sums);
	TRY(set_rank_times(log, sums, err));
	TRY(set_cells(log, sums, err));
	TRY(set_nodes(log, sums, err));
	return move_ranks(log, sums, all, err);
}

int job_log_add_parts(struct job_log *log, const struct job_part *parts, uint32_t count, bool all,
		      struct error *err)
{
	struct job_sums *sums;
	int result = 0;

	TRY(job_sums_make(&sums, err));
	for (uint32_t i = 0; i < count && result == 0; i++)
		result = job_sums_add(sums, &parts[i], err);
	if (result == 0)
		result = job_sums_end(sums, log, all, err);
	job_sums_free(sums);
	return result;
}
