/* Logs of ranks whose tables come one after the other. */
#include "usage/log/job_ranks.h"

#include <stdlib.h>
#include <string.h>

struct job_sums {
	ARRAY(struct job_rank) ranks; /* that were added */
	uint32_t threads;
	struct job_cells *cells;
};

int job_sums_make(struct job_sums **sums, struct error *err)
{
	TRY(allocate(sums, 1, sizeof **sums, err));
	if (job_cells_make(&(*sums)->cells, err) == 0)
		return 0;
	free(*sums);
	return -1;
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
	free(sums->cells);
	free(sums);
}

/* ------------------------------------------------------------------ one rank */

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
	job_cells_add_table(sums->cells, part->table);
	sums->threads = part->threads > sums->threads ? part->threads : sums->threads;
	return 0;
}

/* --------------------------------------------------------------------- roles */

static int set_rank_times(struct job_log *log, struct job_sums *sums, struct error *err)
{
	const uint32_t count = (uint32_t)sums->ranks.count;
	struct job_time *times;
	struct job_roles roles;
	int result;

	TRY(allocate(&times, count, sizeof *times, err));
	for (uint32_t i = 0; i < count; i++)
		times[i] = (struct job_time){sums->ranks.items[i].rank,
					     sums->ranks.items[i].mpi_ns};
	roles = job_roles_find(times, count);
	for (uint32_t i = 0; i < count; i++)
		sums->ranks.items[i].roles = job_roles_of(&roles, i);
	result = job_log_set_times(log, times, count, err);
	free(times);
	return result;
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

/* ---------------------------------------------------------------------- nodes */

static int compare_hosts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int count_nodes(struct job_log *log, const char **hosts, size_t count, struct error *err)
{
	qsort(hosts, count, sizeof *hosts, compare_hosts);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && !strcmp(hosts[i], hosts[end]); end++)
			;
		TRY(job_log_count_node(log, (uint32_t)(end - i), err));
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
	TRY(set_rank_times(log, sums, err));
	TRY(job_cells_put(sums->cells, log, err));
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
